"""sightglass fit: every learner of the catalogue, its file in every other command, and everything that can be wrong."""

import csv
import json
import math
import os
import random
import signal
import subprocess

import pytest
from native_tool import BINARY, DATA, MODEL, OUTPUT, ROOT, USAGE, cpu_seconds, fails, wait_until

BIKE = ROOT / "examples" / "bike" / "bike.csv"
PENGUINS = ROOT / "examples" / "penguins" / "penguins.csv"


def catalogue():
    done = subprocess.run([BINARY, "methods", "--format", "json"], capture_output=True, text=True, check=True)
    return {entry["name"]: entry for entry in json.loads(done.stdout) if entry["kind"] == "learner"}


LEARNERS = catalogue()
every_learner = pytest.mark.parametrize("kind", LEARNERS)
of_numbers = [kind for kind, entry in LEARNERS.items() if entry["takes_numbers"]]  # others: test_panels.py
every_regressor = pytest.mark.parametrize("kind", of_numbers)


@pytest.fixture
def fit(sightglass):
    def run(kind, data, target, *more, out="fitted.json", **others):
        return sightglass("fit", kind, "--data", data, "--target", target, "-o", out, "--quiet", *more, **others)

    return run


@pytest.fixture(scope="module")
def some_bikes(tmp_path_factory):
    """Every sixth row: a learner need not see more to be told from a broken one."""
    path = tmp_path_factory.mktemp("data") / "bike.csv"
    head, *rows = BIKE.read_text().splitlines(keepends=True)
    path.write_text(head + "".join(rows[::6]))
    return path


