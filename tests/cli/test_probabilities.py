"""Programs and callables that return probabilities are classifiers, as functions in Python are."""

import csv
import math
import random

import pytest
from native_tool import DATA, USAGE, fails

MODELS = """
import math

def chances(data):
    return [1 / (1 + math.exp(-2 * x)) for x in data["x"]]

def flat(data):
    return chances(data)

def column(data):
    return [[p] for p in chances(data)]

def both(data):
    return [[1 - p, p] for p in chances(data)]

def three(data):
    weights = [[math.exp(-x), 1.0, math.exp(x)] for x in data["x"]]
    return [[w / sum(row) for w in row] for row in weights]

def line(data):
    return [2 * x for x in data["x"]]


class Classifier:
    classes_ = ["yes", "no"]

    def predict_proba(self, data):
        return Answers([[p, 1 - p] for p in chances(data)])


class Answers:
    def __init__(self, rows):
        self.shape, self.rows = (len(rows), 2), rows

    def tolist(self):
        return self.rows


fitted = Classifier()
"""


@pytest.fixture
def folder(tmp_path):
    generator = random.Random(2)
    (tmp_path / "models.py").write_text(MODELS)
    with (tmp_path / "data.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["x", "z", "bought", "one", "truth", "size", "few", "price"])
        for _ in range(300):
            x = generator.gauss(0, 2)
            yes = generator.random() < 1 / (1 + math.exp(-2 * x))
            size = min(range(3), key=lambda k: abs(2 * (k - 1) - x))
            row = [x, generator.random(), "yes" if yes else "no", int(yes), "true" if yes else "false"]
            table.writerow([*row, "big,medium,small".split(",")[size], "ab"[size > 1], 10 * x])
    return tmp_path


def results(sightglass, model, target, *more, method="performance", features=("z", "x")):
    given = ["--model", model, "--data", "data.csv", "--target", target, *more]
    keep = ["--query", f"SELECT {', '.join(features)}, {target} FROM data"]
    return sightglass(method, *given, *keep)


def figures(run):
    assert run.code == 0, run.err
    return {item["name"]: item["value"] for item in run.json["results"] if item["type"] == "figure"}


@pytest.mark.parametrize("function", ["flat", "column", "both"])
@pytest.mark.parametrize(("target", "positive"), [("bought", "yes"), ("one", "1"), ("truth", "true")])
def test_probabilities_of_two_values(sightglass, folder, function, target, positive):
    run = results(sightglass, f"python:models:{function}", target)
    assert run.json["model"]["task"] == "binary"
    assert run.json["model"]["outputs"] == [positive]
    assert figures(run)["auc"] > 0.9
    assert "--classes" in run.err
    assert "taken for the probabilit" in run.err


def test_a_program_is_asked_as_a_function_is(sightglass, folder):
    program = "import json, sys, models\nfor line in sys.stdin:\n" + (
        "  answer = models.three(json.loads(line)['columns'])\n  print(json.dumps({'predictions': answer}), flush=True)\n"
    )
    (folder / "program.py").write_text(program)
    for model in ("exec:python3 program.py", "python:models:three"):
        run = results(sightglass, model, "size")
        assert run.json["model"]["outputs"] == ["big", "medium", "small"]
        assert figures(run)["accuracy"] > 0.5
        predicted = results(sightglass, model, "size", method="predict")
        assert predicted.out.splitlines()[0] == "prediction_big,prediction_medium,prediction_small"
        inspected = results(sightglass, model, "size", method="inspect")
        assert inspected.json["model"]["task"] == "multiclass"


def test_a_fitted_estimator_names_its_columns(sightglass, folder):
    run = results(sightglass, "python:models:fitted.predict_proba", "bought")
    # Its first column is that of yes; of two classes its last one, no, is the output.
    assert run.json["model"]["outputs"] == ["no"]
    assert figures(run)["auc"] > 0.9


def test_mere_numbers_stay_mere_numbers(sightglass, folder):
    run = results(sightglass, "python:models:line", "price")
    assert run.json["model"]["task"] == "regression"
    assert run.err == ""
    run = results(sightglass, "python:models:flat", "one", "--classes", "")
    assert run.json["model"]["task"] == "regression"
    assert "r2" in figures(run)


def test_names_given_are_the_names(sightglass, folder):
    run = results(sightglass, "python:models:flat", "bought", "--classes", "yes,no")
    assert run.json["model"]["outputs"] == ["no"]
    assert run.err == ""
    assert figures(run)["auc"] < 0.1
    fails(results(sightglass, "python:models:three", "size", "--classes", "a,b"), USAGE, "2 class names", "3 numbers")


def test_where_nothing_names_the_classes_the_error_says_how(sightglass, folder):
    run = results(sightglass, "python:models:three", "few", method="pfi")
    assert run.code == DATA
    assert "few has 2 values; name them in the model's order with --classes" in run.err
    assert "--classes" in run.err.splitlines()[-1]


def test_a_second_model_is_asked_too(sightglass, folder):
    more = ["--model", "python:models:both"]
    run = results(sightglass, "python:models:flat", "bought", *more, method="compare-models")
    assert run.code == 0, run.err
    assert run.json["model"]["outputs"] == ["yes"]
