"""Everything that may be called a model."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xgboost
from closeness import assert_close
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.svm import SVC

import sightglass as sg

ROOT = Path(__file__).resolve().parents[2]
BIKE = ROOT / "examples" / "bike"


@pytest.fixture(scope="module")
def bike():
    return pd.read_csv(BIKE / "bike.csv")


def golden(name):
    return json.loads((ROOT / "tests" / "golden" / "effects" / name).read_text())


def test_model_file_against_golden_numbers(bike):
    ex = sg.Explainer(str(BIKE / "model.json"), bike, "rentals", units={"temp": "°C"})
    assert ex.engine == "trees"
    numeric = [case for case in golden("bike_pd.json")["cases"] if len(case["features"]) == 1]
    for case in numeric:
        grid = case["grid"][0]
        options = {} if isinstance(grid[0], str) else {"grid_rule": "values", "values": grid}
        mine = ex.partial_dependence(case["features"], **options).results[0]
        order = [mine["grid"].index(value) for value in grid]
        assert_close(np.asarray(mine["mean"])[order], case["average"])
    assert ex.partial_dependence("temp").results[0]["unit"] == "°C"


@pytest.mark.filterwarnings("ignore")
def test_booster_and_file_agree(bike):
    booster = xgboost.Booster(model_file=BIKE / "model.json")
    types = dict(zip(booster.feature_names, booster.feature_types, strict=True))
    frame = bike[booster.feature_names].copy()
    for name, kind in types.items():
        if kind == "c":
            frame[name] = frame[name].astype("category")
    from_file = sg.Explainer(BIKE / "model.json", bike, "rentals").partial_dependence(["temp", "hour"], grid=8)
    live = sg.Explainer(booster, frame).partial_dependence(["temp", "hour"], grid=8)
    for one, two in zip(live.results, from_file.results, strict=True):
        assert one["grid"] == two["grid"]
        # The framework adds up in float32.
        np.testing.assert_allclose(one["mean"], two["mean"], rtol=2e-6)


def test_xgboost_estimators(rng):
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    y = (X["a"] + X["b"] > 0).astype(int)
    model = xgboost.XGBClassifier(n_estimators=5).fit(X, y)
    result = sg.Explainer(model, X.assign(extra=1), y).partial_dependence("a")
    assert result.results[0]["output"] == "1"
    assert sg.Explainer(model.get_booster(), X.to_numpy()).features == ["a", "b", "c"]
    numbers = sg.Explainer(model.get_booster(), X.to_numpy()).partial_dependence("a")
    np.testing.assert_allclose(numbers["average"], result["average"], rtol=1e-5)


def test_classes_are_named(rng):
    X = rng.normal(size=(100, 2))
    binary = LogisticRegression().fit(X, np.where(X[:, 0] > 0, "yes", "no"))
    assert [item["output"] for item in sg.Explainer(binary, X).partial_dependence("x0").results] == ["yes"]
    three = LogisticRegression().fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    ex = sg.Explainer(three, X)
    assert [item["output"] for item in ex.partial_dependence("x0").results] == ["0", "1", "2"]
    assert [item["output"] for item in ex.partial_dependence("x0", output=2).results] == ["2"]
    assert [item["output"] for item in sg.Explainer(three, X, output=1).ice("x0").results] == ["1"]
    total = sum(np.asarray(item["mean"]) for item in ex.partial_dependence("x0").results)
    np.testing.assert_allclose(total, 1)


def test_several_outputs(rng):
    X = rng.normal(size=(100, 2))
    model = LinearRegression().fit(X, np.column_stack([X[:, 0], X[:, 1]]))
    names = [item["output"] for item in sg.Explainer(model, X).partial_dependence("x0").results]
    assert names == ["output0", "output1"]
    named = sg.Explainer(lambda data: pd.DataFrame({"up": data[:, 0], "down": -data[:, 0]}), X)
    assert [item["output"] for item in named.partial_dependence("x0").results] == ["up", "down"]


def test_only_the_columns_that_a_model_was_fitted_on(rng):
    frame = pd.DataFrame(rng.normal(size=(50, 4)), columns=["id", "b", "a", "y"])
    model = LinearRegression().fit(frame[["a", "b"]], frame["y"])
    ex = sg.Explainer(model, frame)
    assert ex.features == ["a", "b"]
    assert sg.Explainer(model.predict, frame).features == ["a", "b"]
    assert sg.Explainer(model, frame[["a", "b"]].to_numpy()).features == ["a", "b"]
    assert_close(ex.partial_dependence("a")["average"], ex.partial_dependence(0)["average"])
    with pytest.raises(sg.DataError, match="fitted on: b"):
        sg.Explainer(model, frame.drop(columns="b"))
    with pytest.raises(sg.DataError, match="3 columns, the model was fitted on 2"):
        sg.Explainer(model, np.zeros((3, 3)))


def test_classifiers_without_probabilities(rng):
    X = rng.normal(size=(50, 2))
    y = X[:, 0] > 0
    for model in (RidgeClassifier().fit(X, y), SVC().fit(X, y)):
        with pytest.raises(sg.UsageError, match="decision_function"):
            sg.Explainer(model, X)
        assert sg.Explainer(model.decision_function, X).partial_dependence("x0").results
    with pytest.raises(sg.UsageError, match="class SVC"):
        sg.Explainer(SVC, X)


def test_a_model_file_that_does_not_fit(bike):
    with pytest.raises(sg.DataError):
        sg.Explainer(BIKE / "model.json", bike[["temp"]])


def test_class_names_of_a_file():
    penguins = pd.read_csv(ROOT / "examples" / "penguins" / "penguins.csv")
    classes = json.loads((ROOT / "examples" / "penguins" / "classes.json").read_text())
    names = classes["species.json"]
    ex = sg.Explainer(ROOT / "examples" / "penguins" / "species.json", penguins, classes=names)
    outputs = {item["output"] for item in ex.partial_dependence(ex.features[0]).results}
    assert outputs == set(names)
