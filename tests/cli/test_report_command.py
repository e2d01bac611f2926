"""sightglass report: one command, one page, and the results behind it."""

import base64
import json
import os
import re
import shlex
import signal
import subprocess
import zlib

import pytest
from native_tool import BINARY, ROOT, cpu_seconds, wait_until


def payload_of(path):
    page = path.read_text(encoding="utf-8")
    data = re.search(r'id="sightglass-data"[^>]*>(.*?)</script>', page, re.S).group(1)
    # Large data are packed.
    return json.loads(data if data.startswith("{") else zlib.decompress(base64.b64decode(data, validate=True)))


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
    assert files[0] == "01-report.json" and len(files) == 23
    first = json.loads((tmp_path / "results" / files[0]).read_text())
    assert first["options"]["left_out"] == []
    assert first["options"]["command"].startswith("sightglass report --model ")
    # The same page from the saved results.
    again = sightglass(
        "render", *(f"results/{name}" for name in files), "-o", "again.html", "--title", "Bikes <in> town"
    )
    assert again.code == 0, again.err
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "report.html").read_bytes()


def test_single_charts_of_saved_results(report, sightglass, tmp_path):
    assert report("-o", "report.html", "--save", "results").code == 0
    files = sorted(f"results/{file.name}" for file in (tmp_path / "results").iterdir())
    names = sightglass("render", *files, "--list-charts")
    assert "effects/temp   --show ale,pdp,mplot,ice,band" in names.out.splitlines()
    chart = sightglass("render", *files, "--chart", "temp", "--show", "ale,ice", "--format", "vega")
    spec = json.loads(chart.out)
    assert spec["title"]["text"][0].startswith("temp")
    params = {param["name"]: param["value"] for param in spec["params"]}
    assert params["show_ice"] and params["show_ale"] and not params["show_pdp"]
    for wrong, words in [
        (["--chart", "temperature", "-o", "x.svg"], "there is no chart temperature"),
        (["--chart", "temp", "-o", "x.html"], "it is one of svg, png, vega"),
        (["--chart", "temp", "--show", "lime", "-o", "x.svg"], "it has ale"),
        (["--show", "ale", "-o", "x.html"], "name it with --chart"),
        (["-o", "x.svg"], "--list-charts"),
    ]:
        run = sightglass("render", *files, *wrong)
        assert run.code == 2 and words in run.err, run.err
        assert not (tmp_path / wrong[-1]).exists()


def test_a_folder_holds_one_report(report, tmp_path):
    assert report("-o", "a.html", "--save", "results").code == 0
    (tmp_path / "results" / "notes.json").write_text("mine")
    assert report("-o", "b.html", "--save", "results", "--skip", "shap,ice").code == 0
    names = sorted(file.name for file in (tmp_path / "results").iterdir())
    assert "notes.json" in names and not any("shap" in name for name in names)


def test_without_its_page_a_report_leaves_no_folder(report, tmp_path):
    for form in ("html", "table"):  # one is larger than what is written at a time
        run = report("-o", "/dev/full", "--format", form, "--save", "results")
        assert run.code == 6 and "cannot write" in run.err, run.err
        assert not (tmp_path / "results").exists()
    # Nor a page without its folder.
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "01-report.json").write_text("mine")
    run = report("-o", "a.html", "--save", "kept")
    assert run.code == 6 and "no saved result" in run.err, run.err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["kept"]


def test_without_rows_no_row_is_in_the_page(report, tmp_path):
    assert report("-o", "report.html", "--save", "results", "--no-rows").code == 0
    for file in (tmp_path / "results").iterdir():
        kinds = {item["type"] for item in json.loads(file.read_text())["results"]}
        assert not kinds & {"attributions", "curves"}, file.name


def test_without_rows_no_level_tells_who_it_is(sightglass, tmp_path):
    (tmp_path / "model.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    columns = json.loads(line)['columns']\n"
        "    answers = [x + len(who or '') * (kind == 'a') for x, who, kind in zip(*(columns[c] for c in ('x', 'who', 'kind')))]\n"
        "    print(json.dumps({'predictions': answers}), flush=True)\n"
    )
    people = [f"Somebody {'x' * (i % 7)}{i}" for i in range(150)]
    rows = [f"{i % 10},{who},{'ab'[i % 2]},{i % 13}\n" for i, who in enumerate(people)]
    (tmp_path / "people.csv").write_text("x,who,kind,y\n" + "".join(rows))
    given = ["report", "--model", "exec:python3 model.py", "--data", "people.csv", "--target", "y", "-o", "r.html"]
    run = sightglass(*given, "--save", "results", "--no-rows", "--budget", "0")
    assert run.code == 0, run.err
    page = json.dumps(payload_of(tmp_path / "r.html"))
    texts = [page, *(file.read_text() for file in (tmp_path / "results").iterdir())]
    assert not [text for text in texts if "Somebody" in text]
    first = json.loads((tmp_path / "results" / "01-report.json").read_text())
    caveat = next(caveat for caveat in first["caveats"] if caveat["id"] == "telling-levels")
    assert caveat["evidence"] == {"features": [{"feature": "who", "levels": 150, "rows": 150}]}
    assert first["options"]["features"] == ["x", "kind"]
    fails = sightglass(*given, "--no-rows", "--features", "who")
    assert fails.code == 2 and "tell rows apart" in fails.err, fails.err


