"""Dates are told as dates, wherever a value of the data is shown."""

import csv
import datetime
import io
import json
import math
import random
import re

import pytest
from native_tool import DATA, USAGE, fails

# Nothing in these data is so large but seconds since 1970.
LARGE = re.compile(r"(?<![\w.#])\d{9,}(?!\w)|\d,\d{3},\d{3},\d{3}|\de\+0?9")


def write(path, stamps):
    """Houses sold over four years: prices rise, and more of them are sold in spring."""
    generator = random.Random(4)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["sold_on", "area", "town", "price"])
        for _ in range(600):
            day = datetime.date(2018, 1, 1) + datetime.timedelta(days=generator.randrange(1461))
            moment = datetime.datetime(
                day.year, day.month, day.day, generator.randrange(24), 15 * generator.randrange(4)
            )
            area = round(generator.uniform(40, 200), 1)
            town = generator.choice(["Ely", "Bath", "York"])
            years = (day - datetime.date(2018, 1, 1)).days / 365
            price = 100 + 2 * area + 40 * years + 30 * math.sin(day.month) + (20 if town == "Bath" else 0)
            table.writerow([moment if stamps else day, area, town, round(price + generator.gauss(0, 8), 1)])
    return path


@pytest.fixture(scope="module", params=["date", "timestamp"])
def folder(request, tmp_path_factory):
    place = tmp_path_factory.mktemp(request.param)
    write(place / "houses.csv", request.param == "timestamp")
    return place


@pytest.fixture
def houses(sightglass, folder):
    model = folder / "model.json"
    if not model.exists():
        more = ["--data", folder / "houses.csv", "--target", "price", "--max-depth", 4, "-o", model, "--quiet"]
        done = sightglass("fit", "tree", *more)
        assert done.code == 0, done.err
    return ["--model", model, "--data", folder / "houses.csv", "--target", "price", "--quiet"]


def test_the_result_says_which_features_have_dates(sightglass, houses, folder):
    result = sightglass("pdp", *houses, "--features", "sold_on,area").json
    known = {"date": ("days", "day"), "timestamp": ("seconds", "minute")}[folder.name[:-1]]
    assert result["data"]["dates"] == {"sold_on": {"unit": known[0], "detail": known[1]}}
    # What the model sees stays a number.
    assert all(isinstance(number, int | float) for number in result["results"][0]["grid"])


@pytest.mark.parametrize(
    "method",
    [
        ["pdp", "--features", "sold_on"],
        ["pdp", "--pairs", "sold_on:area"],
        ["ice", "--features", "sold_on"],
        ["ale", "--features", "sold_on"],
        ["m-plot", "--features", "sold_on"],
        ["compare", "--features", "sold_on"],
        ["regional-effects", "--features", "area"],
        ["shap", "--rows", "3,4"],
        ["explain-row", "--rows", "3"],
        ["what-if", "--rows", "3"],
        ["counterfactuals", "--rows", "3", "--at-least", "500"],
        ["anchors", "--rows", "3"],
        ["neighbors", "--rows", "3"],
        ["lime", "--rows", "3"],
        ["intrinsic", "--rows", "3"],
        ["prototypes", "--prototypes", "3", "--criticisms", "2"],
        ["surrogate", "--kind", "tree"],
        ["surrogate", "--kind", "rules"],
        ["surrogate", "--kind", "rulefit"],
        ["residuals"],
        ["residuals", "--features", "sold_on"],
        ["error-regions"],
    ],
    ids=lambda method: "-".join(method[:3]),
)
def test_no_method_shows_seconds_since_1970(sightglass, houses, tmp_path, method):
    """In text, CSV, a chart's words and a page's tables; a chart's data stay numbers."""
    done = sightglass(*method, *houses, "-o", "result.json")
    assert done.code == 0, done.err
    for kind in ("table", "csv"):
        text = sightglass("render", "result.json", "--format", kind).out
        assert not LARGE.findall(text), text
        # Text of these has no values of the feature, unless a split asks for one.
        if kind == "csv" and method[0] not in ("prototypes", "regional-effects", "error-regions", "residuals"):
            assert re.search(r"20(18|19|20|21|22)-\d\d-\d\d", text), text
    chart = sightglass("render", "result.json", "--format", "vega").json
    words = json.dumps([text for text in texts_of(chart)])
    assert not LARGE.findall(words.replace("86400000", "")), words


def texts_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_of(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_of(each)


def test_axes_have_ticks_where_months_or_years_begin(sightglass, houses):
    chart = sightglass("pdp", *houses, "--features", "sold_on", "--format", "vega").json
    guides = [guide for guide in objects_of(chart) if "labelExpr" in guide]
    assert guides and all("utcFormat" in guide["labelExpr"] for guide in guides)
    scale = 86400 if "86400000" in guides[0]["labelExpr"] else 1
    days = [datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=scale * tick) for tick in guides[0]["values"]]
    assert len(days) >= 3 and all(day.day == 1 and day.hour == 0 for day in days)


