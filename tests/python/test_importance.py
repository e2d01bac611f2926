"""Permutation importance in Python: scikit-learn's keys and its numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression

import sightglass as sg


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "c"])


def test_scikit_learn_keys_and_numbers(frame):
    y = frame["a"] * 2 + frame["b"] + np.random.default_rng(1).normal(size=400)
    model = LinearRegression().fit(frame, y)
    ours = sg.Explainer(model, frame, y).permutation_importance(losses="r2", repeats=30)
    theirs = permutation_importance(model, frame, y, n_repeats=30, random_state=2)
    assert ours.keys() == ["importances_mean", "importances_std", "importances"]
    assert ours["importances"].shape == theirs["importances"].shape
    noise = np.sqrt((ours["importances_std"] ** 2 + theirs["importances_std"] ** 2) / 29)
    assert (abs(ours["importances_mean"] - theirs["importances_mean"]) <= 4.5 * noise + 1e-12).all()


def test_labels_of_any_kind(frame):
    positive = frame["a"] + frame["b"] > 0
    for labels in (positive, positive.astype(int), positive.map({True: "yes", False: "no"}), positive + 1):
        model = LogisticRegression().fit(frame, labels)
        result = sg.Explainer(model, frame, labels).permutation_importance(losses=["auc"], repeats=3)
        assert result["importances_mean"].argmin() == 2


def test_groups(frame):
    ex = sg.Explainer(lambda X: X["a"] + X["b"], frame, frame["a"])
    by_name = ex.permutation_importance(groups={"both": ["a", "b"]})
    assert features_of(by_name) == ["c", "both"], "features in no group stay"
    assert features_of(ex.permutation_importance(groups=[["a", "b"], "c=c"])) == ["a + b", "c"]
    assert features_of(ex.pfi(features=["a"], groups={"both": [0, 1]})) == ["a", "both"]
    assert features_of(ex.model_reliance(groups="both=a, b")) == ["c", "both"] * 2
    for groups in (["a", "b"], {"both": ["a", "a"]}, {"both": []}, {"both": ["a", "bb"]}):
        with pytest.raises(sg.UsageError, match="^groups: "):
            ex.permutation_importance(groups=groups)


def features_of(result):
    return [item["feature"] for item in result.results if item["type"] == "importance"]


def test_losses_that_do_not_fit(frame):
    ex = sg.Explainer(lambda X: X["a"], frame, frame["b"])
    with pytest.raises(sg.UsageError, match="auc.* losses of classes, but the model predicts numbers .*; use rmse"):
        ex.permutation_importance(losses="auc")

    def chance(X):
        return 1 / (1 + np.exp(-X["a"]))

    status = (frame["a"] > 0).map({True: "yes", False: "no"})
    for method in ("permutation_importance", "model_reliance", "ranking"):
        with pytest.raises(sg.DataError, match="holds text .* in the model.s order as classes"):
            getattr(sg.Explainer(chance, frame, status, classes=[]), method)()
    for classes in (["no", "yes"], None):
        obeyed = sg.Explainer(chance, frame, status, classes=classes).permutation_importance()
        assert obeyed.results[0]["measure"] == "increase of log-loss"


def test_several_measures_have_no_single_key(frame):
    result = sg.Explainer(lambda X: X["a"], frame, frame["a"] + frame["b"]).permutation_importance(
        losses=["rmse", "r2"]
    )
    with pytest.raises(KeyError, match="more than one measure"):
        result["importances_mean"]


def test_a_function_that_returns_two_probabilities():
    from sklearn.metrics import accuracy_score, log_loss

    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)})

    def probabilities(data):
        chance = 1 / (1 + np.exp(-3 * np.asarray(data["a"])))
        return np.c_[1 - chance, chance]

    y = np.array(["u", "v"], object)[(rng.random(200) < probabilities(X)[:, 1]).astype(int)]
    ex = sg.Explainer(probabilities, X, y, classes=["u", "v"])
    result = ex.permutation_importance("a", losses=["log-loss", "accuracy"], repeats=3)
    figures = {item["name"]: item["value"] for item in result.results if item["type"] == "figure"}
    assert figures["log-loss"] == pytest.approx(log_loss(y, probabilities(X), labels=["u", "v"]))
    predicted = np.array(["u", "v"])[probabilities(X).argmax(axis=1)]
    assert figures["accuracy"] == pytest.approx(accuracy_score(y, predicted))
    assert all(item["importance"] > 0 for item in result.results if item["type"] == "importance")
    one = sg.Explainer(lambda data: probabilities(data)[:, 1], X, y, classes=["u", "v"]).permutation_importance("a")
    [baseline] = [item["value"] for item in one.results if item["type"] == "figure" and item["name"] == "log-loss"]
    assert baseline == pytest.approx(figures["log-loss"])
