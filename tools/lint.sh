#!/usr/bin/env bash
# Formatting and static checks; changes nothing.
set -uo pipefail
cd "$(dirname "$0")/.."
tools/install_packages.sh build test lint python || exit 1
failed=0
check() { # check NAME COMMAND...
  local name=$1
  shift
  if "$@"; then echo "ok      $name"; else echo "FAILED  $name"; failed=1; fi
}
cpp_files() { git ls-files 'src/*.h' 'src/*.cpp' 'cli/*.h' 'cli/*.cpp' 'python/bindings/*' 'tests/*.h' 'tests/*.cpp' 'bench/*.cpp' 'examples/*.cpp'; }
format() { cpp_files | xargs clang-format-19 --dry-run -Werror; }
tidy() {
  # Options and precompiled headers of GCC say nothing to clang.
  local foreign=(--extra-arg=-Wno-unused-command-line-argument --extra-arg=-Wno-ignored-gch)
  # Each file by itself, which is how it is checked.
  cmake --preset release -B build/lint -DSIGHTGLASS_COMPILE_TOGETHER=OFF >/dev/null && cmake --build build/lint --target sightglass >/dev/null &&
    git ls-files 'src/*.cpp' 'cli/*.cpp' | grep -v _test.cpp | xargs -P "$(nproc)" -n 4 clang-tidy-19 -p build/lint --quiet "${foreign[@]}" 2>/dev/null
}
python_style() {
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/python -m ruff --version >/dev/null 2>&1 || .venv/bin/pip install --quiet --disable-pip-version-check ruff
  .venv/bin/python -m ruff check --quiet . && .venv/bin/python -m ruff format --check --quiet .
}
page_types() { (cd web && { [ -d node_modules ] || npm ci --ignore-scripts --silent; } && npm run --silent check); }
shell_syntax() { for script in tools/*.sh .ci/run web/*.sh; do bash -n "$script" || return 1; done; }
stands_alone() { ! git grep -nE '\.\./shared|https?://[a-z.]*(pypi|npmjs|debian)\.' -- . ':!tools/lint.sh'; }

check "C++ formatting" format
check "Python style" python_style
check "page types" page_types
check "shell scripts" shell_syntax
check "the repository stands alone" stands_alone
check "clang-tidy" tidy
exit $failed
