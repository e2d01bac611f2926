"""Every snippet in the README and the docs runs, and prints what a block of text behind it says."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "HACKING.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def snippets(language):
    for page in PAGES:
        for number, (text, output) in enumerate(
            re.findall(
                rf"```{language}\n(.*?)```(?:\s*```text\n(.*?)```)?", page.read_text(encoding="utf-8"), re.DOTALL
            )
        ):
            yield pytest.param(text, output, id=f"{page.name}-{number}")


@pytest.fixture
def folder(tmp_path):
    """A place to write that has the examples; the repository itself stays clean."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


@pytest.mark.parametrize(("text", "output"), list(snippets("sh")))
def test_shell(text, output, folder):
    lines = [line for line in text.splitlines() if not re.match(r"\s*(make|alias|pip|git|cmake|build/)\b", line)]
    environment = dict(os.environ, PATH=f"{ROOT / 'build' / 'release'}:{os.environ['PATH']}")
    # Where pictures are drawn: a Python with vl-convert.
    environment["SIGHTGLASS_PYTHON"] = sys.executable
    script = "set -e\n" + "\n".join(lines)
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == output or not output


@pytest.mark.parametrize(("text", "output"), list(snippets("python")))
def test_python(text, output, folder):
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == output or not output


def test_gallery_shows_everything_of_the_catalogue():
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    catalogue = subprocess.run(
        [ROOT / "build/release/sightglass", "methods", "-f", "json"], capture_output=True, text=True
    )
    for entry in json.loads(catalogue.stdout):
        fit = "fit " if entry["family"] == "learners" else ""
        assert f"sightglass {fit}{entry['name']} " in text, entry["name"]
    for picture in re.findall(r"\]\((images/[^)]*)\)", text):
        assert (ROOT / "docs" / picture).is_file(), f"{picture}: tools/gallery.sh {Path(picture).stem}"
