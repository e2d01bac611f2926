#!/usr/bin/env bash
# Builds the page into the given directory (default: web/dist). Several builds may run at once: only one of
# them installs the packages.
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-dist}
install_packages() {
  local wanted
  wanted=$(cksum <package-lock.json)
  [ "$(cat node_modules/.installed 2>/dev/null || true)" = "$wanted" ] && return
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  echo "$wanted" >node_modules/.installed
}
if command -v flock >/dev/null; then
  exec 9>.lock
  flock 9
fi
install_packages
[ -e .lock ] && exec 9>&-
node build.mjs "$out"
