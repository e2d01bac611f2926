"""Rows are asked for by what they are called, wherever they are asked for by their numbers."""

import csv
import random

import pytest
from native_tool import USAGE, fails

LOCAL = [
    ["shap"],
    ["lime"],
    ["anchors"],
    ["what-if"],
    ["counterfactuals", "--at-least", "150"],
    ["neighbors"],
    ["explain-row"],
    ["intrinsic"],
    ["ice", "--features", "area"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("houses")
    generator = random.Random(3)
    for name, first in (("houses.csv", 4001), ("new.csv", 9001)):
        with (place / name).open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["house", "area", "age", "price"])
            for row in range(120):
                area, age = generator.uniform(40, 200), generator.randrange(60)
                # Two rows of the same house, and one that is called by a number.
                house = "H-04005" if row == 50 else "77" if row == 60 else f"H-{first + row:05}"
                table.writerow([house, area, age, area + 30 - age + generator.gauss(0, 4)])
    return place


@pytest.fixture
def houses(sightglass, folder):
    model = folder / "model.json"
    if not model.exists():
        query = ["--query", "SELECT area, age, price FROM data"]
        done = sightglass("fit", "tree", "--data", folder / "houses.csv", *query, "--target", "price", "-o", model)
        assert done.code == 0, done.err
    return ["--model", model, "--data", folder / "houses.csv", "--target", "price", "--id", "house", "--quiet"]


def found(done):
    assert done.code == 0, done.err
    item = done.json["results"][0]
    return [each["row"] for each in item["attributions"]], item["row_labels"]


@pytest.mark.parametrize("method", LOCAL, ids=lambda method: method[0])
def test_every_local_method_finds_rows_by_their_names(sightglass, houses, method):
    by_name = sightglass(*method, *houses, "--rows", "H-04010")
    by_number = sightglass(*method, *houses, "--rows", "9")
    assert by_name.code == by_number.code == 0, by_name.err + by_number.err
    assert by_name.json == by_number.json
    assert "H-04010" in by_name.out


def test_names_and_numbers_together(sightglass, houses):
    rows, names = found(sightglass("shap", *houses, "--rows", "H-04010,2,H-04002"))
    assert rows == [1, 2, 9]
    assert names == ["H-04002", "H-04003", "H-04010"]


def test_a_name_of_several_rows_is_all_of_them(sightglass, houses):
    rows, names = found(sightglass("shap", *houses, "--rows", "H-04005"))
    assert rows == [4, 50]
    assert names == ["H-04005", "H-04005"]


def test_numbers_count_unless_they_are_quoted(sightglass, houses):
    assert found(sightglass("shap", *houses, "--rows", "77"))[0] == [77]
    assert found(sightglass("shap", *houses, "--rows", '"77"'))[0] == [60]


def test_names_of_new_rows(sightglass, houses, folder):
    rows, names = found(sightglass("shap", *houses, "--rows-from", folder / "new.csv", "--rows", "H-09003"))
    assert (rows, names) == ([2], ["H-09003"])
    fails(sightglass("shap", *houses, "--rows-from", folder / "new.csv", "--rows", "H-04003"), USAGE, "H-09003")


def test_near_names_are_told(sightglass, houses):
    done = sightglass("shap", *houses, "--rows", "H-4010")
    fails(done, USAGE, "--rows: no row is called H-4010", "did you mean H-04010?")
    fails(sightglass("shap", *houses, "--rows", "zebra"), USAGE, "no row is called zebra", "H-04001")
    without = [word for word in houses if word not in ("--id", "house")]
    keep = ["--query", "SELECT area, age, price FROM data"]
    fails(sightglass("shap", *without, *keep, "--rows", "H-04010"), USAGE, "the rows have no names", "--ids")
