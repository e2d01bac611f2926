"""A method and a shape that only this test's tool has (tests/made_up) do everything that others do."""

import base64
import importlib.util
import json
import re
import subprocess
import types
import zlib

import pytest
from native_tool import BINARY, ROOT

MADE_UP = BINARY.parent / "tests" / "made_up" / "made_up_cli"
BIKE = ROOT / "examples" / "bike"
DATA = ["--data", BIKE / "bike.csv"]  # no model: it needs none
MODEL = ["--model", BIKE / "model.json"]


def tool(*arguments, binary=MADE_UP):
    done = subprocess.run([str(binary), *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "known.json"
    tool("known-values", *DATA, "--rungs", 2, "-o", path)
    return path


def test_it_is_in_the_catalogue():
    entries = {entry["name"]: entry for entry in json.loads(tool("methods", "--format", "json"))}
    assert entries["known-values"]["options"][0]["name"] == "rungs"
    assert "How many rows have a value" in tool("methods", "known-values")
    assert "--rungs" in tool("known-values", "--help")
    assert entries["known-values"]["inputs"] == {"model": "none", "target": "optional"}
    assert entries["ale"]["inputs"] == {"model": "required", "target": "optional"}
    assert entries["permutation-importance"]["inputs"] == {"model": "required", "target": "required"}
    assert "not asked: the data are enough" in tool("methods", "known-values")


def columns(*arguments):
    done = subprocess.run(
        [str(MADE_UP), "known-values", *map(str, [*DATA, "--rungs", 99, *arguments])], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [rung["name"] for rung in json.loads(done.stdout)["results"][0]["rungs"]], done.stderr


def test_it_needs_no_model(saved):
    result = json.loads(saved.read_text(encoding="utf-8"))
    assert result["model"] == {} and result["options"]["engine"] == "" and result["options"]["scale"] == ""
    header = (BIKE / "bike.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    every, said = columns()
    assert sorted(every) == sorted(header) and said == ""
    # Neither the target nor the weights are features.
    assert set(header) - set(columns("--target", "rentals", "--weights", "hour")[0]) == {"rentals", "hour"}
    # A model says which columns are features, and the user hears that it is not asked.
    of_model, said = columns(*MODEL)
    assert set(of_model) < set(header) and "does not ask the model" in said
    assert columns(*MODEL, "--quiet") == (of_model, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["known-values", *DATA, "--class", "cat"], "is about a model, and there is none"),
        (["known-values", *DATA, "--engine", "trees"], "give a model as --model"),
        (["known-values", *DATA, "--classes", "a,b"], "--classes and --rounds are about a model"),
        (["ale", *DATA], "--model is required"),
    ],
)
def test_what_is_about_a_model_needs_one(arguments, words):
    done = subprocess.run([str(MADE_UP), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 2 and words in done.stderr, done.stderr


def test_it_runs_and_its_shape_is_saved_and_loaded(saved):
    result = json.loads(saved.read_text(encoding="utf-8"))
    (item,) = result["results"]
    assert list(item) == ["type", "output", "group", "rungs"]
    assert item["type"] == "ladder" and len(item["rungs"]) == 2
    low, high = item["rungs"]
    assert list(low) == ["name", "height", "loose"] and low["loose"] and low["height"] > 0
    assert list(high) == ["name", "height", "loose", "feet"] and not high["loose"] and high["feet"] == [1]
    assert tool("render", saved, "--format", "json") == saved.read_text(encoding="utf-8")
    wrong = saved.with_name("wrong.json")
    for broken, message in [
        ([low, {**high, "height": "tall"}], "rungs[1].height: "),
        ([{"name": "x"}], 'rungs[0]: the key "height" is missing'),
        ([low, 5], "rungs[1]: expected an object"),
        ({"a": 1}, "rungs: expected a list"),
    ]:
        wrong.write_text(json.dumps({**result, "results": [{**item, "rungs": broken}]}), encoding="utf-8")
        done = subprocess.run([MADE_UP, "render", wrong], capture_output=True, text=True)
        assert done.returncode == 3 and message in done.stderr, done.stderr


def test_it_is_shown_in_every_format(saved):
    rungs = [rung["name"] for rung in json.loads(saved.read_text(encoding="utf-8"))["results"][0]["rungs"]]
    text = tool("render", saved, "--format", "table")
    assert "Ladder" in text and all(rung in text for rung in rungs)
    header, *rows = tool("render", saved, "--format", "csv").splitlines()
    columns = header.split(",")
    assert columns[0] == "type" and columns[-3:] == ["rung", "height", "loose"]
    assert [row.split(",")[-3] for row in rows] == rungs
    assert [row.split(",")[-1] for row in rows] == ["true", "false"], "a flag is no reason for doubt"
    assert {len(row.split(",")) for row in rows} == {len(columns)}
    spec = json.loads(tool("render", saved, "--format", "vega"))
    assert spec["mark"] == "bar" and [row["x"] for row in spec["data"]["values"]] == rungs
    page = saved.with_name("page.html")
    tool("render", saved, "-o", page)
    assert "How high it goes" in page.read_text(encoding="utf-8")
    assert "ladders/" in tool("render", saved, "--list-charts")


def chapters(result, path):
    path.with_suffix(".json").write_text(json.dumps(result), encoding="utf-8")
    tool("render", path.with_suffix(".json"), "-o", path)
    data = re.search(r'id="sightglass-data"[^>]*>(.*?)</script>', path.read_text(encoding="utf-8"), re.S).group(1)
    packed = not data.startswith("{")
    return json.loads(zlib.decompress(base64.b64decode(data)) if packed else data)["chapters"]


def test_the_family_of_its_method_says_where_a_page_has_it(saved):
    """Methods of two families that share a shape are in two chapters; a family without one leaves it to the shape."""
    result = json.loads(saved.read_text(encoding="utf-8"))
    assert result["about"]["family"] == "counts", "a word that no other method has"
    for family, title in [
        ("counts", "How high it goes"),
        ("local", "Single rows"),
        ("surrogates", "A simpler model"),
        ("examples", "Rows that stand for others"),
    ]:
        result["about"]["family"] = family
        (chapter,) = chapters(result, saved.with_name(f"{family}.html"))
        assert chapter["title"] == title and len(chapter["sections"]) == chapter["open"] == 1


def test_of_many_only_some_are_open(saved):
    result = json.loads(saved.read_text(encoding="utf-8"))
    result["results"] = [{**result["results"][0], "group": f"g = {i}"} for i in range(500)]
    (chapter,) = chapters(result, saved.with_name("many.html"))
    assert chapter["open"] <= 20


def test_a_tool_that_does_not_know_the_shape_keeps_it(saved):
    text = saved.read_text(encoding="utf-8")
    assert tool("render", saved, "--format", "json", binary=BINARY) == text
    assert 'does not know "ladder"' in " ".join(tool("render", saved, "--format", "table", binary=BINARY).split())
    page = saved.with_name("page.html")
    tool("render", saved, "-o", page, binary=BINARY)
    assert "does not know" in page.read_text(encoding="utf-8")


def test_python_has_a_method_for_it_and_takes_its_results(tmp_path):
    """The package itself is not built with it: its generator writes the method, which here asks the tool."""
    sg = pytest.importorskip("sightglass")
    spec = importlib.util.spec_from_file_location("make_python_methods", ROOT / "tools" / "make_python_methods.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    entry = next(e for e in json.loads(tool("methods", "--format", "json")) if e["name"] == "known-values")
    run_options = json.loads(sg._core.catalogue())["run_options"]
    head = "from __future__ import annotations\nfrom sightglass._methods import _one_of, own_words\nclass Methods:\n"
    source = head + generator.method(entry, run_options)
    module = types.ModuleType("made_up_methods")
    exec(compile(source, "made_up_methods", "exec"), module.__dict__)

    class Explainer(module.Methods):
        def _run(self, method, options, out=None):
            path = tmp_path / "result.json"
            given = [word for name, value in options.items() if value is not None for word in (f"--{name}", value)]
            tool(method, *DATA, *given, "-o", path)
            return sg.load(path)

    result = Explainer().known_values(rungs=1)
    (item,) = result.results
    assert item["type"] == "ladder" and len(item["rungs"]) == 1
    assert json.loads(result.to_json())["results"] == result.results
    assert result.to_frame("dict")["type"] == ["ladder"]
    assert "does not know" in " ".join(str(result).split())
