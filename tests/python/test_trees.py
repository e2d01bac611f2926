"""The exact tree engine on models that the frameworks have just trained: the numbers of the black-box engine, and of the
frameworks' own Shapley values."""

import functools
import json

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from closeness import assert_close
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeRegressor

import sightglass as sg

pytestmark = pytest.mark.filterwarnings("ignore")

XGB = {"n_estimators": 6, "max_depth": 4, "learning_rate": 0.5, "n_jobs": 1}
LGB = {"n_estimators": 6, "num_leaves": 9, "learning_rate": 0.5, "n_jobs": 1, "verbose": -1, "min_child_samples": 5}
CATEGORICAL = {"enable_categorical": True, "tree_method": "hist"}


def numbers(rows=90, missing=True, features=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features)).round(1)  # ties
    signal = X[:, 0] * X[:, -1] + X[:, 0] + np.abs(X[:, features // 2]) + 0.1 * rng.normal(size=rows)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(features)]), signal


def categories(rows=90, seed=0):
    rng = np.random.default_rng(seed)
    frame, signal = numbers(rows, features=3, seed=seed)
    frame["town"] = pd.Categorical(rng.choice(["Ulm", "Jena", "Bonn", "Kiel"], rows))
    frame.loc[::13, "town"] = None
    return frame, signal + 2 * frame["town"].isin(["Jena", "Kiel"]).to_numpy()


def binary(signal):
    return (signal > np.median(signal)).astype(int)


def three(signal):
    return np.digitize(signal, np.quantile(signal, [0.3, 0.7]))


# name: model, target, data
CASES = {
    "xgboost": (xgboost.XGBRegressor(**XGB), None, numbers),
    "xgboost binary": (xgboost.XGBClassifier(**XGB), binary, numbers),
    "xgboost three": (xgboost.XGBClassifier(**XGB), three, numbers),
    "xgboost categories": (xgboost.XGBRegressor(max_cat_to_onehot=2, **CATEGORICAL, **XGB), None, categories),
    "xgboost one-hot": (xgboost.XGBClassifier(max_cat_to_onehot=9, **CATEGORICAL, **XGB), binary, categories),
    "xgboost dart": (xgboost.XGBRegressor(booster="dart", rate_drop=0.3, **XGB), None, numbers),
    "xgboost stumps": (xgboost.XGBRegressor(**(XGB | {"max_depth": 1})), None, numbers),
    "xgboost leaves": (xgboost.XGBRegressor(gamma=1e9, **XGB), None, numbers),
    "xgboost one feature": (xgboost.XGBRegressor(**XGB), None, functools.partial(numbers, features=1)),
    "xgboost deep": (xgboost.XGBRegressor(**(XGB | {"max_depth": 12, "min_child_weight": 0})), None, numbers),
    "lightgbm": (lightgbm.LGBMRegressor(**LGB), None, numbers),
    "lightgbm zeros": (lightgbm.LGBMRegressor(zero_as_missing=True, **LGB), None, numbers),
    "lightgbm binary": (lightgbm.LGBMClassifier(**LGB), binary, numbers),
    "lightgbm three": (lightgbm.LGBMClassifier(**LGB), three, numbers),
    "lightgbm categories": (lightgbm.LGBMRegressor(min_data_per_group=5, cat_smooth=1, **LGB), None, categories),
    "lightgbm stumps": (lightgbm.LGBMRegressor(**(LGB | {"num_leaves": 2})), None, numbers),
    "lightgbm forest": (
        lightgbm.LGBMRegressor(boosting_type="rf", bagging_freq=1, bagging_fraction=0.6, **LGB),
        None,
        numbers,
    ),
    "tree": (DecisionTreeRegressor(random_state=0), None, numbers),
    "forest": (RandomForestRegressor(n_estimators=5, max_depth=12, random_state=0), None, numbers),
    "forest three": (RandomForestClassifier(n_estimators=5, max_depth=12, random_state=0), three, numbers),
    "extra trees": (ExtraTreesClassifier(n_estimators=5, max_depth=6, random_state=0), binary, numbers),
    "boosting": (
        GradientBoostingClassifier(n_estimators=6, random_state=0),
        three,
        functools.partial(numbers, missing=False),
    ),
    "histogram": (HistGradientBoostingClassifier(max_iter=6, min_samples_leaf=5), binary, categories),
}


def onto_splits(frame, model):
    """The rows, many of them moved onto split points or directly below them."""
    rng = np.random.default_rng(1)
    frame = frame.copy()
    for curve in sg.Explainer(model, frame).pdp(grid_rule="breakpoints", spread=False).results:
        if curve["type"] != "curve" or curve["kind"] != "numeric" or len(curve["grid"]) < 2:
            continue
        behind = np.asarray(curve["grid"][1:], np.float32)
        pool = np.concatenate([curve["grid"][1:], behind, np.nextafter(behind, np.float32(-np.inf)), [0.0, -0.0]])
        moved = rng.random(len(frame)) < 0.5
        frame.loc[moved, curve["feature"]] = rng.choice(pool, moved.sum())
    return frame


@functools.lru_cache
def case(name):
    """The model, rows that lie on its splits, and their outcome."""
    estimator, target, data = CASES[name]
    frame, signal = data()
    y = signal if target is None else target(signal)
    model = estimator.fit(frame, y)
    return model, onto_splits(frame, model), y


def explainer(name):
    model, frame, y = case(name)
    return sg.Explainer(model, frame, y)


def by_both(ex, method, **options):
    """What both engines say, item by item."""
    found = [ex._run(method, {**options, "engine": engine}) for engine in ("trees", "blackbox")]
    assert [result.options["engine"] for result in found] == ["trees", "blackbox"]
    kept = [[item for item in result.results if item["type"] != "figure"] for result in found]
    assert len(kept[0]) == len(kept[1]) > 0
    return zip(*kept)


def spread(ex, scale):
    return np.std(ex.predict(scale=scale), axis=0).max() + 1e-9


def numbers_of(item, *names):
    return np.concatenate([np.ravel(item[name]).astype(float) for name in names])


@pytest.mark.parametrize("scale", ["response", "margin"])
@pytest.mark.parametrize("name", CASES)
def test_effects(name, scale):
    ex = explainer(name)
    size = spread(ex, scale)
    features = ex.features
    pair = [f"{features[0]}:{features[-1]}"] if len(features) > 1 else None

    for curve, other in by_both(ex, "partial-dependence", scale=scale, grid=12):
        assert_close(numbers_of(curve, "mean", "sd", "se_level"), numbers_of(other, "mean", "sd", "se_level"), size)
        if other["missing"]:
            assert_close(curve["missing"]["mean"], other["missing"]["mean"], size)
    for item, other in by_both(
        ex, "partial-dependence", scale=scale, grid=12, spread=False, features=features, pairs=pair
    ):
        assert_close(numbers_of(item, "mean"), numbers_of(other, "mean"), size)
    for curves, other in by_both(ex, "ice", scale=scale, grid=12):
        assert curves["rows"] == other["rows"]
        assert_close(np.array(curves["values"], float), np.array(other["values"], float), size)
    for item, other in by_both(ex, "ale", scale=scale, bins=9, features=features, pairs=pair):
        assert_close(numbers_of(item, "effect"), numbers_of(other, "effect"), size)
        if item["type"] == "curve":
            assert_close(numbers_of(item, "se"), numbers_of(other, "se"), size)
            assert item["bin_count"] == other["bin_count"]
    for item, other in by_both(ex, "pd-importance", scale=scale, grid=12):
        assert item["feature"] == other["feature"] or item["importance"] == pytest.approx(other["importance"])
        assert_close(item["importance"], other["importance"], size)


@pytest.mark.parametrize("name", CASES)
def test_the_framework_itself(name):
    """Not our predictions but the framework's own, of rows on its splits with a feature set."""
    model, frame, y = case(name)
    asked = sg.Explainer(model, frame, y, native=False)
    assert asked.engine == "blackbox" and not asked.native
    # XGBoost adds float32.
    looser = 10 if name.startswith("xgboost") else 1
    for curve, other in zip(explainer(name).pdp(grid=7).results, asked.pdp(grid=7).results):
        assert (curve["feature"], curve["output"], curve["grid"]) == (other["feature"], other["output"], other["grid"])
        assert_close(curve["mean"], other["mean"], looser * (spread(asked, "response") + np.abs(other["mean"]).max()))


@pytest.mark.parametrize("name", [name for name in CASES if name != "xgboost one feature"])
def test_interactions(name):
    ex = explainer(name)
    size = spread(ex, "margin")
    for method in ("interactions", "decomposition"):
        found = list(by_both(ex, method, predictions=10**8))
        # Rankings: ties may stand in another order.
        theirs = {(other["type"], str(other.get("features")), other["output"]): other for _, other in found}
        for item, _ in found:
            other = theirs[item["type"], str(item.get("features")), item["output"]]
            if item["type"] == "interaction":
                assert_close(item["strength"], other["strength"], size)
                if other["details"]["in_findings"]:
                    assert_close(item["h2"], other["h2"], 1)
            elif item["type"] == "importance":
                assert_close(item["importance"], other["importance"], 1)
                assert_close(item["details"]["sd"], other["details"]["sd"], size)


@pytest.mark.parametrize("name", CASES)
def test_importance(name):
    ex = explainer(name)
    for item, other in by_both(ex, "model-reliance"):
        for key in ("e_orig", "e_switch"):
            assert_close(item["details"][key], other["details"][key], 1e-3)
    for item, other in by_both(ex, "permutation-importance", estimator="expected"):
        for key in ("baseline", "after"):
            assert_close(item["details"][key], other["details"][key], 1e-3)


def test_switches_of_thousands_of_values():
    """A forest with a split point for nearly every row: values at which nothing changes are passed over."""
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(rng.normal(size=(1300, 3)).astype(np.float32), columns=list("abc"))
    y = np.sin(2 * frame.a) + frame.b * (frame.c > 0) + rng.normal(0, 0.3, len(frame))
    model = RandomForestRegressor(40, random_state=3).fit(frame, y)
    for weights in (None, rng.uniform(0.1, 2, len(frame))):
        ex = sg.Explainer(model, frame, y, weights=weights)
        for item, other in by_both(ex, "model-reliance", predictions=10**9):
            assert item["details"]["rows"] == len(frame) and item["details"]["values"] > 1024
            for key in ("e_orig", "e_switch"):
                assert item["details"][key] == pytest.approx(other["details"][key], rel=1e-9)
            assert item["se"] == pytest.approx(other["se"], rel=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_shapley_values(name):
    ex = explainer(name)
    size = spread(ex, "margin")
    options = {"rows": [0, 13, 88], "background_rows": 0, "interactions": True}
    found = [ex.shap(engine=engine, **options).explanation for engine in ("trees", "blackbox")]
    for key in ("values", "interactions", "base_values", "predictions"):
        assert_close(getattr(found[0], key), getattr(found[1], key), size)
    np.testing.assert_allclose(
        found[0].values.sum(axis=1) + found[0].base_values, found[0].predictions, rtol=1e-9, atol=1e-9 * size
    )


@pytest.mark.parametrize("name", ["xgboost binary", "lightgbm categories", "forest three"])
def test_weights_are_repeated_rows(name):
    model, frame, y = case(name)
    times = np.random.default_rng(2).integers(0, 4, len(frame))
    rows = np.repeat(np.arange(len(frame)), times)
    weighted = sg.Explainer(model, frame, y, weights=times.astype(float))
    repeated = sg.Explainer(model, frame.iloc[rows].reset_index(drop=True), np.asarray(y)[rows])
    size = spread(weighted, "margin")
    for options in ({"spread": False}, {"spread": False, "scale": "margin"}):
        found = [ex.pdp(grid=9, **options).results for ex in (weighted, repeated)]
        for curve, other in zip(*found):
            assert curve["grid"] == other["grid"]
            assert_close(curve["mean"], other["mean"], size)
    first = [int(np.flatnonzero(rows == row)[0]) for row in np.unique(rows)[:3]]
    found = weighted.shap(rows=np.unique(rows)[:3].tolist()).explanation
    other = repeated.shap(rows=first).explanation
    assert_close(found.values, other.values, size)
    assert_close(found.base_values, other.base_values, size)
    # Weights that are no whole numbers.
    broken = sg.Explainer(model, frame, y, weights=np.random.default_rng(3).uniform(0.1, 2, len(frame)))
    for method in ("partial-dependence", "pd-importance"):
        for item, other in by_both(broken, method, scale="margin", grid=9):
            key = "mean" if item["type"] == "curve" else "importance"
            assert_close(item[key], other[key], size)
    values = [broken.shap(rows=[0, 1], engine=e, background_rows=0).values for e in ("trees", "blackbox")]
    assert_close(*values, size)


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("xgboost")])
def test_cover_as_xgboost_has_it(name):
    model, frame, y = case(name)
    ex = sg.Explainer(model, frame)
    found = ex.shap(explain=0, background="cover", interactions=True).explanation
    data = xgboost.DMatrix(frame, enable_categorical=True)
    booster = model.get_booster()
    theirs = booster.predict(data, pred_contribs=True).astype(float)
    pairs = booster.predict(data, pred_interactions=True).astype(float)
    if theirs.ndim == 3:  # [row, class, feature]
        theirs, pairs = np.moveaxis(theirs, 1, -1), np.moveaxis(pairs, 1, -1)
    features = len(ex.features)
    # In float32, with sums and differences of the size of the leaves.
    near = 3e-5 * (np.abs(pairs).sum(axis=(1, 2)).max() + 1)
    np.testing.assert_allclose(found.values, theirs[:, :features], atol=near)
    np.testing.assert_allclose(found.base_values, theirs[:, features], atol=near)
    np.testing.assert_allclose(found.interactions, pairs[:, :features, :features], atol=near)
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, found.predictions, atol=1e-9)
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("lightgbm")])
def test_cover_as_lightgbm_has_it(name):
    model, frame, y = case(name)
    ex = sg.Explainer(model, frame)
    found = ex.shap(explain=0, background="cover").explanation
    theirs = model.predict(frame, pred_contrib=True)
    if name == "lightgbm forest":  # sums over trees there, their mean here
        theirs = theirs / model.booster_.current_iteration()
    features = len(ex.features)
    theirs = theirs.reshape(len(frame), -1, features + 1)
    theirs = np.moveaxis(theirs, 1, -1) if theirs.shape[1] > 1 else theirs[:, 0]
    np.testing.assert_allclose(found.values, theirs[:, :features], atol=1e-9)
    np.testing.assert_allclose(found.base_values, theirs[:, features], atol=1e-9)
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, found.predictions, atol=1e-9)


