#!/usr/bin/env bash
# The first contact: one command from a model file and a table to a page.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p demo
start=$(date +%s.%N)
build/release/sightglass partial-dependence \
  --model examples/bike/model.json --data examples/bike/bike.csv --target rentals \
  --units examples/bike/units.json -o demo/partial_dependence.json
build/release/sightglass partial-dependence --pairs temp:hour,hour:workingday --pair-grid 12 \
  --model examples/bike/model.json --data examples/bike/bike.csv --target rentals \
  --units examples/bike/units.json -o demo/pairs.json
build/release/sightglass ice --features temp,hour,humidity --center \
  --model examples/bike/model.json --data examples/bike/bike.csv --target rentals \
  --units examples/bike/units.json -o demo/ice.json
build/release/sightglass render demo/partial_dependence.json demo/ice.json demo/pairs.json \
  --title "What drives bike rentals?" -o demo/report.html
seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
build/release/sightglass pdp --features temp -f table \
  --model examples/bike/model.json --data examples/bike/bike.csv --target rentals --units examples/bike/units.json
echo
echo "$(pwd)/demo/report.html  ($(du -k demo/report.html | cut -f1) KB, computed in $seconds s): open it in a browser"
