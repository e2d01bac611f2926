#!/usr/bin/env bash
# Small files of our own models, one for each learner and task: seeds of the fuzzer.
set -euo pipefail
cd "$(dirname "$0")/../.."
tool=build/release/sightglass
fit() {
  "$tool" fit "$1" --data "$2" --target "$3" --features "$4" -o "tests/formats/sightglass/$1_$3.json" \
    --quiet --format json "${@:5}" >/dev/null
}
for learner in $("$tool" methods --format json | python3 -c '
import json, sys
print(*(entry["name"] for entry in json.load(sys.stdin) if entry["kind"] == "learner"))'); do
  small=()
  case $learner in
    tree | optimal-tree) small=(--max-depth 2) ;;
    sparse-linear) small=(--path-length 5) ;;
    rulefit) small=(--rules 4 --max-rules 50) ;;
    gam) small=(--bins 8 --pair-bins 4) ;;
    hierarchical-2d | covering-2d) small=(--kernel linear) ;;
  esac
  [[ $learner == *-2d || $learner == nearest-prototype ]] ||
    fit "$learner" examples/bike/bike.csv rentals temp,season --where "hour < 3" "${small[@]}"
  # Files of neighbours are their rows.
  [[ $learner == knn || $learner == nearest-prototype ]] && small=(--where "flipper_length > 215")
  fit "$learner" examples/penguins/penguins.csv sex body_mass,island "${small[@]}"
  [[ ${small[*]} == --where* ]] && small=(--where "bill_length > 44 and bill_length < 46.3")
  fit "$learner" examples/penguins/penguins.csv species bill_length,island "${small[@]}"
done
fit covering-2d examples/penguins/penguins.csv island bill_length,body_mass --kernel linear --max-models 1 --dimensions 1 --one-vs-rest
