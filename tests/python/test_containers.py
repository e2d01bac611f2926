"""Every container gives the same numbers, and a model gets back the kind it was fitted with."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sightglass as sg


class Watch:
    """A model that keeps what it was given."""

    def __init__(self, answer):
        self.seen = []
        self._answer = answer

    def __call__(self, data):
        self.seen.append(data)
        return self._answer(data)


def frame_of_everything(rows=50):
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 9, rows)
    return pd.DataFrame(
        {
            "f8": rng.normal(size=rows),
            "f4": rng.normal(size=rows).astype("float32"),
            "i8": whole,
            "u1": whole.astype("uint8"),
            "flag": whole > 4,
            "size": pd.Categorical(rng.choice(["s", "m", "l"], rows), categories=["s", "m", "l", "xl"], ordered=True),
            "year": pd.Categorical(rng.choice([2001, 2002], rows)),
            "text": rng.choice(["b", "a", "c"], rows),
            "object": pd.Series(rng.choice(["b", "a"], rows), dtype=object),
            "gaps": pd.array(np.where(whole == 0, None, whole), dtype="Int64"),
            "maybe": pd.array(np.where(whole == 0, None, whole > 3), dtype="boolean"),
            "when": pd.Timestamp("2020-01-01 01:02:03.000004") + pd.to_timedelta(whole, "D"),
            "zoned": pd.Timestamp("2020-01-01", tz="Europe/Berlin") + pd.to_timedelta(whole, "h"),
            "hole": np.where(whole == 1, np.nan, whole * 0.5),
        }
    )


def test_pandas_comes_back_as_it_was():
    frame = frame_of_everything()
    model = Watch(lambda data: data["f8"] + data["i8"])
    ex = sg.Explainer(model, frame, batch=64)
    ex.partial_dependence("f8", grid=3)
    probe, tiled = model.seen[0], model.seen[1]
    assert len(probe) == 1
    assert len(tiled) == 3 * len(frame)
    pd.testing.assert_series_equal(tiled.dtypes, frame.dtypes)
    back = tiled.iloc[: len(frame)]
    pd.testing.assert_frame_equal(back.drop(columns="f8"), frame.drop(columns="f8"))
    assert back["f8"].nunique() == 1


@pytest.mark.parametrize("feature", list(frame_of_everything().columns))
def test_each_kind_of_column_can_be_changed(feature):
    frame = frame_of_everything()
    model = Watch(lambda data: np.arange(len(data), dtype=float))
    curve = sg.Explainer(model, frame, batch=64).partial_dependence(feature, grid=4).results[0]
    tiled = model.seen[1]
    assert tiled[feature].dtype == frame[feature].dtype
    points = len(curve["grid"]) + (curve["missing"] is not None)
    assert len(tiled) == points * len(frame)
    for point in range(points):
        part = tiled[feature].iloc[point * len(frame) : (point + 1) * len(frame)]
        assert part.nunique(dropna=False) == 1
    assert part.isna().all() == (curve["missing"] is not None)
    others = tiled.drop(columns=feature).iloc[-len(frame) :].reset_index(drop=True)
    pd.testing.assert_frame_equal(others, frame.drop(columns=feature))


def test_integers_become_floats_only_for_fractions():
    frame = pd.DataFrame({"n": np.arange(20), "m": np.arange(20) * 2})
    model = Watch(lambda data: data["n"] * 1.0)
    ex = sg.Explainer(model, frame)
    ex.partial_dependence("n")
    assert all(seen["n"].dtype == np.int64 for seen in model.seen)
    ex.partial_dependence("n", grid_rule="values", values=[0.5])
    assert model.seen[-1]["n"].dtype == np.float64
    assert model.seen[-1]["m"].dtype == np.int64
    matrix = Watch(lambda data: data[:, 0] * 1.0)
    sg.Explainer(matrix, frame.to_numpy()).partial_dependence("x0")
    assert all(seen.dtype == np.int64 for seen in matrix.seen)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "uint8", "bool", "float16"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numpy_types(dtype, order, rng):
    X = np.asarray(rng.integers(0, 2, (30, 3)), dtype=dtype, order=order)
    model = Watch(lambda data: data[:, 0] * 2.0)
    result = sg.Explainer(model, X).partial_dependence(0)
    assert all(isinstance(seen, np.ndarray) and seen.dtype == X.dtype and seen.ndim == 2 for seen in model.seen)
    np.testing.assert_array_equal(model.seen[1][:30, 1:], X[:, 1:])
    assert result["average"].tolist() == [[0.0, 2.0]]


def test_strides_and_byte_orders(rng):
    whole = rng.normal(size=(40, 8))
    answers = []
    for X in (whole[::2, ::-2], np.ascontiguousarray(whole[::2, ::-2]), whole[::2, ::-2].astype(">f8")):
        answers.append(sg.Explainer(lambda data: data[:, 0] - data[:, 1], X).partial_dependence(1)["average"])
    assert all((answer == answers[0]).all() for answer in answers)
    backwards = sg.Explainer(lambda data: data[:, 0], whole[::-1])
    assert "copied" in backwards.notes[0]
    assert sg.Explainer(lambda data: data[:, 0], whole[::2]).notes == []


def test_numpy_objects():
    X = np.array([["a", 1.5], ["b", None], [None, 3]] * 4, dtype=object)
    model = Watch(lambda data: [float(len(str(row[0]))) for row in data])
    result = sg.Explainer(model, X).partial_dependence(["x0", "x1"])
    assert result.select("x0").results[0]["grid"] == ["a", "b"]
    assert result.select("x1").results[0]["grid"] == [1.5, 3]
    assert model.seen[1].dtype == object
    assert model.seen[1][0, 0] == "a" and model.seen[1][0, 1] == 1.5


def test_a_model_may_keep_or_change_what_it_gets(rng):
    X = rng.normal(size=(5000, 2))
    kept = []

    def model(data):
        kept.append((data, data.copy()))
        answer = data[:, 0].copy()
        data += 1
        kept[-1][1][:] = data
        return answer

    result = sg.Explainer(model, X).partial_dependence("x0", grid=40)
    np.testing.assert_allclose(result["average"][0], result["grid_values"][0], rtol=1e-12)
    assert all((data == copy).all() for data, copy in kept)


def test_answers_may_be_views_of_the_input(rng):
    X = rng.normal(size=(100, 2))
    result = sg.Explainer(lambda data: data[:, 0], X).partial_dependence("x0")
    np.testing.assert_allclose(result["average"][0], result["grid_values"][0], rtol=1e-12)


ARROW = {
    "a": [1.5, 2.5, None, 4.0],
    "n": [1, 2, None, 4],
    "i": [1, 2, 3, 4],
    "b": [True, False, None, True],
    "s": ["x", "y", None, "x"],
    "d": [datetime.date(2020, 1, 1), None, datetime.date(2021, 5, 6), datetime.date(2020, 1, 1)],
    "t": [
        datetime.datetime(2020, 1, 1, 3, 4, 5, 6),
        None,
        datetime.datetime(1960, 1, 1),
        datetime.datetime(2020, 1, 1),
    ],
}


def test_polars_comes_back_as_it_was():
    frame = pl.DataFrame(ARROW).with_columns(
        c=pl.Series(["u", "v", None, "u"], dtype=pl.Categorical),
        e=pl.Series(["u", "v", None, "u"], dtype=pl.Enum(["v", "u"])),
    )
    model = Watch(lambda data: np.arange(len(data)) * 1.0)
    ex = sg.Explainer(model, frame)
    for feature in frame.columns:
        model.seen.clear()
        ex.partial_dependence(feature)
        tiled = model.seen[1]
        assert isinstance(tiled, pl.DataFrame)
        assert tiled.schema == frame.schema
        assert tiled.drop(feature)[:4].equals(frame.drop(feature))
        assert tiled[feature][:4].n_unique() == 1
        if frame[feature].null_count():
            assert tiled[feature][-4:].null_count() == 4
    lazy = sg.Explainer(model, frame.lazy())
    assert lazy.partial_dependence("a").to_json() == ex.partial_dependence("a").to_json()


def test_pyarrow_comes_back_as_it_was():
    table = pa.table(ARROW).append_column("c", pa.array(["u", "v", None, "u"]).dictionary_encode())
    model = Watch(lambda data: np.arange(data.num_rows) * 1.0)
    ex = sg.Explainer(model, table)
    for feature in table.column_names:
        model.seen.clear()
        ex.partial_dependence(feature)
        tiled = model.seen[1]
        assert isinstance(tiled, pa.Table)
        assert tiled.schema.types == table.schema.types
        others = [name for name in table.column_names if name != feature]
        assert tiled.select(others).slice(0, 4).to_pylist() == table.select(others).to_pylist()
        if table[feature].null_count:
            assert tiled[feature].slice(tiled.num_rows - 4).null_count == 4


def test_all_containers_give_the_same_numbers(rng):
    import duckdb

    rows = 5000
    frame = pd.DataFrame({"a": rng.normal(size=rows), "b": rng.normal(size=rows), "k": rng.choice(["p", "q"], rows)})
    polars, arrow = pl.DataFrame(frame.to_dict("list")), pa.table(frame.to_dict("list"))

    def model(data):
        if isinstance(data, pl.DataFrame):
            data = data.to_dict(as_series=False)
        elif isinstance(data, pa.Table):
            data = data.to_pydict()
        return np.asarray(data["a"]) * np.asarray(data["b"]) + (np.asarray(data["k"]) == "q")

    results = {
        name: sg.Explainer(model, data).partial_dependence(["a", "k", ("a", "k")], grid=10).results
        for name, data in {
            "pandas": frame,
            "categories": frame.astype({"k": "category"}),
            "polars": polars,
            "pyarrow": arrow,
            "duckdb": duckdb.sql("select * from arrow"),
        }.items()
    }
    assert all(result == results["pandas"] for result in results.values())
    numbers = frame[["a", "b"]]
    plain = sg.Explainer(lambda data: np.asarray(data)[:, 0] * np.asarray(data)[:, 1], numbers)
    matrix = sg.Explainer(lambda data: data[:, 0] * data[:, 1], numbers.to_numpy())
    one, two = plain.ice("a", grid=5).results, matrix.ice("x0", grid=5).results
    assert one[0]["values"] == two[0]["values"]


def test_targets_and_weights(rng):
    frame = pd.DataFrame({"a": rng.normal(size=30), "b": rng.uniform(size=30), "y": rng.normal(size=30)})
    model = Watch(lambda data: data["a"])
    by_name = sg.Explainer(model, frame, "y", weights="b")
    assert by_name.features == ["a"]
    by_name.partial_dependence()
    assert list(model.seen[-1].columns) == ["a"]
    result = sg.Explainer(model, frame[["a"]], frame["y"]).partial_dependence()
    assert result.data["target"] == "y"
    assert sg.Explainer(model, frame[["a"]], frame["y"].to_numpy()).partial_dependence().data["target"] == "y"
    labels = np.array(["no", "yes"])[rng.integers(0, 2, 30)]
    assert sg.Explainer(model, frame[["a"]], labels).features == ["a"]
    with pytest.raises(sg.DataError, match="target has 3 values, X has 30 rows"):
        sg.Explainer(model, frame, [1, 2, 3])
    with pytest.raises(sg.UsageError, match="no column z"):
        sg.Explainer(model, frame, "z")


@pytest.mark.parametrize("data", [None, 3, [[1, 2]], "nothing", {"a": [1]}, np.zeros(3), np.zeros((2, 2, 2))])
def test_what_is_no_data(data):
    with pytest.raises(sg.Error):
        sg.Explainer(lambda data: data, data)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.floats(-1e6, 1e6)), st.one_of(st.none(), st.text(max_size=3)), st.integers(-5, 5)
        ),
        min_size=1,
        max_size=30,
    )
)
def test_any_small_frame(rows):
    frame = pd.DataFrame(
        {
            "number": pd.array([row[0] for row in rows], dtype="Float64"),
            "text": pd.Series([row[1] for row in rows], dtype=object),
            "whole": [row[2] for row in rows],
        }
    )
    model = Watch(lambda data: data["whole"].to_numpy() * 1.0)
    result = sg.Explainer(model, frame).partial_dependence()
    assert sg.Explainer(model, frame, threads=1).partial_dependence().to_json() == result.to_json()
    whole = result.select("whole").results[0]
    assert whole["mean"] == whole["grid"]
