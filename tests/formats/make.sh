#!/usr/bin/env bash
# Makes model files and their frameworks' own answers anew, each version in a virtual environment of its own:
#   tests/formats/make.sh [FRAMEWORK [VERSION]]
# Old versions need old Pythons; a version whose Python is not found is skipped, and the exit code is 3 then.
set -euo pipefail
cd "$(dirname "$0")/../.."
# framework, version, Python, packages
versions="
xgboost 1.0.2 3.9  xgboost==1.0.2 numpy==1.19.5 scipy==1.7.3 pandas==1.1.5 scikit-learn==0.24.2
xgboost 1.3.3 3.9  xgboost==1.3.3 numpy==1.19.5 scipy==1.7.3 pandas==1.1.5 scikit-learn==0.24.2
xgboost 1.6.2 3.9  xgboost==1.6.2 numpy==1.23.5 scipy==1.10.1 pandas==1.5.3 scikit-learn==1.2.2
xgboost 1.7.6 3.9  xgboost==1.7.6 numpy==1.23.5 scipy==1.10.1 pandas==1.5.3 scikit-learn==1.2.2
xgboost 2.1.4 3.10 xgboost-cpu==2.1.4 numpy==1.26.4 scipy==1.15.3 pandas==2.1.4 scikit-learn==1.5.2
xgboost 3.0.5 3.11 xgboost-cpu==3.0.5 numpy==2.3.5 scipy==1.16.3 pandas==2.3.3 scikit-learn==1.5.2
xgboost 3.1.3 3.11 xgboost-cpu==3.1.3 numpy==2.3.5 scipy==1.16.3 pandas==2.3.3 scikit-learn==1.7.2
xgboost 3.2.0 3.11 xgboost-cpu==3.2.0 numpy==2.3.5 scipy==1.16.3 pandas==2.3.3 scikit-learn==1.7.2
lightgbm 2.0.12 3.11 lightgbm==2.0.12 numpy==1.23.5 scipy==1.10.1 pandas==1.5.3 scikit-learn==1.2.2
lightgbm 2.2.3 3.11 lightgbm==2.2.3 numpy==1.23.5 scipy==1.10.1 pandas==1.5.3 scikit-learn==1.2.2
lightgbm 2.3.1 3.11 lightgbm==2.3.1 numpy==1.23.5 scipy==1.10.1 pandas==1.5.3 scikit-learn==1.2.2
lightgbm 3.3.5 3.11 lightgbm==3.3.5 numpy==1.23.5 scipy==1.10.1 pandas==1.5.3 scikit-learn==1.2.2
lightgbm 4.1.0 3.11 lightgbm==4.1.0 numpy==1.23.5 scipy==1.10.1 pandas==1.5.3 scikit-learn==1.2.2
lightgbm 4.6.0 3.11 lightgbm==4.6.0 numpy==1.23.5 scipy==1.10.1 pandas==1.5.3 scikit-learn==1.2.2
lightgbm 4.7.0 3.11 lightgbm==4.7.0 numpy==1.23.5 scipy==1.10.1 pandas==1.5.3 scikit-learn==1.2.2
catboost 1.0.6 3.9 catboost==1.0.6 numpy==1.23.5 scipy==1.10.1 pandas==1.5.3
catboost 1.2.10 3.11 catboost==1.2.10 numpy==2.3.5 scipy==1.16.3 pandas==2.3.3
sklearn 1.1.3 3.11 scikit-learn==1.1.3 numpy==1.24.4 scipy==1.10.1 pandas==1.5.3
sklearn 1.3.2 3.11 scikit-learn==1.3.2 numpy==1.26.4 scipy==1.15.3 pandas==2.1.4
sklearn 1.5.2 3.11 scikit-learn==1.5.2 numpy==2.0.2 scipy==1.15.3 pandas==2.2.3
sklearn 1.9.1 3.11 scikit-learn==1.9.1 numpy==2.4.6 pandas==3.1.1
onnx 1.17.3 3.11 onnxruntime==1.17.3 skl2onnx==1.16.0 onnxmltools==1.12.0 onnx==1.15.0 xgboost-cpu==2.1.4 lightgbm==4.1.0 scikit-learn==1.4.2 numpy==1.26.4 scipy==1.11.4 pandas==2.1.4 setuptools==69.5.1
onnx 1.31.1 3.11 onnxruntime==1.31.1 skl2onnx==1.20.0 onnxmltools==1.16.0 onnx==1.18.0 xgboost-cpu==3.2.0 lightgbm==4.7.0 scikit-learn==1.6.1 numpy==2.2.6 pandas==2.3.3
"
find_python() { # find_python 3.9
  local python
  for python in "$(command -v "python$1" || true)" "$HOME/.pyenv/versions/$1."*/bin/python; do
    if [ -x "$python" ] && "$python" -c "import sys; sys.exit(sys.version_info[:2] != (${1/./, }))" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
}
skipped=0
while read -r framework version number packages; do
  [ -n "$framework" ] || continue
  [ $# -lt 1 ] || [ "$1" = "$framework" ] || continue
  [ $# -lt 2 ] || [ "$2" = "$version" ] || continue
  venv=.venv-golden-$framework-$version
  if [ ! -f "$venv/complete" ]; then
    python=$(find_python "$number")
    if [ -z "$python" ]; then
      echo "$framework $version: skipped, there is no Python $number"
      skipped=3
      continue
    fi
    "$python" -m venv --clear "$venv"
    # shellcheck disable=SC2086
    "$venv/bin/pip" install --quiet --disable-pip-version-check $packages
    touch "$venv/complete"
  fi
  echo "$framework $version"
  "$venv/bin/python" "tests/formats/make_$framework.py"
done <<<"$versions"
exit $skipped
