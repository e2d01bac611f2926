#!/usr/bin/env bash
# Makes the oracle files and model files anew with the pinned versions of the tools that they come from.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_packages.sh python
[ -x .venv-golden/bin/python ] || python3 -m venv .venv-golden
.venv-golden/bin/pip install --quiet --disable-pip-version-check -r tests/golden/effects/requirements.txt \
  -r tests/golden/effects/requirements_ale.txt -r tests/golden/trees/requirements.txt -r tests/golden/lime/requirements.txt
.venv-golden/bin/python tests/golden/effects/make_golden.py
.venv-golden/bin/python tests/golden/effects/make_ale.py
.venv-golden/bin/python tests/golden/importance/make_losses.py
.venv-golden/bin/python tests/golden/importance/make_importances.py
.venv-golden/bin/python tests/golden/trees/make_shapley.py
.venv-golden/bin/python tests/golden/lime/make_lines.py
tools/python_env.sh  # samples and regions are our own
.venv-golden/bin/python tests/golden/lime/make_pieces.py
.venv-golden/bin/python tests/golden/make_results.py
[ -x .venv-golden-alibi/bin/python ] || python3 -m venv .venv-golden-alibi
.venv-golden-alibi/bin/pip install --quiet --disable-pip-version-check -r tests/golden/anchors/requirements.txt
.venv-golden-alibi/bin/python tests/golden/anchors/make_anchors.py
tests/formats/make.sh || { [ $? -eq 3 ] && echo "some versions were skipped: their files are as they were"; }
git --no-pager diff --stat -- tests/golden tests/formats
