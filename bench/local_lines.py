#!/usr/bin/env python3
"""LIME beside the package lime: what both take besides the model, and exact lines beside all of lime.

The same rows, the same function as model with its own clock, the same number of samples; the model's time is taken off on
both sides, but not of trees. CPU time of one thread. What is done once for all rows (bins; ours also looks at how features go together,
at neighbours and off the data) is told apart: a row's time is that of one more row; what a call for one row and a call for 100
take, everything included, is told too. lime runs in .bench-venv, in the same run.
Ratios above 1: we take less.

    .venv/bin/python bench/local_lines.py [--rows 200] [--quick] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / ".bench-venv" / "bin" / "python"
FEATURES, TRAINING, SAMPLES = 12, 5000, 5000
CASES = {
    "10 features, by weight": ("highest_weights", "weights", 10),
    "6 features, forward": ("forward_selection", "forward", 6),
}


class Model:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self, data):
        import numpy as np

        begin = time.process_time()
        data = np.asarray(data)
        answer = 2 * data[:, 0] + 2 * np.sin(2 * data[:, 1]) + data[:, 2] * data[:, 3] + 0.5 * data[:, 6]
        self.seconds += time.process_time() - begin
        return answer


def training():
    import numpy as np

    rng = np.random.default_rng(0)
    shared = rng.normal(size=(TRAINING, 1))
    return np.sqrt(0.3) * shared + np.sqrt(0.7) * rng.normal(size=(TRAINING, FEATURES))


def peer(rows, model_file):
    """What lime takes per row: own seconds of each case, and all of it for a tree model."""
    import numpy as np
    import xgboost
    from lime.lime_tabular import LimeTabularExplainer

    X = training()
    found = {}
    for case, (select, _, terms) in CASES.items():
        model = Model()
        begin = time.process_time()
        explainer = LimeTabularExplainer(X, mode="regression", feature_selection=select, random_state=0)
        found["once"] = time.process_time() - begin
        explainer.explain_instance(X[0], model, num_features=terms, num_samples=SAMPLES)
        times = []
        for row in range(min(rows, 40)):
            model.seconds = 0
            begin = time.process_time()
            explainer.explain_instance(X[row], model, num_features=terms, num_samples=SAMPLES)
            times.append(time.process_time() - begin - model.seconds)
        found[case] = times
    booster = xgboost.XGBRegressor(n_estimators=300, max_depth=6, n_jobs=1).fit(
        X, Model()(X) + np.random.default_rng(1).normal(size=TRAINING)
    )
    booster.get_booster().save_model(model_file)
    leaves = sum(tree.count("leaf=") for tree in booster.get_booster().get_dump())
    explainer = LimeTabularExplainer(X, mode="regression", random_state=0)
    times = []
    for row in range(min(rows, 40)):
        begin = time.process_time()
        explainer.explain_instance(X[row], booster.predict, num_features=10, num_samples=SAMPLES)
        times.append(time.process_time() - begin)
    found["trees"] = times
    times = []
    for row in range(min(rows, 20)):
        begin = time.process_time()
        explainer.explain_instance(X[row], booster.predict, num_features=6, num_samples=SAMPLES)
        times.append(time.process_time() - begin)
    found["trees, 6 features"] = times
    found["leaves"] = leaves
    print(json.dumps(found))


def ours(rows, model_file):
    import sightglass as sg

    X = training()
    for case, (_, select, terms) in CASES.items():
        model = Model()
        explainer = sg.Explainer(model, X, threads=1)

        def explain(count, select=select, terms=terms, explainer=explainer, model=model):
            model.seconds = 0
            begin = time.process_time()
            explainer.lime(rows=list(range(count)), select=select, terms=terms, samples=SAMPLES, repeats=1)
            return time.process_time() - begin - model.seconds

        explain(2)
        yield case, [explain(1) for _ in range(7)], [explain(rows) for _ in range(7)], None
    explainer = sg.Explainer(str(model_file), X, threads=1)

    def exact(count, terms):
        begin = time.process_time()
        explainer.lime(rows=list(range(count)), terms=terms)
        return time.process_time() - begin

    exact(2, 10)
    for case, terms in (("trees", 10), ("trees, 6 features", 6)):
        hundred = statistics.median(exact(100, terms) for _ in range(7))
        yield case, [exact(1, terms) for _ in range(7)], [exact(rows, terms) for _ in range(7)], hundred


def measure(rows):
    with tempfile.TemporaryDirectory() as folder:
        model_file = Path(folder) / "trees.json"
        done = subprocess.run(
            [PEERS, __file__, "--peer", model_file, "--rows", str(rows)], check=True, capture_output=True, text=True
        )
        theirs = json.loads(done.stdout)
        for case, alone, together, hundred in ours(rows, model_file):
            other, once = statistics.median(theirs[case]), statistics.median(alone)
            least = {"10 features, by weight": 25, "6 features, forward": 100, "trees": 250, "trees, 6 features": 250}[
                case
            ]
            what = f"LIME's own time, {case}"
            if case.startswith("trees"):
                chosen = "6 features, forward" if "6" in case else "10 features, by weight"
                what = f"exact LIME of {theirs['leaves']:,} leaves beside all of lime, {chosen}"
            own = [max(1e-9, seconds - once) / (rows - 1) for seconds in together]
            yield (
                f"{what}: {1000 * statistics.median(own):.3f} ms per row, lime {1000 * other:.0f} ms; "
                f"once {1000 * once:.0f} ms, lime {1000 * theirs['once']:.0f} ms",
                "×",
                other / statistics.median(own),
                least,
                [other / max(own), other / min(own)],
            )
            if hundred is None:
                continue
            for count, seconds in ((1, once), (100, hundred)):
                calls = theirs["once"] + count * other
                yield (
                    f"{what}: a call for {count} {'row' if count == 1 else 'rows'}, all included, "
                    f"{1000 * seconds:.1f} ms, lime {1000 * calls:.0f} ms",
                    "×",
                    calls / seconds,
                    None,
                    None,
                )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="few rows: does it run? Numbers mean nothing")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--json", help="write the numbers here")
    given = parser.parse_args()
    if given.quick:
        given.rows = 4
    # Threads of libraries would count on their side only.
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    if given.peer:
        peer(given.rows, given.peer)
        return
    if not PEERS.exists():
        sys.exit("bench: .bench-venv has no Python: make bench makes it")
    found = []
    for name, unit, value, least, spread in measure(given.rows):
        print(
            f"{name}: {value:.1f} {unit}"
            + (f" (from {spread[0]:.0f} to {spread[1]:.0f})" if spread else "")
            + (f", at least {least}" if least else "")
        )
        found.append({"name": name, "unit": unit, "value": value, "at_least": least, "spread": spread})
    if given.json:
        Path(given.json).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
