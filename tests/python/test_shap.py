"""Shapley values in Python: arrays as the shap package has them, tables, pictures."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import sightglass as sg


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(150, 3)), columns=["a", "b", "c"])


def test_linear_models_have_a_closed_form(frame):
    model = LinearRegression().fit(frame, 2 * frame["a"] - frame["b"] + 0.1 * frame["c"] ** 2)
    result = sg.Explainer(model, frame).shap(background_rows=0, explain=0)
    found = result.explanation
    np.testing.assert_allclose(found.values, model.coef_ * (frame - frame.mean()), atol=1e-12)
    np.testing.assert_allclose(found.base_values, np.full(150, model.predict(frame).mean()), atol=1e-12)
    np.testing.assert_allclose(found.predictions, model.predict(frame), atol=1e-12)
    np.testing.assert_array_equal(found.data, frame.to_numpy())
    assert found.feature_names == result.feature_names == ["a", "b", "c"]
    assert (found.rows == np.arange(150)).all()
    assert found.se is None and found.interactions is None
    assert result.values.shape == (150, 3)
    assert result.base_values.shape == (150,)


def test_tables(frame):
    result = sg.Explainer(lambda X: X["a"] * X["b"], frame).shap(explain=20)
    ranking = result.to_frame("pandas")
    assert list(ranking["measure"].unique()) == ["mean |SHAP|"]
    assert ranking["feature"].iloc[-1] == "c" and ranking["importance"].iloc[-1] == 0
    table = result.to_frame("pandas", kind="attributions")
    assert list(table.columns) == ["row", "feature", "value", "attribution", "output", "prediction", "base"]
    assert len(table) == 60
    sums = table.groupby("row").agg({"attribution": "sum", "prediction": "first", "base": "first"})
    np.testing.assert_allclose(sums["attribution"] + sums["base"], sums["prediction"], atol=1e-12)
    one = sg.Explainer(lambda X: X["a"] * X["b"], frame).shap(rows=[7])
    assert list(one.to_frame("pandas")["row"]) == [7, 7, 7]
    assert one.to_frame("polars").shape[0] == 3


def test_several_outputs_are_the_last_axis(frame):
    model = LogisticRegression().fit(frame, np.digitize(frame["a"] + frame["b"], [-0.5, 0.5]))
    found = sg.Explainer(model, frame).shap(rows=[0, 5, 9], interactions=True).explanation
    assert found.values.shape == (3, 3, 3)
    assert found.base_values.shape == found.predictions.shape == (3, 3)
    assert found.interactions.shape == (3, 3, 3, 3)
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, found.predictions, atol=1e-12)
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-12)
    np.testing.assert_allclose(found.values.sum(axis=2), 0, atol=1e-12, err_msg="probabilities add up to 1")
    one = sg.Explainer(model, frame).shap(rows=[0, 5, 9], output=found.output_names[1]).explanation
    np.testing.assert_array_equal(one.values, found.values[:, :, 1])


def test_categories_and_missing_values():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0], "colour": pd.Categorical(["red", None, "blue"])})
    found = sg.Explainer(lambda X: X["x"].fillna(0) + (X["colour"] == "red"), frame).shap().explanation
    assert found.data.tolist() == [[1.0, "red"], [None, None], [3.0, "blue"]]
    np.testing.assert_allclose(found.values[0], [1 - 4 / 3, 1 - 1 / 3])


def test_many_features_are_estimated():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 18))
    result = sg.Explainer(lambda X: X[:, 0] * X[:, 1] * X[:, 2] + X[:, 3:].sum(axis=1), X).shap(
        rows=[0, 1], background_rows=20
    )
    found = result.explanation
    assert found.se.shape == found.values.shape
    assert "sampled-values" in {caveat.id for caveat in result.caveats}
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, found.predictions, atol=1e-9)
    # What acts alone never varied; that it may do so in orders that were not drawn is a small part of what the others do.
    assert (found.se[:, 3:] > 0).all() and (found.se[:, 3:].max(axis=1) < 0.25 * found.se[:, :3].max(axis=1)).all()


def test_groups_are_chosen_one_at_a_time(frame):
    data = frame.assign(k=["u", "v"] * 75)
    result = sg.Explainer(lambda X: X["a"] * 2, data).shap(by="k", explain=10)
    with pytest.raises(sg.UsageError, match="more than one group"):
        _ = result.values
    assert result.select(group="k = u").values.shape == (10, 4)


def test_other_results_have_no_values(frame):
    result = sg.Explainer(lambda X: X["a"], frame).pdp("a")
    with pytest.raises(sg.UsageError, match="no values of single rows"):
        _ = result.values


def test_files_and_pictures(frame, tmp_path):
    result = sg.Explainer(lambda X: X["a"] * X["b"], frame).shapley(explain=30)
    result.save(tmp_path / "r.json")
    again = sg.load(tmp_path / "r.json")
    np.testing.assert_array_equal(again.values, result.values)
    assert again.to_json() == result.to_json()
    assert len(result.plot().to_dict()["vconcat"]) == 4  # ranking, rows, a, b
    assert "What features add, row by row" in str(result)
    result.save(tmp_path / "r.csv")
    table = pd.read_csv(tmp_path / "r.csv").query("type == 'attribution'")
    np.testing.assert_array_equal(table["attribution"].to_numpy().reshape(30, 3), result.values)
