"""The learners as scikit-learn's estimators: its own checks, any container, any labels, and the engine behind them."""

import copy
import inspect
import json
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, check_sample_weight_equivalence_on_dense_data

import sightglass as sg
from sightglass import _core, _learners

ROOT = Path(__file__).resolve().parents[2]
ESTIMATORS = _learners.ESTIMATORS
BIKE = ROOT / "examples" / "bike" / "bike.csv"
PENGUINS = ROOT / "examples" / "penguins" / "penguins.csv"

REGRESSORS = [estimator for (_, task), estimator in ESTIMATORS.items() if task == "regressor"]
CLASSIFIERS = [estimator for (_, task), estimator in ESTIMATORS.items() if task == "classifier"]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=lambda one: one.__name__)
every_regressor = pytest.mark.parametrize("estimator", REGRESSORS, ids=lambda one: one.__name__)
every_classifier = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda one: one.__name__)

#: By learner: checks of scikit-learn that cannot hold, and why.
EXPECTED_FAILURES = {
    kind: {"check_sample_weight_equivalence_on_dense_data": reason}
    for kind, reason in {
        "sparse-linear": "rows are dealt into folds, by their number",
        "gam": "rows are drawn into bags and held out, by their number",
        "tree": "min_leaf_rows counts rows, whatever they weigh",
        "optimal-tree": "min_leaf_rows counts rows by their weight relative to the average",
        "rulefit": "rows are drawn and dealt into folds, by their number",
        "hierarchical-2d": "rows are dealt into folds, by their number",
        "knn": "each row is predicted by the others, of which its equals are some",
    }.items()
}
# The check rounds numbers, so that rows of different classes share a place: none of them is claimed.
EXPECTED_FAILURES["covering-2d"] = {
    "check_classifiers_train": "errs on the safe side wherever a critical row is",
    "check_sample_weight_equivalence_on_dense_data": "of features that part all rows the larger margin wins, of which "
    "the solver knows three digits",
}


@every_estimator
def test_checks_of_scikit_learn(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            estimator(), expected_failed_checks=EXPECTED_FAILURES.get(estimator._learner, {}), on_fail=None
        )
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert not failed
    # Those that are expected to fail do.
    xfail = {result["check_name"] for result in results if result["status"] == "xfail"}
    assert xfail == set(EXPECTED_FAILURES.get(estimator._learner, {}))
    assert sum(result["status"] == "passed" for result in results) > 40


