"""Anchors of a small model beside those of alibi, under the same quarters and the same promised precision.

alibi's rules and the script that made them are in anchors/. Rules are judged alike, whoever found them: by the rows of
the data that meet them and by rows whose features are drawn by themselves, those of the rule within the rule.
"""

import json
import math
from pathlib import Path

import numpy as np
import pandas
import pytest

import sightglass as sg

FOLDER = Path(__file__).resolve().parent / "anchors"
GOLDEN = json.loads((FOLDER / "anchors.json").read_text())
PRECISION = GOLDEN["wanted_precision"]
NAMES = (FOLDER / "rows.csv").read_text().splitlines()[0].split(",")
ROWS = np.loadtxt(FOLDER / "rows.csv", delimiter=",", skiprows=1)
DRAWN = 100_000


def explainer(values: np.ndarray = ROWS) -> sg.Explainer:
    return sg.Explainer(str(FOLDER / "model.json"), pandas.DataFrame(values, columns=NAMES))


SAID = explainer().predict() > 0.5


def judged(bounds: dict, row: int) -> tuple[float, float, float]:
    """Coverage, precision over rows and over perturbed ones."""
    random = np.random.default_rng(row)
    within = []
    for j, name in enumerate(NAMES):
        above, most = bounds.get(name, (None, None))
        inside = np.ones(len(ROWS), dtype=bool) if above is None else ROWS[:, j] > above
        within.append(inside if most is None else inside & (ROWS[:, j] <= most))
    meets = np.all(within, axis=0)
    drawn = np.column_stack([random.choice(ROWS[within[j], j], DRAWN) for j in range(len(NAMES))])
    perturbed = explainer(drawn).predict() > 0.5
    return meets.mean(), (SAID[meets] == SAID[row]).mean(), (perturbed == SAID[row]).mean()


def bounds_of(rule) -> dict:
    return {c["feature"]: (c.get("above"), c.get("at_most")) for c in rule["conditions"]}


@pytest.mark.parametrize("anchor", GOLDEN["anchors"], ids=lambda anchor: str(anchor["row"]))
def test_rules_of_alibi_are_what_they_were(anchor):
    coverage, precision, perturbed = judged(anchor["bounds"], anchor["row"])
    assert SAID[anchor["row"]] == anchor["class"]
    assert coverage == pytest.approx(anchor["coverage"])
    assert precision == pytest.approx(anchor["precision"])
    # Two samples of so many rows: five standard errors of their difference.
    share = anchor["perturbed_precision"]
    assert perturbed == pytest.approx(share, abs=5 * math.sqrt(2 * max(share * (1 - share), 1e-4) / DRAWN))


@pytest.mark.parametrize("search", ["rows", "sampling"])
def test_ours_cover_as_much_at_the_same_precision(search):
    rows = [anchor["row"] for anchor in GOLDEN["anchors"]]
    result = explainer().anchors(rows=rows, precision=PRECISION, search=search)
    compared = 0
    for anchor, item in zip(GOLDEN["anchors"], json.loads(result.to_json())["results"], strict=True):
        assert item["row"] == anchor["row"]
        rule = item["rules"][0]
        coverage, precision, perturbed = judged(bounds_of(rule), anchor["row"])
        # What is told of it holds, whoever counts.
        assert coverage == pytest.approx(rule["support"])
        assert precision == pytest.approx(rule["precision"])
        # Of the rows that are drawn here: five standard errors, where ours is exact.
        slack = 5 * math.sqrt(max(perturbed * (1 - perturbed), 1e-4) / DRAWN)
        exact = rule["perturbed_estimator"] == "exact"
        assert rule["perturbed_low"] - exact * slack <= perturbed <= rule["perturbed_high"] + exact * slack
        if item["details"]["holds"]:
            assert rule["perturbed_precision"] >= PRECISION
            assert search == "sampling" or precision >= PRECISION
        if anchor["precision"] < PRECISION or anchor["perturbed_precision"] < PRECISION:
            continue  # alibi promises what these do not keep
        assert item["details"]["holds"]
        assert coverage >= anchor["coverage"] - 1e-12
        compared += 1
    assert compared >= 8
