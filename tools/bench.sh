#!/usr/bin/env bash
# Measures; writes bench/results/latest.json and a table. Never part of make test.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_packages.sh build python
make --no-print-directory build
.venv/bin/pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt
cmake --build build/release --target tree_kernels learner_kernels
# Other tools have an environment of their own: what they need is none of ours. One that cannot be had is left out, and
# its rows say so.
if ! cmp --silent bench/peers.txt .bench-venv/peers.txt; then
  [ -x .bench-venv/bin/python ] || python3 -m venv .bench-venv
  if .bench-venv/bin/pip install --quiet --disable-pip-version-check -r bench/peers.txt; then
    cp bench/peers.txt .bench-venv/peers.txt
  else
    grep -v '^#' bench/peers.txt | while read -r peer; do
      .bench-venv/bin/pip install --quiet --disable-pip-version-check "$peer" || echo "bench: no $peer here"
    done
  fi
fi
for peer in adelie alibi; do
  cmp --silent "bench/peers-$peer.txt" ".bench-venv-$peer/peers.txt" && continue
  [ -x ".bench-venv-$peer/bin/python" ] || python3 -m venv ".bench-venv-$peer"
  if ".bench-venv-$peer/bin/pip" install --quiet --disable-pip-version-check -r "bench/peers-$peer.txt"; then
    cp "bench/peers-$peer.txt" ".bench-venv-$peer/peers.txt"
  else
    echo "bench: no $peer here"
  fi
done
tools/install_packages.sh bench-peers || echo "bench: no glmnet of R here"
mkdir -p bench/results
.venv/bin/python bench/run.py
