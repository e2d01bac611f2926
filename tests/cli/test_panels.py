"""Ensembles of panels on the command line: what they promise, and what they refuse."""

import csv
import json
import os
import random
import signal
import subprocess

import pytest
from native_tool import BINARY, ROOT, USAGE, cpu_seconds, fails, wait_until

BIKE = ROOT / "examples" / "bike" / "bike.csv"
PENGUINS = ROOT / "examples" / "penguins" / "penguins.csv"
every_kind = pytest.mark.parametrize("kind", ["hierarchical-2d", "covering-2d"])


@pytest.fixture
def fit(sightglass):
    def run(kind, *more, out="fitted.json", data=PENGUINS, target="species"):
        return sightglass("fit", kind, "--data", data, "--target", target, "-o", out, "--quiet", *more)

    return run


@every_kind
def test_a_model_for_every_other_command(fit, sightglass, tmp_path, kind):
    assert fit(kind).code == 0
    model = ["--model", "fitted.json", "--data", PENGUINS, "--target", "species"]
    pdp = sightglass("pdp", *model, "--features", "bill_length", "--sample", "100", "--grid", "5")
    assert pdp.code == 0, pdp.err
    shap = sightglass("shap", *model, "--rows", "0", "--background-rows", "20")
    assert shap.code == 0, shap.err
    row = sightglass("intrinsic", *model, "--rows", "0,3", "--format", "json")
    assert row.code == 0, row.err
    ways = [item for item in row.json["results"] if item["type"] == "panels"]
    assert [way["row"] for way in ways] == [0, 3]
    for way in ways:
        assert way["predicted"] in way["classes"] and way["panels"]
    assert sightglass("intrinsic", *model, "--rows", "0", "--format", "table").code == 0
    report = sightglass("report", *model, "--sample", "60", "--budget", "1s", "-o", "report.html", "--quiet")
    assert report.code == 0, report.err
    for name in ("shown.html", "shown.csv", "shown.txt", "shown.json"):
        assert fit(kind, "--show", name).code == 0
    panels = [item for item in json.loads((tmp_path / "shown.json").read_text())["results"] if item["type"] == "panels"]
    assert len(panels) == 1 and all(1 <= len(panel["axes"]) <= 2 for panel in panels[0]["panels"])


@every_kind
def test_same_bytes_for_any_number_of_threads(fit, tmp_path, kind):
    for threads in ("1", "4"):
        assert fit(kind, "--threads", threads, out=f"fitted{threads}.json").code == 0
    assert (tmp_path / "fitted1.json").read_bytes() == (tmp_path / "fitted4.json").read_bytes()


@pytest.mark.parametrize("preferred", ["Adelie", "Chinstrap", "Gentoo"])
def test_never_misses_a_training_row(fit, sightglass, preferred):
    assert fit("covering-2d", "--prefer", preferred, "--holdout-share", "0").code == 0
    predicted = sightglass("predict", "--model", "fitted.json", "--data", PENGUINS, "--target", "species")
    header, *rows = csv.reader(predicted.out.splitlines())
    with open(PENGUINS) as file:
        truth = [row["species"] for row in csv.DictReader(file)]
    for row, species in zip(rows, truth, strict=True):
        shares = dict(zip(header, map(float, row), strict=True))
        if species == preferred:
            assert max(shares, key=shares.get) == f"prediction_{preferred}"


def test_the_result_says_what_was_decided(fit, tmp_path):
    assert fit("covering-2d", "--safe", "--show", "shown.json").code == 0
    shown = json.loads((tmp_path / "shown.json").read_text())
    figures = {item["id"]: item["value"] for item in shown["results"] if item["type"] == "figure"}
    assert {"unclaimed", "held-out-missed", "held-out-missed-bound", "promised-miss-rate"} <= set(figures)
    assert figures["held-out-missed-bound"] > figures["held-out-missed"]
    panels = next(item for item in shown["results"] if item["type"] == "panels")
    assert panels["order"][0] == "Chinstrap"  # the rarest
    assert sum(step["chosen"] for step in panels["trade_off"]) == 1


