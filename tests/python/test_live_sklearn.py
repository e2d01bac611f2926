"""Live scikit-learn estimators: what the engine computes from their trees equals what they predict themselves."""

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

import sightglass as sg

SMALL = {"n_estimators": 6, "max_leaf_nodes": 20, "random_state": 0}
HISTOGRAM = {"max_iter": 6, "max_leaf_nodes": 12, "random_state": 0}
BOOSTED = {"n_estimators": 6, "random_state": 0}

# name: estimator, target, takes missing values, takes infinity
CASES = {
    "tree": (DecisionTreeRegressor(random_state=0), "number", True, False),
    "tree poisson": (DecisionTreeRegressor(criterion="poisson", max_depth=5), "positive", True, False),
    "tree absolute": (DecisionTreeRegressor(criterion="absolute_error", max_depth=4), "number", True, False),
    "tree two": (DecisionTreeRegressor(max_depth=5), "two numbers", True, False),
    "tree binary": (DecisionTreeClassifier(max_depth=4), "binary", True, False),
    "tree three": (DecisionTreeClassifier(max_depth=5), "three", True, False),
    "extra tree": (ExtraTreeRegressor(random_state=0), "number", True, False),
    "extra tree best": (ExtraTreeRegressor(splitter="best", random_state=0), "number", False, False),
    "extra tree three": (ExtraTreeClassifier(random_state=0, max_depth=6), "three", True, False),
    "forest": (RandomForestRegressor(**SMALL), "number", True, False),
    "forest two": (RandomForestRegressor(**SMALL), "two numbers", True, False),
    "forest binary": (RandomForestClassifier(**SMALL), "binary", True, False),
    "forest three": (RandomForestClassifier(class_weight="balanced", **SMALL), "three", True, False),
    "extra trees": (ExtraTreesRegressor(**SMALL), "number", True, False),
    "extra trees three": (ExtraTreesClassifier(**SMALL), "three", True, False),
    "boosting": (GradientBoostingRegressor(**BOOSTED), "number", False, False),
    "boosting absolute": (GradientBoostingRegressor(loss="absolute_error", **BOOSTED), "number", False, False),
    "boosting huber": (GradientBoostingRegressor(loss="huber", **BOOSTED), "number", False, False),
    "boosting quantile": (GradientBoostingRegressor(loss="quantile", **BOOSTED), "number", False, False),
    "boosting zero": (GradientBoostingRegressor(init="zero", **BOOSTED), "number", False, False),
    "boosting binary": (GradientBoostingClassifier(**BOOSTED), "binary", False, False),
    "boosting most frequent": (
        GradientBoostingClassifier(init=DummyClassifier(strategy="most_frequent"), **BOOSTED),
        "binary",
        False,
        False,
    ),
    "boosting exponential": (GradientBoostingClassifier(loss="exponential", **BOOSTED), "binary", False, False),
    "boosting three": (GradientBoostingClassifier(**BOOSTED), "three", False, False),
    "boosting three zero": (GradientBoostingClassifier(init="zero", **BOOSTED), "three", False, False),
    "histogram": (HistGradientBoostingRegressor(**HISTOGRAM), "number", True, True),
    "histogram absolute": (HistGradientBoostingRegressor(loss="absolute_error", **HISTOGRAM), "number", True, True),
    "histogram quantile": (
        HistGradientBoostingRegressor(loss="quantile", quantile=0.2, **HISTOGRAM),
        "number",
        True,
        True,
    ),
    "histogram poisson": (HistGradientBoostingRegressor(loss="poisson", **HISTOGRAM), "positive", True, True),
    "histogram gamma": (HistGradientBoostingRegressor(loss="gamma", **HISTOGRAM), "positive", True, True),
    "histogram binary": (HistGradientBoostingClassifier(**HISTOGRAM), "binary", True, True),
    "histogram three": (HistGradientBoostingClassifier(**HISTOGRAM), "three", True, True),
    "histogram codes": (HistGradientBoostingClassifier(categorical_features=[3], **HISTOGRAM), "three", True, True),
    "isolation": (IsolationForest(n_estimators=8, random_state=0), "none", True, True),
    "isolation subset": (IsolationForest(n_estimators=8, max_features=2, random_state=0), "none", True, True),
}


