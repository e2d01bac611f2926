#!/usr/bin/env bash
# The Python package, built and installed into .venv; only when its sources changed.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_packages.sh build python
[ -x .venv/bin/python ] || python3 -m venv .venv
[ -f pyproject.toml ] || exit 0
stamp=.venv/sightglass.stamp
newer=$(find pyproject.toml CMakeLists.txt cmake src cli python web/src web/package.json -newer "$stamp" -type f -print -quit 2>/dev/null || true)
[ -f "$stamp" ] && [ -z "$newer" ] && exit 0
.venv/bin/pip install --quiet --disable-pip-version-check "scikit-build-core>=0.11" "nanobind>=2.4" "numpy>=1.24"
# The same compiler by the same name as in the presets: ccache shares what both builds compile.
export CXX=g++
.venv/bin/pip install --quiet --disable-pip-version-check --no-build-isolation \
  --no-deps --force-reinstall .
touch "$stamp"
