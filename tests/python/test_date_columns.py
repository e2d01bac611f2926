"""Dates in data frames: what the model gets, and what people see."""

import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sightglass as sg

START = np.datetime64("2018-01-01")
ISO = re.compile(r"20(18|19|20|21)-\d\d-\d\d")


def houses(zone=None, unit="ns"):
    rng = np.random.default_rng(5)
    days = rng.integers(0, 1461, 300)
    sold = pd.Series((START + days).astype(f"datetime64[{unit}]"))
    if zone:
        sold = (sold + pd.Timedelta(hours=9)).dt.tz_localize("UTC").dt.tz_convert(zone)
    area = rng.uniform(40, 200, 300).round(1)
    frame = pd.DataFrame({"sold_on": sold, "area": area})
    return frame, 100 + 2 * area + days / 10


def price(frame):
    """Asked with dates, answers with numbers; a missing date is the first."""
    sold = frame["sold_on"]
    if isinstance(frame, pl.DataFrame):
        days = (sold.dt.epoch("d")).fill_null(17532).to_numpy()
    else:
        if getattr(sold.dt, "tz", None) is not None:
            sold = sold.dt.tz_convert("UTC").dt.tz_localize(None)
        days = sold.fillna(pd.Timestamp(START)).to_numpy().astype("datetime64[D]").astype(int)
    return 100 + 2 * np.asarray(frame["area"]) + (days - 17532) / 10


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_pandas_dates_are_dates(unit):
    frame, target = houses(unit=unit)
    result = sg.Explainer(price, frame, target).partial_dependence("sold_on", grid=8)
    assert result.data["dates"] == {"sold_on": {"unit": "seconds", "detail": "day"}}
    table = result.to_frame("pandas")
    assert table["value"].dtype.kind == "M"
    assert table["value"].min() == frame["sold_on"].min() and table["value"].max() == frame["sold_on"].max()
    assert ISO.search(str(result))
    # As a model sees them, and as scikit-learn would have them.
    assert result.results[0]["grid"][0] == frame["sold_on"].min().timestamp()


def test_polars_dates_are_dates():
    frame, target = houses()
    data = pl.DataFrame(
        {
            "sold_on": frame["sold_on"].dt.date.tolist(),
            "seen": frame["sold_on"].tolist(),
            "area": frame["area"].tolist(),
        }
    )
    result = sg.Explainer(price, data, target).ale(["sold_on", "area"], bins=5)
    assert result.data["dates"] == {
        "seen": {"unit": "seconds", "detail": "day"},
        "sold_on": {"unit": "days", "detail": "day"},
    }
    sold = result.select("sold_on").to_frame("polars")
    assert sold["value"].dtype == pl.Datetime
    assert sold["value"].min().date() == data["sold_on"].min()
    # Dates and numbers in one column are texts there, and themselves in pandas.
    assert result.to_frame("polars")["value"].dtype == pl.String
    mixed = result.to_frame("pandas")["value"]
    assert {type(value) for value in mixed} == {datetime.datetime, float} or mixed.dtype == object
    assert isinstance(result.to_frame("dict")["value"][0], datetime.datetime)


def test_zones_are_told_in_utc():
    frame, target = houses(zone="Europe/Berlin")
    result = sg.Explainer(price, frame, target).partial_dependence("sold_on", grid=5)
    assert result.data["dates"]["sold_on"] == {"unit": "seconds", "detail": "minute"}
    assert result.results[0]["unit"] == "UTC"
    assert re.search(r"20\d\d-\d\d-\d\d 09:00", str(result))


def test_missing_dates_are_missing():
    frame, target = houses()
    frame.loc[:9, "sold_on"] = pd.NaT
    explainer = sg.Explainer(price, frame, target)
    curve = explainer.partial_dependence("sold_on", grid=5).results[0]
    assert curve["missing"]["count"] == 10
    assert len(explainer.partial_dependence("area", grid=3, where="sold_on is missing").results) == 1
    attributed = explainer.shap(rows=[0, 20])
    own = attributed.to_frame("pandas").query("feature == 'sold_on'")["value"]
    assert pd.isna(own.iloc[0]) and own.iloc[1] == frame["sold_on"][20]


