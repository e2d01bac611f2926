#!/usr/bin/env python3
"""Shapley values of any model, from its predictions alone, beside the shap package: how many predictions the same standard
error takes, and how much time either spends beside the model.

The problem: 100 background rows × 12 normals (correlation 0.3), XGBoost 300 × depth 6 as a Python callable that keeps its own
time and counts its rows. Errors are those against every coalition (exact), over rows and seeds; both explain the same rows against the
same background. A ratio of predictions is that of (error² × predictions), which does not depend on how many were spent; times are
those of the processor, on one thread. Own time at the same error: that at the same predictions, times how many fewer of them suffice.

    .bench-venv/bin/python bench/shapley.py [--quick] [--json FILE]     (sightglass itself comes from .venv)
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import sys
import time
import warnings
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # before anybody starts threads

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(path) for path in (ROOT / ".venv" / "lib").glob("python3.*/site-packages")]

import numpy as np  # noqa: E402
import shap  # noqa: E402
import xgboost  # noqa: E402

import sightglass as sg  # noqa: E402

BACKGROUND, FEATURES, EXPLAINED, SEEDS = 100, 12, 3, 10


class Model:
    def __init__(self):
        rng = np.random.default_rng(0)
        shared = rng.normal(size=(5000, 1))
        X = np.sqrt(0.7) * rng.normal(size=(5000, FEATURES)) + np.sqrt(0.3) * shared
        y = (
            X[:, 0] * X[:, 1]
            + np.sin(2 * X[:, 2])
            + X[:, 3] * (X[:, 4] > 0)
            + 0.5 * X[:, 5]
            + 0.1 * rng.normal(size=5000)
        )
        settings = {"max_depth": 6, "eta": 0.1, "nthread": 1, "seed": 0}
        self.booster = xgboost.train(settings, xgboost.DMatrix(X, y), 300)
        self.X = X[:BACKGROUND]
        self.forget()

    def forget(self):
        self.seconds, self.rows, self.calls = 0.0, 0, 0

    def __call__(self, data):
        begin = time.process_time()
        answer = self.booster.inplace_predict(np.asarray(data)).astype(float)
        self.seconds += time.process_time() - begin
        self.rows += len(answer)
        self.calls += 1
        return answer


def ours(explainer, rows, rounds, seed):
    result = explainer.shap(
        rows, estimator="sampling", background_rows=0, permutations=rounds, precision=1e-12, seed=seed, predictions=0
    )
    return result.values[..., 0] if result.values.ndim == 3 else result.values


def permutation(model, rows, rounds, seed):
    explainer = shap.PermutationExplainer(model, shap.maskers.Independent(model.X, max_samples=BACKGROUND), seed=seed)
    return explainer(model.X[rows], max_evals=rounds * (2 * FEATURES + 1), silent=True).values


def kernel(model, rows, samples, seed):
    np.random.seed(seed)
    return shap.KernelExplainer(model, model.X).shap_values(model.X[rows], nsamples=samples, silent=True, l1_reg=False)


def efficiency(model, exact, explain):
    """error² × predictions, per row: over seeds, and of each seed alone."""
    products = []
    for seed in range(SEEDS):
        model.forget()
        found = explain(seed)
        products.append(float(np.mean((found - exact) ** 2)) * model.rows / EXPLAINED)
    return products


def own_time(model, explain, runs=7):
    """Milliseconds beside the model and model rows, per explained row."""
    explain(0)
    own, rows = [], 0
    for seed in range(1, runs + 1):
        model.forget()
        begin = time.process_time()
        explain(seed)
        own.append(1e3 * (time.process_time() - begin - model.seconds) / EXPLAINED)
        rows = model.rows / EXPLAINED
    return statistics.median(own), min(own), max(own), rows


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--quick", action="store_true", help="one row, two seeds: does it run? Numbers mean nothing")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    if options.quick:
        global EXPLAINED, SEEDS
        EXPLAINED, SEEDS = 1, 2
    warnings.filterwarnings("ignore")
    logging.getLogger("shap").setLevel(logging.ERROR)
    model = Model()
    explainer = sg.Explainer(model, model.X, threads=1)
    rows = list(range(EXPLAINED))
    exact = explainer.shap(rows, estimator="exact", background_rows=0).values.reshape(EXPLAINED, FEATURES)
    lines = []

    def line(what, unit, value, bar, spread):
        lines.append({"what": what, "unit": unit, "value": value, "bar": bar, "spread": spread})
        print(f"{what:75} {value:10.3f} {unit:3} (bar {bar}; {spread[0]:.3f} to {spread[1]:.3f})")

    peers = (
        ("shap Permutation", lambda seed: permutation(model, rows, 10, seed), 11),
        ("shap Kernel", lambda seed: kernel(model, rows, 2 * FEATURES + 2048, seed), 94),
    )
    mine = efficiency(model, exact, lambda seed: ours(explainer, rows, 11, seed).reshape(exact.shape))
    for name, explain, rounds in peers:
        peer = efficiency(model, exact, explain)
        ratios = sorted(b / a for a, b in zip(mine, peer, strict=True))
        fewer = sum(peer) / sum(mine)
        line(f"predictions for the same error, {name} / ours", "×", fewer, 1, [ratios[0], ratios[-1]])
        theirs = own_time(model, explain)
        here = own_time(model, lambda seed, rounds=rounds: ours(explainer, rows, rounds, seed))
        print(f"    {name}: {theirs[0]:.2f} ms own, {theirs[3]:,.0f} model rows; ours {here[0]:.2f} ms, {here[3]:,.0f}")
        same = [theirs[0] / here[0], theirs[1] / here[2], theirs[2] / here[1]]
        line(f"own time at the same predictions, {name} / ours", "×", same[0], 1, same[1:])
        line(
            f"own time at the same error, {name} / ours", "×", same[0] * fewer, 20, [fewer * each for each in same[1:]]
        )
    if options.json:
        options.json.write_text(json.dumps(lines, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