def training(seed=0, rows=300, missing=False):
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.normal(size=rows),
            rng.uniform(-1, 1, rows),
            rng.integers(2**24, 2**24 + 30, rows),
            rng.integers(0, 9, rows),
        ]
    ).astype(float)
    signal = X[:, 0] * X[:, 1] + 0.1 * (X[:, 2] - 2**24) + np.isin(X[:, 3], [1, 4, 7]) + 0.1 * rng.normal(size=rows)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, signal


def target(kind, signal):
    return {
        "number": lambda: signal,
        "positive": lambda: np.exp(signal / 3),
        "two numbers": lambda: np.column_stack([signal, -signal]),
        "binary": lambda: np.where(signal > 1.5, "yes", "no"),
        "three": lambda: np.digitize(signal, [1, 2]) * 5,
        "none": lambda: None,
    }[kind]()


def own(model, X):
    if isinstance(model, IsolationForest):
        return model.score_samples(X)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        return shares[:, 1] if shares.shape[1] == 2 else shares
    return model.predict(X)


def own_margin(model, X):
    if hasattr(model, "decision_function") and not isinstance(model, IsolationForest):
        return model.decision_function(X)
    return model._raw_predict(X).ravel() if hasattr(model, "_predictors") else None


def splits(model):
    """Thresholds of all trees, whatever their feature."""
    if hasattr(model, "_predictors"):
        found = [p.nodes["num_threshold"][p.nodes["is_leaf"] == 0] for stage in model._predictors for p in stage]
    elif hasattr(model, "tree_"):
        found = [model.tree_.threshold]
    else:
        found = [tree.tree_.threshold for tree in np.ravel(model.estimators_)]
    every = np.unique(np.concatenate(found))
    return every[np.isfinite(every)]


def probes(model, X, missing, infinite, rows=1500, seed=1):
    """Rows of the training data, with values on thresholds, beside them, and at the ends of what numbers there are."""
    rng = np.random.default_rng(seed)
    exact = splits(model)
    near = exact.astype(np.float32)
    every = [
        exact,
        np.nextafter(exact, -np.inf),
        np.nextafter(exact, np.inf),
        near,
        np.nextafter(near, np.float32(-np.inf)),
        np.nextafter(near, np.float32(np.inf)),
        [0.0, -0.0, 1e-36, -1e-35, 2.0**24 + 1, 2.0**31 + 1, 2.0**53, 1e38, -1e38, 2.5, -1, 1e9, 200],
    ]
    if missing:
        every.append([np.nan] * 30)
    if infinite:
        every.append([np.inf, -np.inf, 1e39, -1e300])
    pool = np.concatenate([np.asarray(part, float) for part in every])
    out = X[rng.integers(0, len(X), rows)]
    if not missing:
        out = np.nan_to_num(out)
    chosen = rng.random(out.shape) < 0.5
    out[chosen] = rng.choice(pool, chosen.sum())
    if getattr(model, "is_categorical_", None) is not None:
        # scikit-learn refuses infinity among categories, though it takes any other that it does not know.
        out[:, model.is_categorical_] = np.where(np.abs(out) > 3e38, np.nan, out)[:, model.is_categorical_]
    return out


