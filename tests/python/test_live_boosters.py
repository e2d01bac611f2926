"""Live models of XGBoost and LightGBM: what the engine reads from memory equals what they predict themselves."""

import subprocess
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from hypothesis import given, settings
from hypothesis import strategies as st
from sightglass._boosters import LiveBooster
from sightglass._live import NotReadable

import sightglass as sg

pytestmark = pytest.mark.filterwarnings("ignore")

TOOL = Path(sg.__file__).parent / "_bin" / "sightglass"
XGB = {"n_estimators": 8, "max_depth": 4, "n_jobs": 1}
LGB = {"n_estimators": 8, "num_leaves": 12, "n_jobs": 1, "verbose": -1}


def training(seed=0, rows=400):
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=rows), rng.uniform(-1, 1, rows), rng.integers(2**24, 2**24 + 60, rows), rng.poisson(1.0, rows)]
    ).astype(float)
    signal = X[:, 0] * X[:, 1] + 0.05 * (X[:, 2] - 2**24) + X[:, 3] + 0.1 * rng.normal(size=rows)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, signal


def target(kind, signal):
    return {
        "number": signal,
        "positive": np.exp(signal / 4),
        "binary": (signal > 2).astype(int),
        "text": np.where(signal > 2, "yes", "no"),
        "three": np.digitize(signal, [1.5, 3]),
    }[kind]


def own(model, X):
    if isinstance(model, xgboost.Booster):
        names = None if hasattr(X, "columns") else model.feature_names
        return model.predict(xgboost.DMatrix(X, feature_names=names, enable_categorical=True))
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        return shares[:, 1] if shares.ndim == 2 and shares.shape[1] == 2 else shares
    return model.predict(X)


def thresholds(model):
    if type(model).__module__.startswith("xgboost"):
        booster = model if isinstance(model, xgboost.Booster) else model.get_booster()
        found = booster.trees_to_dataframe()["Split"].to_numpy(float)
    else:
        booster = model if isinstance(model, lightgbm.Booster) else model.booster_
        found = pd.to_numeric(booster.trees_to_dataframe()["threshold"], errors="coerce").to_numpy(float)
    return np.unique(found[np.isfinite(found)])


def probes(model, X, rows=1500, seed=1):
    rng = np.random.default_rng(seed)
    exact = thresholds(model)
    near = exact.astype(np.float32)
    pool = np.concatenate(
        [
            exact,
            np.nextafter(exact, -np.inf),
            np.nextafter(exact, np.inf),
            near,
            np.nextafter(near, np.float32(-np.inf)),
            np.nextafter(near, np.float32(np.inf)),
            [0.0, -0.0, 1e-36, 1e-35, -1e-35, 2.0**24 + 1, 2.0**31 + 1, 2.0**53, 1e38, -1e38, np.nan, np.nan],
        ]
    )
    if not type(model).__module__.startswith("xgboost"):  # which refuses infinity
        pool = np.concatenate([pool, [np.inf, -np.inf, 1e300]])
    out = X[rng.integers(0, len(X), rows)]
    chosen = rng.random(out.shape) < 0.5
    out[chosen] = rng.choice(pool, chosen.sum())
    return out


def narrowed(rows):
    with np.errstate(over="ignore"):
        return rows.astype(np.float32)


def check(model, rows, exact=False, **options):
    ex = sg.Explainer(model, rows, **options)
    assert ex.native, ex.notes
    expected = own(model, rows)
    predicted = ex.predict()
    assert predicted.shape == expected.shape
    if exact:
        np.testing.assert_array_equal(predicted.astype(expected.dtype), expected)
    else:
        # Links use exp, whose last digit differs between libraries.
        rtol = 5e-7 if expected.dtype == np.float32 else 2e-15
        if getattr(model, "booster", None) == "dart":
            # XGBoost's estimators predict in place, which adds the trees of dart in another order than a Booster does.
            rtol = 2e-6
            np.testing.assert_array_equal(predicted, own(model.get_booster(), rows))
        np.testing.assert_allclose(predicted, expected, rtol=rtol, atol=1e-14)
    return ex