def test_one_class_against_the_rest(fit, sightglass, tmp_path):
    assert fit("covering-2d", "--one-vs-rest", "--show", "shown.json").code == 0
    shown = json.loads((tmp_path / "shown.json").read_text())
    figures = {item["id"]: item["value"] for item in shown["results"] if item["type"] == "figure"}
    assert {"held-out-contradictions", "held-out-none"} <= set(figures)
    model = ["--model", "fitted.json", "--data", PENGUINS, "--target", "species"]
    rows = sightglass("intrinsic", *model, "--rows", "0,3,160", "--format", "json").json["results"]
    verdicts = {item["row"]: item["details"]["verdict"] for item in rows if item["type"] == "panels"}
    assert set(verdicts) == {0, 3, 160}
    assert set(verdicts.values()) <= {"none", "claimed", "contradiction"} and "claimed" in verdicts.values()
    header = sightglass("predict", *model).out.splitlines()[0]
    assert header == "prediction_Adelie,prediction_Chinstrap,prediction_Gentoo"


@every_kind
@pytest.mark.parametrize(
    "rows, complaint",
    [
        ("7,1,a\n7,2,a", "only one class"),
        (",,a\n,,b\n,,b", "no row has a value"),
        ("7,7,a\n7,7,b", None),
        (",1,a\n,2,b\n,1,a", None),
    ],
)
def test_columns_that_say_nothing(fit, tmp_path, kind, rows, complaint):
    (tmp_path / "rows.csv").write_text("u,v,k\n" + "\n".join([rows] * 20) + "\n")
    run = fit(kind, "--show", "shown.txt", data="rows.csv", target="k")
    if complaint:
        fails(run, run.code, complaint)
    else:
        assert run.code == 0, run.err


@every_kind
def test_refusals(fit, kind):
    fails(fit(kind, data=BIKE, target="rentals"), USAGE, "learns classes", "--task")
    fails(fit(kind, "--veto", "bill_length:wings"), USAGE, "--veto")
    fails(fit(kind, "--kernel", "cubic"), USAGE, "cubic")
    fails(fit(kind, "--dimensions", "3"), USAGE, "dimensions")


def test_refusals_of_covering(fit):
    fails(fit("covering-2d", "--prefer", "Emperor"), USAGE, "--prefer", "Emperor", "Chinstrap")
    fails(fit("covering-2d", "--order", "Gentoo,Adelie"), USAGE, "--order", "3 classes")


def test_more_features_than_pairs_can_be_tried(fit, tmp_path):
    draw = random.Random(2)
    with open(tmp_path / "wide.csv", "w") as file:
        file.write(",".join(f"x{i}" for i in range(2000)) + ",k\n")
        for row in range(60):
            noise = ",".join(f"{draw.random():.3f}" for _ in range(1999))
            file.write(f"{noise},{row % 2 + draw.random()},{'ab'[row % 2]}\n")
    run = fit("covering-2d", "--max-subsets", "100", "--show", "shown.json", data="wide.csv", target="k")
    assert run.code == 0, run.err
    shown = json.loads((tmp_path / "shown.json").read_text())
    caveat = next(caveat for caveat in shown["caveats"] if caveat["id"] == "subsets-not-tried")
    assert caveat["evidence"]["possible"] == 2000 * 2001 // 2 and caveat["evidence"]["tried"] <= 100
    panels = next(item for item in shown["results"] if item["type"] == "panels")
    assert panels["unclaimed"] == 0 and panels["panels"][0]["axes"][0]["feature"] == "x1999"


@every_kind
def test_ctrl_c_leaves_no_file(tmp_path, kind):
    draw = random.Random(1)
    with open(tmp_path / "rows.csv", "w") as file:
        file.write("k," + ",".join(f"x{i}" for i in range(12)) + "\n")
        for _ in range(20_000):
            file.write(f"{draw.choice('ab')}," + ",".join(f"{draw.random():.6f}" for _ in range(12)) + "\n")
    command = [BINARY, "fit", kind, "--data", "rows.csv", "--target", "k", "-o", "fitted.json"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_until(lambda: cpu_seconds(process) > 1, process)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]