@pytest.mark.parametrize(
    "estimator",
    [
        sg.DecisionTreeRegressor(min_leaf_rows=1),
        sg.DecisionTreeClassifier(min_leaf_rows=1),
        sg.OptimalTreeRegressor(min_leaf_rows=1),
        sg.NeighborsRegressor(neighbors=3),
        sg.NeighborsClassifier(neighbors=3),
        sg.SparseLinearRegressor(penalty=0.01),
        sg.SparseLinearClassifier(penalty=0.01),
    ],
    ids=repr,
)
def test_twice_the_weight_is_the_same_row_twice(estimator):
    """What scikit-learn's check finds otherwise is only what counts rows: leaves and folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_sample_weight_equivalence_on_dense_data(type(estimator).__name__, estimator)


@pytest.fixture(scope="module")
def bike_frame():
    return pd.read_csv(BIKE).sample(200, random_state=0).reset_index(drop=True)


@pytest.fixture(scope="module")
def bike(bike_frame):
    return bike_frame.drop(columns="rentals"), bike_frame["rentals"]


@pytest.fixture(scope="module")
def bike_file(bike_frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "bike.csv"
    bike_frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def penguins():
    frame = pd.read_csv(PENGUINS).dropna(subset=["species"])
    return frame.drop(columns="species"), frame["species"]


# Attributes as scikit-learn has them


def test_coefficients_of_numbers_are_those_of_scikit_learn():
    from sklearn.linear_model import LinearRegression, LogisticRegression

    random = np.random.default_rng(1)
    X = random.normal(size=(300, 3)) * [1, 10, 0.1] + [0, 5, 2]
    y = X @ [1, -0.2, 3] + random.normal(size=300)
    ours, theirs = sg.SparseLinearRegressor(penalty=0).fit(X, y), LinearRegression().fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)
    assert ours.n_features_in_ == 3 and not hasattr(ours, "feature_names_in_")
    ours = sg.SparseLinearClassifier(penalty=0).fit(X, y > y.mean())
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y > y.mean())
    assert ours.coef_.shape == theirs.coef_.shape == (1, 3) and ours.intercept_.shape == (1,)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3)
    np.testing.assert_array_equal(ours.classes_, [False, True])


def test_coefficients_add_up_to_predictions(bike, penguins):
    X, y = bike
    X = X.assign(temp=X["temp"].where(np.arange(len(X)) % 9 > 0))
    model = sg.SparseLinearRegressor(penalty=1.0).fit(X, y)
    names = list(model.term_names_)
    assert list(model.feature_names_in_) == list(X.columns) and len(names) == len(model.coef_)
    columns = {}
    for name in X.columns:
        if pd.api.types.is_numeric_dtype(X[name]):
            columns[name] = X[name].fillna(X[name].mean())
        columns[f"{name} is missing"] = X[name].isna()
        for level in X[name].dropna().unique():
            columns[f"{name} = {level}"] = X[name] == level
    total = model.intercept_ + sum(columns[name] * c for name, c in zip(names, model.coef_, strict=True))
    np.testing.assert_allclose(total, model.predict(X), rtol=1e-9)
    model = sg.SparseLinearClassifier(penalty=0.01).fit(*penguins)
    assert model.coef_.shape == (3, len(model.term_names_)) and model.intercept_.shape == (3,)
    assert "island = Dream" in model.term_names_ and "bill_length" in model.term_names_


def test_importances_of_trees_are_those_of_scikit_learn():
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    random = np.random.default_rng(3)
    X = random.normal(size=(500, 4)).astype(np.float32).astype(float)
    y = 3 * (X[:, 2] > 0) + X[:, 0] + 0.1 * random.normal(size=500)
    ours = sg.DecisionTreeRegressor(max_depth=3, min_leaf_rows=1).fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-6)
    ours = sg.DecisionTreeClassifier(max_depth=3, min_leaf_rows=1).fit(X, y > 1)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y > 1)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-6)


@every_estimator
def test_importances(estimator, bike):
    X, y = bike
    model = estimator()
    assert not hasattr(model, "feature_importances_") and not hasattr(model, "coef_")
    model.fit(X, y if estimator in REGRESSORS else y > 150)
    # Panels are pictures, and rows that are alike are so in all features.
    without = ("hierarchical-2d", "covering-2d", "knn", "nearest-prototype")
    if hasattr(estimator, "coef_") or estimator._learner in without:
        assert not hasattr(model, "feature_importances_")
        return
    importances = model.feature_importances_
    assert importances.shape == (model.n_features_in_,) and importances.sum() == pytest.approx(1)
    assert model.feature_names_in_[importances.argmax()] in ("hour", "temp", "workingday")
    assert pickle.loads(pickle.dumps(model)).feature_importances_.tolist() == importances.tolist()


# Parameters


def test_there_is_an_estimator_for_each_learner():
    entries = json.loads(_core.catalogue())["learners"]
    assert {entry["name"] for entry in entries} == {kind for kind, _ in ESTIMATORS}
    for entry in entries:
        for (kind, _), estimator in ESTIMATORS.items():
            if kind != entry["name"]:
                continue
            assert getattr(sg, estimator.__name__) is estimator and estimator.__name__ in sg.__all__
            parameters = inspect.signature(estimator).parameters
            assert list(parameters) == [*(option["name"] for option in entry["options"]), "threads"]
            for option in entry["options"]:
                default = parameters[option["name"]].default
                assert default == (None if option["default"] in ([], None) else option["default"])
            assert entry["question"] in estimator.__doc__


@every_estimator
def test_parameters(estimator):
    model = estimator(threads=2)
    assert model.get_params()["threads"] == 2
    assert repr(model) == f"{estimator.__name__}(threads=2)"
    assert repr(estimator()) == f"{estimator.__name__}()"
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(threads=1) is model and model.threads == 1
    with pytest.raises(sg.UsageError, match="has no parameter 'speed'"):
        model.set_params(speed=3)
    assert is_regressor(model) == (estimator in REGRESSORS) and is_classifier(model) == (estimator in CLASSIFIERS)


@every_estimator
def test_wrong_options_are_said_by_fit(estimator, bike):
    with pytest.raises(sg.UsageError, match="threads cannot be 0"):
        estimator(threads=0).fit(bike[0], bike[1] if estimator in REGRESSORS else bike[1] > 100)


@pytest.mark.parametrize(
    ("labels", "order", "spelled"),
    [
        ([0, 1, 2], [2, 0, 1], ["2", "0", "1"]),
        ([0.0, 1.0, 2.0], (1, 2, 0), ["1.0", "2.0", "0.0"]),
        ([False, True], np.array([True, False]), ["True", "False"]),
        (["a", "b"], ["b", "a"], ["b", "a"]),
    ],
)
def test_parameters_that_name_classes(labels, order, spelled):
    x = np.random.default_rng(0).uniform(size=(90, 2))
    y = np.array(labels)[(x[:, 0] * len(labels)).astype(int)]

    def found(**options):
        return sg.CoveringPanelsClassifier(holdout_share=0, **options).fit(x, y).explain().results[-1]["order"]

    assert found(order=order) == spelled
    assert found(prefer=order[0])[0] == spelled[0]
    with pytest.raises(sg.UsageError, match="no row is of class 7"):
        found(prefer=7)


def test_parameters_that_name_features(bike):
    X, y = bike
    model = sg.DecisionTreeRegressor(monotone={"temp": "increasing"}).fit(X, y)
    by_text = sg.DecisionTreeRegressor(monotone=["temp=increasing"]).fit(X, y)
    by_place = sg.DecisionTreeRegressor(monotone={list(X).index("temp"): "increasing"}).fit(X, y)
    assert model.explain().to_json() == by_text.explain().to_json() == by_place.explain().to_json()
    assert model.get_params()["monotone"] == {"temp": "increasing"}
    pairs = sg.AdditiveRegressor(named_pairs=[("temp", "hour")], bags=1, rounds=50).fit(X, y)
    assert pairs.explain().options["named_pairs"] == ["temp:hour"]
    with pytest.raises(sg.UsageError, match="there is no feature 99"):
        sg.DecisionTreeRegressor(monotone={99: "increasing"}).fit(X, y)


# Data


@every_regressor
def test_any_container(estimator, bike):
    X, y = bike
    expected = estimator().fit(X, y)
    predicted = expected.predict(X)
    assert list(expected.feature_names_in_) == list(X.columns) and expected.n_features_in_ == X.shape[1]
    for data, outcome in (
        (pl.from_pandas(X), pl.from_pandas(y)),
        (pa.Table.from_pandas(X), pa.array(y)),
        (pl.from_pandas(X), y.tolist()),
        (X, y.to_numpy()),
    ):
        model = estimator().fit(data, outcome)
        np.testing.assert_array_equal(model.predict(data), predicted)
        np.testing.assert_array_equal(model.predict(X), predicted)
        assert list(model.feature_names_in_) == list(X.columns)


@every_regressor
def test_the_outcome_by_the_name_of_its_column(estimator, bike):
    X, y = bike
    predicted = estimator().fit(X, y).predict(X)
    frame = X.assign(rentals=y)
    for data in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        model = estimator().fit(data, "rentals")
        np.testing.assert_array_equal(model.predict(X), predicted)
    with pytest.raises(sg.UsageError, match="no column y"):
        estimator().fit(frame, "y")


@every_regressor
def test_files(estimator, bike_file):
    frame = pd.read_csv(bike_file)
    from_file = estimator().fit(bike_file, "rentals")
    np.testing.assert_allclose(
        from_file.predict(bike_file), from_file.predict(frame.drop(columns="rentals")), rtol=1e-12
    )
    assert from_file.score(frame.drop(columns="rentals"), frame["rentals"]) > 0.2


@every_estimator
def test_arrays_have_no_names(estimator, bike):
    X, y = bike
    numbers = X.select_dtypes("number").to_numpy(float)
    y = y if estimator in REGRESSORS else (y > 100)
    model = estimator().fit(numbers, y)
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == numbers.shape[1]
    predicted = model.predict(numbers)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        np.testing.assert_array_equal(model.predict(X.select_dtypes("number")), predicted)
    with pytest.raises(sg.DataError, match="is expecting"):
        model.predict(numbers[:, :2])
    named = estimator().fit(X.select_dtypes("number"), y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_array_equal(named.predict(numbers), predicted)


@every_regressor
def test_missing_values_and_unseen_categories(estimator, bike):
    X, y = bike
    model = estimator().fit(X, y)
    other = X.head(20).copy()
    text = [name for name in X if not pd.api.types.is_numeric_dtype(X[name]) and X[name].dtype != bool]
    other.loc[other.index[:5], text[0]] = "never seen"
    other.loc[other.index[5:9], text[1]] = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(model.predict(other)).all()


@every_regressor
def test_weights(estimator, bike):
    X, y = bike
    weights = np.where(np.arange(len(y)) % 4 == 0, 0, 1)
    by_values = estimator().fit(X, y, sample_weight=weights)
    by_name = estimator().fit(X.assign(w=weights), y, sample_weight="w")
    left_out = estimator().fit(X[weights > 0], y[weights > 0])
    np.testing.assert_array_equal(by_values.predict(X), by_name.predict(X))
    np.testing.assert_allclose(by_values.predict(X), left_out.predict(X), rtol=1e-9, atol=1e-9)
    with pytest.raises(sg.DataError, match="zero"):
        estimator().fit(X, y, sample_weight=0 * weights)
    with pytest.raises(sg.DataError, match="negative"):
        estimator().fit(X, y, sample_weight=weights - 1)


@every_regressor
def test_outcomes_that_cannot_be(estimator, bike, penguins):
    X, y = bike
    for bad, words in (
        (np.where(np.arange(len(y)) == 3, np.nan, y), "row 3 has no outcome"),
        (np.where(np.arange(len(y)) == 3, np.inf, y), "infinity"),
        (y[:-1], "values, X has"),
        (np.column_stack([y, y]), "1d array"),
        (y.astype(str) + "x", "text, not numbers; .*Classifier learns classes"),
    ):
        with pytest.raises((sg.DataError, sg.UsageError), match=words):
            estimator().fit(X, bad)
    with pytest.raises(sg.UsageError, match="target y is None"):
        estimator().fit(X, None)


# Classes


@every_classifier
@pytest.mark.parametrize(
    "labels",
    [
        np.array(["Adelie", "Chinstrap", "Gentoo"]),
        np.array(["Adelie", "Chinstrap", "Gentoo"], dtype=object),
        np.array([7, -3, 12]),
        np.array([2.0, 1.0, 5.0]),
        np.array([b"a", b"b", b"c"]),
    ],
    ids=["text", "objects", "integers", "floats", "bytes"],
)
def test_labels_come_back_as_they_were(estimator, penguins, labels):
    X, species = penguins
    codes = pd.Categorical(species).codes
    y = labels[codes]
    model = estimator().fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    predicted = model.predict(X)
    assert predicted.dtype == y.dtype and set(predicted) <= set(y)
    assert model.score(X, y) == np.mean(predicted == y) > 0.8
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], predicted)


@every_classifier
def test_two_classes(estimator, penguins):
    X, species = penguins
    for y in (species == "Gentoo", (species == "Gentoo").astype(int), pd.Categorical(species == "Gentoo")):
        model = estimator().fit(X, y)
        assert model.predict(X).dtype == np.asarray(y).dtype
        probabilities = model.predict_proba(X)
        assert probabilities.shape == (len(X), 2) and model.score(X, np.asarray(y)) > 0.8
    for container in (pl.Series(species.tolist()), pa.array(species.tolist()), species.astype("category")):
        assert list(estimator().fit(X, container).classes_) == ["Adelie", "Chinstrap", "Gentoo"]


@every_classifier
def test_classes_that_cannot_be(estimator, penguins):
    X, species = penguins
    with pytest.raises(sg.DataError, match="only one class"):
        estimator().fit(X, ["a"] * len(X))
    with pytest.raises(sg.DataError, match="row 0 has no class"):
        estimator().fit(X, species.where(species != species.iloc[0]))
    with pytest.raises(sg.DataError, match="Unknown label type"):
        estimator().fit(X, np.linspace(0, 1, len(X)))


@every_classifier
def test_a_class_without_weight_is_none(estimator, penguins):
    X, species = penguins
    model = estimator().fit(X, species, sample_weight=(species != "Gentoo").astype(float))
    assert list(model.classes_) == ["Adelie", "Chinstrap"] and model.predict_proba(X).shape[1] == 2


# What it found


@every_estimator
def test_not_fitted(estimator):
    from sklearn.exceptions import NotFittedError

    for what in (lambda m: m.predict(np.zeros((2, 2))), lambda m: m.explain(), lambda m: m.save("nowhere.json")):
        with pytest.raises(NotFittedError, match="not fitted") as caught:
            what(estimator())
        assert isinstance(caught.value, sg.UsageError)
    with pytest.raises(sg.UsageError, match="not fitted"):
        sg.Explainer(estimator(), np.zeros((2, 2)))


@every_estimator
def test_explains_itself(estimator, bike, tmp_path):
    X, y = bike
    model = estimator().fit(X, y if estimator in REGRESSORS else np.where(y > 100, "many", "few"))
    result = model.explain()
    assert isinstance(result, sg.Result) and result.method == estimator._learner
    assert {item.type for item in result.all()} - {"figure"}
    assert result.to_frame("dict") and result.plot().to_dict()
    result.save(tmp_path / "shown.html")
    model.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_bytes())["kind"] == estimator._learner
    with pytest.raises(sg.OutputError):
        model.save(tmp_path / "missing" / "model.json")


@every_estimator
def test_copies(estimator, bike, tmp_path):
    X, y = bike
    model = estimator().fit(X, y if estimator in REGRESSORS else np.where(y > 100, "many", "few"))
    predicted = model.predict(X)
    model.save(tmp_path / "model.json")
    loaded = sg.load_model(tmp_path / "model.json")
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), loaded):
        assert type(other) is estimator
        np.testing.assert_array_equal(other.predict(X), predicted)
        assert other.explain().to_json() == model.explain().to_json()
        assert list(other.feature_names_in_) == list(X.columns)
    assert loaded.get_params() == {**model.get_params(), **{
        name: value for name, value in loaded.get_params().items() if model.get_params()[name] is None
    }}  # fmt: skip
    assert pickle.loads(pickle.dumps(estimator())).get_params() == estimator().get_params()
    # The file is the one that the command line writes.
    assert sg.Explainer(tmp_path / "model.json", X).predict().tolist() == sg.Explainer(model, X).predict().tolist()


@pytest.mark.parametrize("labels", [[3, 7], [3.0, 7.0], [False, True], ["3", "7"], ["few", "many"]])
def test_classes_of_a_file_are_told_by_their_text(bike, tmp_path, labels):
    X, y = bike
    given = np.asarray(labels)[(np.asarray(y) > 100).astype(int)]
    model = sg.fit("tree", X, given, task="classification")
    model.save(tmp_path / "model.json")
    loaded = sg.load_model(tmp_path / "model.json")
    assert 0.7 < loaded.score(X, given) == model.score(X, given) < 1
    assert loaded.classes_.tolist() == [str(label) for label in labels]


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(sg.ModelError, match="cannot read nowhere.json"):
        sg.load_model(tmp_path / "nowhere.json")
    (tmp_path / "cut.json").write_text('{"schema":"sightglass.model/1","dig')
    with pytest.raises(sg.ModelError, match="cut off"):
        sg.load_model(tmp_path / "cut.json")
    with pytest.raises(sg.ModelError):
        sg.load_model(ROOT / "examples" / "bike" / "model.json")


@every_estimator
def test_the_explainer_has_the_model_itself(estimator, bike):
    X, y = bike
    y = y if estimator in REGRESSORS else np.where(y > 100, "many", "few")
    model = estimator().fit(X, y)
    ex = sg.Explainer(model, X, y)
    assert ex.native and ex.features == list(X.columns)
    expected = model.predict(X) if estimator in REGRESSORS else model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(ex.predict(), expected)
    assert ex.inspect()["model"]["format"] == "sightglass"
    native = ex.pdp("temp", grid=4, sample=100)
    asked = sg.Explainer(model, X, y, native=False).pdp("temp", grid=4, sample=100)
    np.testing.assert_allclose(native["average"], asked["average"], rtol=1e-9)
    assert ex.pfi(repeats=1, sample=100).results
    # Columns without names, and then with.
    numbers = X.select_dtypes("number")
    unnamed = estimator().fit(numbers.to_numpy(float), y)
    assert sg.Explainer(unnamed, numbers).features == list(numbers.columns)
    assert sg.Explainer(unnamed, numbers.to_numpy(float)).features[0] == "x0"
    with pytest.raises(sg.UsageError, match="rounds"):
        sg.Explainer(model, X, rounds=3)


@every_classifier
def test_classes_in_the_explainer(estimator, penguins):
    X, species = penguins
    model = estimator().fit(X, species)
    result = sg.Explainer(model, X, species).pfi(repeats=1, sample=50)
    assert result.results
    ex = sg.Explainer(model, X, species, classes=["one", "two", "three"])
    assert ex.inspect()["model"]["outputs"] == ["one", "two", "three"]


# The names of the command line


@pytest.mark.parametrize("kind", dict.fromkeys(kind for kind, _ in ESTIMATORS))
def test_fit(kind, bike, bike_file, penguins):
    if (kind, "regressor") in ESTIMATORS:
        model = sg.fit(kind, *bike)
        assert type(model) is ESTIMATORS[kind, "regressor"]
        assert sg.fit(kind, bike_file, "rentals").explain().data["target"] == "rentals"
    else:
        with pytest.raises(sg.UsageError, match="learns classes"):
            sg.fit(kind, *bike)
    if (kind, "classifier") in ESTIMATORS:
        assert type(sg.fit(kind, *penguins)) is ESTIMATORS[kind, "classifier"]
        assert list(sg.fit(kind, PENGUINS, "species").classes_) == ["Adelie", "Chinstrap", "Gentoo"]
        X, species = penguins
        assert list(sg.fit(kind, X, species == "Gentoo").classes_) == [False, True]
        coded = sg.fit(kind, X, (species == "Gentoo").astype(int), task="classification")
        assert list(coded.classes_) == [0, 1]
    with pytest.raises(sg.UsageError, match="has no parameter 'speed'"):
        sg.fit(kind, *(bike if (kind, "regressor") in ESTIMATORS else penguins), speed=3)
    with pytest.raises(sg.UsageError, match="task cannot be"):
        sg.fit(kind, *bike, task="ranking")


def test_fit_of_nothing_that_there_is(bike):
    with pytest.raises(sg.UsageError, match="there is no learner 'forest'"):
        sg.fit("forest", *bike)


def test_same_bytes_as_the_command_line(tmp_path, bike_file):
    program = [sys.executable, "-m", "sightglass._cli"]
    for kind in dict.fromkeys(kind for kind, _ in ESTIMATORS):
        path = tmp_path / f"{kind}.json"
        of_numbers = (kind, "regressor") in ESTIMATORS
        data, target = (bike_file, "rentals") if of_numbers else (PENGUINS, "species")
        subprocess.run(
            [*program, "fit", kind, "--data", data, "--target", target, "-o", path, "--quiet", "--format", "json"],
            check=True, capture_output=True,
        )  # fmt: skip
        ours, theirs = sg.fit(kind, data, target), sg.load_model(path)
        X = pd.read_csv(data).drop(columns=target)
        asked = "predict" if of_numbers else "predict_proba"
        np.testing.assert_allclose(getattr(ours, asked)(X), getattr(theirs, asked)(X), rtol=1e-12)


# In scikit-learn's company


@every_estimator
def test_cross_validation_and_search(estimator, bike):
    X, y = bike
    numbers = X.select_dtypes("number")
    y = y if estimator in REGRESSORS else np.where(y > 100, "many", "few")
    assert len(cross_val_score(estimator(), numbers, y, cv=3)) == 3
    search = GridSearchCV(estimator(), {"threads": [1, 2]}, cv=2).fit(numbers, y)
    assert search.best_score_ > 0
    pipeline = make_pipeline(StandardScaler(), estimator()).fit(numbers.to_numpy(float), y)
    assert pipeline.score(numbers.to_numpy(float), y) > 0.1


def test_without_scikit_learn():
    """None of it needs scikit-learn, nor loads it."""
    script = """
import sys
import numpy as np
import sightglass as sg
X = np.random.default_rng(0).uniform(size=(100, 2))
model = sg.DecisionTreeRegressor()
try:
    model.predict(X)
except sg.UsageError as error:
    assert "not fitted" in str(error)
model.fit(X, X[:, 0])
assert model.score(X, X[:, 0]) > 0.9 and "DecisionTreeRegressor()" == repr(model)
assert sg.fit("tree", X, np.where(X[:, 0] > 0.5, "a", "b")).predict(X[:1]).shape == (1,)
sg.Explainer(model, X).pdp("x0")
assert "sklearn" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)