@pytest.fixture
def table(tmp_path):
    """table("name.csv", {"x": […], …}): a small CSV file, None is an empty field."""

    def write(name, columns):
        with open(tmp_path / name, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(["" if v is None else v for v in row] for row in zip(*columns.values(), strict=True))
        return name

    return write


def columns(rows, seed=0, features=2):
    """Numbers, a category, an outcome of both, and classes of it."""
    draw = random.Random(seed)
    made = {f"x{i}": [draw.uniform(0, 10) for _ in range(rows)] for i in range(features)}
    made["c"] = [draw.choice(["red", "green", "blue"]) for _ in range(rows)]
    made["y"] = [
        2 * x + (5 if c == "red" else 0) + draw.gauss(0, 1) for x, c in zip(made["x0"], made["c"], strict=True)
    ]
    made["k"] = ["high" if y > 12 else "low" for y in made["y"]]
    return made


def r2(outcome, predicted):
    mean = sum(outcome) / len(outcome)
    residual = sum((y - p) ** 2 for y, p in zip(outcome, predicted, strict=True))
    return 1 - residual / sum((y - mean) ** 2 for y in outcome)


@every_regressor
def test_numbers(fit, sightglass, tmp_path, kind, some_bikes):
    run = fit(kind, some_bikes, "rentals", "--show", "shown.json")
    assert run.code == 0, run.err
    shown = json.loads((tmp_path / "shown.json").read_text())
    assert shown["method"] == kind and shown["data"]["target"] == "rentals" and shown["data"]["file"] == "bike.csv"
    own = {item["type"] for item in shown["results"]} - {"figure"}
    assert own or kind == "knn", "it does not show itself"  # neighbours are those of a row: intrinsic
    figures = {item["id"]: item["value"] for item in shown["results"] if item["type"] == "figure" and "id" in item}
    assert 0.2 < figures["training-r2"] <= 1

    # The file says the same, is a model for every other command, and predicts what was measured.
    predicted = sightglass("predict", "--model", "fitted.json", "--data", some_bikes, "--target", "rentals")
    header, *rows = predicted.out.split()
    assert predicted.code == 0 and header == "prediction", predicted.err
    with open(some_bikes) as file:
        outcome = [float(row["rentals"]) for row in csv.DictReader(file)]
    assert r2(outcome, [float(row) for row in rows]) == pytest.approx(figures["training-r2"], abs=1e-9)

    inspected = sightglass(
        "inspect", "--model", "fitted.json", "--data", some_bikes, "--target", "rentals", "--format", "json"
    )
    model = inspected.json["model"]
    assert model["format"] == "sightglass" and model["objective"] == kind and model["task"] == "regression"
    assert model["detail"]["target"] == "rentals" and model["detail"]["training_rows"] == len(outcome)
    assert model["detail"][LEARNERS[kind]["size_unit"]] >= 1
    assert "rentals" not in [feature["name"] for feature in model["features"]]
    # What it showed when it was fitted, but for the name of the data's file.
    assert inspected.json["explanation"]["results"] == shown["results"]
    assert shown["about"]["title"] in sightglass("inspect", "--model", "fitted.json", "--format", "table").out


@every_regressor
def test_explained_by_the_others(fit, sightglass, tmp_path, kind, some_bikes):
    assert fit(kind, some_bikes, "rentals").code == 0
    model = ["--model", "fitted.json", "--data", some_bikes, "--target", "rentals"]
    pdp = sightglass("pdp", *model, "--features", "temp", "--sample", "200", "--grid", "5")
    assert pdp.code == 0 and pdp.json["results"][0]["feature"] == "temp", pdp.err
    shap = sightglass("shap", *model, "--rows", "0,1", "--background-rows", "50")
    assert shap.code == 0, shap.err
    for row in shap.json["results"][0]["attributions"]:
        assert row["base"] + sum(row["values"].values()) == pytest.approx(row["prediction"], abs=1e-6)
    report = sightglass("report", *model, "--sample", "100", "--budget", "1s", "-o", "report.html", "--quiet")
    assert report.code == 0, report.err
    assert "<html" in (tmp_path / "report.html").read_text()[:2000].lower()


@every_regressor
def test_trees_are_explained_exactly(fit, sightglass, kind, some_bikes):
    """What has no slopes is for the engine of trees, whose numbers are those of predictions."""
    assert fit(kind, some_bikes, "rentals").code == 0
    model = [
        "--model",
        "fitted.json",
        "--data",
        some_bikes,
        "--target",
        "rentals",
        "--features",
        "hour",
        "--sample",
        "300",
    ]
    exact, asked = sightglass("pdp", *model), sightglass("pdp", *model, "--engine", "blackbox")
    assert exact.code == asked.code == 0, exact.err + asked.err
    assert exact.json["results"][0]["mean"] == pytest.approx(asked.json["results"][0]["mean"], rel=1e-9)


@every_learner
@pytest.mark.parametrize("target", ["sex", "species"])
def test_classes(fit, sightglass, tmp_path, kind, target):
    run = fit(kind, PENGUINS, target, "--show", "shown.json")
    assert run.code == 0, run.err
    shown = json.loads((tmp_path / "shown.json").read_text())
    figures = {item["id"]: item["value"] for item in shown["results"] if item["type"] == "figure" and "id" in item}
    assert figures["training-accuracy"] > 0.75
    model = ["--model", "fitted.json", "--data", PENGUINS, "--target", target]
    predicted = sightglass("predict", *model)
    header, *rows = predicted.out.splitlines()
    numbers = [[float(x) for x in row.split(",")] for row in rows]
    assert all(0 <= p <= 1 for row in numbers for p in row)
    with open(PENGUINS) as file:
        truth = [row[target] for row in csv.DictReader(file)]
    if target == "species":
        names = [name.removeprefix("prediction_") for name in header.split(",")]
        assert names == ["Adelie", "Chinstrap", "Gentoo"]
        assert all(sum(row) == pytest.approx(1) for row in numbers)
        said = [names[row.index(max(row))] for row in numbers]
    else:
        assert header == "prediction"
        said = ["male" if row[0] > 0.5 else "female" for row in numbers]
    known = [(a, b) for a, b in zip(said, truth, strict=True) if b]
    right = sum(a == b for a, b in known) / len(known)
    assert right == pytest.approx(figures["training-accuracy"], abs=1e-9)
    for command in (["pdp", "--sample", "100", "--grid", "4"], ["shap", "--rows", "0", "--background-rows", "30"]):
        assert sightglass(*command, *model).code == 0
    ranked = sightglass("permutation-importance", *model, "--repeats", "1", "--sample", "100")
    assert ranked.code == 0, ranked.err


@every_regressor
def test_same_bytes_for_any_number_of_threads(fit, tmp_path, kind, some_bikes):
    for threads in ("1", "4"):
        out = f"fitted{threads}.json"
        run = fit(kind, some_bikes, "rentals", "--threads", threads, "--show", f"shown{threads}.json", out=out)
        assert run.code == 0, run.err
    assert (tmp_path / "fitted1.json").read_bytes() == (tmp_path / "fitted4.json").read_bytes()
    assert (tmp_path / "shown1.json").read_bytes() == (tmp_path / "shown4.json").read_bytes()


@every_regressor
def test_told_which_rows_and_features(fit, sightglass, tmp_path, kind, some_bikes):
    run = fit(kind, some_bikes, "rentals", "--features", "temp,hour", "--where", "hour > 5", "--show", "shown.json")
    assert run.code == 0, run.err
    shown = json.loads((tmp_path / "shown.json").read_text())
    assert shown["data"]["rows"] < shown["data"]["rows_available"]
    model = sightglass("inspect", "--model", "fitted.json", "--format", "json").json
    assert [feature["name"] for feature in model["model"]["features"]] == ["temp", "hour"]


@every_regressor
def test_shows_itself(fit, sightglass, table, kind):
    """On the terminal, and as every kind of file."""
    data = table("rows.csv", columns(100))
    run = sightglass("fit", kind, "--data", data, "--target", "y", "-o", "fitted.json", "--format", "table")
    assert run.code == 0 and run.out.strip() and "wrote fitted.json" in run.err
    for name in ("shown.html", "shown.csv", "shown.txt", "shown.json"):
        assert fit(kind, data, "y", "--show", name).code == 0


# What can be wrong


@every_regressor
def test_usage(fit, sightglass, table, tmp_path, kind):
    table("rows.csv", columns(60))
    fails(sightglass("fit", kind, "--data", "rows.csv", "-o", "m.json"), USAGE, "target")
    fails(sightglass("fit", kind, "--data", "rows.csv", "--target", "y"), USAGE, "out")
    fails(sightglass("fit", kind, "--target", "y", "-o", "m.json"), USAGE, "data")
    fails(fit(kind, "rows.csv", "z"), USAGE, "no column z")
    fails(fit(kind, "rows.csv", "y", "--features", "x0,q"), USAGE, "no column q")
    fails(fit(kind, "rows.csv", "y", "--features", "y"), USAGE, "y is the target")
    fails(fit(kind, "rows.csv", "y", "--weights", "q"), USAGE, "no column q")
    fails(fit(kind, "rows.csv", "y", "--task", "ranking"), USAGE, "ranking")
    fails(fit(kind, "rows.csv", "k", "--task", "regression"), USAGE, "holds text, not numbers")
    fails(fit(kind, "rows.csv", "y", "--where", "x0 > 99"), DATA, "no row fulfils")
    fails(fit(kind, "rows.csv", "y", "--where", "x0 >"), USAGE, "where")
    fails(fit(kind, "rows.csv", "y", "--no-such-option", "3"), USAGE, "no-such-option")
    fails(fit(kind, "nowhere.csv", "y"), DATA, "nowhere.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.csv"]


def test_unknown_learners(sightglass, table):
    table("rows.csv", columns(60))
    fails(sightglass("fit", "neural-net", "--data", "rows.csv", "--target", "y", "-o", "m.json"), USAGE, "neural-net")
    fails(sightglass("fit"), USAGE)


@every_regressor
def test_places(fit, table, tmp_path, kind):
    data = table("rows.csv", columns(60))
    before = (tmp_path / data).read_bytes()
    fails(fit(kind, data, "y", out="rows.csv"), USAGE, "rows.csv")
    fails(fit(kind, data, "y", "--show", "m.json", out="m.json"), USAGE, "m.json")
    fails(fit(kind, data, "y", "--show", "rows.csv"), USAGE, "rows.csv")
    fails(fit(kind, data, "y", out="missing/m.json"), OUTPUT, "missing")
    (tmp_path / "folder").mkdir()
    fails(fit(kind, data, "y", out="folder"), OUTPUT)
    fails(fit(kind, data, "y", out=""), USAGE, "empty")
    fails(fit(kind, data, "y", "--show", "shown.docx"), USAGE, "format")
    assert (tmp_path / data).read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "rows.csv"]


