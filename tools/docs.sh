#!/usr/bin/env bash
# The documentation as a website of plain files, with a search that works offline: site/index.html.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv-docs/bin/python ] || python3 -m venv .venv-docs
.venv-docs/bin/pip install --quiet --disable-pip-version-check -r docs/site/requirements.txt
[ -d docs/site/node_modules ] || (cd docs/site && npm ci --ignore-scripts --silent)
NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet --strict
echo "$(pwd)/site/index.html: open it in a browser"
