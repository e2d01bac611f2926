#!/usr/bin/env python3
"""Anchors beside those of alibi: 5,000 rows of 12 normals with correlation 0.3, XGBoost of 300 trees of depth 6, the same
rows and the same quarters. Rules are judged alike, whoever found them: by the rows of the data that meet them and by
20,000 rows whose features are drawn by themselves, those of the rule within the rule.

    .bench-venv-alibi/bin/python bench/anchors.py [ROWS] [--json FILE]

Times are of the processor, one thread. What both take besides the model: the same function with its own clock, asked by
alibi here and by us in .venv; ours is what a row more costs. Beside it what a row more costs altogether where the model is
read from its file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
import xgboost as xgb  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
FEATURES, PRECISION = 12, 0.95
SEARCHES = ("rows", "sampling")
REPEATS = 5
Bounds = dict[int, tuple[float, float]]  # above the first, at most the second


class Model:
    """Whether a row is of the class; and how long it took to say so."""

    def __init__(self, booster: xgb.Booster) -> None:
        self.booster = booster
        self.seconds = 0.0

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        begin = time.process_time()
        said = (self.booster.inplace_predict(np.asarray(rows)) > 0.5).astype(int)
        self.seconds += time.process_time() - begin
        return said


def problem(folder: Path) -> tuple[np.ndarray, xgb.Booster]:
    random = np.random.default_rng(0)
    covariance = np.full((FEATURES, FEATURES), 0.3)
    np.fill_diagonal(covariance, 1)
    x = random.multivariate_normal(np.zeros(FEATURES), covariance, 5000)
    margin = x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + x[:, 3] - 0.5 * x[:, 4] ** 2 + 0.5 * x[:, 5] * (x[:, 6] > 0)
    y = margin + random.normal(0, 0.5, len(x)) > 0
    names = [f"x{j}" for j in range(FEATURES)]
    told = {"objective": "binary:logistic", "max_depth": 6, "eta": 0.1, "nthread": 1, "seed": 0}
    booster = xgb.train(told, xgb.DMatrix(x, label=y, feature_names=names), 300)
    booster.save_model(folder / "model.json")
    np.savetxt(folder / "rows.csv", x, delimiter=",", header=",".join(names), comments="", fmt="%.9g")
    return np.loadtxt(folder / "rows.csv", delimiter=",", skiprows=1), booster


def spent_by_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ours(folder: Path, rows: list[int], search: str, *more: str) -> tuple[float, list[dict]]:
    """Seconds of the processor, and what was found."""
    before = spent_by_children()
    out = folder / "anchors.json"
    named = ",".join(str(row) for row in rows)
    command = [
        ROOT / "build/release/sightglass",
        "anchors",
        "--model",
        folder / "model.json",
        "--data",
        folder / "rows.csv",
    ]
    command += ["--rows", named, "--search", search, "--threads", "1", "-q", "-o", out, *more]
    subprocess.run(command, check=True)
    return spent_by_children() - before, json.loads(out.read_text())["results"]


def own_seconds(folder: Path, rows: int) -> None:
    """By us in .venv: what rows take besides the model, several times: all of them, the first alone, and each."""
    import sightglass as sg

    booster = xgb.Booster(model_file=folder / "model.json")
    x = np.loadtxt(folder / "rows.csv", delimiter=",", skiprows=1)
    model = Model(booster)
    explainer = sg.Explainer(model, x, threads=1)

    def own(named: list[int], search: str, **more: int) -> float:
        model.seconds = 0
        begin = time.process_time()
        explainer.anchors(rows=named, search=search, outcome="label", **more)
        return time.process_time() - begin - model.seconds

    found = {}
    for search in SEARCHES:
        own([0], search)
        mean = [(own(list(range(rows)), search) - own([0], search)) / (rows - 1) for _ in range(REPEATS)]
        nothing = min(own([0], search, max_conditions=0) for _ in range(3))
        each = [max(min(own([row], search) for _ in range(2)) - nothing, 0.0) for row in range(rows)]
        found[search] = {"mean": mean, "each": each}
    print(json.dumps(found))


def bounds_of_ours(item: dict) -> Bounds:
    conditions = item["rules"][0]["conditions"]
    return {int(c["feature"][1:]): (c.get("above", -np.inf), c.get("at_most", np.inf)) for c in conditions}


def bounds_of_alibi(anchor: list[str], quarters: np.ndarray) -> Bounds:
    bounds: Bounds = {}
    for text in anchor:
        low, feature, sign, value = re.fullmatch(r"(?:(-?[\d.]+) < )?x(\d+)(?: (<=|>) (-?[\d.]+))?", text).groups()
        j = int(feature)
        # Its words are rounded.
        exact = lambda number, j=j: quarters[np.argmin(abs(quarters[:, j] - float(number))), j]  # noqa: E731
        above, most = bounds.get(j, (-np.inf, np.inf))
        above = exact(low) if low else exact(value) if sign == ">" else above
        bounds[j] = (above, exact(value) if sign == "<=" else most)
    return bounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=20)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--own", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    rows = given.rows
    if given.own:
        own_seconds(given.own, rows)
        return
    from alibi.explainers import AnchorTabular

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        x, booster = problem(folder)
        predict = Model(booster)
        said = predict(x)
        quarters = np.quantile(x, [0.25, 0.5, 0.75], axis=0)
        random = np.random.default_rng(1)

        def judged(bounds: Bounds, row: int) -> tuple[float, float, float]:
            meets = np.ones(len(x), dtype=bool)
            for j, (above, most) in bounds.items():
                meets &= (x[:, j] > above) & (x[:, j] <= most)
            z = np.empty((20_000, FEATURES))
            for j in range(FEATURES):
                above, most = bounds.get(j, (-np.inf, np.inf))
                z[:, j] = random.choice(x[(x[:, j] > above) & (x[:, j] <= most), j], len(z))
            same = (said[meets] == said[row]).mean() if meets.any() else float("nan")
            return meets.mean(), same, (predict(z) == said[row]).mean()

        explainer = AnchorTabular(predict, [f"x{j}" for j in range(FEATURES)], seed=0)
        explainer.fit(x, disc_perc=(25, 50, 75))
        own, found = [], {"alibi": [], "rows": [], "sampling": []}
        for row in range(rows):
            np.random.seed(row)  # noqa: NPY002: what alibi draws from
            predict.seconds = 0
            begin = time.process_time()
            anchor = explainer.explain(x[row], threshold=PRECISION, delta=0.05, beam_size=4)
            own.append(time.process_time() - begin - predict.seconds)
            found["alibi"].append(judged(bounds_of_alibi(anchor.anchor, quarters), row))
        told = [ROOT / ".venv/bin/python", __file__, str(rows), "--own", folder]
        ours_own = json.loads(subprocess.run(told, check=True, stdout=subprocess.PIPE, text=True).stdout)
        theirs = {"mean": float(np.mean(own)), "median": float(np.median(own))}
        record = {"alibi_own_seconds": {**theirs, "spread": [min(own), max(own)]}, "ours": {}, "rules": {}}
        print(
            f"alibi       own {theirs['mean']:.3f} s per row (median {theirs['median']:.3f}, {min(own):.3f} to {max(own):.3f})"
        )
        for search in SEARCHES:
            altogether = []
            for _ in range(REPEATS):
                one, _ = ours(folder, [0], search)
                all_rows, items = ours(folder, list(range(rows)), search)
                altogether.append((all_rows - one) / (rows - 1))
            found[search] = [judged(bounds_of_ours(item), item["row"]) for item in items]
            means, each = ours_own[search]["mean"], ours_own[search]["each"]
            mean = statistics.median(means)
            record["ours"][search] = {
                "own_seconds_mean": mean,
                "own_seconds_median": statistics.median(each),
                "seconds_with_model": statistics.median(altogether),
                "ratio_of_means": theirs["mean"] / mean,
                "spread": [theirs["mean"] / max(means), theirs["mean"] / min(means)],
                "ratio_of_medians": theirs["median"] / statistics.median(each),
                "ratio_with_model": theirs["mean"] / statistics.median(altogether),
                "spread_with_model": [theirs["mean"] / max(altogether), theirs["mean"] / min(altogether)],
            }
            ratio = record["ours"][search]
            print(
                f"{search:<11} own {1000 * mean:.2f} ms per row: alibi's is {ratio['ratio_of_means']:.0f} times that"
                f" ({ratio['spread'][0]:.0f} to {ratio['spread'][1]:.0f}), medians {ratio['ratio_of_medians']:.0f} times;"
                f" with the model {1000 * ratio['seconds_with_model']:.2f} ms, {ratio['ratio_with_model']:.0f} times"
                f" ({ratio['spread_with_model'][0]:.0f} to {ratio['spread_with_model'][1]:.0f})"
            )
        for name, judgements in found.items():
            table = np.array(judgements)
            good = (table[:, 1] >= PRECISION) & (table[:, 2] >= PRECISION)
            record["rules"][name] = {
                "coverage": float(table[:, 0].mean()),
                "precision_over_rows": float(np.nanmean(table[:, 1])),
                "precision_perturbed": float(table[:, 2].mean()),
                "precise": int(good.sum()),
                "of": rows,
            }
            print(
                f"{name:<11} mean coverage {table[:, 0].mean():.3f}, precision over rows {np.nanmean(table[:, 1]):.3f},"
                f" perturbed {table[:, 2].mean():.3f}; both at least {PRECISION}: {good.sum()} of {rows} rules,"
                f" covering {table[good, 0].mean() if good.any() else 0:.3f}"
            )
        if given.json:
            given.json.write_text(json.dumps(record, indent=1) + "\n")
        best = np.array(found["alibi"])
        for row in np.flatnonzero((best[:, 1] >= PRECISION) & (best[:, 2] >= PRECISION)):
            print(f"row {row}: alibi covers {best[row, 0]:.3f}, rows {found['rows'][row][0]:.3f}")


if __name__ == "__main__":
    main()
