"""Functions that return probabilities are classifiers."""

import functools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.preprocessing import LabelEncoder
from sklearn.svm import SVC

import sightglass as sg


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(7).normal(size=(300, 3))


@pytest.fixture(scope="module")
def species(X):
    return np.array(["adelie", "chinstrap", "gentoo"])[np.digitize(X[:, 0] + X[:, 1] / 2, [-0.5, 0.6])]


def outputs(ex):
    return [item["output"] for item in ex.partial_dependence("x0", grid=3).results]


def figures(ex):
    return {figure.name: figure.value for figure in ex.performance().all(sg.shapes.Figure)}


def series_of_polars(values):
    return pl.Series("species", values)


def task(ex):
    return ex.inspect()["model"]["task"]


def test_a_bound_method_knows_the_classes_of_its_estimator(X, species):
    for model in (SVC(probability=True).fit(X, species), LogisticRegression().fit(X, species)):
        for function in (model.predict_proba, functools.partial(model.predict_proba)):
            ex = sg.Explainer(function, X, species)
            assert outputs(ex) == ["adelie", "chinstrap", "gentoo"]
            assert figures(ex) == figures(sg.Explainer(model, X, species, native=False))
    two = LogisticRegression().fit(X, species == "gentoo")
    for y in (species == "gentoo", None):
        ex = sg.Explainer(two.predict_proba, X, y)
        assert (task(ex), outputs(ex)) == ("binary", ["True"])


def test_scores_of_many_classes_are_called_as_these(X, species):
    model = SVC().fit(X, species)
    assert outputs(sg.Explainer(model.decision_function, X, species)) == ["adelie", "chinstrap", "gentoo"]
    with pytest.raises(sg.PredictionError, match="needs probabilities"):
        sg.Explainer(model.decision_function, X, species).performance()


@pytest.mark.parametrize("kind", [list, np.asarray, pd.Series, series_of_polars, pa.array, pd.Categorical])
def test_columns_of_a_function_are_the_sorted_values_of_y(X, species, kind):
    model = LogisticRegression().fit(X, species)
    ex = sg.Explainer(lambda data: model.predict_proba(data), X, kind(species))
    assert outputs(ex) == ["adelie", "chinstrap", "gentoo"]
    assert figures(ex)["accuracy"] == pytest.approx(model.score(X, species))
    assert "adelie, chinstrap, gentoo" in " ".join(ex.notes)


def test_the_answers_decide_between_the_order_of_names_and_that_of_categories(X):
    levels = ["low", "mid", "high"]
    codes = np.digitize(X[:, 0], [-0.5, 0.5])
    y = pd.Categorical.from_codes(codes, levels, ordered=True)
    by_code = LogisticRegression().fit(X, codes)
    assert outputs(sg.Explainer(lambda data: by_code.predict_proba(data), X, y)) == levels
    by_name = LogisticRegression().fit(X, np.asarray(y))
    assert outputs(sg.Explainer(lambda data: by_name.predict_proba(data), X, y)) == sorted(levels)


def test_numbers_that_count_classes(X, species):
    codes = LabelEncoder().fit_transform(species)
    model = LogisticRegression().fit(X, codes)

    def function(data):
        return model.predict_proba(data).astype(np.float32)

    assert outputs(sg.Explainer(function, X, codes)) == ["0", "1", "2"]
    # A class that none of these rows has still counts.
    some = codes < 2
    assert outputs(sg.Explainer(function, X[some], codes[some])) == ["0", "1", "2"]
    named = LogisticRegression().fit(X, codes + 1)
    assert outputs(sg.Explainer(lambda data: named.predict_proba(data), X, codes + 1)) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("labels", "positive"),
    [((False, True), "True"), (("no", "yes"), "yes"), ((0, 1), "1"), ((1.0, 2.0), "2"), ((-1, 1), "1")],
)
@pytest.mark.parametrize("shape", ["flat", "column", "two columns"])
def test_one_probability_is_that_of_the_second_value(X, labels, positive, shape):
    truth = X[:, 0] + X[:, 2] > 0.3
    y = np.where(truth, labels[1], labels[0])
    model = LogisticRegression().fit(X, truth)

    def function(data):
        both = model.predict_proba(data)
        return {"flat": both[:, 1], "column": both[:, 1:], "two columns": both}[shape]

    ex = sg.Explainer(function, X, y)
    assert (task(ex), outputs(ex)) == ("binary", [positive])
    assert figures(ex)["auc"] > 0.9
    assert figures(ex)["accuracy"] == pytest.approx(model.score(X, truth))
    assert any("classes=" in note for note in ex.notes)


def test_classes_say_otherwise(X):
    y = np.where(X[:, 0] > 0, "no", "yes")

    def function(data):
        return 1 / (1 + np.exp(-3 * data[:, 0]))  # the probability of "no"

    ex = sg.Explainer(function, X, y, classes=["yes", "no"])
    assert outputs(ex) == ["no"]
    assert figures(ex)["auc"] > 0.95
    assert not any("classes=" in note for note in ex.notes)


