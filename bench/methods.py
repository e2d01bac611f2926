#!/usr/bin/env python3
"""What the methods cost beyond the model itself: predictions they ask for, time they add, memory they need.

The model is a vectorised Python function that burns a bit more than 1 µs per row on one thread and keeps its own time and
rows; each ratio is taken within one run, so that a busy machine hurts both sides alike. Several runs give the spread.

    .venv/bin/python bench/methods.py [--only ale,pfi,pairs,bins,roc,memory] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

ROWS, COLUMNS, REPEATS = 20_000, 6, 5
# About 1 µs a row, less than any scikit-learn model with trees takes, and twice that.
BURNS = 480, 960


class Model:
    """f(x) with a clock and a counter; `burn` rounds of arithmetic per row."""

    def __init__(self, columns, burn):
        import numpy as np

        self.weights = np.random.default_rng(1).normal(size=columns)
        self.burn = burn
        self.forget()

    def forget(self):
        self.seconds, self.rows, self.calls = 0.0, 0, 0

    def __call__(self, data):
        import numpy as np

        begin = time.perf_counter()
        total = data @ self.weights
        total += data[:, 0] * data[:, 1]
        for _ in range(self.burn):
            total = np.tanh(total) + total * 0.5
        self.seconds += time.perf_counter() - begin
        self.rows += len(data)
        self.calls += 1
        return total


def table(rows, columns):
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, X[:, 0] + X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=rows)


def cost(label, explain, model, expected_rows, runs=5):
    """Rows asked for against rows needed, and time against the model's own: at most 5 % more."""
    explain()
    shares, passes = [], 0
    for _ in range(runs):
        model.forget()
        begin = time.perf_counter()
        explain()
        shares.append((time.perf_counter() - begin) / model.seconds - 1)
        passes = model.rows / expected_rows
    per_row = 1e6 * model.seconds / model.rows
    yield f"{label}: rows predicted, of those needed", "%", 100 * passes, 105, None
    yield (
        f"{label}: time beyond the model's ({per_row:.2f} µs/row, {model.rows:,} rows)",
        "%",
        100 * statistics.median(shares),
        5,
        [100 * min(shares), 100 * max(shares)],
    )


def ale():
    import sightglass as sg

    X, _ = table(ROWS, COLUMNS)
    for burn in BURNS:
        model = Model(COLUMNS, burn=burn)
        explainer = sg.Explainer(model, X, threads=1)
        yield from cost("ALE of all features (2 per feature and row)", explainer.ale, model, 2 * COLUMNS * ROWS)


def permutation():
    import sightglass as sg

    X, y = table(ROWS, COLUMNS)
    for burn in BURNS:
        model = Model(COLUMNS, burn=burn)
        explainer = sg.Explainer(model, X, y=y, threads=1)
        yield from cost(
            f"permutation importance ({REPEATS} per feature and row)",
            lambda explainer=explainer: explainer.permutation_importance(repeats=REPEATS),
            model,
            REPEATS * COLUMNS * ROWS,
        )


def pairs():
    """All pairs of 6 continuous features at 150 rows: every (row, override) once."""
    import sightglass as sg

    rows = 150
    X, _ = table(rows, COLUMNS)
    model = Model(COLUMNS, burn=480)
    explainer = sg.Explainer(model, X, threads=1)
    subsets = COLUMNS + COLUMNS * (COLUMNS - 1) // 2
    yield from cost(
        f"H of all pairs, {rows} rows (every row, feature or pair, and value once)",
        explainer.interactions,
        model,
        rows + subsets * rows * rows,
    )


def bins():
    """What ALE itself does with a million rows and 200 bins, without the model: under a second per feature."""
    import sightglass as sg

    X, _ = table(1_000_000, 3)
    model = Model(3, burn=0)
    explainer = sg.Explainer(model, X, threads=1)
    times = []
    for _ in range(5):
        model.forget()
        begin = time.perf_counter()
        explainer.ale("x0", bins=200)
        times.append(time.perf_counter() - begin - model.seconds)
    yield (
        "ALE, 200 bins × 1,000,000 rows, one feature, without the model",
        "s",
        statistics.median(times),
        1,
        [min(times), max(times)],
    )


def roc():
    """A curve over a million different probabilities, its area and the interval of that, beside scikit-learn's."""
    import numpy as np
    from sklearn.metrics import roc_auc_score, roc_curve

    import sightglass as sg

    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1_000_000, 1))
    y = (rng.uniform(size=len(X)) < X[:, 0]).astype(int)
    explainer = sg.Explainer(lambda rows: rows[:, 0], X, y=y, threads=1)
    explainer.roc()
    ratios = []
    for _ in range(5):
        begin = time.perf_counter()
        explainer.roc()
        middle = time.perf_counter()
        roc_curve(y, X[:, 0])
        roc_auc_score(y, X[:, 0])
        ratios.append((middle - begin) / (time.perf_counter() - middle))
    yield (
        "ROC of 1,000,000 rows, time of scikit-learn's roc_curve and roc_auc_score",
        "×",
        statistics.median(ratios),
        5,
        [min(ratios), max(ratios)],
    )


MEMORY = """
import resource, sys
sys.path.insert(0, {here!r})
from methods import Model, table
import sightglass as sg
X, y = table(200_000, 6)
explainer = sg.Explainer(Model(6, burn=0), X, y=y, threads=1)
{call}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def peak(call):
    script = MEMORY.format(here=os.path.dirname(os.path.abspath(__file__)), call=call)
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return float(done.stdout)


def memory():
    """Peak memory with little and with a lot asked for: 200,000 × 6 rows."""
    for label, little, much in [
        (
            "PDP, grid 8 → 256",
            "explainer.partial_dependence('x0', grid=8)",
            "explainer.partial_dependence('x0', grid=256)",
        ),
        ("ALE, 10 → 1000 bins", "explainer.ale('x0', bins=10)", "explainer.ale('x0', bins=1000)"),
        (
            "regional effects, grid 5 → 40",
            "explainer.regional_effects('x0', grid=5)",
            "explainer.regional_effects('x0', grid=40)",
        ),
        (
            # Predictions of about 40 repeats of so many rows are held at once, whatever the number of repeats.
            "permutation importance, 100 → 400 repeats",
            "explainer.permutation_importance('x0', repeats=100)",
            "explainer.permutation_importance('x0', repeats=400)",
        ),
    ]:
        small, large = peak(little), peak(much)
        yield f"peak memory of {label}: growth ({small:.0f} → {large:.0f} MB)", "MB", large - small, 32, None


PARTS = {"ale": ale, "pfi": permutation, "pairs": pairs, "bins": bins, "roc": roc, "memory": memory}


def main():
    # A model with threads of its own would be measured against itself.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS), help="which parts, separated by commas")
    parser.add_argument("--json", help="write the numbers here")
    given = parser.parse_args()
    rows = []
    for part in given.only.split(","):
        for name, unit, value, limit, spread in PARTS[part]():
            rows.append({"name": name, "unit": unit, "value": value, "limit": limit, "spread": spread})
            between = "" if spread is None else f" [{spread[0]:.3g} … {spread[1]:.3g}]"
            print(f"{name:<96} {value:8.2f} {unit}{between} (limit {limit})", flush=True)
    if given.json:
        with open(given.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
