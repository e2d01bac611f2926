"""The small tree that docs/trees.md goes through by hand: every number of it, by both engines and by XGBoost."""

from pathlib import Path

import numpy as np
import pytest
import xgboost

import sightglass as sg

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "trees"
PAGE = (ROOT / "docs" / "trees.md").read_text(encoding="utf-8")
PREDICTIONS = [20, 56, 32, 80, 32, 20]


@pytest.fixture(scope="module")
def ex():
    return sg.Explainer(FOLDER / "model.json", FOLDER / "rows.csv")


@pytest.fixture(scope="module")
def in_xgboost():
    rows = np.genfromtxt(FOLDER / "rows.csv", delimiter=",", skip_header=1)
    return xgboost.Booster(model_file=FOLDER / "model.json"), xgboost.DMatrix(rows, feature_names=["temp", "wind"])


def lines_of_page(*cells):
    """Rows of the page's tables that begin with these cells."""
    start = "| " + " | ".join(cells) + " |"
    return [line for line in PAGE.splitlines() if line.startswith(start)]


def test_predictions(ex, in_xgboost):
    assert ex.engine == "trees"
    np.testing.assert_array_equal(ex.predict(), PREDICTIONS)
    booster, rows = in_xgboost
    np.testing.assert_array_equal(booster.predict(rows), PREDICTIONS)
    for row, prediction in enumerate(PREDICTIONS):
        assert any(line.endswith(f"= {prediction} |") for line in lines_of_page(str(row)))


@pytest.mark.parametrize("engine", ["trees", "blackbox"])
def test_effects(ex, engine):
    for spread in (False, True):
        temp, wind = ex.pdp(spread=spread, engine=engine).results
        assert temp["grid"] == [10, 15, 20, 25, 30] and temp["mean"] == [20, 48, 48, 64, 64]
        assert temp["missing"]["mean"] == 20
        assert wind["grid"] == [5, 10, 15, 20, 25] and wind["mean"] == [52, 52, 52, 28, 28]
    curves = ex.ice("temp", engine=engine).results[0]
    steps = {0: [20, 56, 56, 80, 80], 1: [20, 32, 32, 32, 32]}
    assert curves["values"] == [steps[code] for code in (0, 0, 1, 0, 1, 0)]
    assert curves["missing"] == [20] * 6
    surface = ex.pdp(pairs="temp:wind", engine=engine).results[0]
    assert surface["mean"][3][0] == 80 and surface["mean"][4][4] == 32


@pytest.mark.parametrize("engine", ["trees", "blackbox"])
def test_interactions(ex, engine):
    pair = ex.interactions(pairs="temp:wind", engine=engine).results[-1]
    assert pair["features"] == ["temp", "wind"]
    assert pair["h2"] == pytest.approx(352 / 2784, abs=1e-12)
    assert pair["strength"] == pytest.approx((352 / 6) ** 0.5, abs=1e-12)
    parts = ex.decomposition(engine=engine).results
    shares = {item["feature"]: item["importance"] for item in parts if item["type"] == "importance"}
    assert shares["temp"] == pytest.approx(1632 / 2784)
    assert shares["wind"] == pytest.approx(384 / 2784)
    assert shares["temp:wind"] == pytest.approx(768 / 2784)
    (surface,) = [item for item in parts if item["type"] == "surface"]
    assert np.unique(surface["effect"]).tolist() == pytest.approx([-20, -12, -4, 4, 12])


def test_shapley_values(ex, in_xgboost):
    for options in ({}, {"engine": "blackbox", "background_rows": 0}):
        found = ex.shap(rows=[3], interactions=True, **options).explanation
        assert found.base_values[0] == pytest.approx(40, abs=1e-12)
        np.testing.assert_allclose(found.values[0], [26, 14], atol=1e-12)
        np.testing.assert_allclose(found.interactions[0], [[24, 2], [2, 12]], atol=1e-12)
    found = ex.shap(rows=[3], interactions=True, background="cover").explanation
    assert found.base_values[0] == pytest.approx(47, abs=1e-12)
    np.testing.assert_allclose(found.values[0], [20.5, 12.5], atol=1e-12)
    np.testing.assert_allclose(found.interactions[0], [[17, 3.5], [3.5, 9]], atol=1e-12)
    booster, rows = in_xgboost
    np.testing.assert_allclose(booster.predict(rows, pred_contribs=True)[3], [20.5, 12.5, 47], atol=1e-5)
