"""Rows of other tables, and what rows are called."""

import json
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import sightglass as sg

TOOL = Path(sg.__file__).parent / "_bin" / "sightglass"
LOCAL = ("shap", "lime", "anchors", "what_if", "neighbors", "explain_row")


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "a": random.normal(size=120),
            "b": random.integers(0, 5, 120).astype(float),
            "k": random.choice(["x", "y", "z"], 120),
        },
        index=[f"C-{i}" for i in range(120)],
    )


def predict(X):
    return np.asarray(X["a"] * X["b"] + np.where(X["k"] == "y", 2.0, 0.0), float)


@pytest.fixture(scope="module")
def explainer(frame):
    return sg.Explainer(predict, frame.iloc[:100], seed=3)


@pytest.mark.parametrize("method", LOCAL)
def test_every_local_method_takes_new_rows(explainer, frame, method):
    new = frame.iloc[100:103]
    result = getattr(explainer, method)(new)
    assert "2814749767" not in result.to_json()
    assert result.data["new_rows"] == {"rows": 3, "explained": 3}
    assert result.data["rows"] == 100
    text = result.to_json()
    assert "C-100" in text and "C-102" in text
    assert getattr(explainer, method)(rows_from=new, rows=[1]).data["new_rows"] == {"rows": 3, "explained": 1}


def test_values_are_those_of_the_new_rows(explainer, frame):
    new = frame.iloc[100:]
    result = explainer.shap(new, background_rows=0)
    assert result.values.shape == (20, 3)
    np.testing.assert_allclose(result.base_values + result.values.sum(axis=1), predict(new), atol=1e-12)
    assert result.index.tolist() == new.index.tolist()
    assert result.feature_names == ["a", "b", "k"]
    # Brute force: each coalition, against all rows of the data.
    row, data = new.iloc[[4]], frame.iloc[:100]

    def game(known):
        mixed = data.copy()
        for name in known:
            mixed[name] = row[name].iloc[0]
        return predict(mixed).mean()

    from itertools import permutations

    orders = list(permutations(["a", "b", "k"]))
    expected = np.zeros(3)
    for order in orders:
        for place, name in enumerate(order):
            expected["abk".index(name)] += (game(order[: place + 1]) - game(order[:place])) / len(orders)
    np.testing.assert_allclose(result.values[4], expected, atol=1e-9)


def test_one_row_in_many_forms(explainer, frame):
    expected = explainer.shap(frame.iloc[[105]], background_rows=0).values
    forms = [frame.iloc[105], frame.iloc[105].to_dict(), frame.loc["C-105"], frame.iloc[105:106].to_dict("list")]
    for row in forms:
        np.testing.assert_allclose(explainer.shap(row, background_rows=0).values, expected)
    np.testing.assert_allclose(explainer.shap(rows_from=frame.iloc[100:], rows=5, background_rows=0).values, expected)
    # Numbers are still numbers of rows.
    assert explainer.shap(pd.Series([3, 4])).index.tolist() == ["C-3", "C-4"]
    assert explainer.shap(np.array([3, 4])).index.tolist() == ["C-3", "C-4"]


def test_arrays_have_no_names():
    X = np.random.default_rng(0).uniform(size=(60, 2))
    explainer = sg.Explainer(lambda X: X[:, 0] * X[:, 1], X)
    result = explainer.shap(X[:5] + 0.1)
    assert result.values.shape == (5, 2)
    assert result.index.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(sg.DataError, match="rows_from.*x1"):
        explainer.shap(X[:5, :1])


def test_the_background_is_another_table(frame):
    train, test = frame.iloc[:60], frame.iloc[60:]
    result = sg.Explainer(predict, test).shap(background_data=train, background_rows=0, explain=0)
    other = sg.Explainer(predict, train).shap(test, background_rows=0)
    np.testing.assert_allclose(result.values, other.values)
    assert result.base_values[0] == pytest.approx(predict(train).mean())
    assert result.index.tolist() == test.index.tolist()
    assert result.data["rows"] == 60


def test_columns_that_lack(explainer, frame):
    with pytest.raises(sg.DataError, match="rows_from: the table has no column b, which the model is given"):
        explainer.shap(frame[["a", "k"]].iloc[:2])


