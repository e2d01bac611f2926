"""sightglass report: one command, one page, and the results behind it."""

import json
import re
import signal
import subprocess
import time

import pytest
from native_tool import BINARY


def payload_of(path):
    page = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="sightglass-data"[^>]*>(.*?)</script>', page, re.S).group(1))


@pytest.fixture
def report(sightglass, bike):
    def run(*more):
        return sightglass("report", *bike, "--target", "rentals", "--sample", "400", *more)

    return run


def test_one_page_and_its_results(report, sightglass, tmp_path):
    run = report("-o", "report.html", "--save", "results", "--title", "Bikes <in> town")
    assert run.code == 0, run.err
    payload = payload_of(tmp_path / "report.html")
    assert payload["title"] == "Bikes <in> town"
    methods = {entry["method"] for entry in payload["runs"]}
    assert {"Performance", "Partial dependence", "Shapley values"} <= methods
    files = sorted(file.name for file in (tmp_path / "results").iterdir())
    assert files[0] == "01-report.json" and len(files) == 15
    first = json.loads((tmp_path / "results" / files[0]).read_text())
    assert first["options"]["left_out"] == []
    assert first["options"]["command"].startswith("sightglass report --model ")
    # The same page from the saved results.
    again = sightglass(
        "render", *(f"results/{name}" for name in files), "-o", "again.html", "--title", "Bikes <in> town"
    )
    assert again.code == 0, again.err
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "report.html").read_bytes()


def test_a_folder_holds_one_report(report, tmp_path):
    assert report("-o", "a.html", "--save", "results").code == 0
    (tmp_path / "results" / "notes.json").write_text("mine")
    assert report("-o", "b.html", "--save", "results", "--skip", "shap,ice").code == 0
    names = sorted(file.name for file in (tmp_path / "results").iterdir())
    assert "notes.json" in names and not any("shap" in name for name in names)


def test_without_rows_no_row_is_in_the_page(report, tmp_path):
    assert report("-o", "report.html", "--save", "results", "--no-rows").code == 0
    for file in (tmp_path / "results").iterdir():
        kinds = {item["type"] for item in json.loads(file.read_text())["results"]}
        assert not kinds & {"attributions", "curves"}, file.name


def test_a_budget_chooses_rows_and_says_so(sightglass, bike, tmp_path):
    run = sightglass("report", *bike, "--target", "rentals", "--budget", "0.02s", "-o", "r.html", "--save", "results")
    assert run.code == 0, run.err
    options = json.loads((tmp_path / "results" / "01-report.json").read_text())["options"]
    assert 20 <= options["sample"] < 8645
    assert f" --sample {options['sample']} --skip " in options["command"]
    assert "--budget" not in options["command"]
    used = json.loads((tmp_path / "results" / "02-performance.json").read_text())["data"]["rows"]
    assert used == options["sample"]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--budget", "soon"], "is no time"),
        (["--top", "-1"], "between 0 and 1000"),
        (["--format", "csv"], "no format csv"),
        (["--target", "nope"], "no column nope"),
        (["--features", "nope"], "no column nope"),
        (["--by", "season"], "--by"),
        (["--skip", "lime"], "no part lime"),
    ],
)
def test_what_is_wrong_is_said(sightglass, bike, tmp_path, arguments, words):
    run = sightglass("report", *bike, "-o", "report.html", *arguments)
    assert run.code == 2 and run.err.count("\n") == 1 and words in run.err, run.err
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_no_file(bike, tmp_path):
    process = subprocess.Popen(
        [str(BINARY), "report", *map(str, bike), "--target", "rentals", "--engine", "blackbox", "--budget", "0"]
        + ["-o", "report.html", "--save", "results"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
    )
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    assert list(tmp_path.iterdir()) == []