XGBOOST = {
    "regression": (lambda X, y: xgboost.XGBRegressor(**XGB).fit(X, y), "number", True),
    "binary": (lambda X, y: xgboost.XGBClassifier(**XGB).fit(X, y), "binary", False),
    "three": (lambda X, y: xgboost.XGBClassifier(**XGB).fit(X, y), "three", False),
    "softmax": (lambda X, y: xgboost.XGBClassifier(objective="multi:softmax", **XGB).fit(X, y), "three", False),
    "forest": (lambda X, y: xgboost.XGBRFRegressor(**XGB).fit(X, y), "number", True),
    "forest classes": (lambda X, y: xgboost.XGBRFClassifier(**XGB).fit(X, y), "binary", False),
    "poisson": (lambda X, y: xgboost.XGBRegressor(objective="count:poisson", **XGB).fit(X, y), "positive", False),
    "dart": (lambda X, y: xgboost.XGBRegressor(booster="dart", rate_drop=0.3, **XGB).fit(X, y), "number", False),
    "ranking": (lambda X, y: xgboost.XGBRanker(**XGB).fit(X, y, group=[len(X)]), "three", True),
    "own objective": (
        lambda X, y: xgboost.XGBRegressor(objective=lambda y, p: (p - y, np.ones_like(p)), **XGB).fit(X, y),
        "number",
        True,
    ),
    "own binary objective": (
        lambda X, y: xgboost.XGBClassifier(objective=lambda y, p: (p - y, np.ones_like(p)), **XGB).fit(X, y),
        "binary",
        True,
    ),
    "booster": (
        lambda X, y: xgboost.train({"objective": "reg:squarederror"}, xgboost.DMatrix(X, y), 8),
        "number",
        True,
    ),
    "booster three": (
        lambda X, y: xgboost.train({"objective": "multi:softprob", "num_class": 3}, xgboost.DMatrix(X, y), 4),
        "three",
        False,
    ),
}

LIGHTGBM = {
    "regression": (lambda X, y: lightgbm.LGBMRegressor(**LGB).fit(X, y), "number", True),
    "l1": (lambda X, y: lightgbm.LGBMRegressor(objective="l1", **LGB).fit(X, y), "number", True),
    "binary": (lambda X, y: lightgbm.LGBMClassifier(**LGB).fit(X, y), "text", False),
    "three": (lambda X, y: lightgbm.LGBMClassifier(**LGB).fit(X, y), "three", False),
    "one against all": (lambda X, y: lightgbm.LGBMClassifier(objective="ova", **LGB).fit(X, y), "three", False),
    "poisson": (lambda X, y: lightgbm.LGBMRegressor(objective="poisson", **LGB).fit(X, y), "positive", False),
    "dart": (lambda X, y: lightgbm.LGBMRegressor(boosting_type="dart", **LGB).fit(X, y), "number", True),
    "forest": (
        lambda X, y: lightgbm.LGBMRegressor(boosting_type="rf", bagging_freq=1, bagging_fraction=0.5, **LGB).fit(X, y),
        "number",
        True,
    ),
    "ranking": (lambda X, y: lightgbm.LGBMRanker(**LGB).fit(X, y, group=[len(X)]), "three", True),
    "zero as missing": (lambda X, y: lightgbm.LGBMRegressor(zero_as_missing=True, **LGB).fit(X, y), "number", True),
    "own objective": (
        lambda X, y: lightgbm.LGBMRegressor(objective=lambda y, p: (p - y, np.ones_like(p)), **LGB).fit(X, y),
        "number",
        True,
    ),
    "own binary objective": (
        lambda X, y: lightgbm.LGBMClassifier(objective=lambda y, p: (p - y, np.ones_like(p)), **LGB).fit(X, y),
        "binary",
        True,
    ),
    "booster": (
        lambda X, y: lightgbm.train({"objective": "regression", "verbose": -1}, lightgbm.Dataset(X, y), 8),
        "number",
        True,
    ),
}


@pytest.mark.parametrize(
    ("library", "name"), [("xgboost", name) for name in XGBOOST] + [("lightgbm", name) for name in LIGHTGBM]
)
def test_equals_the_model(library, name):
    fit, kind, exact = {"xgboost": XGBOOST, "lightgbm": LIGHTGBM}[library][name]
    X, signal = training()
    y = target(kind, signal)
    model = fit(X, y)
    rows = probes(model, X)
    check(model, rows, exact)
    check(model, narrowed(rows), exact)
    names = ["a", "b b", "ç", "d"]
    # LightGBM tells columns of a frame by position then; a bare Booster of XGBoost refuses.
    if not isinstance(model, xgboost.Booster):
        check(model, pd.DataFrame(rows, columns=names), exact)
    if name.startswith("booster"):
        return
    named = fit(pd.DataFrame(X, columns=names), y)
    frame = pd.DataFrame(rows, columns=names)
    ex = check(named, frame, exact)
    assert ex.features == names
    np.testing.assert_array_equal(ex.predict(rows), ex.predict())
    np.testing.assert_array_equal(ex.predict(frame[["d", "b b", "a", "ç"]].assign(extra=1)), ex.predict())
    whole = frame.fillna(3).clip(-1e15, 1e15).astype(np.int64)
    check(named, whole, exact)
    if hasattr(named, "classes_") and not name.startswith("own"):
        labels = [str(label) for label in named.classes_]
        assert ex.inspect()["model"]["outputs"] == (labels[1:] if len(labels) == 2 else labels)
    asked = sg.Explainer(named, frame, native=False)
    assert not asked.native
    np.testing.assert_array_equal(asked.predict().astype(np.float32), own(named, frame).astype(np.float32))


