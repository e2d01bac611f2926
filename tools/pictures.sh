#!/usr/bin/env bash
# Makes the README's pictures anew, from the page that make demo makes of the tree as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
make --no-print-directory demo
[ -d tests/browser/node_modules ] || (cd tests/browser && npm ci --ignore-scripts --silent)
node tests/browser/pictures.mjs demo/report.html docs/images
