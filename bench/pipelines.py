"""Explanations of a pipeline folded into its trees, beside those of the same pipeline asked, in one run.

.venv/bin/python bench/pipelines.py [--rows 5000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sightglass as sg


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=5000)
    rows = parser.parse_args().rows
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(rows, 5)), columns=list("abcde"))
    X["level"] = rng.choice(list("pqrstuvw"), rows)
    y = X["a"] * X["b"] + X["c"] + (X["level"] == "q") * 2
    steps = make_column_transformer((StandardScaler(), list("abcde")), (OneHotEncoder(), ["level"]))
    model = make_pipeline(steps, RandomForestRegressor(50, max_depth=10, n_jobs=1, random_state=0)).fit(X, y)
    start = time.perf_counter()
    folded = sg.Explainer(model, X, y, threads=1)
    print(f"reading and checking: {time.perf_counter() - start:.2f} s, {folded.engine}")
    asked = sg.Explainer(model, X, y, native=False, threads=1)
    for method in ("predict", "partial_dependence", "ale", "permutation_importance"):
        seconds = []
        for explainer in (folded, asked):
            start = time.perf_counter()
            getattr(explainer, method)()
            seconds.append(time.perf_counter() - start)
        print(f"{method}: folded {seconds[0]:.2f} s, asked {seconds[1]:.2f} s, {seconds[1] / seconds[0]:.1f} times")


if __name__ == "__main__":
    main()