def check(model, rows, **options):
    ex = sg.Explainer(model, rows, **options)
    assert ex.native, ex.notes
    expected = own(model, rows)
    predicted = ex.predict()
    assert predicted.shape == expected.shape
    if ex.inspect()["model"]["detail"]["estimator"].startswith(("Hist", "Gradient", "Iso")):
        np.testing.assert_allclose(predicted, expected, rtol=2e-15)
    else:
        np.testing.assert_array_equal(predicted, expected)
    margin = own_margin(model, rows)
    if margin is not None:
        np.testing.assert_array_equal(ex.predict(scale="margin"), margin)
    return ex


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_equals_the_estimator(name):
    model, kind, missing, infinite = CASES[name]
    X, signal = training(missing=missing)
    model = clone(model).fit(X, target(kind, signal))
    rows = probes(model, X, missing, infinite)
    ex = check(model, rows)
    with np.errstate(over="ignore"):
        narrow = rows.astype(np.float32)
    if not infinite:
        narrow = np.clip(narrow, -3e38, 3e38)
    check(model, narrow)
    check(model, np.asfortranarray(rows))
    names = ["a", "b b", "ç", "d"]
    nameless = check(model, pd.DataFrame(rows, columns=names))
    assert nameless.features == names
    named = clone(model).fit(pd.DataFrame(X, columns=names), target(kind, signal))
    frame = pd.DataFrame(rows, columns=names)
    ex = check(named, frame)
    shuffled = frame[["d", "b b", "a", "ç"]].assign(extra=1)
    np.testing.assert_array_equal(sg.Explainer(named, shuffled).predict(), ex.predict())
    whole = pd.DataFrame(np.nan_to_num(rows, posinf=1e9, neginf=-1e9).clip(-1e15, 1e15).astype(np.int64), columns=names)
    check(named, whole)
    asked = sg.Explainer(named, frame, native=False)
    assert not asked.native
    np.testing.assert_array_equal(asked.predict(), own(named, frame))
    for text in (ex.inspect()["model"]["version"], asked.inspect()["model"]["format"]):
        assert text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case[3]])
def test_refuses_what_the_estimator_refuses(name):
    model, kind, missing, _ = CASES[name]
    X, signal = training()
    model = clone(model).fit(X, target(kind, signal))
    for bad in (np.nan, np.inf, -np.inf, 1e39):
        rows = X.copy()
        rows[7, :] = bad
        if missing and np.isnan(bad):
            check(model, rows)
            continue
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            own(model, rows)
        with pytest.raises(sg.DataError, match="row 7"):
            sg.Explainer(model, rows).predict()


def categorical_frame(rng, rows=400):
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=rows),
            "town": pd.Categorical(rng.choice(["Ulm", "Jena", "Köln"], rows), categories=["Ulm", "Köln", "Jena"]),
            "floor": rng.integers(0, 20, rows) * 10,
            "heated": rng.choice([True, False], rows),
            "grade": rng.choice([1.5, 2.0, 3.0, np.nan], rows),
        }
    )
    y = frame["size"] + (frame["town"] == "Jena") + frame["floor"].isin([30, 70, 120]) + 2 * (frame["grade"] == 2)
    return frame, y + frame["heated"] * frame["size"]


def test_categories_go_by_value(rng):
    frame, y = categorical_frame(rng)
    for marked in (["town"], ["floor", "heated", "town"], [1, 3], "from_dtype", None):
        data = frame if marked in (["town"], "from_dtype") or "town" in (marked or ()) else frame.drop(columns="town")
        model = HistGradientBoostingRegressor(categorical_features=marked, **HISTOGRAM).fit(data, y)
        check(model, data)
        other = data.copy()
        if "town" in other:
            # Another order, one that it has never seen, and one that is lacking.
            other["town"] = pd.Categorical(rng.choice(["Köln", "Bonn", "Ulm", None], len(other)))
        other["floor"] = rng.choice([0, 30, 35, 70, 1000, -10, 2**40], len(other))
        other["grade"] = rng.choice([1.5, 2.0, 2.5, np.nan], len(other))
        check(model, other)
        if "town" in other:
            assert any("Bonn" in note for note in sg.Explainer(model, other).notes)
            text = other.assign(town=other["town"].astype(object))
            np.testing.assert_array_equal(sg.Explainer(model, text).predict(), own(model, other))
            assert sg.Explainer(model, other).partial_dependence("town").results[0]["grid"]
        mixed = other[list(other.columns[::-1])]
        np.testing.assert_array_equal(sg.Explainer(model, mixed).predict(), own(model, other))


