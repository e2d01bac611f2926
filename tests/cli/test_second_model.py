"""A second --model: methods that have an option for one take it, the others refuse it in one line."""

import copy
import json

import pytest

DATA = ["--data", "data.csv"]
WANTED = ["counterfactuals", "--model", "model.json", *DATA, "--change", "0.5", "--rows", "0"]


@pytest.fixture
def newer(tiny, tmp_path):
    """The tiny model with lower leaves."""
    changed = copy.deepcopy(tiny)
    tree = changed["learner"]["gradient_booster"]["model"]["trees"][0]
    tree["base_weights"] = tree["split_conditions"] = [0.5, -4.0, -3.0]
    (tmp_path / "newer.json").write_text(json.dumps(changed))
    return "newer.json"


def test_the_second_model_is_the_option(sightglass, newer):
    twice = sightglass(*WANTED, "--model", newer)
    assert twice.code == 0, twice.err
    assert twice.json["options"]["other_model"] == "newer.json"
    assert twice.json["model"]["file"] == "model.json"
    other = twice.json["results"][-1]["changes"][0]["other_model"]
    assert other["kept"] is False
    assert "recourse-breaks" in [caveat["id"] for caveat in twice.json["caveats"]]
    for name in ("--other-model", "--new-model"):
        assert sightglass(*WANTED, name, newer).out == twice.out
    assert sightglass(*WANTED).json["options"]["other_model"] is None


def test_no_promise_breaks_under_the_same_model(sightglass, tiny):
    run = sightglass(*WANTED, "--model", "model.json")
    figures = [item for item in run.json["results"] if item["type"] == "figure"]
    assert [(figure["id"], figure["value"]) for figure in figures] == [("recourse-kept", 1)]
    assert "recourse-breaks" not in [caveat["id"] for caveat in run.json["caveats"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pdp", "--model", "model.json"], "two models are given, and this method explains one"),
        (["pdp", "--model", ""], "two models are given, and this method explains one"),
        (["inspect", "--model", "model.json"], "--model is given 2 times"),
        (["counterfactuals", "--model", "model.json", "--model", "model.json"], "--model is given 3 times"),
        (["counterfactuals", "--model", "m.json", "--other-model", "m.json"], "--other-model and a second --model"),
        (["counterfactuals", "--other-model", "nowhere.json"], "--other-model: "),
        (["counterfactuals", "--other-model", ""], "--other-model: a model, please"),
    ],
)
def test_what_is_refused(sightglass, tiny, arguments, message):
    run = sightglass(*arguments, "--model", "model.json", *DATA)
    assert run.code != 0
    assert run.err.count("\n") == 1, run.err
    assert message in run.err


def test_two_models_are_compared(sightglass, newer, tmp_path):
    run = sightglass("compare-models", "--model", "model.json", "--model", newer, *DATA)
    assert run.code == 0, run.err
    curves = [item for item in run.json["results"] if item["type"] == "curve"]
    assert {curve["series"] for curve in curves} == {"model.json", "newer.json"}
    figures = {item["id"]: item["value"] for item in run.json["results"] if item["type"] == "figure"}
    first, second = (
        [float(line) for line in sightglass("predict", "--model", m, *DATA).out.split()[1:]]
        for m in ("model.json", newer)
    )
    assert figures["mean-distance"] == pytest.approx(
        sum(abs(b - a) for a, b in zip(first, second, strict=True)) / len(first), rel=1e-6
    )
    same = sightglass("compare-models", "--model", "model.json", "--model", "model.json", *DATA)
    assert same.json["options"]["names"] == ["model.json", "model.json (2)"]
    assert {item["value"] for item in same.json["results"] if item.get("id") == "mean-distance"} == {0}


def test_a_report_of_two_models(sightglass, newer, tmp_path):
    run = sightglass("report", "--model", "model.json", "--model", newer, *DATA, "-o", "two.html")
    assert run.code == 0, run.err
    assert "newer.json" in (tmp_path / "two.html").read_text()
    assert sightglass("report", "--model", "model.json", "--model", "nowhere.json", *DATA).code == 4
