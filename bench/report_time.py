#!/usr/bin/env python3
"""Reports beside the time that they were promised: whole calls of the command line, reading the data and writing the page included.

Ratios near 1: the time was kept; below 0.8 only where all was done with all rows ("complete").

    .venv/bin/python bench/report_time.py [--budgets 10 30 60 120] [--quick] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BINARY = ROOT / "build" / "release" / "sightglass"
SLOW = """
import time

def predict(X):
    time.sleep(0.005 + 0.001 * len(X))
    return [2 * a + b * c for a, b, c in zip(X["x0"], X["x1"], X["x2"])]
"""


def make(folder: Path) -> dict[str, list[str]]:
    import lightgbm
    import numpy as np
    import pandas as pd
    import xgboost

    rng = np.random.default_rng(0)

    def saved(name: str, X: pd.DataFrame, y, model=None) -> list[str]:
        X.assign(y=y).to_parquet(folder / f"{name}.parquet")
        if model is None:
            return ["--model", "python:slow:predict", "--data", f"{name}.parquet", "--target", "y"]
        file = f"{name}.txt" if isinstance(model, lightgbm.LGBMModel) else f"{name}.json"
        (model.booster_ if file.endswith(".txt") else model).save_model(folder / file)
        return ["--model", file, "--data", f"{name}.parquet", "--target", "y"]

    (folder / "slow.py").write_text(SLOW)
    names = [f"x{i}" for i in range(10)]
    many = pd.DataFrame(rng.normal(size=(200_000, 10)).round(4), columns=names)
    y = 2 * many.x0 + many.x1 * many.x2 + np.sin(2 * many.x3) + rng.normal(scale=0.3, size=len(many))
    classes = (np.stack([many.x0 + many.x1 * many.x2, many.x3 - many.x4, many.x5 * many.x6], 1)).argmax(1)
    wide = pd.DataFrame(rng.normal(size=(20_000, 400)).round(3), columns=[f"f{i:03d}" for i in range(400)])
    y_wide = 2 * wide.f000 + wide.f001 * wide.f002 + 0.3 * wide.iloc[:, 10:60].sum(axis=1)
    shops = np.array([f"shop {i:04d}" for i in range(2000)])
    which = np.minimum(rng.zipf(1.3, 50_000) - 1, 1999)
    levels = pd.DataFrame(
        {
            "shop": pd.Categorical(shops[which], categories=shops),
            "a": rng.normal(size=50_000),
            "b": rng.normal(size=50_000),
        }
    )
    y_levels = rng.normal(size=2000)[which] + levels.a * levels.b
    bike = ROOT / "examples" / "bike"
    boosted = {"n_estimators": 200, "max_depth": 6, "enable_categorical": True}
    return {
        "bike": ["--model", str(bike / "model.json"), "--data", str(bike / "bike.csv"), "--target", "rentals"],
        "200,000 rows": saved("many", many, y, xgboost.XGBRegressor(**boosted).fit(many, y)),
        "3 classes": saved(
            "classes", many, classes, lightgbm.LGBMClassifier(n_estimators=150, verbose=-1).fit(many, classes)
        ),
        "400 features": saved("wide", wide, y_wide, xgboost.XGBRegressor(**boosted).fit(wide, y_wide)),
        "2,000 levels": saved("levels", levels, y_levels, xgboost.XGBRegressor(**boosted).fit(levels, y_levels)),
        "1 ms a row": saved("slow", many, y),
    }


def measure(folder: Path, arguments: list[str], budget: int) -> dict:
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    saved = folder / "saved"
    command = [
        str(BINARY),
        "report",
        *arguments,
        "--budget",
        f"{budget}s",
        "-o",
        "page.html",
        "--save",
        str(saved),
        "--quiet",
    ]
    begin = time.monotonic()
    subprocess.run(command, cwd=folder, env=environment, check=True)
    seconds = time.monotonic() - begin
    options = json.loads(next(saved.glob("*report.json")).read_text())["options"]
    complete = not options["decided_by_time"]
    return {
        "seconds": seconds,
        "ratio": seconds / budget,
        "complete": complete,
        "rows": options["sample"],
        "skip": options["skip"],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--budgets", type=int, nargs="+", default=[10, 30, 60, 120])
    parser.add_argument("--quick", action="store_true", help="10 seconds alone")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: dict[str, dict] = {}
    with tempfile.TemporaryDirectory() as name:
        cases = make(Path(name))
        for case, arguments in cases.items():
            for budget in [10] if given.quick else given.budgets:
                one = measure(Path(name), arguments, budget)
                found[f"{case}, {budget} s"] = one
                what = (
                    "complete"
                    if one["complete"]
                    else f"{one['rows']} rows" + (f", without {', '.join(one['skip'])}" if one["skip"] else "")
                )
                print(f"{case:15} {budget:4} s: {one['seconds']:6.1f} s  {one['ratio']:.2f}  {what}", flush=True)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
