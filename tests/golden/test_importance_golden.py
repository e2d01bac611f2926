"""Permutation importance of the shipped models against scikit-learn, model reliance against the double sum.

The reference numbers and the script that made them are in importance/.
"""

import json
import math
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = json.loads((ROOT / "tests" / "golden" / "importance" / "importances.json").read_text())
BINARY = ROOT / "build" / "release" / "sightglass"
MODELS = {
    "bike": ("bike/model.json", "bike/bike.csv", ["--target", "rentals"]),
    "sex": ("penguins/sex.json", "penguins/penguins.csv", ["--classes", "male,female", "--target", "sex"]),
    "species": (
        "penguins/species.json",
        "penguins/penguins.csv",
        ["--classes", "Adelie,Chinstrap,Gentoo", "--target", "species"],
    ),
}


def sightglass(method, name, *arguments, data=None):
    model, table, more = MODELS[name]
    table = data or ROOT / "examples" / table
    command = [BINARY, method, "--model", ROOT / "examples" / model, "--data", table, *more, *arguments]
    done = subprocess.run([*map(str, command), "--format", "json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", MODELS)
def test_shuffles_agree_with_scikit_learn_within_their_noise(name):
    cases = [case for case in GOLDEN["shuffled"] if case["model"] == name]
    losses = ",".join(case["loss"] for case in cases)
    repeats = GOLDEN["repeats"]
    result = sightglass("pfi", name, "--losses", losses, "--repeats", repeats)
    entries = [item for item in result["results"] if item["type"] == "importance"]
    assert len(entries) == sum(len(case["features"]) for case in cases)
    for case in cases:
        ours = {item["feature"]: item for item in entries if item["details"]["loss"] == case["loss"]}
        for feature, mean, std in zip(case["features"], case["mean"], case["std"], strict=True):
            entry = ours[feature]
            # Both are means over repeats; float32 predictions there, doubles here.
            noise = math.sqrt((std**2 + entry["sd"] ** 2) / (repeats - 1))
            assert abs(entry["importance"] - mean) <= 4.5 * noise + 1e-6, (case["loss"], feature, mean, entry)
            assert len(entry["details"]["repeats"]) == repeats


def test_reliance_agrees_with_the_double_sum(tmp_path):
    rows = GOLDEN["switched"]["rows"]
    table = tmp_path / "first.csv"
    lines = (ROOT / "examples" / "bike" / "bike.csv").read_text().splitlines()
    table.write_text("\n".join(lines[: rows + 1]) + "\n")
    features = ",".join(case["feature"] for case in GOLDEN["switched"]["cases"])
    result = sightglass("model-reliance", "bike", "--features", features, data=table)
    for case in GOLDEN["switched"]["cases"]:
        entry = next(item for item in result["results"] if item.get("feature") == case["feature"])
        for name in ("e_orig", "e_switch"):
            assert math.isclose(entry["details"][name], case[name], rel_tol=1e-5), (name, case, entry)