def test_categories_that_are_numbers_in_a_categorical_column(rng):
    frame, y = categorical_frame(rng)
    for values in (frame["floor"], frame["floor"] / 4, frame["floor"].astype(str)):
        data = frame[["size"]].assign(code=values.astype("category"))
        model = HistGradientBoostingRegressor(categorical_features="from_dtype", **HISTOGRAM).fit(data, y)
        check(model, data)
        reordered = data.assign(code=data["code"].cat.reorder_categories(data["code"].cat.categories[::-1]))
        check(model, reordered)
        plain = data.assign(code=values)
        np.testing.assert_array_equal(sg.Explainer(model, plain).predict(), own(model, data))


def test_many_categories(rng):
    codes = rng.integers(0, 250, 3000)
    X = np.column_stack([codes, rng.normal(size=3000)])
    model = HistGradientBoostingRegressor(categorical_features=[0], max_iter=5).fit(X, np.sin(codes * 7) + X[:, 1])
    check(model, np.column_stack([np.arange(-5, 300), np.zeros(305)]))


def test_a_split_that_only_takes_missing_values_apart(rng):
    X = rng.normal(size=(200, 1))
    X[::3] = np.nan
    rows = np.array([[np.nan], [np.inf], [-np.inf], [0.0], [1e300]])
    model = HistGradientBoostingRegressor(max_iter=1, max_leaf_nodes=2).fit(X, np.isnan(X[:, 0]) * 1.0)
    assert np.isinf(model._predictors[0][0].nodes["num_threshold"][0])
    check(model, rows)
    tree = DecisionTreeRegressor(max_leaf_nodes=2).fit(X, np.isnan(X[:, 0]) * 1.0)
    assert np.isinf(tree.tree_.threshold[0])
    check(tree, np.array([[np.nan], [0.0], [3e38]]))


class Renamed(RandomForestRegressor):
    """Changes nothing."""


class Doubled(RandomForestRegressor):
    def predict(self, X):
        return 2 * super().predict(X)


class Shifted(HistGradientBoostingClassifier):
    def _raw_predict(self, X, n_threads=None):
        return 1 + super()._raw_predict(X, n_threads)


def test_subclasses(rng):
    X, signal = training()
    check(Renamed(**SMALL).fit(X, signal), X)
    for model, y in ((Doubled(**SMALL), signal), (Shifted(**HISTOGRAM), signal > 1.5)):
        model.fit(X, y)
        ex = sg.Explainer(model, X)
        assert not ex.native
        assert "has its own" in ex.notes[0]
        np.testing.assert_array_equal(ex.predict(), own(model, X))
    patched = DecisionTreeRegressor(max_depth=3).fit(X, signal)
    patched.predict = lambda rows: np.zeros(len(rows))
    ex = sg.Explainer(patched, X)
    assert not ex.native
    assert not ex.predict().any()


@pytest.mark.filterwarnings("ignore")
def test_what_is_not_understood_is_asked(rng):
    X, signal = training()
    binary = target("binary", signal)
    for model, y, why in (
        (GradientBoostingRegressor(init=LinearRegression(), **BOOSTED), signal, "another model"),
        (GradientBoostingClassifier(init=DummyClassifier(strategy="stratified"), **BOOSTED), binary, "random"),
        (GradientBoostingClassifier(init=LogisticRegression(), **BOOSTED), binary, "LogisticRegression"),
        (DecisionTreeClassifier(), np.zeros(len(X)), "single class"),
        (DecisionTreeClassifier(), np.column_stack([binary, binary]), "several outputs"),
        (RandomForestClassifier(**SMALL), np.column_stack([binary, binary]), "several outputs"),
        (make_pipeline(PCA(), RandomForestRegressor(**SMALL)), signal, "the step pca (PCA)"),
    ):
        ex = sg.Explainer(model.fit(X, y), X)
        assert not ex.native
        assert any(why in note for note in ex.notes), (why, ex.notes)
    for model in (KNeighborsRegressor(), BaggingRegressor(n_estimators=2)):
        ex = sg.Explainer(model.fit(X, signal), X)
        assert (ex.native, ex.notes) == (False, [])
    constant = sg.Explainer(GradientBoostingRegressor(init=LinearRegression(), **BOOSTED).fit(X, signal), X)
    assert len(constant.predict()) == len(X)
    lone = sg.Explainer(IsolationForest(n_estimators=3, max_samples=1).fit(X), X)
    np.testing.assert_array_equal(lone.predict(), -0.5)


