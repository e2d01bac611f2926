#!/usr/bin/env python3
"""Counterfactuals beside DiCE: how long one row takes, what the change costs, how many rows are proven smallest.

5,000 × 12 normals (correlation 0.3), XGBoost 300 × depth 6, two classes. Both are asked for one change of the same rows;
the cost is that of the method: changed features, then the sum of |change| / MAD. Time of a row: of a whole call from Python
over many rows less that of a call for one, everything beside the search included; DiCE's is that of its call alone. All on
one thread, in CPU time, as a busy machine says little about the clock.

    .bench-venv/bin/python bench/counterfactuals.py [--rows 100] [--peer-rows 8] [--quick] [--json FILE]
                                                    (sightglass itself comes from .venv)
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"  # before anybody starts threads

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(path) for path in (ROOT / ".venv" / "lib").glob("python3.*/site-packages")]

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

import sightglass as sg  # noqa: E402


def make(folder: pathlib.Path):
    import xgboost

    random = np.random.default_rng(0)
    rows, columns = 5000, 12
    correlation = np.full((columns, columns), 0.3)
    np.fill_diagonal(correlation, 1)
    x = random.multivariate_normal(np.zeros(columns), correlation, rows)
    signal = (
        x[:, 0] + 0.7 * x[:, 1] * x[:, 2] + np.sin(2 * x[:, 3]) + 0.5 * x[:, 4] - 0.4 * x[:, 5] ** 2
        + 0.3 * x[:, 6] + 0.2 * x[:, 7] * x[:, 8]
    )  # fmt: skip
    data = pd.DataFrame(x, columns=[f"x{i}" for i in range(columns)])
    y = (signal + random.normal(0, 0.7, rows) > np.median(signal)).astype(int)
    model = xgboost.XGBClassifier(n_estimators=300, max_depth=6, learning_rate=0.1, n_jobs=1, random_state=0)
    model.fit(data, y)
    model.save_model(folder / "p1.json")
    data.assign(y=y).to_csv(folder / "p1.csv", index=False)
    return model, data, y


def ours(explainer, rows: list[int]):
    start = time.process_time()
    result = explainer.counterfactuals(rows=rows, count=1)
    seconds = time.process_time() - start
    return seconds, {item["row"]: item for item in result.results if item["type"] == "counterfactuals"}


def dice(model, data, y, rows):
    import dice_ml

    table = dice_ml.Data(dataframe=data.assign(y=y), continuous_features=list(data.columns), outcome_name="y")
    explainer = dice_ml.Dice(table, dice_ml.Model(model=model, backend="sklearn"), method="random")
    found = {}
    for row in rows:
        start = time.process_time()
        try:
            answer = explainer.generate_counterfactuals(
                data.iloc[[row]], total_CFs=1, desired_class="opposite", random_seed=0, verbose=False
            )
            changed = answer.cf_examples_list[0].final_cfs_df[data.columns].astype(float).iloc[0]
        except Exception as error:  # it gives up on some rows
            found[row] = time.process_time() - start, None, str(error)[:60]
            continue
        found[row] = time.process_time() - start, changed, ""
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--peer-rows", type=int, default=8)
    parser.add_argument("--quick", action="store_true", help="few rows: does it run? Numbers mean nothing")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rows, arguments.peer_rows = 4, 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model, data, y = make(folder)
        rows = [int(row) for row in np.random.default_rng(1).choice(len(data), arguments.rows, replace=False)]
        explainer = sg.Explainer(str(folder / "p1.json"), data.assign(y=y), y="y", threads=1)
        ours(explainer, rows[:2])
        one = statistics.median(ours(explainer, rows[:1])[0] for _ in range(7))
        runs = [ours(explainer, rows) for _ in range(7)]
        per_row = [(seconds - one) / (len(rows) - 1) for seconds, _ in runs]
        items = runs[0][1]
        proven = sum(item["proof"]["status"] == "optimal" for item in items.values())
        sizes = collections.Counter(len(item["changes"][0]["values"]) for item in items.values() if item["changes"])
        print(f"ours: once {1e3 * one:.0f} ms, {1e3 * statistics.median(per_row):.2f} ms per row ({1e3 * min(per_row):.2f} to "
              f"{1e3 * max(per_row):.2f}), {proven} of {len(items)} proven smallest, features changed {dict(sizes)}")  # fmt: skip
        mad = (data - data.median()).abs().median()
        peer = dice(model, data, y, rows[: arguments.peer_rows])
        seconds = [each[0] for each in peer.values()]
        ratios, costlier = [], 0
        for row, (_, changed, why) in peer.items():
            if changed is None:
                print(f"DiCE, row {row}: {why}")
                continue
            moved = (changed - data.iloc[row]).abs()
            theirs = int((moved > 1e-6).sum()), float((moved / mad).sum())
            best = items[row]["changes"][0]
            mine = len(best["values"]), best["cost"]
            costlier += mine > (theirs[0], theirs[1] + 1e-9)
            ratios.append(theirs[1] / mine[1])
        ratio = statistics.median(seconds) / statistics.median(per_row)
        print(f"DiCE random: {statistics.median(seconds):.2f} s per row ({min(seconds):.2f} to {max(seconds):.2f}), "
              f"{ratio:.0f} times ours (at least 500); its changes cost {min(ratios):.1f} to {max(ratios):.1f} times as much; "
              f"ours was larger for {costlier} of {len(ratios)} rows")  # fmt: skip
        if arguments.json:
            record = {"ms_per_row": 1e3 * statistics.median(per_row), "proven": proven / len(items),
                      "ms_spread": [1e3 * min(per_row), 1e3 * max(per_row)],
                      "dice_seconds": statistics.median(seconds), "dice_spread": [min(seconds), max(seconds)],
                      "ratio": ratio, "at_least": 500,
                      "ratio_spread": [min(seconds) / max(per_row), max(seconds) / min(per_row)],
                      "cost_ratios": ratios, "costlier": costlier}  # fmt: skip
            pathlib.Path(arguments.json).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
