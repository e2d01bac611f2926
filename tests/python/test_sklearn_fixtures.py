"""Estimators of several versions of scikit-learn, from records: our predictions against those that each gave itself."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from estimator_records import load_estimator

import sightglass as sg

FORMATS = Path(__file__).resolve().parents[1] / "formats"
FOLDER = FORMATS / "sklearn"
NAMES = sorted(path.name.removesuffix(".npz") for path in FOLDER.glob("*.npz"))

sys.path.insert(0, str(FORMATS))
from fixture import make_matrix, make_rows  # noqa: E402


def numbers_of(pool):
    special = {None: np.nan, "Infinity": np.inf, "-Infinity": -np.inf}
    return [special.get(value, value) for value in pool]


def rows_of(expected):
    columns = expected["columns"]
    if all(column["type"] == "float64" for column in columns):
        matrix = make_matrix(expected["rows"], [numbers_of(column["pool"]) for column in columns])
        return pd.DataFrame(matrix, columns=[column["name"] for column in columns])
    pools = [c["pool"] if c["type"] == "text" else numbers_of(c["pool"]) for c in columns]
    values = make_rows(expected["rows"], pools)
    return pd.DataFrame({column["name"]: item for column, item in zip(columns, values, strict=True)})


def answers_of(name, kind, width):
    return np.fromfile(FOLDER / f"{name}.{kind}.bin", "<f8").reshape(-1, width)


def test_there_are_records():
    assert len(NAMES) > 30


@pytest.mark.parametrize("name", NAMES)
def test_predicts_what_scikit_learn_predicts(name, monkeypatch):
    expected = json.loads((FOLDER / f"{name}.expected.json").read_text())
    monkeypatch.setattr(sklearn, "__version__", expected["version"])
    model = load_estimator(FOLDER / f"{name}.npz")
    rows = rows_of(expected)
    ex = sg.Explainer(model, rows)
    assert ex.native, ex.notes
    assert ex.inspect()["model"]["version"] == expected["version"]
    margin = ex.predict(scale="margin").reshape(len(rows), -1)
    answers = answers_of(name, "margin", expected["outputs"])
    if expected["tolerance"] == 0:
        np.testing.assert_array_equal(margin, answers)
    else:
        np.testing.assert_allclose(margin, answers, rtol=expected["tolerance"])
    if "response_rows" in expected:
        response = ex.predict().reshape(len(rows), -1)[: expected["response_rows"]]
        wanted = answers_of(name, "response", expected["outputs"])
        np.testing.assert_allclose(response, wanted, rtol=expected["response_tolerance"])
    if all(column["type"] == "float64" for column in expected["columns"]):
        # The columns' order in a frame does not matter where the model knows names.
        again = rows.to_numpy() if not hasattr(model, "feature_names_in_") else rows[rows.columns[::-1]]
        np.testing.assert_array_equal(ex.predict(again, scale="margin").reshape(len(rows), -1), margin)
