"""The installed C++ library, found and used as a stranger's program would: find_package, link, run."""

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