# Trees that do not know the levels say so, which would name each of them.
@pytest.mark.parametrize("features", [[], ["--features", "bill_length,species"]])
def test_without_rows_no_unknown_level_is_told(sightglass, tmp_path, features):
    penguins = ROOT / "examples" / "penguins"
    lines = (penguins / "penguins.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines[1:]]
    for i, row in enumerate(rows[3:]):
        row[1] = f"Patient Jane Doe number {i:04} born 1970-01-01 in a town with a long name"
    (tmp_path / "named.csv").write_text("\n".join([lines[0], *(",".join(row) for row in rows)]) + "\n")
    given = ["report", "--model", penguins / "sex.json", "--data", "named.csv", "--no-rows", "--budget", "0", *features]
    run = sightglass(*given, "-o", "r.html", "--save", "results")
    assert run.code == 0, run.err
    texts = [
        json.dumps(payload_of(tmp_path / "r.html")),
        *(file.read_text() for file in (tmp_path / "results").iterdir()),
    ]
    assert not [text for text in texts if "Patient" in text or "Jane" in text]


def test_groups_are_compared(sightglass, bike, tmp_path):
    given = [
        "report",
        *bike,
        "--target",
        "rentals",
        "--by",
        "season",
        "--sample",
        "200",
        "--skip",
        "shap",
        "surrogates",
    ]
    run = sightglass(*given, "-o", "r.html", "--save", "results")
    assert run.code == 0, run.err
    results = [json.loads(file.read_text()) for file in sorted((tmp_path / "results").iterdir())]
    in_groups = [result for result in results[1:] if result["options"].get("by") == "season"]
    assert [result["method"] for result in in_groups] == ["performance", "permutation-importance", "ale"]
    for result in in_groups:
        assert {item["group"] for item in result["results"]} == {
            f"season = {name}" for name in ("autumn", "spring", "summer", "winter")
        }
        assert result["data"]["rows"] == 200


def test_a_budget_chooses_rows_and_says_so(sightglass, bike, tmp_path):
    run = sightglass("report", *bike, "--target", "rentals", "--budget", "0.02s", "-o", "r.html", "--save", "results")
    assert run.code == 0, run.err
    options = json.loads((tmp_path / "results" / "01-report.json").read_text())["options"]
    assert 20 <= options["sample"] < 8645
    assert f" --budget 0 --sample {options['sample']} --" in options["command"]
    used = json.loads((tmp_path / "results" / "02-performance.json").read_text())["data"]["rows"]
    # Scores of all rows may be quick even so.
    assert used == (8645 if "performance=0" in options["part_rows"] else options["sample"])


def test_the_command_can_be_run_again(sightglass, bike, tmp_path):
    chosen = ["--budget=1s", "--predictions", "20000", "--skip", "shap", "ice", "--top", "3"]
    run = sightglass("report", *bike, "--target", "rentals", *chosen, "-o", "first.html", "--save", "first")
    assert run.code == 0, run.err
    command = json.loads((tmp_path / "first" / "01-report.json").read_text())["options"]["command"]
    assert command.count("--predictions") == command.count("--skip") == 1
    assert "--skip shap,ice" in command and " ice" not in command and "--top 3" in command
    # It names files only: it is for whoever has them.
    for file in (bike[1], bike[3]):
        assert str(file) not in command
        (tmp_path / file.name).symlink_to(file)
    words = shlex.split(command.replace("first", "second"))
    again = sightglass(*words[1:])
    assert again.code == 0, again.err
    for file in (tmp_path / "first").iterdir():
        if file.name != "01-report.json":
            assert (tmp_path / "second" / file.name).read_bytes() == file.read_bytes()


def test_two_runs_make_one_page(sightglass, bike, tmp_path):
    pages = []
    for _ in range(2):
        run = sightglass("report", *bike, "--target", "rentals", "--budget", "1h", "-o", "r.html", "--save", "results")
        assert run.code == 0, run.err
        pages.append((tmp_path / "r.html").read_bytes())
    assert pages[0] == pages[1]
    options = json.loads((tmp_path / "results" / "01-report.json").read_text())["options"]
    assert options["decided_by_time"] == []
    # On a slower machine the time might decide.
    assert options["command"].endswith("--save results --budget 0")


def test_words_with_line_breaks_can_be_run_again(sightglass, bike, tmp_path):
    title = "two\nlines, it's \\ so"
    run = sightglass("report", *bike, "--sample", "50", "--title", title, "-o", "r.html")
    assert run.code == 0, run.err
    command = payload_of(tmp_path / "r.html")["repeat"]["command"]
    # As a shell reads it.
    words = subprocess.run(
        ["bash", "-c", command.replace("sightglass", "printf '%s\\0'", 1)], capture_output=True, check=True
    ).stdout.split(b"\0")
    assert title.encode() in words


# A class that the model does not know, in rows that are left out.
def test_only_rows_that_are_used_need_a_known_target(sightglass, tmp_path):
    folder = ROOT / "examples" / "penguins"
    lines = (folder / "penguins.csv").read_text().splitlines()
    sex, species = lines[0].split(",").index("sex"), lines[0].split(",").index("species")
    rows = [line.split(",") for line in lines]
    for row in rows[1:]:
        row[sex] = "unsure" if row[species] == "Gentoo" else row[sex]
    (tmp_path / "data.csv").write_text("\n".join(",".join(row) for row in rows) + "\n")
    arguments = ["--model", str(folder / "sex.json"), "--data", "data.csv", "--target", "sex"]
    arguments += ["--classes", "female,male", "-o", "report.html"]
    assert "unsure" in sightglass("report", *arguments).err
    run = sightglass("report", *arguments, "--where", "species != Gentoo")
    assert run.code == 0, run.err


def test_regions_have_cautions_of_their_own(sightglass, bike, tmp_path):
    run = sightglass("report", *bike, "--target", "rentals", "--budget", "0", "-o", "report.html", "--save", "results")
    assert run.code == 0, run.err
    regional = next(tmp_path.glob("results/*regional-effects.json"))
    caveats = json.loads(regional.read_text())["caveats"]
    assert any("(hour" in caveat["message"] for caveat in caveats)
    shown = {caveat["message"] for caveat in payload_of(tmp_path / "report.html")["caveats"]}
    assert any("(hour" in message for message in shown)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--budget", "soon"], "is no time"),
        (["--top", "-1"], "between 0 and 1000"),
        (["--format", "csv"], "no format csv"),
        (["--target", "nope"], "no column nope"),
        (["--features", "nope"], "no column nope"),
        (["--by", "seasons"], "--by: the data have no column seasons; did you mean season?"),
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
    wait_until(lambda: cpu_seconds(process) > 0.5, process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def temp_chart(sightglass, bike):
    assert sightglass("pdp", *bike, "--features", "temp", "--sample", "50", "-o", "temp.json").code == 0
    return ["render", "temp.json", "-o", "temp.svg"]


# A faint element gets a canvas of its own when it becomes a PNG: 250 of them took seconds.
def test_faint_curves_are_faint_paint(sightglass, bike, tmp_path):
    run = sightglass("ice", *bike, "--features", "temp", "--rows", "0,1,2,3,4,5", "-o", "ice.svg")
    if run.code == 2 and "vl-convert" in run.err:
        pytest.skip("no vl-convert")
    assert run.code == 0, run.err
    svg = (tmp_path / "ice.svg").read_text()
    assert len(re.findall(r'<path[^>]* stroke-opacity="', svg)) >= 6
    assert not re.findall(r'<path[^>]* stroke="[^"]*"[^>]* opacity="[^>]*fill="none"', svg)


# Who draws a result in a folder from elsewhere must not run what else is in it.
def test_pictures_run_nothing_from_the_folder(sightglass, temp_chart, tmp_path):
    for module in ["json", "vl_convert", "sitecustomize"]:
        (tmp_path / f"{module}.py").write_text(f"open('{module}-was-run', 'w')\n")
    run = sightglass(*temp_chart)
    assert run.code in (0, 2), run.err
    assert not list(tmp_path.glob("*-was-run"))


def interrupted(tmp_path, arguments, script, stop):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    process = subprocess.Popen(
        [str(BINARY), *arguments],
        cwd=tmp_path,
        env={**os.environ, "SIGHTGLASS_PYTHON": str(python)},
        stderr=subprocess.PIPE,
    )
    stop(process)
    code = process.wait(timeout=20)
    assert not (tmp_path / "temp.svg").exists()
    return code


def test_ctrl_c_while_a_picture_is_drawn(temp_chart, tmp_path):
    def stop(process):
        wait_until((tmp_path / "started").exists, process)
        process.send_signal(signal.SIGINT)

    assert interrupted(tmp_path, temp_chart, "touch started; exec sleep 30", stop) == 130
    # The terminal stops both: that the other one failed is no news.
    script = "kill -INT $PPID; sleep 0.1; kill -KILL $$"
    assert interrupted(tmp_path, temp_chart, script, lambda process: None) == 130