@pytest.mark.filterwarnings("ignore")
def test_any_container(rng, tmp_path):
    X, signal = training()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = RandomForestRegressor(**SMALL).fit(frame, signal)
    expected = model.predict(frame)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for data in (polars.from_pandas(frame), pyarrow.Table.from_pandas(frame), tmp_path / "rows.csv"):
        ex = sg.Explainer(model, data)
        assert ex.native
        np.testing.assert_array_equal(ex.predict(), expected)
    np.testing.assert_array_equal(ex.predict(frame), expected)
    weighted = sg.Explainer(
        RandomForestRegressor(**SMALL).fit(X, signal), frame.assign(w=2.0), weights="w", native=False
    )
    np.testing.assert_array_equal(weighted.predict(frame.assign(w=1.0)), weighted.predict())


@pytest.mark.parametrize("version", ["2.0.0", "3.1", "unknown", ""])
def test_versions_to_come_are_asked(version, rng, monkeypatch):
    X, signal = training()
    model = RandomForestRegressor(**SMALL).fit(X, signal)
    monkeypatch.setattr(sklearn, "__version__", version)
    ex = sg.Explainer(model, X)
    assert not ex.native
    assert "versions known here" in ex.notes[0]


def test_not_fitted(rng):
    with pytest.raises(sg.UsageError, match="RandomForestRegressor is not fitted; call its fit"):
        sg.Explainer(RandomForestRegressor(), rng.normal(size=(5, 2)))


def test_classes_by_the_users_names(rng):
    X = rng.normal(size=(60, 2))
    model = RandomForestClassifier(**SMALL).fit(X, X[:, 0] > 0)
    for native in (True, False):
        ex = sg.Explainer(model, X, classes=["low", "high"], native=native)
        assert ex.native is native
        assert {result["output"] for result in ex.partial_dependence(0).results} == {"high"}
        with pytest.raises(sg.UsageError, match="3 names"):
            sg.Explainer(model, X, classes=["a", "b", "c"], native=native)


def test_scale_and_batch(rng):
    X = rng.normal(size=(60, 2))
    model = RandomForestRegressor(**SMALL).fit(X, X[:, 0])
    asked = sg.Explainer(model, X, native=False, scale="margin")
    for call in (asked.predict, lambda: asked.partial_dependence(0)):
        with pytest.raises(sg.UsageError, match="only its response"):
            call()
    with pytest.raises(sg.UsageError, match="batch cannot be 0; give a whole number from 1 on"):
        sg.Explainer(model, X, batch=0)


def test_truth_values_are_categories():
    frame = pd.DataFrame({"x": np.arange(200.0), "f": pd.Categorical([True, False] * 100)})
    model = HistGradientBoostingRegressor(max_iter=3, categorical_features="from_dtype").fit(frame, [5.0, 1.0] * 100)
    ex = sg.Explainer(model, frame)
    assert ex.native
    np.testing.assert_array_equal(ex.predict(), model.predict(frame))
    np.testing.assert_array_equal(sg.Explainer(model, frame.astype({"f": bool})).predict(), model.predict(frame))