def longest_path(tree):
    def walk(node, seen):
        if "leaf" in node:
            return len(seen)
        return max(walk(child, seen | {node["split"]}) for child in node["children"])

    return walk(json.loads(tree), frozenset())


def test_long_paths():
    """More than 14 different features on a path: another algorithm."""
    frame, _ = numbers(rows=600, missing=False, features=18, seed=5)
    first_low = np.cumprod(frame.to_numpy() > -1.3, axis=1).sum(axis=1)  # learned one feature after the other
    model = xgboost.XGBRegressor(n_estimators=2, max_depth=24, min_child_weight=0, reg_lambda=0, n_jobs=1)
    model.fit(frame, first_low)
    assert max(map(longest_path, model.get_booster().get_dump(dump_format="json"))) > 14
    rows = onto_splits(frame.iloc[:60], model)
    ex = sg.Explainer(model, rows)
    size = spread(ex, "margin")
    # What sampling finds by predictions lies around what trees know.
    found = ex.shap(rows=[0, 7], interactions=True).explanation
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, found.predictions, atol=1e-9)
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-9)
    sampled = ex.shap(rows=[0, 7], engine="blackbox", background_rows=0, permutations=64, precision=0.0).explanation
    assert sampled.base_values[0] == pytest.approx(found.base_values[0], abs=1e-9)
    assert (np.abs(sampled.values - found.values) <= 5 * sampled.se + 1e-3 * size).all()
    # XGBoost's float32 sums are good to about three digits here.
    theirs = model.get_booster().predict(xgboost.DMatrix(rows), pred_contribs=True).astype(float)
    cover = ex.shap(explain=0, background="cover").explanation
    np.testing.assert_allclose(cover.values, theirs[:, :-1], atol=2e-3 * np.abs(theirs).max())
    np.testing.assert_allclose(cover.values.sum(axis=1) + cover.base_values, cover.predictions, atol=1e-9)


def test_forests_have_no_link():
    frame, signal = numbers(missing=False)
    forest = RandomForestClassifier(5, max_depth=3, random_state=1).fit(frame, signal > 0)
    boosted = GradientBoostingClassifier(n_estimators=5).fit(frame, signal > 0)
    for model, warned in ((forest, False), (boosted.predict_proba, True)):
        result = sg.Explainer(model, frame, classes=["no", "yes"]).interactions(predictions=10**6)
        assert any(caveat.id == "response-scale" for caveat in result.caveats) == warned


def test_trees_that_are_not_known():
    frame, signal = numbers(missing=False)
    ex = sg.Explainer(lambda X: X["x0"], frame)
    assert ex.engine == "blackbox"
    with pytest.raises(sg.UsageError, match="only the predictions are known, no trees"):
        ex.pdp(engine="trees")
    model = DecisionTreeRegressor(max_depth=3).fit(frame, signal)
    assert sg.Explainer(model, frame).engine == "trees"
    assert sg.Explainer(model, frame, native=False).engine == "blackbox"
