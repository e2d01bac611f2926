"""Pictures of performance against scikit-learn, by name: ties, weights, several classes, rows without a truth."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    confusion_matrix,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import sightglass as sg

NAMES = np.array(["ash", "birch", "cedar"])


def data(classes, rows=400, seed=0):
    X, y = make_classification(
        rows, 5, n_informative=3, n_redundant=0, n_classes=classes, flip_y=0.2, random_state=seed
    )
    return X, NAMES[y]


def models():
    return {
        "neighbours": KNeighborsClassifier(7),  # eight different probabilities
        "forest": RandomForestClassifier(10, max_depth=3, random_state=0),
        "logistic": LogisticRegression(),
    }


@pytest.fixture(params=models())
def model(request):
    return models()[request.param]


@pytest.fixture(params=[False, True], ids=["plain", "weighted"])
def weights(request):
    return np.random.default_rng(3).integers(1, 5, 400) / 2 if request.param else None


def own(item):
    return next(s for s in item.series if s.mark not in ("reference", "ring"))


def figure(item, name):
    return next(f.value for f in item.figures if f.name == name)


def explainer(model, X, y, weights=None):
    return sg.Explainer(model.fit(X[::2], y[::2]), X, y, weights=weights)


def test_roc_and_precision_are_those_of_sklearn(model, weights):
    X, y = data(2)
    ex = explainer(model, X, y, weights)
    positive, scores = y == "birch", model.predict_proba(X)[:, 1]
    (roc,) = ex.roc(points=0).all()
    fpr, tpr, thresholds = roc_curve(positive, scores, sample_weight=weights, drop_intermediate=False)
    np.testing.assert_allclose(own(roc).x, fpr, atol=1e-12)
    np.testing.assert_allclose(own(roc).y, tpr, atol=1e-12)
    np.testing.assert_allclose(own(roc).threshold, thresholds, rtol=1e-12)
    assert figure(roc, "AUC") == pytest.approx(roc_auc_score(positive, scores, sample_weight=weights), abs=1e-12)
    (curve,) = ex.precision_recall(points=0).all()
    precision, recall, thresholds = precision_recall_curve(positive, scores, sample_weight=weights)
    np.testing.assert_allclose(own(curve).y, precision[::-1], atol=1e-12)
    np.testing.assert_allclose(own(curve).x, recall[::-1], atol=1e-12)
    np.testing.assert_allclose(own(curve).threshold[1:], thresholds[::-1], rtol=1e-12)
    average = average_precision_score(positive, scores, sample_weight=weights)
    assert figure(curve, "average precision") == pytest.approx(average, abs=1e-12)


def test_thinned_curves_drop_what_sklearn_drops():
    X, y = data(2)
    model = LogisticRegression()
    ex = explainer(model, X, y)
    fpr, tpr, thresholds = roc_curve(y == "birch", model.predict_proba(X)[:, 1])
    (roc,) = ex.roc(points=len(fpr)).all()
    np.testing.assert_allclose(own(roc).x, fpr, atol=1e-12)
    np.testing.assert_allclose(own(roc).y, tpr, atol=1e-12)
    np.testing.assert_allclose(own(roc).threshold, thresholds, rtol=1e-12)


def test_classes_stand_against_the_rest(weights):
    X, y = data(3)
    model = KNeighborsClassifier(7)
    ex = explainer(model, X, y, weights)
    for item in ex.roc(points=0).all():
        scores = model.predict_proba(X)[:, list(NAMES).index(item.output)]
        area = roc_auc_score(y == item.output, scores, sample_weight=weights)
        assert figure(item, "AUC") == pytest.approx(area, abs=1e-12)
    assert [item.output for item in ex.precision_recall().all()] == list(NAMES)
    one = sg.Explainer(model, X, y, weights=weights, output="cedar").roc(points=0).all()
    assert [item.output for item in one] == ["cedar"]


@pytest.mark.parametrize("classes", [2, 3])
def test_confusion_is_that_of_sklearn(model, classes, weights):
    X, y = data(classes, seed=classes)
    (item,) = explainer(model, X, y, weights).confusion_matrix().all()
    assert list(item.classes) == list(NAMES[:classes])
    np.testing.assert_allclose(item.count, confusion_matrix(y, model.predict(X), sample_weight=weights))


def test_confusion_from_a_threshold_on():
    X, y = data(2)
    model = KNeighborsClassifier(10)
    (item,) = explainer(model, X, y).confusion_matrix(threshold=0.3).all()
    predicted = NAMES[(model.predict_proba(X)[:, 1] >= 0.3).astype(int)]
    np.testing.assert_allclose(item.count, confusion_matrix(y, predicted))


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_calibration_is_that_of_sklearn(model, strategy):
    X, y = data(2)
    means = explainer(model, X, y).calibration(bins=5, strategy=strategy).all()[0].series[1]
    truth, predicted = calibration_curve(y == "birch", model.predict_proba(X)[:, 1], n_bins=5, strategy=strategy)
    np.testing.assert_allclose(means.x, predicted, atol=1e-12)
    np.testing.assert_allclose(means.y, truth, atol=1e-12)
    assert np.all(means.low <= means.y) and np.all(means.y <= means.high)


def test_best_threshold_is_the_cheapest_of_all(model, weights):
    X, y = data(2)
    costs, rates, confusion = explainer(model, X, y, weights).threshold(false_negative_cost=3).all()
    positive, scores = y == "birch", model.predict_proba(X)[:, 1]
    w = np.ones(len(y)) if weights is None else weights

    def cost(at):
        wrong, missed = (scores >= at) & ~positive, (scores < at) & positive
        return (w[wrong].sum() + 3 * w[missed].sum()) / w.sum()

    best = figure(costs, "best threshold")
    assert cost(best) == pytest.approx(min(cost(at) for at in scores), abs=1e-12)
    assert figure(costs, "cost there") == pytest.approx(cost(best), abs=1e-12)
    assert confusion.threshold == best
    assert confusion.count.sum() == pytest.approx(w.sum())
    assert [s.name for s in rates.series] == ["precision", "recall", "F1", "share of rows"]


def test_rows_without_a_truth_are_left_out():
    X, y = data(2)
    model = LogisticRegression().fit(X, y)
    gaps = pd.Series(y).where(np.arange(len(y)) % 5 > 0)
    frame = pd.DataFrame(X, columns=list("abcde"))
    fitted = LogisticRegression().fit(frame, y)
    result = sg.Explainer(fitted, frame, gaps).roc(points=0)
    kept = gaps.notna().to_numpy()
    area = roc_auc_score(y[kept] == "birch", model.predict_proba(X)[kept, 1])
    assert figure(result.all()[0], "AUC") == pytest.approx(area, abs=1e-12)
    assert "missing-target" in [caveat.id for caveat in result.caveats]


def test_residuals_are_truth_minus_prediction():
    X, y = make_friedman1(500, random_state=0)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(10)])
    model = LinearRegression().fit(frame[:250], y[:250])
    result = sg.Explainer(model, frame, y).residuals(features=["x2"], bins=4, points=50)
    pictures = {item.name: item for item in result.all()}
    dots = pictures["Residuals by prediction"].series[1]
    predicted = model.predict(frame)
    np.testing.assert_allclose(dots.x, predicted[dots.rows])
    np.testing.assert_allclose(dots.y, (y - predicted)[dots.rows], atol=1e-12)
    assert len(dots.rows) == 50
    bins = pd.qcut(frame["x2"], 4, labels=False)
    means = pictures["Residuals by x2"].series[-1]
    np.testing.assert_allclose(means.y, pd.Series(y - predicted).groupby(bins).mean(), atol=1e-9)
    table = result.to_frame("pandas")
    assert set(table["diagram"]) == set(pictures)


def test_errors_are_found_where_they_are():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.uniform(20, 80, 3000), "town": rng.choice(["here", "there"], 3000)})
    noise = np.where((X["age"] > 60) & (X["town"] == "there"), 10, 1)
    y = X["age"] + noise * rng.normal(size=3000)
    result = sg.Explainer(lambda rows: rows["age"].to_numpy(), X, y).error_regions()
    worst = result.all()[0].rules[0]
    assert {condition.feature for condition in worst.conditions} == {"age", "town"}
    assert worst.effect == pytest.approx(10 * np.sqrt(2 / np.pi), rel=0.15)


def test_what_does_not_fit_is_said():
    X, y = data(2)
    ex = explainer(LogisticRegression(), X, y)
    with pytest.raises(sg.Error, match="the model predicts classes"):
        ex.residuals()
    with pytest.raises(sg.Error, match="true outcomes"):
        sg.Explainer(LogisticRegression().fit(X, y), X).roc()
    numbers = sg.Explainer(LinearRegression().fit(X, X[:, 0]), X, X[:, 0] * 2)
    with pytest.raises(sg.Error, match="there are no classes"):
        numbers.calibration()


def test_an_order_of_rows_is_enough_for_roc():
    X, y = data(2)
    model = SVC().fit(X, y)
    ex = sg.Explainer(lambda rows: model.decision_function(rows), X, (y == "birch").astype(int))
    area = roc_auc_score(y == "birch", model.decision_function(X))
    assert figure(ex.roc().all()[0], "AUC") == pytest.approx(area, abs=1e-12)
    with pytest.raises(sg.Error, match="probabilities are needed"):
        ex.calibration()


def test_groups_share_a_picture():
    X, y = data(2)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(side=np.where(X[:, 0] > 0, "left", "right"))
    model = LogisticRegression().fit(frame[list("abcde")], y)
    result = sg.Explainer(model, frame, y).roc(by="side", points=0)
    for item in result.all():
        rows = (frame["side"] == item.group.split(" = ")[1]).to_numpy()
        area = roc_auc_score(y[rows] == "birch", model.predict_proba(frame[list("abcde")])[rows, 1])
        assert figure(item, "AUC") == pytest.approx(area, abs=1e-12)
