#!/usr/bin/env bash
# Records estimators of several versions of scikit-learn anew. Each version stands for a way of doing things: 1.1
# keeps counts in leaves and refuses missing values, 1.3 takes them, 1.5 encodes categories itself, 1.9 is the newest.
set -euo pipefail
cd "$(dirname "$0")/../.."
venvs=${VENVS:-.venv-formats}
python=${PYTHON:-python3.11}
record() { # record VERSION "OTHER PACKAGES" CASE... (none: all)
  local version=$1 others=$2
  shift 2
  local venv=$venvs/skl-$version
  [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
  # shellcheck disable=SC2086
  "$venv/bin/pip" install --quiet --disable-pip-version-check "scikit-learn==$version" $others
  "$venv/bin/python" tests/formats/make_sklearn.py "$@"
}
rm -rf tests/formats/sklearn
record 1.1.3 "numpy<1.25 pandas<2 scipy<1.11" \
  tree_binary forest_regression forest_multiclass boosting_regression boosting_binary boosting_exponential \
  boosting_multiclass histogram_regression histogram_poisson histogram_binary histogram_codes isolation isolation_subset
record 1.3.2 "numpy<1.27 pandas<2.2" tree_binary forest_binary boosting_huber
record 1.5.2 "numpy<2.1 pandas<2.3" \
  tree_regression tree_binary forest_binary boosting_multiclass histogram_text histogram_text_moved isolation
record 1.9.1 "numpy==2.4.6 pandas==3.1.1"
