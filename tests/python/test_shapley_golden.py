"""Shapley values of trees against the shap package and woodelf.

Their numbers, the models and the script that made both are in tests/golden/trees.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from estimator_records import load_estimator

import sightglass as sg

FOLDER = Path(__file__).resolve().parents[1] / "golden" / "trees"
GOLDEN = json.loads((FOLDER / "shapley.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])
@pytest.mark.parametrize("background", ["rows", "cover"])
def test_values(case, background, monkeypatch):
    monkeypatch.setattr(sklearn, "__version__", GOLDEN["scikit-learn"])
    path = FOLDER / case["model"]
    model = load_estimator(path) if path.suffix == ".npz" else path
    ex = sg.Explainer(model, pd.DataFrame(case["data"], columns=case["columns"], dtype=float))
    assert ex.engine == "trees"
    found = ex.shap(rows=list(range(GOLDEN["explained"])), background=background, interactions=True).explanation
    for package, theirs in case[background].items():
        # Both have float32 leaves, here or there; values by the cover that shap asks XGBoost for are float32 throughout.
        near = 3e-6 * (1 + np.abs(found.values).sum(axis=1).max())
        np.testing.assert_allclose(found.values, theirs["values"], atol=near, err_msg=package)
        if "interactions" in theirs:
            np.testing.assert_allclose(found.interactions, theirs["interactions"], atol=near, err_msg=package)
        if "base" in theirs:
            np.testing.assert_allclose(found.base_values, theirs["base"], atol=near, err_msg=package)
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, found.predictions, atol=1e-9)
    if background == "rows":
        assert found.base_values[0] == pytest.approx(ex.predict(scale="margin", arithmetic="exact").mean(), abs=1e-9)
