#!/usr/bin/env bash
# Builds and runs every test; each suite runs even if an earlier one failed. Two rows of suites run side by side, since the one
# keeps all cores busy and the other mostly waits for browsers and programs. Ends with one line per suite: how long it took,
# and how long all cores together worked for it.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
tools/install_packages.sh build test python || exit 1
logs=$PWD/build/test-logs
rm -rf "$logs" && mkdir -p "$logs"

# suite NAME COMMAND...: its output appears when it is done, so that suites beside one another do not mix theirs.
suite() {
  local name=$1 log=$logs/$1.log result=passed
  shift
  echo "── $name …"
  local TIMEFORMAT='%R %U %S'
  { time { ("$@") >"$log" 2>&1; }; } 2>"$log.time" || result=FAILED
  flock "$logs" bash -c 'echo "── $1: $2"; tail -n 40 "$3"' _ "$name" "$result" "$log"
  echo "$result" >"$log.result"
}

# Compilers are named in what is printed only if they say something.
compile() { # compile BUILD TARGET...
  cmake --build "build/$1" -j "$jobs" --target "${@:2}" | grep -vE '^\[[0-9]+/[0-9]+\]|^ninja: no work to do'
  return "${PIPESTATUS[0]}"
}
build_release() { cmake --preset release -DSIGHTGLASS_TESTS=ON >/dev/null && compile release all; }
build_sanitized() {
  cmake --preset sanitize -DSIGHTGLASS_PLAIN_BUILD="$PWD/build/release" >/dev/null && compile sanitize unit_tests
}
# More parts than cores: some tests are longer than others.
unit_tests() { # unit_tests BUILD [FILTER]
  export GTEST_TOTAL_SHARDS=$((4 * jobs)) GTEST_BRIEF=1 GTEST_FILTER="${2:-*}"
  seq 0 $((GTEST_TOTAL_SHARDS - 1)) | xargs -P "$jobs" -I{} \
    sh -c 'said=$(GTEST_SHARD_INDEX={} "$0" 2>&1); status=$?; echo "$said"; exit $((status != 0))' "build/$1/tests/unit_tests"
}
# What reads hostile input, and the engine on small cases. Left out is what repeats the same code on more numbers: the laws
# and the kernels run over one family of models here and over all of them without sanitizers, results are not compared
# between numbers of threads and orders of rows, jobs are saved and loaded by the laws rather than by more processes, and
# definitions are not computed over all orders and pairs. Nor is what only counts how often chance keeps a promise, reports,
# which ask methods, and what DuckDB is allowed to do, which is not our code.
unsanitized='*Laws.AnyThreadCount*:*Laws.AnyKindOfConcurrency*:*Laws.RowOrderDoesNotMatter*:*Laws*_xgboost:*Laws*_lightgbm:*Laws*_catboost:*Laws*_forest:*Laws*_expected_function:*Engines*:Stories.*:*Replay.SeparateProcesses*'
unsanitized+=':*CountedTrees*/lightgbm:*CountedTrees*/catboost:*CountedTrees*/forest:*Variants*/lightgbm:*Variants*/forest'
unsanitized+=':PdTreeMeans.ComplementsAre*:PdTreeMeans.PairsOfMany*:PdAtRows.TheBudgetIsKept:Shap.TreesAgreeWithAllOrders'
unsanitized+=':Decomposition.EqualsTheDefinitionAtEveryOrder:ModelReliance.EqualsTheSumOverAllPairs:LevelOrder.AThousandLevels'
unsanitized+=':Interactions.ManyFeaturesAndFewPredictionsLeavePairsOut'
unsanitized+=':RegionalEffects.EqualTheDefinition*'
unsanitized+=':PageSize.*:DataProfile.ManyFeatures*:Interactions.EqualsTheDefinitionForTreesWhichShareCells:LocalFit.TheLassoPath*'
unsanitized+=':*CheapestChanges*/lightgbm:*CheapestChanges*/catboost:*CheapestChanges*/forest:Lime.MoreSamples*:Anchors.ThePromisedPrecision*'
unsanitized+=':*.AnyNumberOfThreadsFindsTheSame*'
unsanitized+=':LimeLimits.TheExactMargin*:LimeLimits.SamplesOf*:LimeLimits.LinearModels*:Lime.LinearModelsHaveClosedForms'
unsanitized+=':Shap.IntervalsOfSampledValues*:Caveats.AnAdditiveModelNeverHides*:PermutationImportance.ExpectedIsTheMeanOf*'
unsanitized+=':PdTreeMeans.PairsArePriced*:*CertainRules*/lightgbm*:Reports.*'
unsanitized+=':Lockdown.NothingIsWritten:Lockdown.NoExtension*:Lockdown.AFileOfTheSameName*:Lockdown.NoOtherFile*'
sanitized_tests() { unit_tests sanitize "-$unsanitized"; }
python_env() { tools/python_env.sh && .venv/bin/pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt; }
# What a shell runs beside something else does not hear Ctrl-C, about which there are tests.
python_tests() { env --default-signal=INT .venv/bin/python -m pytest -q tests -p no:cacheprovider; }
page_tests() { (cd web && npm run --silent check && npm run --silent test); }
browser_tests() { (cd tests/browser && { [ -d node_modules ] || npm ci --ignore-scripts --silent; } && node --test --test-reporter=dot); }

suite "build" build_release
{
  suite "C++ tests" unit_tests release
  suite "build with sanitizers" build_sanitized
  suite "C++ tests with sanitizers" sanitized_tests
} &
{
  suite "page types and logic" page_tests
  suite "Python environment" python_env
  suite "Python, CLI, golden and install tests" python_tests
  suite "browser tests" browser_tests
} &
wait

echo "── summary"
failed=0 count=0 total=0
summarise() { # summarise NAME...
  local name real user system result
  for name in "$@"; do
    result=$(cat "$logs/$name.log.result" 2>/dev/null || echo FAILED)
    read -r real user system < <(tail -n 1 "$logs/$name.log.time")
    printf '%-8s %-40s %7.0f s %7.0f CPU s\n' "$result" "$name" "$real" "$(awk "BEGIN { print $user + $system }")"
    total=$(awk "BEGIN { print $total + $user + $system }")
    count=$((count + 1))
    [ "$result" = passed ] || failed=$((failed + 1))
  done
}
summarise "build" "C++ tests" "build with sanitizers" "C++ tests with sanitizers" "page types and logic" "Python environment" \
  "Python, CLI, golden and install tests" "browser tests"
printf 'suites: %d passed, %d failed; %d s, %.0f CPU s\n' $((count - failed)) "$failed" "$SECONDS" "$total"
[ "$failed" -eq 0 ]
