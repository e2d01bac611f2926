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
