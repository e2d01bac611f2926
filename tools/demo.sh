#!/usr/bin/env bash
# The first contact: one command from a model file and a table to a page.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p demo
start=$(date +%s.%N)
build/release/sightglass report \
  --model examples/bike/model.json --data examples/bike/bike.csv --target rentals \
  --units examples/bike/units.json --title "What drives bike rentals?" --save demo/results -o demo/report.html
seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
# What to know first: they end at the first empty line.
build/release/sightglass render demo/results/*.json -f table | sed '/^$/,$d'
echo "$(pwd)/demo/report.html  ($(du -k demo/report.html | cut -f1) KB, computed in $seconds s): open it in a browser"