def test_rounds_as_predict_uses_them():
    X, signal = training()
    binary = target("binary", signal)
    stop = {"early_stopping_rounds": 3, "learning_rate": 0.9, **XGB, "n_estimators": 60}
    for kind, y in ((xgboost.XGBRegressor, signal), (xgboost.XGBClassifier, binary)):
        model = kind(**stop).fit(X[:200], y[:200], eval_set=[(X[200:], y[200:])], verbose=False)
        assert 1 < model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
        check(model, X, kind is xgboost.XGBRegressor)
        # The bare Booster predicts with every round.
        check(model.get_booster(), X, kind is xgboost.XGBRegressor)
        first = sg.Explainer(model, X, rounds=2, scale="margin").predict()
        np.testing.assert_array_equal(
            first.astype(np.float32), model.predict(X, output_margin=True, iteration_range=(0, 2))
        )
        every = model.get_booster().num_boosted_rounds()
        assert sg.Explainer(model.get_booster(), X, rounds=every).inspect()["model"]["detail"]["rounds"] == every
    options = {"objective": "regression", "learning_rate": 0.9, "verbose": -1, "num_leaves": 12}
    train = lightgbm.Dataset(X[:200], signal[:200])
    early = [lightgbm.early_stopping(3, verbose=False)]
    valid = [lightgbm.Dataset(X[200:], signal[200:], reference=train)]
    booster = lightgbm.train(options, train, 60, valid_sets=valid, callbacks=early, keep_training_booster=True)
    assert 1 < booster.best_iteration < booster.current_iteration()
    check(booster, X, exact=True)
    two = sg.Explainer(booster, X, rounds=2).predict()
    np.testing.assert_array_equal(two, booster.predict(X, num_iteration=2))
    longer = sg.Explainer(booster, X, rounds=booster.best_iteration + 2).predict()
    np.testing.assert_array_equal(longer, booster.predict(X, num_iteration=booster.best_iteration + 2))


def categorical_frame(rng, rows=500):
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=rows),
            "town": pd.Categorical(rng.choice(["Ulm", "Jena", "Bonn"], rows), categories=["Ulm", "Bonn", "Jena"]),
            "floor": pd.Categorical(rng.integers(0, 9, rows) * 10),
        }
    )
    frame.loc[::13, "town"] = None
    return frame, frame["size"] + (frame["town"] == "Jena") + 2 * frame["floor"].isin([30, 70]).astype(float)


def test_categories_of_xgboost(rng):
    frame, y = categorical_frame(rng)
    for one_hot in (1, 100):
        model = xgboost.XGBRegressor(enable_categorical=True, tree_method="hist", max_cat_to_onehot=one_hot, **XGB)
        model.fit(frame, y)
        ex = check(model, frame, exact=True)
        levels = {item["name"]: item.get("levels") for item in ex.inspect()["model"]["features"]}
        assert levels["town"] == ["Ulm", "Bonn", "Jena"]
        # By name, whatever the order of the categories in these data.
        turned = frame.assign(town=frame["town"].cat.set_categories(["Jena", "Ulm", "Bonn"]))
        check(model, turned, exact=True)
        np.testing.assert_array_equal(sg.Explainer(model, turned).predict(), ex.predict())
        text = frame.assign(town=frame["town"].astype(object), floor=frame["floor"].astype(int))
        np.testing.assert_array_equal(sg.Explainer(model, text).predict(), ex.predict())