def test_what_was_drawn_is_said(explainer, frame):
    result = explainer.shap(explain=30)
    assert result.values.shape == (30, 3)
    assert "30 of 100 rows drawn at random, seed 3" in repr(result)
    assert repr(result).startswith("<sightglass.Result: shap, 30 rows × 3 features")
    assert len(repr(result).splitlines()) <= 3
    assert set(result.index) < set(frame.index[:100])
    assert "What features add" in str(result)
    assert "rows 3, 5 of 100" in repr(explainer.shap([3, 5]))
    assert "20 rows of other data, compared with 100 rows" in repr(explainer.shap(frame.iloc[100:]))
    drawn = explainer.shap(frame.iloc[100:], explain=5)
    assert drawn.values.shape == (5, 3)
    assert "5 of 20 rows drawn at random, seed 3" in repr(drawn)
    assert "all 100 rows" in repr(explainer.pdp("a"))


def test_rows_have_the_names_of_their_owner(explainer, frame):
    result = explainer.shap([2, 7])
    assert result.index.tolist() == ["C-2", "C-7"]
    assert set(result.to_frame("pandas", kind="attributions")["label"]) == {"C-2", "C-7"}
    assert "C-2 (row 2)" in str(result)
    again = sg.Result(result._native.from_json(result.to_json(), "test"))
    assert again.index.tolist() == ["C-2", "C-7"]
    # Labels keep their types, as X.loc takes them.
    numbered = frame.set_axis(np.arange(120) * 10)
    result = sg.Explainer(predict, numbered).shap([2, 7])
    assert result.index.tolist() == [20, 70]
    assert result.to_frame("pandas", kind="attributions")["label"].unique().tolist() == [20, 70]
    np.testing.assert_allclose(predict(numbered.loc[result.index]), result.explanation.predictions)
    # Those that only count are no names.
    assert sg.Explainer(predict, frame.reset_index(drop=True)).shap([2]).explanation.rows.tolist() == [2]
    assert "label" not in sg.Explainer(predict, frame.reset_index(drop=True)).shap([2]).to_frame("dict")


def test_ids(frame):
    data = frame.reset_index(names="customer")
    given = sg.Explainer(predict, data, ids="customer")
    assert given.features == ["a", "b", "k"]
    assert given.shap([4]).index.tolist() == ["C-4"]
    listed = sg.Explainer(predict, data[["a", "b", "k"]], ids=list(data["customer"]))
    assert listed.shap([4]).index.tolist() == ["C-4"]
    assert given.shap(data.iloc[100:102]).index.tolist() == ["C-100", "C-101"]
    with pytest.raises(sg.UsageError, match="ids: X has no column id"):
        sg.Explainer(predict, data, ids="id")
    with pytest.raises(sg.DataError, match="ids has 3 values"):
        sg.Explainer(predict, frame, ids=["p", "q", "r"])


def test_to_shap(explainer, frame, monkeypatch):
    made = {}

    class Explanation:
        def __init__(self, values, **fields):
            made.update(values=values, **fields)

    monkeypatch.setitem(sys.modules, "shap", types.SimpleNamespace(Explanation=Explanation))
    result = explainer.shap(frame.iloc[100:104])
    assert isinstance(result.to_shap(), Explanation)
    np.testing.assert_array_equal(made["values"], result.values)
    assert made["base_values"].shape == (4,)
    assert made["data"].dtype == float and made["display_data"][:, 2].tolist() == frame["k"].iloc[100:104].tolist()
    assert made["feature_names"] == ["a", "b", "k"] and "output_names" not in made
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(sg.UsageError, match="pip install shap"):
        result.to_shap()
    with pytest.raises(sg.UsageError, match="no values of single rows"):
        explainer.pdp("a").to_shap()


def test_plots_of_the_shap_package(explainer, frame):
    shap = pytest.importorskip("shap")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    explanation = explainer.shap(frame).to_shap()
    assert isinstance(explanation, shap.Explanation) and explanation.shape == (120, 3)
    for draw in (shap.plots.beeswarm, shap.plots.bar):
        draw(explanation, show=False)
        pyplot.close("all")
    shap.plots.waterfall(explanation[0], show=False)
    pyplot.close("all")
    shap.plots.scatter(explanation[:, "a"], color=explanation[:, "b"], show=False)
    pyplot.close("all")