def test_conditions_and_groups():
    frame, target = houses()
    explainer = sg.Explainer(price, frame, target)
    later = explainer.partial_dependence("area", grid=3, where="sold_on > '2020-06-30'")
    assert later.data["rows"] == (frame["sold_on"] > "2020-06-30").sum()
    by_month = explainer.partial_dependence("area", grid=3, by="month(sold_on)")
    groups = [item["group"] for item in by_month.results]
    assert groups[0] == "month(sold_on) = January" and groups[-1] == "month(sold_on) = December" and len(groups) == 12
    by_weekday = explainer.partial_dependence("area", grid=3, by="weekday(sold_on)")
    assert [item["group"].split(" = ")[1] for item in by_weekday.results] == [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]  # fmt: skip
    with pytest.raises(sg.UsageError, match="holds dates"):
        explainer.partial_dependence("area", where="sold_on > 'soon'")


@pytest.mark.parametrize("method", ["shap", "what_if", "anchors", "neighbors"])
def test_rows_show_their_dates(method):
    frame, target = houses()
    result = getattr(sg.Explainer(price, frame, target), method)(rows=[7])
    text = str(result)
    assert not re.search(r"1[,.]?5\d[\d,.]*e\+?09|1,[56]\d\d,\d{3},\d{3}|1[56]\d{8}", text)
    if method != "anchors":
        assert frame["sold_on"][7].strftime("%Y-%m-%d") in text


def test_a_learner_tells_its_dates():
    frame, target = houses()
    tree = sg.fit("tree", frame, target, max_depth=3)
    assert any(ISO.search(split or "") for split in tree.explain().to_frame("dict", kind="tree")["split"])


def test_values_of_a_grid_are_dates():
    frame, target = houses()
    explainer = sg.Explainer(price, frame, target)
    wanted = [pd.Timestamp(day).timestamp() for day in ("2019-01-31", "2020-06-01")]
    for values in (
        ["2019-01-31", "2020-06"],
        [datetime.date(2019, 1, 31), datetime.datetime(2020, 6, 1)],
        [pd.Timestamp("2019-01-31"), pd.Timestamp("2020-06-01", tz="UTC")],
        np.array(["2019-01-31", "2020-06-01"], "M8[ns]"),
        pd.to_datetime(["2019-01-31", "2020-06-01"]),
        wanted,
    ):
        result = explainer.partial_dependence("sold_on", grid_rule="values", values=values)
        assert result.results[0]["grid"] == wanted
    centred = explainer.ice(
        "sold_on", grid_rule="values", values=wanted, center=True, anchor=pd.Timestamp("2020-06-01")
    )
    assert {row[1] for row in centred.results[0]["values"]} == {0}
    with pytest.raises(sg.UsageError, match="NaT is no date"):
        explainer.partial_dependence("sold_on", grid_rule="values", values=[pd.NaT])
    with pytest.raises(sg.UsageError, match="2020-01-01 is a date, and area has numbers"):
        explainer.partial_dependence("area", grid_rule="values", values="2020-01-01")


@pytest.mark.parametrize(
    "times",
    [
        pd.Series([pd.Timestamp.min, pd.Timestamp("2020-01-01"), pd.NaT, pd.Timestamp.max] * 10),
        pd.Series(np.array(["-9000-01-01", "2020-01-01", "NaT", "1000000-01-01"] * 10, "M8[s]")),
        pd.Series(np.array(["1677-09-22", "2020-01-01", "NaT", "2262-04-11"] * 10, "M8[ms]")).dt.tz_localize("UTC"),
    ],
    ids=["nanoseconds", "seconds", "zone"],
)
def test_times_at_the_ends_of_their_unit(times):
    frame = pd.DataFrame({"seen": times, "x": np.arange(40.0)})
    told = []

    def model(data):
        told.append(data["seen"])
        return np.asarray(data["x"])

    result = sg.Explainer(model, frame).partial_dependence("seen")
    grid = result.results[0]["grid"]
    counts, per_second = counts_of(times)
    wanted = sorted(count / per_second for count in counts)
    np.testing.assert_allclose(grid, wanted, rtol=1e-15, atol=1e-6)
    assert len(told) > 1
    for seen in told:
        assert seen.dtype == times.dtype
        # To the microsecond, which is what a double has of them; the last of all is a little earlier.
        slack = 2000 if per_second == 10**9 else 0
        assert all(min(abs(count - each) for each in counts) <= slack for count in counts_of(seen)[0])


