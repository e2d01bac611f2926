"""The installed C++ library, found and used as a stranger's program would: find_package, link, run."""

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_find_package_and_the_example(tmp_path):
    run("cmake", "--install", ROOT / "build" / "release", "--prefix", tmp_path / "installed")
    headers = list((tmp_path / "installed" / "include" / "sightglass").rglob("*.h"))
    names = {str(header.relative_to(tmp_path / "installed" / "include")) for header in headers}
    assert "sightglass/sightglass.h" in names
    # What nobody outside needs stays inside.
    assert not [
        name for name in names if name.endswith("_internal.h") or "/findings/" in name or "/trees/rows/" in name
    ]
    run("cmake", "-S", ROOT / "examples" / "cpp", "-B", tmp_path / "build",
        f"-DCMAKE_PREFIX_PATH={tmp_path / 'installed'}", "-DCMAKE_BUILD_TYPE=Release")  # fmt: skip
    run("cmake", "--build", tmp_path / "build")
    bike = ROOT / "examples" / "bike"
    lines = run(tmp_path / "build" / "example", bike / "model.json", bike / "bike.csv", "temp").splitlines()
    assert len(lines) == 34
    assert lines[0].startswith("-7.06 -25.62")


def literal(value):
    """As C++ writes an option's default."""
    if value is None or value == []:
        return "{}"
    if isinstance(value, list):
        return "{" + ", ".join(map(literal, value)) + "}"
    return json.dumps(value)


def calls(installed):
    """A call of every method, with every option by its name: in the order of the catalogue, as C++ wants it."""
    header = (installed / "include" / "sightglass" / "methods" / "all_methods.h").read_text()
    functions = re.findall(r"^\[\[nodiscard\]\] inline Result (\w+)\(", header, re.MULTILINE)
    catalogue = json.loads(run(installed / "bin" / "sightglass", "methods", "--format", "json"))
    # Options that lead to another method are that method's.
    options = {
        entry["name"].replace("-", "_"): [
            option
            for option in entry["options"]
            if option["name"] not in {lead["option"] for lead in entry.get("leads", ())}
            and option["type"] != "data"  # other tables are arguments of explain()
        ]
        for entry in catalogue
    }
    for function in functions:
        named = ", ".join(f".{option['name']} = {literal(option['default'])}" for option in options[function])
        yield f"sightglass::{function}(model, data, {{{named}}}, told);"


def test_every_option_of_every_method_can_be_named(tmp_path):
    run("cmake", "--install", ROOT / "build" / "release", "--prefix", tmp_path / "installed")
    lines = list(calls(tmp_path / "installed"))
    assert len(lines) >= 12
    program = [
        "#include <sightglass/sightglass.h>",
        "void all(const sightglass::Model& model, const sightglass::Source& data) {",
        '  const sightglass::RunOptions told{.target = "y", .sample = 100, .seed = 1, .caveat_rows = 0};',
        *(f"  (void){line}" for line in lines),
        "}",
    ]
    (tmp_path / "all.cpp").write_text("\n".join(program) + "\n")
    run("g++", "-std=c++20", "-fsyntax-only", "-I", tmp_path / "installed" / "include", tmp_path / "all.cpp")


def test_the_installed_tool_finds_its_library(tmp_path):
    run("cmake", "--install", ROOT / "build" / "release", "--prefix", tmp_path / "installed")
    tool = tmp_path / "installed" / "bin" / "sightglass"
    assert run(tool, "--version").startswith("sightglass ")
    (tmp_path / "d.csv").write_text("temp,weather\n1,dry\n2,rain\n")
    out = run(
        tool,
        "predict",
        "--model",
        f"exec:python3 {ROOT / 'examples' / 'exec' / 'model.py'}",
        "--data",
        tmp_path / "d.csv",
    )
    assert out.startswith("prediction\n")