def test_training_and_test_data(frame):
    sklearn = pytest.importorskip("sklearn.tree")
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(300, 4)), columns=list("abcd"))
    y = X["a"] + random.normal(size=300)
    model = sklearn.DecisionTreeRegressor(random_state=0).fit(X[:150], y[:150])
    explainer = sg.Explainer(model, X[150:], y[150:])
    result = explainer.permutation_importance(train_data=(X[:150], y[:150]), repeats=5)
    groups = {item.group for item in result.all(sg.shapes.Importance)}
    assert groups == {"test data", "training data"}
    found = {caveat.id: caveat for caveat in result.caveats}
    assert "training-importance" in found and "instead of" in found["training-importance"].message
    alone = explainer.permutation_importance(repeats=5)
    test = [item.importance for item in result.all(sg.shapes.Importance) if item.group == "test data"]
    assert test == [item.importance for item in alone.all(sg.shapes.Importance)]
    scored = explainer.performance(train_data=X[:150].assign(**{explainer._defaults["target"]: y[:150]}))
    message = next(caveat.message for caveat in scored.caveats if caveat.id == "overfitting")
    assert "on the training data and" in message
    # A model that says the same of new rows gives no reason to caution.
    fair = sg.Explainer(lambda X: np.asarray(X["a"]), X[150:], y[150:])
    result = fair.permutation_importance(train_data=(X[:150], y[:150]), repeats=5)
    assert not {"training-importance", "overfitting"} & {caveat.id for caveat in result.caveats}
    with pytest.raises(sg.DataError, match="train_data: the table has no column"):
        explainer.performance(train_data=X[:150])


def cli(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_files(tmp_path, frame):
    target = predict(frame)
    data = frame.assign(y=target).reset_index(names="id")
    data.iloc[:100].to_csv(tmp_path / "data.csv", index=False)
    data.iloc[100:].drop(columns="y").assign(k="y").to_csv(tmp_path / "new.csv", index=False)
    assert cli("fit", "tree", "--data", str(tmp_path / "data.csv"), "--target", "y", "--features", "a,b,k", "-o",
               str(tmp_path / "m.json"))[0] == 0  # fmt: skip
    model = ["--model", str(tmp_path / "m.json"), "--data", str(tmp_path / "data.csv"), "--target", "y", "--quiet"]
    code, out, err = cli("shap", *model, "--id", "id", "--rows-from", str(tmp_path / "new.csv"), "--format", "json")
    assert code == 0, err
    found = json.loads(out)
    item = next(item for item in found["results"] if item["type"] == "attributions")
    assert [row["row"] for row in item["attributions"]] == list(range(20))
    assert item["row_labels"] == [f"C-{i}" for i in range(100, 120)]
    assert found["options"]["rows_from"] == "new.csv"
    code, out, err = cli("lime", *model, "--rows-from", str(tmp_path / "new.csv"), "--rows", "3", "--format", "table")
    assert code == 0 and "row 3" in out, err
    code, out, err = cli("anchors", *model, "--background-data", str(tmp_path / "data.csv"), "--rows", "7")
    assert code == 0, err
    code, _, err = cli("shap", *model, "--rows-from", str(tmp_path / "none.csv"))
    assert code == 3 and "none.csv" in err
    (tmp_path / "less.csv").write_text("a,k\n1,x\n")
    code, _, err = cli("shap", *model, "--rows-from", str(tmp_path / "less.csv"))
    assert code == 3 and "--rows-from: the table has no column b, which the model is given" in err


@pytest.mark.parametrize("method", LOCAL)
def test_rows_are_asked_for_by_their_names(explainer, method):
    run = getattr(explainer, method)
    assert run("C-17").results == run(17).results
    assert run(rows=["C-17", 3]).results == run([17, 3]).results
    assert "C-17" in run("C-17").to_json()


def test_names_that_there_are_not_and_those_that_there_are_twice(frame):
    explainer = sg.Explainer(predict, frame.iloc[:100], seed=3)
    with pytest.raises(sg.UsageError, match=r"no row is called c17; did you mean C-17\?"):
        explainer.shap("c17")
    with pytest.raises(sg.UsageError, match=r"C-117.*C-17|C-117.*C-11"):
        explainer.shap(["C-117"])
    twice = frame.iloc[:100].rename(index={"C-40": "C-17"})
    assert sg.Explainer(predict, twice).shap("C-17").to_frame("pandas")["row"].unique().tolist() == [17, 40]
    unnamed = sg.Explainer(predict, frame.iloc[:100].reset_index(drop=True))
    with pytest.raises(sg.UsageError, match="the rows have no names.*ids"):
        unnamed.shap("C-17")


def test_whole_numbers_count_and_texts_are_names(frame):
    numbered = frame.iloc[:100].set_axis(range(1000, 1100))
    explainer = sg.Explainer(predict, numbered)
    assert explainer.shap(17).results == explainer.shap("1017").results
    assert explainer.shap(np.int64(17)).results == explainer.shap(17).results
    ids = sg.Explainer(predict, frame.iloc[:100].reset_index(drop=True), ids=[f"id {row}" for row in range(100)])
    assert ids.shap("id 5").results == ids.shap(5).results


def test_names_of_dates_and_of_several_levels(frame):
    days = frame.iloc[:100].set_axis(pd.date_range("2021-01-01", periods=100))
    explainer = sg.Explainer(predict, days)
    result = explainer.shap("2021-01-06")
    assert result.results == explainer.shap(5).results == explainer.shap(pd.Timestamp("2021-01-06")).results
    assert "2021-01-06 (row 5)" in str(result) and "00:00:00" not in str(result)
    towns = pd.MultiIndex.from_arrays([["Bath", "Ely"] * 50, range(100)])
    explainer = sg.Explainer(predict, frame.iloc[:100].set_axis(towns))
    assert explainer.shap(("Ely", 7)).results == explainer.shap(7).results


def test_names_of_new_rows_and_files(explainer, frame, tmp_path):
    named = explainer.shap(rows_from=frame.iloc[100:], rows="C-103")
    assert named.results == explainer.shap(rows_from=frame.iloc[100:], rows=3).results
    assert named.index.tolist() == ["C-103"]
    with pytest.raises(sg.DataError, match="No such file"):
        explainer.shap(str(tmp_path / "new.csv"))


def hotel(kind):
    rng = np.random.default_rng(8)
    board = rng.choice(["breakfast", "half", "none"], 200)
    frame = pd.DataFrame({"board": board, "nights": rng.integers(1, 9, 200)})
    price = frame.nights * 50.0 + (board == "half") * 80
    if kind == "category":
        frame["board"] = frame.board.astype("category")
    if kind == "object":
        frame["board"] = frame.board.astype(object)
    encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["board"]), remainder="passthrough")
    return make_pipeline(encode, KNeighborsRegressor()).fit(frame, price), frame, price