@every_learner
def test_a_failed_fit_leaves_the_old_file(fit, table, tmp_path, kind):
    data = table("rows.csv", columns(60))
    (tmp_path / "fitted.json").write_text("old")
    fails(fit(kind, data, "z"), USAGE)
    assert (tmp_path / "fitted.json").read_text() == "old"


def sensible(run, tmp_path, sightglass, data, target):
    """A model that predicts finite numbers, or one line that says why there is none."""
    if run.code != 0:
        fails(run, run.code)
        assert run.code in (USAGE, DATA)
        assert not (tmp_path / "fitted.json").exists()
        return None
    predicted = sightglass("predict", "--model", "fitted.json", "--data", data, "--target", target)
    assert predicted.code == 0, predicted.err
    rows = [[float(x) for x in row.split(",")] for row in predicted.out.splitlines()[1:]]
    assert all(math.isfinite(x) for row in rows for x in row)
    (tmp_path / "fitted.json").unlink()
    return rows


@every_learner
@pytest.mark.parametrize("target", ["y", "k"])
def test_hard_data(fit, sightglass, table, tmp_path, kind, target):
    if target == "y" and kind not in of_numbers:
        pytest.skip("learns classes")

    def try_it(made, *more):
        data = table("rows.csv", {name: made[name] for name in made if name in (target, "w") or name not in "yk"})
        return sensible(fit(kind, data, target, *more), tmp_path, sightglass, data, target)

    good = columns(80)
    assert try_it(good) is not None
    assert try_it({**good, "gone": [None] * 80}) is not None, "a column without values is no obstacle"
    assert try_it({**good, "c": ["once"] + good["c"][1:]}) is not None, "nor a category seen once"
    assert try_it({**good, "x1": good["x0"]}) is not None, "nor a column twice"
    assert try_it({**good, "same": [7] * 80}) is not None, "nor a constant one"
    gaps = {**good, "x0": [None if i % 7 == 0 else x for i, x in enumerate(good["x0"])]}
    try_it({**gaps, "c": [None if i % 5 == 0 else c for i, c in enumerate(good["c"])]})
    try_it(columns(3, seed=4))
    try_it({**columns(3, seed=4), "k": ["a", "b", "a"]})
    try_it({name: values[:1] for name, values in good.items()})
    try_it(columns(12, features=30))
    assert try_it({**good, "w": [i % 3 for i in range(80)]}, "--weights", "w") is not None, "weights may be zero"
    try_it({**good, "x0": [f"{(x - 5) * 1e99:.17g}" for x in good["x0"]]})
    try_it({**good, "y": [f"{(y - 5) * 1e98:.17g}" for y in good["y"]]})
    fails_with = table("rows.csv", {**good, "w": [0] * 80})
    fails(fit(kind, fails_with, target, "--weights", "w"), DATA, "zero")


