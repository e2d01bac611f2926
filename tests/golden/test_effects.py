"""Partial dependence, ICE, ALE and predictions of the shipped models against xgboost, scikit-learn and PyALE.

The reference numbers and the script that made them are in effects/.
"""

import csv
import json
import math
import statistics
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "effects"
BINARY = ROOT / "build" / "release" / "sightglass"

MODELS = {
    "bike": ("bike/model.json", "bike/bike.csv", []),
    "sex": ("penguins/sex.json", "penguins/penguins.csv", ["--classes", "male,female"]),
    "species": ("penguins/species.json", "penguins/penguins.csv", ["--classes", "Adelie,Chinstrap,Gentoo"]),
}


def golden(name):
    return json.loads((GOLDEN / name).read_text())


def sightglass(*arguments):
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def model_and_data(name):
    model, data, more = MODELS[name]
    return ["--model", ROOT / "examples" / model, "--data", ROOT / "examples" / data, *more]


def close(ours, theirs, spread):
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(b, list):
            close(a, b, spread)
        else:
            assert abs(a - b) <= 1e-6 * max(abs(b), spread), (a, b)


def columns(name, scale):
    text = sightglass("predict", *model_and_data(name), "--scale", scale)
    rows = list(csv.reader(text.splitlines()))[1:]
    return [[float(x) for x in row] for row in rows]


def rows_of(values):
    return [v if isinstance(v, list) else [v] for v in values]


@pytest.mark.parametrize("name", MODELS)
def test_margins_are_the_frameworks_bit_for_bit(name):
    assert columns(name, "margin") == rows_of(golden(f"{name}_predictions.json")["margin"])


@pytest.mark.parametrize("name", MODELS)
def test_responses(name):
    expected = golden(f"{name}_predictions.json")
    response = expected["margin"] if isinstance(expected["response"], str) else expected["response"]
    for ours, theirs in zip(columns(name, "response"), rows_of(response), strict=True):
        for a, b in zip(ours, theirs, strict=True):
            assert math.isclose(a, b, rel_tol=1e-6)


def grid_options(grid):
    return (
        ["--grid-rule", "values", "--values", ",".join(repr(v) for v in grid)] if not isinstance(grid[0], str) else []
    )


def cases(name):
    return [(name, i) for i in range(len(golden(f"{name}_pd.json")["cases"]))]


@pytest.mark.parametrize("name, index", cases("bike") + cases("sex") + cases("species"))
def test_partial_dependence(name, index):
    case = golden(f"{name}_pd.json")["cases"][index]
    spread = statistics.pstdev(x for row in columns(name, "response") for x in row)
    features, grids = case["features"], case["grid"]
    averages = case["average"] if name == "species" else [case["average"]]
    numeric = [g for g in grids if not isinstance(g[0], str)]
    if len(numeric) == 2 and numeric[0] != numeric[1]:
        # Explicit values are shared by both axes: ask for the union and look the points up.
        values = sorted(set(numeric[0]) | set(numeric[1]))
    else:
        values = numeric[0] if numeric else []
    options = ["--grid-rule", "values", "--values", ",".join(map(repr, values))] if values else []
    what = ["--features", features[0]] if len(features) == 1 else ["--pairs", ":".join(features)]
    results = json.loads(sightglass("pdp", *model_and_data(name), *what, *options))["results"]
    assert len(results) == len(averages)
    for result, expected in zip(results, averages, strict=True):
        if len(features) == 1:
            ours = dict(zip(result["grid"], result["mean"]))
            close([ours[v] for v in grids[0]], expected, spread)
        else:
            first = {v: i for i, v in enumerate(result["grid"][0])}
            second = {v: i for i, v in enumerate(result["grid"][1])}
            ours = [[result["mean"][first[a]][second[b]] for b in grids[1]] for a in grids[0]]
            close(ours, expected, spread)


def has_one_feature(name, index):
    return len(golden(f"{name}_pd.json")["cases"][index]["features"]) == 1


SINGLE = [case for case in cases("bike") + cases("sex") + cases("species") if has_one_feature(*case)]


@pytest.mark.parametrize("name, index", SINGLE)
def test_individual_curves(name, index):
    case = golden(f"{name}_pd.json")["cases"][index]
    spread = statistics.pstdev(x for row in columns(name, "response") for x in row)
    rows = ",".join(map(str, case["individual_rows"]))
    results = json.loads(
        sightglass(
            "ice",
            *model_and_data(name),
            "--features",
            case["features"][0],
            "--rows",
            rows,
            *grid_options(case["grid"][0]),
        )  # fmt: skip
    )["results"]
    expected = case["individual"] if name == "species" else [case["individual"]]
    for result, curves in zip(results, expected, strict=True):
        assert result["rows"] == sorted(case["individual_rows"])
        order = sorted(range(len(curves)), key=lambda i: case["individual_rows"][i])
        for values, i in zip(result["values"], order, strict=True):
            ours = dict(zip(result["grid"], values))
            close([ours[v] for v in case["grid"][0]], curves[i], spread)


@pytest.mark.parametrize("index", range(len(golden("bike_ale.json")["curves"])))
def test_accumulated_local_effects(index):
    case = golden("bike_ale.json")["curves"][index]
    spread = statistics.pstdev(x for row in columns("bike", "response") for x in row)
    options = ["--features", case["feature"], *(["--bins", case["bins"]] if "bins" in case else [])]
    result = json.loads(sightglass("ale", *model_and_data("bike"), *options))["results"][0]
    assert result["grid"] == case["grid"]
    close(result["effect"], case["effect"], spread)
    if "order" in case:
        assert result["count"] == case["count"]
        assert case["order"] in (result["grid"], result["grid"][::-1])
    else:
        assert result["bin_count"] == case["bin_count"]


@pytest.mark.parametrize("index", range(len(golden("bike_ale.json")["surfaces"])))
def test_second_order_effects(index):
    case = golden("bike_ale.json")["surfaces"][index]
    spread = statistics.pstdev(x for row in columns("bike", "response") for x in row)
    options = ["--pairs", ":".join(case["features"]), "--pair-bins", case["bins"]]
    result = json.loads(sightglass("ale", *model_and_data("bike"), *options))["results"][0]
    assert result["grid"] == case["grid"]
    close(result["effect"], case["effect"], spread)