@pytest.mark.parametrize("kind", ["text", "object", "category"])
def test_levels_that_the_data_do_not_have(kind):
    model, frame, price = hotel(kind)
    ex = sg.Explainer(model, frame, price)
    assert not ex.native
    new = pd.DataFrame({"board": ["all inclusive", "half"], "nights": [3, 4]}, index=["a", "b"])
    expected = model.predict(new)
    shap = ex.shap(new)
    np.testing.assert_allclose(shap.base_values + shap.values.sum(axis=1), expected)
    doubts = [one for one in shap.caveats if one.evidence.get("kind") == "unknown-levels"]
    assert len(doubts) == 1 and "all inclusive" in doubts[0].message
    assert not [one for one in ex.shap(rows=[0]).caveats if one.evidence.get("kind") == "unknown-levels"]
    one = {"board": "all inclusive", "nights": 3}
    np.testing.assert_allclose(ex.shap(one).all()[0].predictions, expected[:1])
    for method in ("lime", "explain_row", "anchors", "counterfactuals", "what_if", "neighbors", "ice"):
        options = {"at_least": 100.0} if method == "counterfactuals" else {}
        result = getattr(ex, method)(rows=new.iloc[:1], **options)
        told = [result] if isinstance(result, sg.Result) else list(result.results)
        assert any("all inclusive" in str(one.message) for part in told for one in part.caveats), method
    # The other way round: what the background lacks.
    background = frame[frame.board != "half"]
    rows = frame[frame.board == "half"].iloc[:3]
    found = ex.shap(rows, background_data=background)
    np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), model.predict(rows))


def test_a_model_that_refuses_a_level_says_so():
    _, frame, price = hotel("text")
    encode = make_column_transformer((OneHotEncoder(), ["board"]), remainder="passthrough")
    ex = sg.Explainer(make_pipeline(encode, KNeighborsRegressor()).fit(frame, price), frame, price)
    with pytest.raises(sg.PredictionError, match="unknown categories"):
        ex.shap({"board": "all inclusive", "nights": 3})
