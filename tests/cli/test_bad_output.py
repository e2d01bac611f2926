"""Everything that can be wrong with the place of a result, before and after the work: nothing lost, nothing half written."""

import os
import signal
import subprocess
import time

import pytest
from native_tool import BINARY, DATA, OUTPUT, USAGE, fails


def test_output(pdp, tmp_path):
    fails(pdp("--out", "missing/r.json"), OUTPUT, "missing")
    (tmp_path / "folder.json").mkdir()
    fails(pdp("--out", "folder.json"), OUTPUT)
    fails(pdp("--out", "/dev/full", "--format", "json"), OUTPUT)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [BINARY, "pdp", "--model", "model.json", "--data", "data.csv"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == OUTPUT


def test_a_failed_run_leaves_the_old_file(pdp, tmp_path):
    (tmp_path / "r.json").write_text("old")
    fails(pdp("--features", "z", "--out", "r.json"), USAGE)
    assert (tmp_path / "r.json").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "model.json", "r.json"]


def test_svg_without_vl_convert_says_what_to_install(sightglass, tiny, tmp_path):
    env = dict(os.environ, SIGHTGLASS_PYTHON="/no/such/python")
    run = sightglass("pdp", "--model", "model.json", "--data", "data.csv", "-o", "x.svg", env=env)
    fails(run, USAGE, "sightglass[export]")
    assert not (tmp_path / "x.svg").exists()


@pytest.mark.parametrize("command", ["pdp", "report", "predict", "inspect", "ranking"])
def test_outputs_are_looked_at_before_the_work(sightglass, tiny, tmp_path, command):
    # The model tells that it was started.
    (tmp_path / "model.sh").write_text("touch started; sleep 30\n")
    (tmp_path / "link.json").symlink_to("data.csv")
    os.link(tmp_path / "data.csv", tmp_path / "hard.json")
    os.link(tmp_path / "model.sh", tmp_path / "model.hard.json")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "dangling.json").symlink_to("nowhere/x")
    data = (tmp_path / "data.csv").read_text()
    form = {"report": "html", "predict": "csv"}.get(command, "json")

    def run(*arguments, env=None):
        return sightglass(command, "--model", "exec:sh ./model.sh", "--data", "data.csv", *arguments, env=env)

    for name in (
        "data.csv",
        "./data.csv",
        tmp_path / "data.csv",
        "link.json",
        "hard.json",
        "model.sh",
        "model.hard.json",
    ):
        fails(run("-o", name, "--format", form), USAGE, "would replace an input")
    for name in ("missing/r.json", "folder.json", "dangling.json", "/proc/r.json", "/sys/r.json"):
        fails(run("-o", name, "--format", form), OUTPUT)
    fails(run("-o", "x.docx"), USAGE, "format")
    fails(run("--format", "docx"), USAGE, "docx")
    fails(run("--threads", "2000000000"), USAGE) if command != "inspect" else None
    if command in ("pdp", "ranking"):
        fails(
            run("-o", "x.svg", env=dict(os.environ, SIGHTGLASS_PYTHON="/no/such/python")), USAGE, "sightglass[export]"
        )
    if command == "report":
        fails(run("-o", "r.html", "--save", "data.csv"), OUTPUT, "data.csv is no folder")
        fails(run("-o", "r.html", "--save", "data.csv/sub"), OUTPUT, "data.csv is no folder")
        fails(run("-o", "r.html", "--save", "/proc/results"), OUTPUT)
    assert not (tmp_path / "started").exists()
    assert (tmp_path / "data.csv").read_text() == data
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_render_does_not_replace_what_it_reads(sightglass, tiny, tmp_path):
    assert sightglass("pdp", "--model", "model.json", "--data", "data.csv", "-o", "r.json").code == 0
    saved = (tmp_path / "r.json").read_text()
    (tmp_path / "link.csv").symlink_to("r.json")
    fails(sightglass("render", "r.json", "-o", "r.json"), USAGE, "would replace an input")
    fails(sightglass("render", "r.json", "-o", "link.csv"), USAGE, "would replace an input")
    fails(sightglass("render", "nowhere.json", "-o", "missing/x.html"), OUTPUT)
    assert (tmp_path / "r.json").read_text() == saved


def test_a_file_size_limit_is_an_error(tiny, tmp_path):
    script = f"ulimit -f 1; '{BINARY}' pdp --model model.json --data data.csv -o r.html"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == OUTPUT, done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "model.json"]


def test_a_stopped_render_leaves_nothing(sightglass, tiny, tmp_path):
    assert sightglass("pdp", "--model", "model.json", "--data", "data.csv", "-o", "r.json").code == 0
    for delay in [0.0004 * step for step in range(60)]:
        process = subprocess.Popen([BINARY, "render", "r.json", "-o", "r.html"], cwd=tmp_path, stderr=subprocess.PIPE)
        time.sleep(delay)
        process.send_signal(signal.SIGTERM)
        process.communicate()
    assert not [p.name for p in tmp_path.iterdir() if p.name.startswith(".sightglass")]


def test_the_page_and_the_saved_results_do_not_replace_each_other(sightglass, tiny, tmp_path):
    given = ["report", "--model", "model.json", "--data", "data.csv", "--save", "results"]
    fails(sightglass(*given, "-o", "results/01-report.json", "-f", "html"), USAGE, "would replace a saved result")
    fails(sightglass(*given, "-o", "results", "-f", "html"), USAGE, "have the same name")
    assert not (tmp_path / "results").exists()


def test_a_damaged_result_of_a_report_is_not_passed_over(sightglass, tiny, tmp_path):
    assert sightglass("report", "--model", "model.json", "--data", "data.csv", "--save", "results").code == 0
    assert sightglass("render", "results", "-o", "page.html").code == 0
    damaged = sorted((tmp_path / "results").iterdir())[1]
    damaged.write_text("", encoding="utf-8")
    fails(sightglass("render", "results", "-o", "page.html"), DATA, damaged.name, "is no saved result")


def test_files_without_a_name(pdp):
    fails(pdp("--out", ""), USAGE, "name of the file is empty")


def test_help_that_cannot_be_written():
    for flag in ["--help", "--version"]:
        with open("/dev/full", "w") as full:
            assert subprocess.run([BINARY, flag], stdout=full, stderr=subprocess.DEVNULL).returncode == OUTPUT
