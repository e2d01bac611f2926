#!/usr/bin/env bash
# Fuzzes everything that reads hostile bytes: SECONDS_EACH=600 make fuzz. Corpora stay in tests/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_packages.sh build fuzz
seconds=${SECONDS_EACH:-600}
cmake --preset fuzz >/dev/null
cmake --build build/fuzz -j "$(nproc)"
for target in build/fuzz/tests/fuzz/fuzz_*; do
  [ -x "$target" ] && [ -f "$target" ] || continue
  name=$(basename "$target")
  mkdir -p "tests/fuzz/corpus/$name" build/fuzz/findings
  # Real files to start from.
  seeds=build/fuzz/seeds/$name
  mkdir -p "$seeds"
  case $name in
    fuzz_xgboost_json) cp examples/penguins/*.json $(ls tests/formats/xgboost/*.json | grep -v expected) "$seeds" ;;
    fuzz_xgboost_ubj) cp tests/formats/xgboost/*.ubj "$seeds" ;;
    fuzz_onnx) cp tests/formats/onnx/*.onnx "$seeds" ;;
    fuzz_catboost_json) cp $(ls tests/formats/catboost/*.json | grep -v expected) "$seeds" ;;
    fuzz_catboost_cbm) cp tests/formats/catboost/*.cbm "$seeds" ;;
    fuzz_lightgbm_text) cp tests/formats/lightgbm/*.txt "$seeds" ;;
    fuzz_result_json) cp tests/golden/results/* "$seeds" ;;
    fuzz_picture) cp examples/pictures/*.png tests/fuzz/pictures/* "$seeds" ;;
    fuzz_sightglass_json) cp tests/formats/sightglass/*.json "$seeds" ;;
  esac
  echo "── $name: $seconds s"
  "$target" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/findings/$name-" "tests/fuzz/corpus/$name" "$seeds" 2>&1 | tail -n 8
done