@pytest.mark.filterwarnings("ignore")
def test_columns(rng):
    X, signal = training()
    model = RandomForestRegressor(**SMALL).fit(X, signal)
    frame = pd.DataFrame(X, columns=["f1", "f0", "f2", "f3"])  # names that look like positions
    check(model, frame)
    ex = sg.Explainer(model, frame.assign(y=signal, w=1.0), "y", weights="w")
    np.testing.assert_array_equal(ex.predict(), model.predict(X))
    np.testing.assert_array_equal(ex.predict(X), model.predict(X))
    np.testing.assert_array_equal(ex.predict(frame.assign(y=0.0)[::-1]), model.predict(X[::-1]))
    with pytest.raises(sg.DataError, match=r"fitted on 4 columns without names, X has 5"):
        sg.Explainer(model, frame.assign(y=signal))
    with pytest.raises(sg.UsageError, match="rounds"):
        sg.Explainer(model, X, rounds=3)


def test_explanations_are_the_same_as_asked(rng):
    X, signal = training()
    model = HistGradientBoostingClassifier(**HISTOGRAM).fit(X, target("three", signal))
    native = sg.Explainer(model, X).partial_dependence([0, (1, 3)], grid=6)
    asked = sg.Explainer(model, X, native=False).partial_dependence([0, (1, 3)], grid=6)
    for one, two in zip(native.results, asked.results, strict=True):
        np.testing.assert_allclose(one["mean"], two["mean"], rtol=1e-13)
        assert one["output"] == two["output"]
    margins = sg.Explainer(model, X, scale="margin").partial_dependence(0, grid=4)
    assert margins.results[0]["output"] == "0"


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(sorted(CASES)),
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(20, 200),
    gaps=st.booleans(),
)
def test_random_models(name, seed, rows, gaps):
    model, kind, missing, infinite = CASES[name]
    X, signal = training(seed, rows, missing=missing and gaps)
    y = target(kind, signal)
    if kind in ("binary", "three") and len(np.unique(y)) < (2 if kind == "binary" else 3):
        return
    settings_of = {key: seed % 7 for key in ("random_state",) if hasattr(model, key)}
    model = clone(model).set_params(**settings_of).fit(X, y)
    check(model, probes(model, X, missing, infinite, rows=400, seed=seed))


@pytest.mark.parametrize(
    "damage",
    [
        lambda tree: tree.feature.__setitem__(0, 10**8),
        lambda tree: tree.children_left.__setitem__(0, 1 << 40),
        lambda tree: tree.children_left.__setitem__(1, 0),
        lambda tree: tree.threshold.__setitem__(0, np.nan),
        lambda tree: tree.value.__setitem__(slice(None), np.inf),
    ],
)
def test_trees_that_contradict_themselves_are_an_error(rng, damage):
    """scikit-learn does not look; asked itself, it would crash or never end."""
    X = rng.normal(size=(100, 3))
    model = DecisionTreeRegressor(max_depth=4).fit(X, X[:, 0] + X[:, 1] * X[:, 2])
    damage(model.tree_)
    with pytest.raises(sg.ModelError):
        sg.Explainer(model, X)


@pytest.mark.parametrize(
    "odd", [{"rounds": "2"}, {"rounds": 10**30}, {"batch": "q"}, {"batch": -1}, {"threads": 10**12}]
)
def test_odd_options_are_usage_errors(rng, odd):
    with pytest.raises(sg.UsageError, match=f"{next(iter(odd))} cannot be"):
        sg.Explainer(lambda X: X[:, 0], rng.normal(size=(5, 2)), **odd)
    with pytest.raises(sg.UsageError, match="classes cannot be 5"):
        sg.Explainer(lambda X: X[:, 0], rng.normal(size=(5, 2)), classes=5)
    with pytest.raises(sg.UsageError, match="masked"):
        sg.Explainer(lambda X: X[:, 0], np.ma.masked_array(rng.normal(size=(5, 2)), mask=False))
