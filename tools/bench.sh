#!/usr/bin/env bash
# Measures; writes bench/results/latest.json and a table. Never part of make test.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_packages.sh build python
make --no-print-directory build
.venv/bin/pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt
mkdir -p bench/results
.venv/bin/python bench/run.py
