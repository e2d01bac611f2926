"""Certain rules from Python: how small they are proven to be, and that a saved result is proven again."""

import json
from pathlib import Path

import sightglass as sg

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "penguins"


def explainer() -> sg.Explainer:
    return sg.Explainer(str(EXAMPLES / "species.json"), str(EXAMPLES / "penguins.csv"))


def certain(saved: dict) -> list[dict]:
    return [rule for item in saved["results"] for rule in item["rules"] if rule.get("certain")]


def test_certain_rules_are_the_smallest_and_proven_again(tmp_path):
    ex = explainer()
    result = ex.anchors(rows=[0, 200, 300], certain=True)
    path = tmp_path / "rules.json"
    result.save(path)
    rules = certain(json.loads(path.read_text()))
    assert len(rules) == 3
    for rule in rules:
        assert rule["minimal"]
        assert rule["proof"]["status"] == "optimal"
        assert rule["proof"]["bound"] == len(rule["conditions"])
    assert ex.verify(result) == []
    assert ex.verify(result, of_new_model=True) == []


def test_an_edited_rule_is_found_out(tmp_path):
    ex = explainer()
    path = tmp_path / "rules.json"
    ex.anchors(rows=[0, 200, 300], certain=True).save(path)
    saved = json.loads(path.read_text())
    certain(saved)[0]["conditions"].pop()
    path.write_text(json.dumps(saved))
    failures = ex.verify(sg.load(path))
    assert len(failures) == 1
    assert "does not settle" in failures[0]