def test_mere_numbers_stay_mere_numbers(X):
    y = (X[:, 0] > 0).astype(int)
    line = LinearRegression().fit(X, y)
    for function in (line.predict, lambda data: line.predict(data), lambda data: 3 * data[:, 0]):
        assert task(sg.Explainer(function, X, y)) == "regression"
    # Within 0 and 1 it may be either, unless the estimator or the user says.
    calm = LinearRegression().fit(X, y * 0.01 + 0.5)
    assert task(sg.Explainer(lambda data: calm.predict(data), X, y)) == "binary"
    assert task(sg.Explainer(lambda data: calm.predict(data), X, y, classes=[])) == "regression"
    assert task(sg.Explainer(calm.predict, X, y)) == "regression"
    shares = np.column_stack([X[:, 0] ** 2, X[:, 1] ** 2 + 0.1])
    shares /= shares.sum(axis=1, keepdims=True)
    ex = sg.Explainer(lambda data: np.tile([0.25, 0.75], (len(data), 1)), X, shares[:, 0])
    assert (task(ex), outputs(ex)) == ("regression", ["output0", "output1"])


def test_where_nothing_names_the_classes_the_error_says_how(X, species):
    model = LogisticRegression().fit(X, species)
    two = species != "gentoo"
    ex = sg.Explainer(lambda data: model.predict_proba(data), X[two], species[two])
    assert task(ex) == "multiclass"
    assert "classes=" in " ".join(ex.notes)
    with pytest.raises(sg.DataError, match="classes"):
        ex.permutation_importance()
    named = sg.Explainer(
        lambda data: model.predict_proba(data), X[two], species[two], classes=["adelie", "chinstrap", "gentoo"]
    )
    assert outputs(named) == ["adelie", "chinstrap", "gentoo"]
    assert len(named.permutation_importance().results) > 0
    wrong = sg.Explainer(lambda data: model.predict_proba(data), X, species, classes=["a", "b"])
    with pytest.raises(sg.PredictionError, match="3 columns.*2 classes.*classes="):
        wrong.partial_dependence("x0")
    wrong = sg.Explainer(lambda data: model.predict_proba(data), X, species, classes=["a", "b", "c", "d"])
    with pytest.raises(sg.PredictionError, match="3 columns.*4 classes"):
        wrong.partial_dependence("x0")


def test_names_of_answers_go_first(X, species):
    order = ["gentoo", "adelie", "chinstrap"]
    model = LogisticRegression().fit(X, species)

    def function(data):
        return pd.DataFrame(model.predict_proba(data), columns=model.classes_)[order]

    ex = sg.Explainer(function, X, species)
    assert outputs(ex) == order
    assert figures(ex)["accuracy"] == pytest.approx(model.score(X, species))


class Tensor:
    """As torch's: NumPy cannot read it while it hangs in a graph."""

    def __init__(self, values):
        self.values = values

    def detach(self):
        return Detached(self.values)


class Detached:
    def __init__(self, values):
        self.values = values

    def cpu(self):
        return self

    def __array__(self, dtype=None, copy=None):
        return self.values


class Network:
    """As keras': predict returns probabilities, a column for one or for several, and nobody says classes_."""

    def __init__(self, answer):
        self.answer = answer

    def predict(self, data, verbose=1):
        return self.answer(data).astype(np.float32)


def test_networks(X, species):
    model = LogisticRegression().fit(X, species)
    truth = species == "gentoo"
    one = LogisticRegression().fit(X, truth)
    keras = sg.Explainer(Network(lambda data: one.predict_proba(data)[:, 1:]), X, truth)
    assert (task(keras), outputs(keras)) == ("binary", ["True"])
    bound = sg.Explainer(Network(lambda data: one.predict_proba(data)[:, 1:]).predict, X, truth)
    assert (task(bound), outputs(bound)) == ("binary", ["True"])
    torch = sg.Explainer(lambda data: Tensor(model.predict_proba(data)), X, species)
    assert outputs(torch) == ["adelie", "chinstrap", "gentoo"]


def test_weights_and_gaps_in_y_do_not_matter(X):
    y = np.where(X[:, 0] > 0, "yes", "no").astype(object)
    y[::7] = None
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y, w=np.r_[np.zeros(150), np.ones(150)])

    def function(data):
        assert list(data.columns) == ["a", "b", "c"]
        return 1 / (1 + np.exp(-data["a"]))

    ex = sg.Explainer(function, frame, "y", weights="w")
    assert task(ex) == "binary"
    assert figures(ex)["auc"] > 0.9


def test_an_error_of_the_function_waits_for_the_question(X):
    def function(data):
        raise ValueError("no")

    ex = sg.Explainer(function, X, X[:, 0] > 0)
    with pytest.raises(sg.PredictionError, match="ValueError: no"):
        ex.partial_dependence("x0")


def test_functions_of_numbers_are_not_asked_beforehand(X):
    def function(data):
        raise AssertionError("asked")

    sg.Explainer(function, X, X[:, 0])
    sg.Explainer(function, X)


def test_the_other_model_has_the_same_classes(X, species):
    model, other = LogisticRegression().fit(X, species), LogisticRegression(C=0.01).fit(X, species)
    ex = sg.Explainer(lambda data: model.predict_proba(data), X, species)
    result = ex.counterfactuals(rows=[0], output="gentoo", other_model=lambda data: other.predict_proba(data))
    assert result.results
