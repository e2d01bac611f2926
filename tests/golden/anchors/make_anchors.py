#!/usr/bin/env python3
"""Anchors of alibi for some rows of a small model: writes rows.csv, model.json and anchors.json beside this file.

Rules are told as bounds of features, with the precision that alibi claims, the share of rows that meet them, and their
precision over rows and over 100,000 perturbed ones: each feature drawn from the data by itself, those of the rule
within the rule.

    python3 -m venv .venv-golden-alibi
    .venv-golden-alibi/bin/pip install -r tests/golden/anchors/requirements.txt
    .venv-golden-alibi/bin/python tests/golden/anchors/make_anchors.py
"""

from __future__ import annotations

import json
import os
import re
import warnings
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
warnings.filterwarnings("ignore")

import alibi  # noqa: E402
import numpy as np  # noqa: E402
import xgboost as xgb  # noqa: E402
from alibi.explainers import AnchorTabular  # noqa: E402

HERE = Path(__file__).resolve().parent
NAMES = [f"x{j}" for j in range(6)]
PRECISION, ROWS = 0.95, 12


def problem() -> tuple[np.ndarray, xgb.Booster]:
    random = np.random.default_rng(4)
    x = np.round(random.normal(size=(800, len(NAMES))), 3)
    x[:, 5] = np.round(0.6 * x[:, 0] + 0.8 * x[:, 5], 3)
    margin = 2 * x[:, 0] + np.where(x[:, 1] > 0, 2, -1) + x[:, 2] * x[:, 3]
    y = margin + random.normal(0, 0.4, len(x)) > 0
    told = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.3, "nthread": 1, "seed": 0}
    booster = xgb.train(told, xgb.DMatrix(x, label=y, feature_names=NAMES), 12)
    booster.save_model(HERE / "model.json")
    np.savetxt(HERE / "rows.csv", x, delimiter=",", header=",".join(NAMES), comments="", fmt="%.3f")
    return x, booster


def bounds_of(anchor: list[str], quarters: np.ndarray) -> dict[str, list[float | None]]:
    """Above the first, at most the second; alibi's words are rounded, quarters are not."""
    bounds: dict[str, list[float | None]] = {}
    for text in anchor:
        low, name, sign, value = re.fullmatch(r"(?:(-?[\d.]+) < )?(x\d+)(?: (<=|>) (-?[\d.]+))?", text).groups()
        column = quarters[:, int(name[1:])]
        exact = lambda number, column=column: float(column[np.argmin(abs(column - float(number)))])  # noqa: E731
        above, most = bounds.get(name, [None, None])
        above = exact(low) if low else exact(value) if sign == ">" else above
        bounds[name] = [above, exact(value) if sign == "<=" else most]
    return bounds


def main() -> None:
    x, booster = problem()

    def predict(z: np.ndarray) -> np.ndarray:
        return (booster.inplace_predict(np.asarray(z)) > 0.5).astype(int)

    said = predict(x)
    quarters = np.quantile(x, [0.25, 0.5, 0.75], axis=0)
    random = np.random.default_rng(1)
    explainer = AnchorTabular(predict, NAMES, seed=0)
    explainer.fit(x, disc_perc=(25, 50, 75))
    found = []
    for row in range(ROWS):
        np.random.seed(row)  # noqa: NPY002: what alibi draws from
        anchor = explainer.explain(x[row], threshold=PRECISION, delta=0.05, beam_size=4)
        bounds = bounds_of(anchor.anchor, quarters)
        within = [
            (x[:, j] > (-np.inf if above is None else above)) & (x[:, j] <= (np.inf if most is None else most))
            for j, (above, most) in enumerate(bounds.get(name, [None, None]) for name in NAMES)
        ]
        meets = np.all(within, axis=0)
        drawn = np.column_stack([random.choice(x[within[j], j], 100_000) for j in range(len(NAMES))])
        found.append(
            {
                "row": row,
                "class": int(said[row]),
                "bounds": bounds,
                "claimed_precision": float(anchor.precision),
                "coverage": float(meets.mean()),
                "precision": float((said[meets] == said[row]).mean()),
                "perturbed_precision": float((predict(drawn) == said[row]).mean()),
            }
        )
    text = {"alibi": alibi.__version__, "wanted_precision": PRECISION, "anchors": found}
    (HERE / "anchors.json").write_text(json.dumps(text, indent=1) + "\n")


if __name__ == "__main__":
    main()