def objects_of(value):
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from objects_of(each)


def test_saved_results_keep_them(sightglass, houses):
    sightglass("pdp", *houses, "--features", "sold_on", "-o", "saved.json")
    direct = sightglass("pdp", *houses, "--features", "sold_on", "--format", "csv").out
    assert sightglass("render", "saved.json", "--format", "csv").out == direct
    values = [row["value"] for row in csv.DictReader(io.StringIO(direct))]
    assert values and all(re.fullmatch(r"20\d\d-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?", value) for value in values)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("sold_on > '2020-01-01'", lambda when: when >= datetime.datetime(2020, 1, 2)),
        ("sold_on >= 2020-01-01", lambda when: when >= datetime.datetime(2020, 1, 1)),
        ("sold_on <= '2019-06'", lambda when: when < datetime.datetime(2019, 7, 1)),
        ("sold_on = 2019", lambda when: when.year == 2019),
        ("sold_on between '2019-03-01' and '2019-03-31'", lambda when: (when.year, when.month) == (2019, 3)),
        ("sold_on in (2018-05, 2019-05)", lambda when: when.month == 5 and when.year < 2020),
        ("sold_on != '2019'", lambda when: when.year != 2019),
        ("month(sold_on) = May or month(sold_on) = 6", lambda when: when.month in (5, 6)),
        ("weekday(sold_on) in (Saturday, Sun)", lambda when: when.weekday() > 4),
        ("year(sold_on) >= 2020 and quarter(sold_on) = Q1", lambda when: when.year >= 2020 and when.month < 4),
    ],
)
def test_conditions_know_dates(sightglass, houses, folder, condition, holds):
    with (folder / "houses.csv").open() as file:
        when = [datetime.datetime.fromisoformat(row["sold_on"]) for row in csv.DictReader(file)]
    result = sightglass("pdp", *houses, "--features", "area", "--grid", 3, "--where", condition)
    assert result.code == 0, result.err
    assert result.json["data"]["rows"] == sum(map(holds, when))


def test_conditions_that_cannot_be_read_say_what_a_date_is(sightglass, houses):
    run = lambda condition: sightglass("pdp", *houses, "--features", "area", "--where", condition)  # noqa: E731
    fails(run("sold_on > yesterday"), USAGE, "sold_on holds dates, yesterday is none", "2020-01-31")
    fails(run("sold_on > '31.01.2020'"), USAGE, "sold_on holds dates", "2020-01-31")
    fails(run("sold_on > '2020-02-30'"), USAGE, "sold_on holds dates")
    fails(run("month(area) = 3"), USAGE, "month() needs a column of dates, and area holds numbers")
    fails(run("month(sold_on) = Smarch"), USAGE, "Smarch is no month", "May")


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("quarter(sold_on)", [f"quarter(sold_on) = Q{k}" for k in (1, 2, 3, 4)]),
        ("year(sold_on)", [f"year(sold_on) = {year}" for year in (2018, 2019, 2020, 2021)]),
        ("weekday(sold_on)", ["weekday(sold_on) = Monday", "weekday(sold_on) = Tuesday", None]),
        ("month(sold_on)", ["month(sold_on) = January", "month(sold_on) = February", None]),
    ],
)
def test_groups_by_a_part_of_a_date(sightglass, houses, by, names):
    done = sightglass("pdp", *houses, "--features", "area", "--grid", 3, "--by", by)
    assert done.code == 0, done.err
    groups = [item["group"] for item in done.json["results"]]
    if names[-1] is None:
        assert groups[:2] == names[:2] and len(groups) == (7 if "week" in by else 12)
    else:
        assert groups == names
    # Their names are conditions; the column itself may be explained.
    again = sightglass("pdp", *houses, "--features", "sold_on", "--grid", 3, "--where", groups[1])
    assert again.code == 0, again.err
    explained = sightglass("ale", *houses, "--by", by, "--bins", 4)
    assert any(item["feature"] == "sold_on" for item in explained.json["results"])


def test_groups_by_a_date_itself_are_stretches_of_time(sightglass, houses):
    groups = [
        item["group"] for item in sightglass("pdp", *houses, "--features", "area", "--by", "sold_on").json["results"]
    ]
    assert len(groups) == 4 and all(re.search(r"20\d\d-\d\d-\d\d", group) for group in groups), groups
    assert sightglass("pdp", *houses, "--features", "area", "--where", groups[0]).code == 0


def test_groups_that_there_are_not(sightglass, houses):
    run = lambda by: sightglass("pdp", *houses, "--features", "area", "--by", by)  # noqa: E731
    fails(run("month(area)"), USAGE, "month() needs a column of dates, and area holds numbers")
    fails(run("decade(sold_on)"), USAGE, "decade", "year, quarter, month, weekday or hour")
    fails(run("month(sold)"), USAGE, "sold_on")


