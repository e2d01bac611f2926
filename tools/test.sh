#!/usr/bin/env bash
# Builds and runs every test; each suite runs even if an earlier one failed. Ends with one line per suite.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
tools/install_packages.sh build test python || exit 1

names=()
results=()
suite() { # suite NAME COMMAND...
  local name=$1
  shift
  echo "── $name"
  local start=$SECONDS
  if "$@"; then results+=("passed"); else results+=("FAILED"); fi
  names+=("$name ($((SECONDS - start)) s)")
}

build_release() { cmake --preset release -DSIGHTGLASS_TESTS=ON >build-configure.log 2>&1 || { cat build-configure.log; return 1; }
  rm -f build-configure.log
  cmake --build build/release -j "$jobs" | grep -vE '^\[[0-9]+/[0-9]+\]' ; return "${PIPESTATUS[0]}"; }
unit_tests() { ctest --test-dir build/release --output-on-failure -j "$jobs" | tail -n 25; return "${PIPESTATUS[0]}"; }
build_sanitized() { cmake --preset sanitize >build-configure.log 2>&1 || { cat build-configure.log; return 1; }
  rm -f build-configure.log
  cmake --build build/sanitize -j "$jobs" --target unit_tests | grep -vE '^\[[0-9]+/[0-9]+\]'; return "${PIPESTATUS[0]}"; }
# The laws run over one family of models here, and over all of them (both engines too) without sanitizers: unoptimised they
# take minutes each, as do comparisons of many predictions.
sanitized_tests() { build_sanitized && build/sanitize/tests/unit_tests --gtest_brief=1 \
  --gtest_filter='-*Laws*_xgboost:*Laws*_lightgbm:*Laws*_forest:*Engines*:Stories.*:PdTreeMeans.ComplementsAre*:PdTreeMeans.PairsOfMany*' | tail -n 25; return "${PIPESTATUS[0]}"; }
python_env() { tools/python_env.sh && .venv/bin/pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt; }
python_tests() { .venv/bin/python -m pytest -q tests -p no:cacheprovider; }
browser_tests() { (cd tests/browser && { [ -d node_modules ] || npm ci --ignore-scripts --silent; } && node --test); }
page_tests() { (cd web && npm run --silent check && npm run --silent test); }

suite "build" build_release
suite "C++ tests" unit_tests
suite "C++ tests with sanitizers" sanitized_tests
suite "Python environment" python_env
suite "Python, CLI, golden and install tests" python_tests
suite "page types and logic" page_tests
suite "browser tests" browser_tests

echo "── summary"
failed=0
for i in "${!names[@]}"; do
  printf '%-8s %s\n' "${results[$i]}" "${names[$i]}"
  [ "${results[$i]}" = passed ] || failed=$((failed + 1))
done
echo "suites: $((${#names[@]} - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