def test_codes_of_an_xgboost_model_without_names(rng):
    """As models of XGBoost before 3.1 are: codes in the saved form, and pandas' codes in its predict."""
    frame, y = categorical_frame(rng)
    codes = frame.assign(town=frame["town"].cat.codes, floor=frame["floor"].cat.codes).astype(float)
    codes.loc[codes["town"] < 0, "town"] = np.nan
    data = xgboost.DMatrix(codes, y, feature_types=["q", "c", "c"])
    booster = xgboost.train({"tree_method": "hist", "max_depth": 4}, data, 8)
    expected = booster.predict(data)
    plain = sg.Explainer(booster, codes)
    np.testing.assert_array_equal(plain.predict().astype(np.float32), expected)
    named = sg.Explainer(booster, frame)
    np.testing.assert_array_equal(named.predict().astype(np.float32), expected)
    assert any("town: the model holds only codes" in note and "0 is Ulm" in note for note in named.notes)
    assert named.partial_dependence("town").results[0]["grid"] == ["Ulm", "Bonn", "Jena"]
    with pytest.raises(sg.DataError, match="does not hold the names"):
        sg.Explainer(booster, frame.assign(town=frame["town"].astype(object)))


def test_categories_of_lightgbm(rng):
    frame, y = categorical_frame(rng)
    model = lightgbm.LGBMRegressor(min_child_samples=5, **LGB).fit(frame, y)
    ex = check(model, frame, exact=True)
    turned = frame.assign(town=frame["town"].cat.set_categories(["Jena", "Ulm", "Bonn"]))
    check(model, turned, exact=True)
    np.testing.assert_array_equal(sg.Explainer(model, turned).predict(), ex.predict())
    unseen = frame.assign(town=pd.Categorical(rng.choice(["Ulm", "Kiel"], len(frame))))
    check(model, unseen, exact=True)
    check(model.booster_, frame, exact=True)
    codes = np.column_stack([frame["size"], frame["floor"].cat.codes])
    coded = lightgbm.LGBMRegressor(min_child_samples=5, **LGB).fit(codes, y, categorical_feature=[1])
    odd = np.column_stack([np.zeros(9), [0, 1, 2.5, -1, -0.5, 9, 1e9, np.nan, 3]])
    check(coded, odd, exact=True)


class Doubled(xgboost.XGBRegressor):
    def predict(self, X, **options):
        return 2 * super().predict(X, **options)


class Renamed(lightgbm.LGBMRegressor):
    """Changes nothing."""


def test_a_booster_from_an_estimators_file_uses_all_rounds(tmp_path):
    X, signal = training()
    model = xgboost.XGBRegressor(n_estimators=40, early_stopping_rounds=2, n_jobs=1, learning_rate=1.0)
    model.fit(X[:200], signal[:200], eval_set=[(X[200:], signal[200:])], verbose=False)
    model.save_model(tmp_path / "model.json")
    booster = xgboost.Booster(model_file=tmp_path / "model.json")
    assert model.best_iteration + 1 < booster.num_boosted_rounds()
    check(booster, X, exact=True)
    best = sg.Explainer(tmp_path / "model.json", X).predict()
    np.testing.assert_array_equal(best.astype(np.float32), model.predict(X))
    with pytest.raises(sg.UsageError, match=r"^1000 rounds were asked for, but Booster has \d+; ask for fewer"):
        sg.Explainer(booster, X, rounds=1000)


@pytest.mark.parametrize(
    ("levels", "data"),
    [
        (["1.1", "1.2", "2.0"], ["1.1", "1.10", "2"]),
        (["2134", "2135", "x"], ["2134", "02134", "x"]),
        (["1e5", "x", "y"], ["x", "100000", "1E5"]),
        (["a", "b", "1"], ["a", "1.0", "01"]),
        ([2**60, 2**60 + 1, 7], [2**60, 2**60 + 2, 7]),
    ],
)
def test_only_the_same_text_is_the_same_category(levels, data, tmp_path):
    codes = np.tile([0, 1, 2], 100)
    frame = pd.DataFrame({"x": np.zeros(300), "c": pd.Categorical.from_codes(codes, levels)})
    settings = {"min_data_in_leaf": 1, "min_data_per_group": 1, "cat_smooth": 0, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(frame, codes * 3.0), 5)
    other = pd.DataFrame({"x": np.zeros(3), "c": pd.Categorical.from_codes([0, 1, 2], data)})
    np.testing.assert_array_equal(sg.Explainer(booster, other).predict(), booster.predict(other))
    # The spelling also survives a CSV file.
    booster.save_model(tmp_path / "model.txt")
    other.to_csv(tmp_path / "data.csv", index=False)
    done = subprocess.run(
        [TOOL, "predict", "--model", tmp_path / "model.txt", "--data", tmp_path / "data.csv"],
        capture_output=True,
        text=True,
        check=True,
    )
    np.testing.assert_array_equal([float(line) for line in done.stdout.split()[1:]], booster.predict(other))
    unseen = set(map(str, data)) - set(map(str, levels))
    assert ("does not know" in done.stderr) == bool(unseen)


