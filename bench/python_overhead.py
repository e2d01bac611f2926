#!/usr/bin/env python3
"""What does the engine add to the time that a Python model takes itself?

Partial dependence of a vectorised model that burns a bit more than 1 µs per row, on NumPy and pandas data with 20
columns. The share of the time that is not spent inside the model is the overhead; more than 5 % fails.

    .venv/bin/python bench/python_overhead.py [--rows 20000] [--columns 20] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time


def main() -> int:
    # A model with threads of its own would be measured against itself.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import numpy as np
    import pandas as pd

    import sightglass as sg

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--features", type=int, default=4)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--burn", type=int, default=480, help="rounds of arithmetic per row")
    parser.add_argument("--json", help="write the numbers here")
    arguments = parser.parse_args()

    spent = {"seconds": 0.0, "rows": 0, "calls": 0}

    def model(data):
        begin = time.perf_counter()
        matrix = data if isinstance(data, np.ndarray) else data.to_numpy()
        total = matrix @ weights
        for _ in range(arguments.burn):
            total = np.tanh(total) + total * 0.5
        spent["seconds"] += time.perf_counter() - begin
        spent["rows"] += len(matrix)
        spent["calls"] += 1
        return total

    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(arguments.rows, arguments.columns))
    weights = rng.normal(size=arguments.columns)
    frame = pd.DataFrame(matrix, columns=[f"x{i}" for i in range(arguments.columns)])
    mixed = frame.copy()
    mixed["x0"] = mixed["x0"].astype("float32")
    mixed["x1"] = (mixed["x1"] * 10).round().astype("int64")
    features = [f"x{i}" for i in range(arguments.features)]
    results = {}
    for name, data in {"numpy": matrix, "pandas": frame, "pandas, mixed types": mixed}.items():
        explainer = sg.Explainer(model, data, threads=arguments.threads)
        explainer.partial_dependence(features[:1], grid=5)
        runs = []
        for _ in range(5):
            spent.update(seconds=0.0, rows=0, calls=0)
            begin = time.perf_counter()
            explainer.partial_dependence(features)
            total = time.perf_counter() - begin
            runs.append(total / spent["seconds"] - 1)
        results[name] = {
            "overhead": sorted(runs)[len(runs) // 2],
            "spread": [min(runs), max(runs)],
            "microseconds_per_row": 1e6 * spent["seconds"] / spent["rows"],
            "calls": spent["calls"],
        }
        entry = results[name]
        print(
            f"{name:22s} overhead {100 * entry['overhead']:5.2f} % "
            f"[{100 * min(runs):.2f} … {100 * max(runs):.2f}]   model {entry['microseconds_per_row']:.2f} µs/row, "
            f"{entry['calls']} calls"
        )
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(results, file, indent=1)
    return 1 if any(entry["overhead"] > 0.05 for entry in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