@pytest.mark.parametrize("method", [["pdp"], ["ice"], ["what-if", "--rows", "3"], ["regional-effects"]], ids=str)
def test_values_of_a_grid_are_dates(sightglass, houses, folder, method):
    given = ["--features", "sold_on", "--grid-rule", "values", "--values", "2019-01-31,2020-06,2021"]
    done = sightglass(*method, *houses, *given)
    assert done.code == 0, done.err
    days = [datetime.date(*day).toordinal() - 719163 for day in [(2019, 1, 31), (2020, 6, 1), (2021, 1, 1)]]
    wanted = [day * (1 if folder.name.startswith("date") else 86400) for day in days]
    grids = [item["grid"] for item in done.json["results"] if item.get("feature") == "sold_on" and item.get("grid")]
    # The row's own value is always a point of its curve.
    assert grids and all(set(wanted) <= set(grid) <= {*wanted, *grid} for grid in grids)
    if method[0] != "what-if":
        assert all(grid == wanted for grid in grids)
        assert "2020-06-01" in sightglass(*method, *houses, *given, "--format", "csv").out


def test_curves_are_centred_at_a_date(sightglass, houses):
    given = ["--features", "sold_on", "--grid-rule", "values", "--values", "2019-01-01,2020-01-01", "--center"]
    done = sightglass("ice", *houses, *given, "--anchor", "2020-01-01")
    assert done.code == 0, done.err
    assert [row[1] for row in done.json["results"][0]["values"]] == [0] * len(done.json["results"][0]["values"])


def test_dates_for_what_has_none(sightglass, houses):
    rule = ["--grid-rule", "values", "--values"]
    words = ("--values: 2020-01-01 is a date, and area has numbers",)
    fails(sightglass("pdp", *houses, "--features", "area", *rule, "2020-01-01"), USAGE, *words)
    fails(sightglass("pdp", *houses, "--features", "sold_on", *rule, "soon"), USAGE, "soon is no date", "2020-01-31")
    fails(sightglass("pdp", *houses, *rule, "2020-01-01"), USAGE, "2020-01-01 is a date", "--features")
    fails(sightglass("pdp", *houses, "--features", "sold_on,area", *rule, "2020-01-01"), USAGE, "area has none")
    fails(sightglass("pdp", *houses, "--features", "area", *rule, "wide"), USAGE, "wide is not a number")


def dates_file(path, days, order):
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["sold_on", "area", "price"])
        for row, day in enumerate(days):
            table.writerow([day.strftime(order), 50 + row % 40, 100 + row % 17])
    return path


DAYS = [datetime.date(2020, 1, 1) + datetime.timedelta(days=3 * day) for day in range(100)]
#: Each of which is another date with days for months.
EITHER = [datetime.date(2020, 3, 4), datetime.date(2020, 2, 7), datetime.date(2020, 11, 9)]


@pytest.mark.parametrize("order", ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y %H:%M:%S"])
def test_a_second_file_writes_dates_as_the_first(sightglass, tmp_path, order):
    data = dates_file(tmp_path / "data.csv", DAYS, order)
    model = tmp_path / "model.json"
    done = sightglass("fit", "tree", "--data", data, "--target", "price", "-o", model, "--quiet")
    assert done.code == 0, done.err
    for new in (order, "%Y-%m-%d %H:%M:%S" if ":" in order else "%Y-%m-%d"):
        rows = dates_file(tmp_path / "new.csv", EITHER, new)
        common = ["--model", model, "--data", data, "--target", "price", "--quiet"]
        done = sightglass("shap", *common, "--rows-from", rows, "--format", "csv")
        assert done.code == 0, done.err
        for day in EITHER:
            assert str(day) in done.out, done.out


def test_a_second_file_that_writes_dates_otherwise_is_refused(sightglass, tmp_path):
    data = dates_file(tmp_path / "data.csv", DAYS, "%d/%m/%Y")
    model = tmp_path / "model.json"
    assert sightglass("fit", "tree", "--data", data, "--target", "price", "-o", model, "--quiet").code == 0
    common = ["--model", model, "--target", "price", "--quiet"]
    other = dates_file(tmp_path / "other.csv", DAYS, "%m/%d/%Y")
    done = sightglass("shap", *common, "--data", data, "--rows-from", other, "--rows", "1")
    fails(done, DATA, "--rows-from", "month/day/year", "day/month/year")
    # Nothing says how these are written.
    plain = dates_file(tmp_path / "plain.csv", DAYS, "%Y-%m-%d")
    either = dates_file(tmp_path / "either.csv", EITHER, "%d/%m/%Y")
    done = sightglass("shap", *common, "--data", plain, "--rows-from", either)
    fails(done, DATA, "--rows-from", "2020-01-31")
    noted = sightglass("inspect", "--model", model, "--data", either, "--format", "json")
    assert "they could as well be" in " ".join(noted.json["data"]["notes"])
