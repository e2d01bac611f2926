"""Two models on the same rows, against plain arithmetic."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import sightglass as sg


@pytest.fixture
def classes(rng):
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "c"])
    y = np.where(X["a"] * X["b"] > 0, "up", np.where(X["c"] > 0, "down", "left"))
    forest = RandomForestClassifier(20, max_depth=5, random_state=0).fit(X, y)
    return X, y, forest, LogisticRegression().fit(X, y)


def test_classes_of_two_estimators(classes):
    X, y, forest, line = classes
    result = sg.Explainer(forest, X, y).compare_models(other_model=line, repeats=1, examples=5)
    figures = {item["id"]: item["value"] for item in result.results if item["type"] == "figure"}
    p, q = forest.predict_proba(X), line.predict_proba(X)
    distance = np.abs(p - q).sum(axis=1) / 2
    assert figures["mean-distance"] == pytest.approx(distance.mean(), rel=1e-6)
    first, second = forest.classes_[p.argmax(axis=1)], line.classes_[q.argmax(axis=1)]
    assert figures["class-agreement"] == pytest.approx((first == second).mean())
    right = (first == y).astype(int), (second == y).astype(int)
    assert figures["error-difference"] == pytest.approx((right[1] - right[0]).mean())
    (examples,) = [item for item in result.results if item["type"] == "examples"]
    assert [row["row"] for row in examples["rows"]] == list(np.argsort(-distance, kind="stable")[:5])
    assert {row["other_predicted"] for row in examples["rows"]} <= set(line.classes_)
    assert result.options["names"] == ["RandomForestClassifier", "LogisticRegression"]


def test_a_report_of_two_models(classes, tmp_path):
    X, y, forest, line = classes
    report = sg.Explainer(forest, X, y).report(tmp_path / "two.html", other_model=line, names=["forest", "line"])
    assert [result.method for result in report.results] == ["compare-models"]
    assert "forest" in (tmp_path / "two.html").read_text()