@pytest.mark.parametrize("kind", ["tree", "optimal-tree", "gam"])
@pytest.mark.parametrize("target", ["y", "k"])
def test_a_level_for_every_row(fit, sightglass, table, tmp_path, kind, target):
    """Fitted, shown, saved, read and predicted, however many there are."""
    rows = 20_000
    outcome = {"y": [i * 7919 % 20011 for i in range(rows)], "k": ["abc"[i * 7919 % 3] for i in range(rows)]}[target]
    data = table("rows.csv", {"id": [f"level {i}" for i in range(rows)], target: outcome})
    run = fit(kind, data, target, "--show", "shown.html")
    assert run.code == 0
    assert sensible(run, tmp_path, sightglass, data, target) is not None


@every_learner
def test_outcomes_that_say_nothing(fit, sightglass, table, tmp_path, kind):
    made = columns(40)
    data = table("rows.csv", {"x0": made["x0"], "c": made["c"], "y": [5] * 40})
    rows = sensible(fit(kind, data, "y"), tmp_path, sightglass, data, "y")
    assert rows is None or all(row[0] == pytest.approx(5) for row in rows)
    data = table("rows.csv", {"x0": made["x0"], "y": [None] * 40})
    fails(fit(kind, data, "y"), DATA, "y")
    data = table("rows.csv", {"x0": made["x0"], "k": ["only"] * 40})
    fails(fit(kind, data, "k"), DATA, "only one class, only")
    data = table("rows.csv", {"y": [1, 2, 3]})
    fails(fit(kind, data, "y"), DATA, "no column to learn from")
    data = table("rows.csv", {"x0": ["1e999", "2", "3"], "y": [1, 2, 3]})
    run = fit(kind, data, "y", "--numeric", "x0")
    if run.code != 0:
        fails(run, DATA)


