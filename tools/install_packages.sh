#!/usr/bin/env bash
# Installs the Debian packages of the named groups in tools/apt-packages.txt that are not there yet.
# Needs root or sudo only if something is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
missing=()
for group in "$@"; do
  for package in $(sed -n "s/^$group: //p" "$here/apt-packages.txt"); do
    case $package in
      # Whoever brought these programs (a version manager, another repository) brought them well enough.
      nodejs) command -v node >/dev/null && continue ;;
      npm | cmake | ccache | make | g++) command -v "$package" >/dev/null && continue ;;
      ninja-build) command -v ninja >/dev/null && continue ;;
    esac
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo >/dev/null; then
  as_root=(sudo)
else
  echo "sightglass: these Debian packages are missing: ${missing[*]}; install them as root, then run make again" >&2
  exit 1
fi
command -v apt-get >/dev/null || { echo "sightglass: install the equivalents of: ${missing[*]}" >&2; exit 1; }
echo "sightglass: installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  exit 1
fi
