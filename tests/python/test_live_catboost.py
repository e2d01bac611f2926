"""Live models of CatBoost: what the engine reads from memory equals what they predict themselves."""

import numpy as np
import pandas as pd
import pytest
from catboost import CatBoost, CatBoostClassifier, CatBoostRanker, CatBoostRegressor, Pool

import sightglass as sg

pytestmark = pytest.mark.filterwarnings("ignore")

SMALL = {"iterations": 8, "depth": 4, "verbose": 0, "allow_writing_files": False, "thread_count": 1}
SINGLE = {**SMALL, "max_ctr_complexity": 1, "cat_features": ["town", "floor", "new"]}


def frame(rng, rows=500):
    X = pd.DataFrame(
        {
            "size": rng.normal(size=rows),
            "town": rng.choice(["Ulm", "Bonn", "Jena", "Köln", "Trier"], rows),
            "floor": rng.integers(-2, 30, rows),
            "new": rng.random(rows) < 0.5,
            "rooms": rng.integers(1, 6, rows).astype(float),
        }
    )
    X.loc[::11, "size"] = np.nan
    signal = X["size"].fillna(0) + (X["town"] == "Jena") * 2 + X["floor"] * 0.05 + X["new"] * (X["town"] == "Ulm")
    return X, signal.to_numpy()


def check(model, X, expected, **options):
    ex = sg.Explainer(model, X, **options)
    assert ex.native, ex.notes
    np.testing.assert_allclose(ex.predict(), expected, rtol=2e-15, atol=1e-15)
    return ex


def test_regression_is_equal_bit_for_bit(rng):
    X, signal = frame(rng)
    model = CatBoostRegressor(**SINGLE).fit(X, signal)
    ex = sg.Explainer(model, X)
    assert ex.engine == "trees"
    np.testing.assert_array_equal(ex.predict(), model.predict(X))
    # Columns by name, in any order, beside others.
    np.testing.assert_array_equal(ex.predict(X[X.columns[::-1]].assign(extra=1)), model.predict(X))
    np.testing.assert_array_equal(sg.Explainer(model, X, rounds=3).predict(), model.predict(X, ntree_end=3))
    described = ex.inspect()["model"]
    assert described["format"] == "catboost-cbm"
    assert described["detail"]["engine"].startswith("exact")
    assert [f["type"] for f in described["features"]] == [
        "numeric",
        "categorical",
        "categorical",
        "categorical",
        "numeric",
    ]


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1], [False, True]])
def test_classes_are_called_as_the_model_calls_them(rng, labels):
    X, signal = frame(rng)
    y = np.array(labels)[(signal > 1).astype(int)]
    model = CatBoostClassifier(**SINGLE).fit(X, y)
    ex = check(model, X, model.predict_proba(X)[:, 1])
    assert ex.inspect()["model"]["outputs"] == [str(labels[1])]
    margin = sg.Explainer(model, X, scale="margin").predict()
    np.testing.assert_array_equal(margin, model.predict(X, prediction_type="RawFormulaVal"))


def test_several_classes(rng):
    X, signal = frame(rng)
    y = np.array(["low", "middle", "high"])[np.digitize(signal, [0, 1.5])]
    model = CatBoostClassifier(**SINGLE).fit(X, y)
    ex = check(model, X, model.predict_proba(X))
    assert ex.inspect()["model"]["outputs"] == list(model.classes_)


def test_losses(rng):
    X, signal = frame(rng)
    y = np.exp(signal / 3)
    poisson = CatBoostRegressor(**SINGLE, loss_function="Poisson").fit(X, y)
    check(poisson, X, poisson.predict(X))
    both = CatBoostRegressor(**SINGLE, loss_function="RMSEWithUncertainty").fit(X, signal)
    ex = check(both, X, both.predict(X))
    assert ex.inspect()["model"]["outputs"] == ["mean", "variance"]
    ranker = CatBoostRanker(**SINGLE).fit(X, (signal > 0).astype(int), group_id=np.arange(500) // 10)
    check(ranker, X, ranker.predict(X))


def test_combined_ctrs_are_asked_natively(rng):
    X, signal = frame(rng)
    interacting = signal + 3 * ((X["town"] == "Bonn") & (X["floor"] > 14))
    model = CatBoostRegressor(**{**SINGLE, "max_ctr_complexity": 3, "iterations": 40}).fit(X, interacting)
    ex = sg.Explainer(model, X)
    assert ex.native and ex.engine == "blackbox"
    np.testing.assert_array_equal(ex.predict(), model.predict(X))
    assert ex.inspect()["model"]["detail"]["engine"].startswith("asked: its splits are about combinations")
    ex.partial_dependence("town")


def test_unseen_categories_are_named_and_missing_ones_refused(rng):
    X, signal = frame(rng)
    model = CatBoostRegressor(**SINGLE).fit(X, signal)
    other = X.assign(town=rng.choice(["Ulm", "Kiel"], len(X)), floor=rng.integers(20, 90, len(X)))
    ex = sg.Explainer(model, other)
    np.testing.assert_array_equal(ex.predict(), model.predict(other))
    assert any("town" in note and "Kiel" in note for note in ex.notes)
    with pytest.raises(sg.DataError, match="town is missing, which this model refuses"):
        sg.Explainer(model, X.assign(town=X["town"].where(X["town"] != "Ulm"))).predict()
    with pytest.raises(sg.DataError, match="floor holds fractions"):
        sg.Explainer(model, X.assign(floor=X["floor"] + 0.5))


def test_arrays_and_pools(rng):
    X = rng.normal(size=(300, 3))
    y = X[:, 0] * X[:, 1]
    model = CatBoost(SMALL).fit(X, y)
    for data in (X, Pool(X), pd.DataFrame(X, columns=["a", "b", "c"])):
        ex = sg.Explainer(model, data)
        np.testing.assert_array_equal(ex.predict(), model.predict(X.astype(np.float32)))
    named = Pool(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    model = CatBoost(SMALL).fit(named)
    assert sg.Explainer(model, named).features == ["a", "b", "c"]
    table, _ = frame(rng)
    with pytest.raises(sg.UsageError, match="give the data frame"):
        sg.Explainer(model, Pool(table, cat_features=["town", "floor", "new"]))


class Doubled(CatBoostRegressor):
    def predict(self, X, **options):
        return 2 * super().predict(X, **options)


def test_what_cannot_be_read_is_asked(rng):
    X, signal = frame(rng)
    numbers = X[["size", "rooms"]]
    model = Doubled(**SMALL).fit(numbers, signal)
    ex = sg.Explainer(model, numbers)
    assert not ex.native
    assert any("has its own predict" in note for note in ex.notes)
    np.testing.assert_array_equal(ex.predict(), model.predict(numbers))
    with pytest.raises(sg.UsageError, match="not fitted"):
        sg.Explainer(CatBoostRegressor(), numbers)


def test_shap_adds_up_to_the_margin(rng):
    X, signal = frame(rng)
    model = CatBoostRegressor(**SINGLE).fit(X, signal)
    found = sg.Explainer(model, X).shap(rows=list(range(20)))
    own = model.get_feature_importance(Pool(X, cat_features=SINGLE["cat_features"]), type="ShapValues")
    sums = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(np.ravel(sums), own[:20].sum(axis=1), rtol=1e-9)
