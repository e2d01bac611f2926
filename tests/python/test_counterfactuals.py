"""Counterfactuals in Python: every kind of model, what is found does what it says, and results can be checked again."""

import numpy as np
import pytest

import sightglass as sg

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(300, 4))


def chance(data):
    return 1 / (1 + np.exp(-(data[:, 0] + 2 * data[:, 1] - data[:, 2])))


def test_a_function_is_asked_and_what_is_found_holds():
    ex = sg.Explainer(chance, X)
    result = ex.counterfactuals(rows=[0, 1, 2], at_least=0.9)
    for item in result.results:
        assert item["status"] in ("found", "already")
        for change in item["changes"]:
            row = X[item["row"]].copy()
            for name, value in change["values"].items():
                row[list(item["data"]).index(name)] = value
            assert chance(row[None, :])[0] == pytest.approx(change["prediction"])
            assert change["prediction"] >= 0.9
    assert ex.verify(result) == []


def test_what_was_changed_afterwards_is_noticed(tmp_path):
    ex = sg.Explainer("examples/bike/model.json", "examples/bike/bike.csv", y="rentals")
    result = ex.counterfactuals(rows=[100], at_least=300)
    assert result.results[0]["proof"]["status"] == "optimal"
    assert ex.verify(result) == []
    path = tmp_path / "changes.json"
    path.write_text(result.to_json().replace('"cost":1.1666666666666667', '"cost":3.5'))
    failures = ex.verify(sg.load(path))
    assert len(failures) == 1
    assert "not the smallest change" in failures[0]


def test_shapes_have_attributes():
    ex = sg.Explainer("examples/bike/model.json", "examples/bike/bike.csv", y="rentals")
    item = ex.counterfactuals(rows=[100], at_least=300).all(sg.shapes.Counterfactuals)[0]
    assert item.row == 100
    assert item.status == "found"
    assert item.ladder[0].status == "unreachable"
    assert item.changes[0].values == {"season": "summer", "hour": 8}


def test_numbers_must_be_told_what_is_wanted():
    with pytest.raises(sg.UsageError, match="at_least"):
        sg.Explainer(chance, X).counterfactuals(rows=[0])


def test_only_results_are_verified():
    for wrong in ("x", None):
        with pytest.raises(sg.UsageError, match="is not a result"):
            sg.Explainer(chance, X).verify(wrong)


def test_the_second_model_may_be_anything(tmp_path):
    def stricter(data):
        return chance(data) - 0.3

    ex = sg.Explainer(chance, X)
    wanted = {"rows": [0, 1, 2, 3], "at_least": 0.7}
    result = ex.counterfactuals(**wanted, other_model=stricter)
    assert result.options["other_model"] == "stricter"
    changes = [change for item in result.results if item["type"] == "counterfactuals" for change in item["changes"]]
    assert changes
    for change in changes:
        other = change["other_model"]
        assert other["prediction"] == pytest.approx(change["prediction"] - 0.3)
        assert other["kept"] == (other["prediction"] >= 0.7)
    assert ex.verify(result) == []
    assert ex.counterfactuals(**wanted, new_model=stricter).to_json() == result.to_json()

    y = X[:, 0] + 2 * X[:, 1]
    estimator = sg.DecisionTreeRegressor(max_depth=3).fit(X, y)
    fitted = ex.counterfactuals(**wanted, other_model=estimator)
    assert fitted.options["other_model"] == "DecisionTreeRegressor"
    with pytest.raises(sg.UsageError, match="other_model: a dict is not a model"):
        ex.counterfactuals(**wanted, other_model={})
    with pytest.raises(sg.Error, match="other_model: "):
        ex.counterfactuals(**wanted, other_model=tmp_path / "nowhere.json")
