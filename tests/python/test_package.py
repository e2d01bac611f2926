"""The package itself: what importing it costs, that signatures are real, that examples run."""

import doctest
import importlib
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sightglass as sg
from sightglass import _core

ROOT = Path(__file__).resolve().parents[2]


def test_import_brings_nothing_along():
    # What .pth files of other packages import at the start is not ours.
    script = "import sys; before = set(sys.modules); import sightglass; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    ours = {name.split(".")[0] for name in done.stdout.split()}
    heavy = {"numpy", "pandas", "polars", "pyarrow", "sklearn", "xgboost", "duckdb", "scipy", "inspect", "asyncio"}
    assert "sightglass" in ours and not ours & heavy


def test_import_is_fast():
    # In CPU time, so that it does not matter what else the machine does.
    script = "import time; begin = time.process_time(); import sightglass; print(1000 * (time.process_time() - begin))"
    times = [
        float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    ]
    assert min(times) < 100


def test_methods_are_those_of_the_registry():
    done = subprocess.run([sys.executable, ROOT / "tools" / "make_python_methods.py", "--check"], check=False)
    assert done.returncode == 0, "run tools/make_python_methods.py"


def test_signatures():
    for entry in json.loads(_core.catalogue())["methods"]:
        method = getattr(sg.Explainer, entry["name"].replace("-", "_"))
        parameters = inspect.signature(method).parameters
        for option in entry["options"]:
            default = parameters[option["name"]].default
            assert default == (None if option["default"] in ([], None) else option["default"])
        assert entry["question"] in method.__doc__
        if entry["alias"]:
            assert getattr(sg.Explainer, entry["alias"].replace("-", "_")) is method
    catalogue = [entry["name"].replace("-", "_") for entry in json.loads(_core.catalogue())["methods"]]
    assert sg.Explainer(lambda data: data[:, 0], _matrix()).methods == catalogue


def _matrix():
    import numpy as np

    return np.zeros((3, 2))


@pytest.mark.parametrize(
    "name", ["sightglass", *(f"sightglass._{part}" for part in ("explainer", "fit", "learners", "methods", "result"))]
)
def test_examples_in_docstrings(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0 and failed == 0


def test_everything_public_is_documented():
    for name in sg.__all__:
        if name != "__version__":
            assert inspect.getdoc(getattr(sg, name)), name
    for name, member in inspect.getmembers(sg.Result) + inspect.getmembers(sg.Explainer):
        if inspect.isfunction(member) and not name.startswith("_") and name not in ("keys",):
            assert inspect.getdoc(member), name


def test_version():
    assert sg.__version__ in (ROOT / "CMakeLists.txt").read_text()


def test_command_line_program():
    done = subprocess.run(
        [sys.executable, "-m", "sightglass._cli", "--version"], capture_output=True, text=True, env={**os.environ}
    )
    assert done.returncode == 0 and sg.__version__ in done.stdout


def test_options_are_read_by_what_they_mean():
    X = np.random.default_rng(0).uniform(size=(60, 3))
    ex = sg.Explainer(lambda X: X[:, 0] * X[:, 1] + X[:, 2], X)
    former = ex.interactions(pairs=("x0", "x1"), budget=10**6)  # the former name
    assert former.options["predictions"] == 10**6 and "budget" not in former.options
    assert ex.interactions(triples=[(0, 1, 2)], pairs=[("x0", 1)]).options["triples"] == ["x0:x1:x2"]
    assert ex.regional_effects("x0", split_by=[1]).options["split_by"] == ["x1"]
    with pytest.raises(sg.UsageError, match="is a pair"):
        ex.m_plot([("x0", "x1")])


def test_names_of_scikit_learn():
    bike_model, bike_data = ROOT / "examples" / "bike" / "model.json", ROOT / "examples" / "bike" / "bike.csv"
    ours = sg.Explainer(bike_model, bike_data, y="rentals", weights="hour", seed=3, threads=1)
    theirs = sg.Explainer(bike_model, bike_data, y="rentals", sample_weight="hour", random_state=3, n_jobs=1)
    assert ours.pfi(repeats=2, sample=200).to_json() == theirs.pfi(n_repeats=2, sample=200).to_json()
    assert ours.pdp("temp", grid=5).to_json() == theirs.pdp("temp", grid_resolution=5).to_json()
    with pytest.raises(sg.UsageError, match="option grid is given twice; leave out its other name, grid_resolution"):
        ours.pdp("temp", grid=5, grid_resolution=6)
    assert ours.pfi(seed=4, repeats=1).to_json() == theirs.pfi(random_state=4, repeats=1).to_json()
    with pytest.raises(sg.UsageError, match="seed and random_state mean the same"):
        sg.Explainer(bike_model, bike_data, seed=1, random_state=2)


def test_report_says_what_it_takes():
    parameters = inspect.signature(sg.Explainer.report).parameters
    assert list(parameters)[:3] == ["self", "path", "features"]
    assert {"budget", "skip", "no_rows", "where"} <= set(parameters)
    assert not [one for one in parameters.values() if one.kind is one.VAR_KEYWORD]
