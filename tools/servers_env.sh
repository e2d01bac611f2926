#!/usr/bin/env bash
# Real servers of models in .venv-servers, for the tests that ask them: MLServer and MLflow. Prints nothing when they are there.
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv-servers/bin/python
cmp --silent tests/cli/servers.txt .venv-servers/servers.txt && exit 0
[ -x $python ] || python3 -m venv .venv-servers
$python -m pip install --quiet --disable-pip-version-check -r tests/cli/servers.txt
# By its own word it wants xgboost, whose wheel brings half a gigabyte for graphics cards; the one for processors does.
$python -m pip install --quiet --disable-pip-version-check --no-deps mlserver-xgboost==1.7.1
cp tests/cli/servers.txt .venv-servers/servers.txt