def test_truth_values_are_categories():
    frame = pd.DataFrame({"x": np.arange(200.0), "f": pd.Categorical([True, False] * 100)})
    model = lightgbm.LGBMRegressor(min_child_samples=5, **LGB).fit(frame, [5.0, 1.0] * 100)
    check(model, frame, exact=True)
    np.testing.assert_array_equal(sg.Explainer(model, frame.astype({"f": bool})).predict(), model.predict(frame))


@pytest.mark.parametrize("first", [0, 1])
def test_ordered_categories_beside_declared_codes(rng, tmp_path, first):
    """LightGBM's saved form does not say whose levels it holds; X does, or the file is refused or says so."""
    rate, k = rng.integers(1, 6, 600), rng.integers(first, 5, 600)
    frame = pd.DataFrame({"rate": pd.Categorical(rate, categories=[5, 4, 3, 2, 1], ordered=True), "k": k})
    settings = {"verbose": -1, "min_data_per_group": 1, "cat_smooth": 0, "min_data_in_leaf": 2, "num_threads": 1}
    data = lightgbm.Dataset(frame, rate + np.array([0, 4, 1, 3, 2])[k], categorical_feature=["k"])
    booster = lightgbm.train(settings, data, 10)
    ex = sg.Explainer(booster, frame)
    assert not ex.native
    np.testing.assert_array_equal(ex.predict(), booster.predict(frame))
    booster.save_model(tmp_path / "model.txt")
    if first == 1:
        with pytest.raises(sg.ModelError, match="may be those of k or"):
            sg.Explainer(tmp_path / "model.txt", frame)
    else:
        assert any("taken for those of k" in note for note in sg.Explainer(tmp_path / "model.txt", frame).notes)


COUNTRIES = ["Curaçao", "Côte d'Ivoire", "Zürich", "abc", "ß", "日本"]


def with_umlauts(rows=300):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": np.arange(float(rows)), "c": pd.Categorical(np.resize(COUNTRIES, rows))})
    return frame, np.resize([0.0, 3.0, 9.0, 1.0, 5.0, 2.0], rows) + rng.uniform(size=rows)


def test_names_beyond_ascii_are_told_by_the_data():
    frame, target = with_umlauts()
    model = xgboost.XGBRegressor(enable_categorical=True, **XGB).fit(frame, target)
    ex = sg.Explainer(model, frame)
    assert ex.native and ex.engine == "trees"
    np.testing.assert_array_equal(ex.predict(), model.predict(frame))
    assert {level for curve in ex.pdp("c").all() for level in curve.grid} == set(COUNTRIES)
    # Some of its categories, in another order.
    few = frame.iloc[[2, 0, 8]].assign(c=pd.Categorical(["Zürich", "Curaçao", "Zürich"], ["Zürich", "Curaçao"]))
    # XGBoost itself takes them for others then.
    np.testing.assert_array_equal(ex.predict(few), model.predict(frame)[[2, 0, 8]])


def test_names_beyond_ascii_that_nothing_tells_are_asked():
    frame, target = with_umlauts()
    model = xgboost.XGBRegressor(enable_categorical=True, **XGB).fit(frame, target)
    # ß was cut off; both of these are as long.
    other = frame.assign(c=frame.c.cat.rename_categories({"ß": "ü"}).cat.add_categories(["ß"]))
    ex = sg.Explainer(model, other)
    assert not ex.native
    assert any("X does not tell them (c)" in note for note in ex.notes)


@pytest.mark.parametrize("ending", ["json", "ubj"])
@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_names_beyond_ascii_in_files(tmp_path, ending, kind):
    frame, target = with_umlauts()
    training = frame
    if kind == "arrow":
        import pyarrow

        words = pyarrow.array(frame.c.astype(object).tolist()).dictionary_encode()
        training = pyarrow.table({"x": frame.x.to_numpy(), "c": words})
    matrix = xgboost.DMatrix(training, target, enable_categorical=True)
    model = xgboost.train({"max_depth": 4}, matrix, 5)
    model.save_model(tmp_path / f"model.{ending}")
    frame.to_csv(tmp_path / "data.csv", index=False)
    expected = model.predict(matrix)
    few = frame[frame.c.isin(["Zürich", "日本"])]
    for data, rows in ((tmp_path / "data.csv", frame), (frame, frame), (few, few)):
        ex = sg.Explainer(tmp_path / f"model.{ending}", data)
        np.testing.assert_array_equal(ex.predict(), expected[rows.index])
    with pytest.raises(sg.DataError, match="XGBoost damaged the names"):
        sg.Explainer(tmp_path / f"model.{ending}", frame.assign(c="elsewhere"))


