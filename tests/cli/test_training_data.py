"""Measured on training and test data: what was learnt by heart is named, of numbers and of classes, and little else."""

import csv
import random

import pytest


def write(path, generator, rows, coarse=False):
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["a", "b", "y", "bought"])
        for _ in range(rows):
            a, b = (generator.randrange(3), generator.randrange(2)) if coarse else (generator.gauss(0, 1) for _ in "ab")
            y = a + b / 2 + generator.gauss(0, 1.5)
            table.writerow([a, b, round(y) if coarse else y, "yes" if y > 0.5 else "no"])
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("split")
    generator = random.Random(11)
    write(place / "train.csv", generator, 400)
    write(place / "test.csv", generator, 300)
    write(place / "coarse-train.csv", generator, 200, coarse=True)
    write(place / "coarse-test.csv", generator, 200, coarse=True)
    return place


@pytest.fixture
def cautions(sightglass, folder):
    def run(method, target, *more, depth=0, leaf=1, data="test.csv", train="train.csv", fitted="train.csv"):
        model = folder / f"{target}-{depth}-{leaf}-{fitted}.json"
        query = ["--query", f"SELECT a, b, {target} FROM data"]
        if not model.exists():
            size = ["--max-depth", depth, "--min-leaf-rows", leaf]
            done = sightglass("fit", "tree", "--data", folder / fitted, *query, "--target", target, *size, "-o", model)
            assert done.code == 0, done.err
        both = folder / f"{target}-{train}"
        with (folder / train).open() as file, both.open("w", newline="") as out:
            rows = csv.DictReader(file)
            table = csv.DictWriter(out, ["a", "b", target], extrasaction="ignore")
            table.writeheader()
            table.writerows(rows)
        given = ["--model", model, "--data", folder / data, *query, "--target", target, "--train-data", both]
        done = sightglass(method, *given, *more, "--quiet")
        assert done.code == 0, done.err
        return {caveat["id"]: caveat["message"] for caveat in done.json["caveats"]}

    return run


@pytest.mark.parametrize("target", ["y", "bought"])
@pytest.mark.parametrize("method", ["performance", "pfi", "model-reliance"])
def test_what_was_learnt_by_heart_is_named(cautions, method, target):
    found = cautions(method, target)
    assert "overfitting" in found
    assert "on the training data and" in found["overfitting"]
    assert "seen-rows" not in found


@pytest.mark.parametrize("loss", ["rmse", "r2", "mae"])
def test_by_any_loss_of_numbers(cautions, loss):
    assert "overfitting" in cautions("pfi", "y", "--losses", loss)


@pytest.mark.parametrize("target", ["y", "bought"])
@pytest.mark.parametrize("method", ["performance", "pfi", "model-reliance"])
def test_a_model_that_learnt_nothing_by_heart_is_left_alone(cautions, method, target):
    found = cautions(method, target, depth=1, leaf=50)
    assert not {"overfitting", "seen-rows"} & set(found)


def test_rows_of_the_training_data_among_those_that_judge(cautions):
    found = cautions("performance", "y", data="train.csv")
    assert found["seen-rows"].startswith("400 of the 400 rows of the test data are rows of the training data")
    # Few different rows: most are alike, and that means nothing.
    coarse = {
        "data": "coarse-test.csv",
        "train": "coarse-train.csv",
        "fitted": "coarse-train.csv",
        "depth": 2,
        "leaf": 20,
    }
    assert "seen-rows" not in cautions("performance", "y", **coarse)
    assert "seen-rows" not in cautions("pfi", "bought", **coarse)
