"""Times adelie's logistic path. It wants another NumPy than the other peers, and so has an environment of its own.

    .bench-venv-adelie/bin/python bench/learners/adelie_path.py FOLDER ROWS COLUMNS REPEATS

FOLDER has x (float64, column after column), y and penalties; coefficients are written there: of each penalty the
intercept, and one per column. Prints the seconds of the processor of each repetition.
"""

import json
import os
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import adelie  # noqa: E402
import numpy as np  # noqa: E402

folder, rows, columns, repeats = Path(sys.argv[1]), *map(int, sys.argv[2:5])
x = np.asfortranarray(np.fromfile(folder / "x").reshape(columns, rows).T)
y = np.fromfile(folder / "y")
penalties = np.fromfile(folder / "penalties")
seconds = []
for _ in range(repeats):
    start = time.process_time()
    found = adelie.grpnet(
        x, adelie.glm.binomial(y), lmda_path=penalties, n_threads=1, early_exit=False, progress_bar=False
    )
    seconds.append(time.process_time() - start)
# Its path goes from the largest penalty on, whatever the order in which they were given.
order = np.argsort(-np.asarray(found.lmdas), kind="stable")
np.column_stack([np.asarray(found.intercepts), found.betas.toarray()])[order].tofile(folder / "coefficients")
print(json.dumps({"cpu_seconds": seconds, "penalties": len(order)}))
