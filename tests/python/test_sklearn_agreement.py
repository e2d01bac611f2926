"""Partial dependence and ICE against scikit-learn's brute force, on models that NumPy and pandas users have."""

import numpy as np
import pandas as pd
import pytest
from closeness import assert_close
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification, make_friedman1, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sightglass as sg

GRID = 12


def regression(model):
    X, y = make_friedman1(300, n_features=6, random_state=0)
    return model.fit(X, y), X


def classification(model, classes):
    X, y = make_classification(250, 6, n_informative=4, n_classes=classes, random_state=1)
    return model.fit(X, np.array(["ash", "birch", "cedar"])[y]), X


def tall(model):
    X, y = make_regression(6000, 3, random_state=2, noise=1)
    return model.fit(X, y), X


CASES = {
    "linear": lambda: regression(LinearRegression()),
    "boosting": lambda: regression(HistGradientBoostingRegressor(max_iter=30, random_state=0)),
    "neighbours": lambda: regression(KNeighborsRegressor()),
    "network": lambda: regression(
        make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=(8,), max_iter=200, random_state=0))
    ),
    "binary": lambda: classification(LogisticRegression(), 2),
    "multiclass": lambda: classification(RandomForestClassifier(20, random_state=0), 3),
    "several blocks": lambda: tall(HistGradientBoostingRegressor(max_iter=10, random_state=0)),
}


def expected(model, X, features, **options):
    options = {"method": "brute", "kind": "both", "grid_resolution": GRID, "response_method": "auto", **options}
    if hasattr(model, "predict_proba"):
        options["response_method"] = "predict_proba"
    return partial_dependence(model, X, features, **options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_curves(name):
    model, X = CASES[name]()
    ex = sg.Explainer(model, X)
    for feature in (0, 2):
        oracle = expected(model, X, [feature])
        mine = ex.partial_dependence(feature, grid=GRID, grid_rule="sklearn")
        assert_close(mine["grid_values"][0], oracle["grid_values"][0])
        assert_close(mine["average"], oracle["average"], np.std(model_values(model, X)))
        curves = ex.ice(feature, grid=GRID, grid_rule="sklearn", curves=0)
        assert_close(curves["individual"], oracle["individual"])
        assert_close(curves["average"], oracle["average"], np.std(model_values(model, X)))


def model_values(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["boosting", "binary", "multiclass"])
def test_pairs(name):
    model, X = CASES[name]()
    ex = sg.Explainer(model, X)
    mine = ex.partial_dependence([(0, 1)], pair_grid=6, grid_rule="sklearn")
    oracle = expected(model, X, [(0, 1)], grid_resolution=6, kind="average")
    assert_close(mine["average"], oracle["average"])
    assert mine.keys() == ["grid_values", "average"]


@pytest.fixture(scope="module")
def houses():
    rng = np.random.default_rng(5)
    rows = 400
    frame = pd.DataFrame(
        {
            "area": rng.normal(100, 30, rows),
            "rooms": rng.integers(1, 8, rows),
            "heating": pd.Categorical(rng.choice(["oil", "gas", "wood"], rows), categories=["wood", "oil", "gas"]),
            "town": rng.choice(["Ulm", "Jena", "Köln"], rows),
        }
    )
    price = frame["area"] * 3 + frame["rooms"] * 20 + 50 * (frame["heating"] == "gas") + 90 * (frame["town"] == "Köln")
    return frame, price + frame["area"] * (frame["town"] == "Ulm")


def test_categories_and_text_of_pandas(houses):
    frame, price = houses
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["heating", "town"]), remainder=StandardScaler(), sparse_threshold=0),
        LinearRegression(),
    ).fit(frame, price)
    ex = sg.Explainer(model, frame, price.rename("price"))
    assert ex.features == list(frame.columns)
    for feature in ("heating", "town"):
        oracle = partial_dependence(
            model, frame, [feature], categorical_features=[feature], method="brute", kind="both"
        )
        order = [str(level) for level in oracle["grid_values"][0]]
        mine = ex.partial_dependence(feature)
        levels = [str(level) for level in mine["grid_values"][0]]
        assert sorted(order) == sorted(levels)
        assert_close(mine["average"], oracle["average"][:, [order.index(level) for level in levels]])
    assert levels == ["Jena", "Köln", "Ulm"]
    # Of a pipeline whose steps are folded into its trees, in the order of its encoder.
    assert sorted(ex.partial_dependence("heating")["grid_values"][0]) == ["gas", "oil", "wood"]
    whole = ex.partial_dependence("rooms", grid_rule="sklearn", grid=20)
    oracle = partial_dependence(model, frame.astype({"rooms": float}), ["rooms"], grid_resolution=20, method="brute")
    assert_close(whole["average"], oracle["average"])


def test_missing_values():
    X, y = make_friedman1(300, n_features=5, random_state=0)
    X[::7, 0] = np.nan
    X[::5, 1] = np.nan
    model = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(X, y > y.mean())
    ex = sg.Explainer(model, X)
    result = ex.partial_dependence(["x0", "x2"], grid=10)
    curve = result.select("x0").results[0]
    assert curve["missing"]["count"] == np.isnan(X[:, 0]).sum()
    for values, mean in zip([*curve["grid"], np.nan], [*curve["mean"], curve["missing"]["mean"]], strict=True):
        changed = X.copy()
        changed[:, 0] = values
        assert_close([mean], [model.predict_proba(changed)[:, 1].mean()], 0.01)
    assert result.select("x2").results[0]["missing"] is None


def test_weights_are_repeated_rows():
    X, y = make_friedman1(60, n_features=5, random_state=0)
    weights = np.arange(60) % 3
    model = HistGradientBoostingRegressor(max_iter=10, random_state=0).fit(X, y)
    weighted = sg.Explainer(model, X, weights=weights).partial_dependence("x0", grid_rule="values", values=[0.2, 0.8])
    repeated = sg.Explainer(model, np.repeat(X, weights, axis=0)).partial_dependence(
        "x0", grid_rule="values", values=[0.2, 0.8]
    )
    assert_close(weighted["average"], repeated["average"])
