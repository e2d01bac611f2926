#!/usr/bin/env bash
# Makes the README's pictures anew, from the page of make demo.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f demo/report.html ] || make --no-print-directory demo
[ -d tests/browser/node_modules ] || (cd tests/browser && npm ci --ignore-scripts --silent)
node tests/browser/pictures.mjs demo/report.html docs/images