@every_regressor
def test_weights_are_rows_that_come_again(fit, sightglass, table, kind):
    """For models whose folds do not depend on the number of rows it is the same model; here: that weights matter."""
    made = columns(60)
    far = [100 if y > 15 else 1 for y in made["y"]]
    table("rows.csv", {"x0": made["x0"], "c": made["c"], "y": made["y"], "w": far})
    assert fit(kind, "rows.csv", "y", "--weights", "w").code == 0
    inspected = sightglass("inspect", "--model", "fitted.json", "--format", "json").json
    assert [feature["name"] for feature in inspected["model"]["features"]] == ["x0", "c"]


@every_regressor
def test_a_damaged_file(fit, sightglass, table, tmp_path, kind):
    data = table("rows.csv", columns(60))
    assert fit(kind, data, "y", "--features", "x0,c").code == 0
    whole = (tmp_path / "fitted.json").read_bytes()
    assert whole.endswith(b"\n")
    draw = random.Random(7)

    def refused(content):
        (tmp_path / "damaged.json").write_bytes(content)
        fails(sightglass("predict", "--model", "damaged.json", "--data", data), MODEL, "damaged.json")

    for place in {
        0,
        1,
        20,
        41,
        50,
        57,
        60,
        len(whole) // 2,
        len(whole) - 2,
        *(draw.randrange(len(whole)) for _ in range(8)),
    }:
        refused(whole[:place])
    for place in {0, 3, 27, 30, 45, 58, len(whole) - 2, *(draw.randrange(len(whole) - 1) for _ in range(12))}:
        changed = bytearray(whole)
        changed[place] ^= 1 << draw.randrange(7)
        refused(bytes(changed))
    refused(whole + b"x")
    refused(json.dumps(json.loads(whole)).encode())
    refused(json.dumps(json.loads(whole), indent=2).encode())


def test_ctrl_c_leaves_no_file(tmp_path):
    """However far it has come; a fit that is done before the signal comes is no failure."""
    draw = random.Random(1)
    with open(tmp_path / "rows.csv", "w") as file:
        file.write("y," + ",".join(f"x{i}" for i in range(12)) + "\n")
        for _ in range(40_000):
            file.write(",".join(f"{draw.random():.6f}" for _ in range(13)) + "\n")
    for kind in of_numbers:
        command = [BINARY, "fit", kind, "--data", "rows.csv", "--target", "y", "-o", "fitted.json"]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            wait_until(lambda process=process: cpu_seconds(process) > 0.05, process)
        except AssertionError:
            assert process.returncode == 0
        else:
            os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode in (0, 130), kind
        left = sorted(path.name for path in tmp_path.iterdir())
        assert left == (["rows.csv"] if process.returncode else ["fitted.json", "rows.csv"])
        (tmp_path / "fitted.json").unlink(missing_ok=True)


def test_catalogue(sightglass):
    listed = sightglass("methods").out
    assert "\nLearners: sightglass fit KIND\n" in listed
    learners = listed.split("Learners: sightglass fit KIND\n")[1]
    for kind, entry in LEARNERS.items():
        assert f"\n{kind}" in "\n" + learners and entry["question"] in learners
        for key in ("title", "question", "when", "when_not", "formula", "paper", "cost", "size_unit"):
            assert entry[key], (kind, key)
        page = sightglass("methods", kind).out
        assert f"sightglass fit {kind}" in page and entry["when_not"] in page
        for option in entry["options"]:
            assert f"--{option['name'].replace('_', '-')} " in page
        assert sightglass("methods", kind, "--format", "json").json == entry
        if entry["alias"]:
            assert sightglass("methods", entry["alias"]).out == page
    fails(sightglass("methods", "sparse-liner"), USAGE, "there is no method sparse-liner")
