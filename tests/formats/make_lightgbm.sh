#!/usr/bin/env bash
# Makes tests/formats/lightgbm anew with every version of LightGBM that docs/models.md calls tested.
set -euo pipefail
cd "$(dirname "$0")/../.."
newest=4.7.0
venvs=${VENVS:-.}
with() { # with VERSION ARGUMENTS...
  local venv=$venvs/.venv-golden-lightgbm-$1
  if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    # Versions of 2023: the old LightGBMs do not work with today's NumPy and pandas.
    "$venv/bin/pip" install --quiet --disable-pip-version-check "lightgbm==$1" "numpy==1.23.5" "pandas==1.5.3" \
      "scipy==1.10.1" "scikit-learn==1.2.2"
  fi
  "$venv/bin/python" tests/formats/make_lightgbm.py "${@:2}"
}
rm -rf tests/formats/lightgbm
with $newest
for version in 2.0.12 2.2.3 2.3.1 3.3.5 4.1.0 4.6.0; do with $version tag; done
