"""Saved results follow docs/result.schema.json, and the schema refuses what is wrong."""

import copy
import json
from pathlib import Path

import pytest

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8"))
RESULTS = sorted((ROOT / "tests" / "golden" / "results").glob("*.json"))


def validator():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def load(name):
    return json.loads((ROOT / "tests" / "golden" / "results" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_golden_results_follow_the_schema(path):
    validator().validate(load(path.name))


def test_there_is_a_golden_result_of_every_type():
    found = {item["type"] for path in RESULTS for item in load(path.name)["results"]}
    assert found == {"curve", "curves", "surface", "importance", "interaction", "attributions", "figure"}
    measures = {
        item.get("measure") for path in RESULTS for item in load(path.name)["results"] if item["type"] == "curve"
    }
    assert {"mean", "effect", "loss"} <= measures


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("ale.json", lambda item: item.pop("effect")),
        ("ale.json", lambda item: item.update(mean=item["effect"])),
        ("ale.json", lambda item: item.update(measure="odd")),
        ("ale.json", lambda item: item.update(sparse=[-1])),
        ("importance.json", lambda item: item.pop("importance")),
        ("importance.json", lambda item: item.update(low="none")),
        ("importance.json", lambda item: item.update(details=[])),
        ("interactions.json", lambda item: item.update(features=[])),
        ("interactions.json", lambda item: item.pop("strength")),
        ("attribution_rows.json", lambda item: item.pop("base")),
        ("attribution_rows.json", lambda item: item["attributions"][0].pop("values")),
        ("attribution_rows.json", lambda item: item["attributions"][0].update(row=-1)),
        ("attribution_rows.json", lambda item: item["attributions"][1]["values"].update(hour=None)),
        ("slopes.json", lambda item: item.update(derivative="yes")),
    ],
)
def test_wrong_items_are_refused(name, spoil):
    result = copy.deepcopy(load(name))
    spoil(result["results"][0])
    assert not validator().is_valid(result)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda result: result.update(schema="sightglass.result/2"),
        lambda result: result["results"][0].pop("mean"),
        lambda result: result["results"][0]["mean"].append(None),
        lambda result: result["results"][0].update(verdict=7),
        lambda result: result["caveats"][0].update(severity=None),
    ],
)
def test_wrong_results_are_refused(spoil):
    result = copy.deepcopy(load("numeric.json"))
    spoil(result)
    assert not validator().is_valid(result)


def test_unknown_keys_and_types_are_allowed():
    result = load("numeric.json")
    result["new"] = 1
    result["results"][0]["new"] = 1
    result["results"].append({"type": "something-new"})
    result["results"][0]["verdict"] = "periodic"
    result["caveats"][0]["severity"] = "alarm"
    validator().validate(result)