def counts_of(times):
    """Different times, as NumPy counts them, and how many of these are a second."""
    plain = times.dt.tz_convert("UTC").dt.tz_localize(None) if times.dt.tz is not None else times
    values = plain.dropna().to_numpy()
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[np.datetime_data(values.dtype)[0]]
    return sorted({int(count) for count in values.view("i8")}), per_second


def test_months_that_no_calendar_has():
    from sightglass._columns import numpy_column

    with pytest.raises(sg.DataError, match="dates that no calendar has"):
        numpy_column("seen", np.array([2**60, 0, 1, 2], "i8").view("M8[M]"))


@pytest.mark.parametrize("count", ["days", "seconds", "nanoseconds"])
def test_the_number_of_a_date_does_not_depend_on_its_container(tmp_path, count):
    import xgboost

    frame, target = houses()
    days = frame["sold_on"].to_numpy().astype("datetime64[D]").astype("int64")
    numbers = frame.assign(sold_on=days * {"days": 1, "seconds": 86400, "nanoseconds": 86400 * 10**9}[count])
    model = xgboost.XGBRegressor(n_estimators=20, max_depth=3).fit(numbers, target)
    model.save_model(tmp_path / "model.json")
    frame.to_csv(tmp_path / "data.csv", index=False)
    frame.to_parquet(tmp_path / "data.parquet")
    places = (tmp_path / "data.csv", tmp_path / "data.parquet", frame, pl.from_pandas(frame))
    for data in (*places, frame.assign(sold_on=frame["sold_on"].dt.date)):
        for given in (tmp_path / "model.json", model):
            if given is model and not hasattr(data, "columns"):
                continue
            ex = sg.Explainer(given, data)
            np.testing.assert_array_equal(ex.predict(), model.predict(numbers))
    result = sg.Explainer(tmp_path / "model.json", frame, target).ale("sold_on", bins=5)
    if count != "nanoseconds":
        assert result.data["dates"] == {"sold_on": {"unit": count, "detail": "day"}}
        assert ISO.search(str(result))
    rows = sg.Explainer(tmp_path / "model.json", frame).shap(frame.iloc[:2])
    np.testing.assert_allclose(rows.all()[0].predictions, model.predict(numbers.iloc[:2]), rtol=1e-6)


def test_dates_that_the_model_has_as_other_numbers_are_doubted(tmp_path):
    import xgboost

    frame, target = houses()
    written = frame.assign(sold_on=frame["sold_on"].dt.strftime("%Y%m%d").astype(int))
    xgboost.XGBRegressor(n_estimators=20).fit(written, target).save_model(tmp_path / "model.json")
    result = sg.Explainer(tmp_path / "model.json", frame, target).ale("sold_on", bins=5)
    assert [one.evidence for one in result.caveats if "which are none near these" in one.message] == [
        {"kind": "ambiguous", "column": "sold_on"}
    ]


def test_a_fitted_model_knows_how_it_counts_dates(tmp_path):
    frame, target = houses()
    model = sg.fit("sparse-linear", frame, target)
    frame.to_csv(tmp_path / "data.csv", index=False)
    np.testing.assert_allclose(
        sg.Explainer(model, str(tmp_path / "data.csv")).predict(), sg.Explainer(model, frame).predict()
    )