def test_classes_are_not_forgotten_where_a_model_is_asked_after_all(monkeypatch):
    X, signal = training()
    model = xgboost.XGBClassifier(**XGB).fit(X, (signal > 2).astype(int))
    outcome = np.where(signal > 2, "ja", "nein")

    def refuse(*_):
        raise NotReadable("it is a test")

    monkeypatch.setattr(LiveBooster, "open", refuse)
    ex = sg.Explainer(model, X, outcome, classes=["nein", "ja"])
    assert not ex.native
    assert {curve.output for curve in ex.partial_dependence(grid=3).all()} == {"ja"}
    assert ex.performance().all()


def test_early_stopping_in_prediction_is_asked():
    X, signal = training()
    model = lightgbm.LGBMClassifier(pred_early_stop=True, pred_early_stop_margin=0.1, pred_early_stop_freq=1, **LGB)
    ex = sg.Explainer(model.fit(X, signal > 2), X)
    assert not ex.native
    np.testing.assert_array_equal(ex.predict(), model.predict_proba(X)[:, 1])


def test_other_data_are_warned_about(rng):
    frame, y = categorical_frame(rng)
    model = lightgbm.LGBMRegressor(min_child_samples=5, **LGB).fit(frame, y)
    ex = sg.Explainer(model, frame)
    other = frame.assign(town=pd.Categorical(["Oslo"] * 250 + ["Ulm"] * (len(frame) - 250)))
    with pytest.warns(UserWarning, match="the model does not know Oslo"):
        ex.predict(other)


def test_what_is_not_read_is_asked():
    X, signal = training()
    dense = np.nan_to_num(X)
    for model, why in (
        (xgboost.XGBRegressor(missing=0, **XGB).fit(dense, signal), "takes 0 for missing"),
        (Doubled(**XGB).fit(X, signal), "has its own predict"),
        (lightgbm.LGBMRegressor(linear_tree=True, **LGB).fit(dense, signal), "linear"),
    ):
        ex = sg.Explainer(model, dense)
        assert not ex.native
        assert any(why in note for note in ex.notes), ex.notes
        np.testing.assert_allclose(ex.predict(), model.predict(dense), rtol=1e-6)
        with pytest.raises(sg.UsageError, match="rounds"):
            sg.Explainer(model, dense, rounds=2)
    check(Renamed(**LGB).fit(X, signal), X, exact=True)
    with pytest.raises(sg.UsageError, match="classes|labels"):
        sg.Explainer(xgboost.XGBClassifier(**XGB).fit(X, signal > 2), X, classes=["a", "b", "c"])
    named = sg.Explainer(xgboost.XGBClassifier(**XGB).fit(X, signal > 2).get_booster(), X, classes=["low", "high"])
    assert named.inspect()["model"]["outputs"] == ["high"]


def test_the_same_numbers_as_from_a_file(tmp_path):
    X, signal = training()
    model = xgboost.XGBClassifier(**XGB).fit(X, target("three", signal))
    model.save_model(tmp_path / "model.json")
    for options in ({}, {"arithmetic": "exact"}, {"scale": "margin"}):
        live = sg.Explainer(model, X, classes=["a", "b", "c"]).predict(**options)
        np.testing.assert_array_equal(live, sg.Explainer(tmp_path / "model.json", X).predict(**options))
    with pytest.raises(sg.UsageError, match="always read"):
        sg.Explainer(tmp_path / "model.json", X, native=False)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    case=st.sampled_from([("x", name) for name in sorted(XGBOOST)] + [("l", name) for name in sorted(LIGHTGBM)]),
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(40, 200),
)
def test_random_models(case, seed, rows):
    fit, kind, exact = (XGBOOST if case[0] == "x" else LIGHTGBM)[case[1]]
    X, signal = training(seed, rows)
    y = target(kind, signal)
    if kind in ("binary", "text", "three") and len(np.unique(y)) < (3 if kind == "three" else 2):
        return
    model = fit(X, y)
    if len(thresholds(model)):
        check(model, probes(model, X, rows=300, seed=seed), exact)
