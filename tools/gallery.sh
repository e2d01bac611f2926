#!/usr/bin/env bash
# The pictures of docs/gallery.md anew, all or the named ones: tools/gallery.sh shap lime
set -euo pipefail
cd "$(dirname "$0")/.."
make --no-print-directory cli
[ -d tests/browser/node_modules ] || (cd tests/browser && npm ci --ignore-scripts --silent)
node tests/browser/gallery.mjs build/release "$@"
