"""Everything that can be wrong, with its exit code, one line of explanation, and nothing half written."""

import copy
import gzip
import json
import signal
import subprocess

import pytest
from native_tool import BINARY, DATA, MODEL, OUTPUT, PREDICTION, USAGE, fails, has_open, wait_until


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--features", "z"], ["no column z"]),
        (["--features", "y"], ["does not use y"]),
        (["--target", "nope"], ["no column nope"]),
        (["--weights", "nope"], ["no column nope"]),
        (["--grid", "0"], ["--grid: between 1 and 100000 points"]),
        (["--grid", "many"], ["many", "whole number"]),
        (["--grid-rule", "magic"], ["magic", "quantiles"]),
        (["--values", "1,x", "--grid-rule", "values"], ["x", "number"]),
        (["--class", "cat"], ["no output cat"]),
        (["--scale", "log"], ["log"]),
        (["--engine", "forest"], ["forest"]),
        (["--format", "docx"], ["docx"]),
        (["--out", "a.docx"], ["format"]),
        (["--batch", "0"], ["batch"]),
        (["--sample", "-1"], ["sightglass: --sample: 0 or more"]),
        (["--scale", "margin", "--rounds", "-1"], ["--rounds"]),
        (["--where", "x / 2"], ["--where, at character 3"]),
        (["--no-such-flag"], ["no-such-flag"]),
        (["--features", "x, z"], ["--features: the data have no column  z"]),
        (["--pairs", "x"], ["pair"]),
        (["--units", "nowhere.json"], ["nowhere.json"]),
        (["--categorical", "q"], ["q"]),
        (["--categorical", "x", "--numeric", "x"], ["x"]),
    ],
)
def test_usage(pdp, arguments, words):
    fails(pdp(*arguments), USAGE, *words)


def test_no_command(sightglass):
    fails(sightglass(), USAGE)
    fails(sightglass("partial-dependance"), USAGE, "did you mean partial-dependence?")
    fails(sightglass("frobnicate"), USAGE, "there is no command frobnicate")


def test_data_files(pdp, tmp_path):
    fails(pdp(data="nowhere.csv"), DATA, "nowhere.csv")
    fails(pdp(data="."), DATA)
    cases = {
        "empty.csv": b"",
        "header.csv": b"x,y\n",
        "ragged.csv": b"x,y\n1,2\n3\n4,5\n",
        "latin.csv": "x,y\n1,\u00e9\n".encode("latin-1"),
        "twice.csv": b"x,x\n1,2\n",
        "lies.parquet": b"PAR1 this is not parquet",
        "binary.csv": bytes(range(256)) * 4,
        "broken.jsonl": b'{"x": 1}\n{"x": \n',
    }
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        fails(pdp(data=name), DATA, name.split(".")[0] if name != "twice.csv" else "x")


def test_wrong_extension_is_read_by_content(pdp, tmp_path):
    (tmp_path / "data.parquet").write_text("x\n0\n1\n")
    assert pdp(data="data.parquet").json["results"][0]["grid"] == [0, 1]


def test_data_that_do_not_fit(pdp, tmp_path):
    (tmp_path / "other.csv").write_text("z\n1\n")
    fails(pdp(data="other.csv"), DATA, "x")
    (tmp_path / "text.csv").write_text("x\nabc\n")
    fails(pdp(data="text.csv"), DATA, "x")
    (tmp_path / "mixed.csv").write_text("x\n1\nabc\n")
    fails(pdp("--numeric", "x", data="mixed.csv"), DATA, "abc")
    (tmp_path / "negative.csv").write_text("x,w\n1,-1\n")
    fails(pdp("--weights", "w", data="negative.csv"), DATA, "w")


def test_model_files(pdp, tmp_path):
    fails(pdp(model="nowhere.json"), MODEL, "nowhere.json")
    fails(pdp(model="."), MODEL)
    for name, content in {
        "empty": b"",
        "garbage": b"\x00\x01\x02",
        "pickle": b"\x80\x04\x95",
        "list.json": b"[]",
        "other.json": b'{"hello": 1}',
        "nested.json": b"[" * 100000,
    }.items():
        (tmp_path / name).write_bytes(content)
        fails(pdp(model=name), MODEL, name)


def test_model_truncated_at_every_byte(tiny, tmp_path):
    # The reader's own test cuts at every byte; here the whole tool is asked at some of them.
    text = (tmp_path / "model.json").read_text()
    for size in list(range(0, len(text) - 1, 97)) + [len(text) - 1]:
        (tmp_path / "cut.json").write_text(text[:size])
        done = subprocess.run([BINARY, "inspect", "--model", "cut.json"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == MODEL, (size, done.stderr)
        assert done.stderr.count("\n") == 1


def broken_models():
    def tree(model):
        return model["learner"]["gradient_booster"]["model"]["trees"][0]

    def set_in(path, value):
        def change(model):
            place = tree(model)
            place[path[0]][path[1]] = value

        return change

    yield "child out of range", set_in(("left_children", 0), 99)
    yield "negative child", set_in(("right_children", 0), -7)
    yield "cycle", set_in(("left_children", 0), 0)
    yield "shared child", set_in(("right_children", 0), 1)
    yield "feature out of range", set_in(("split_indices", 0), 5)
    yield "huge count", lambda m: tree(m)["tree_param"].update(num_nodes="99999999999")
    yield "short array", lambda m: tree(m)["default_left"].pop()
    yield "wrong type", set_in(("left_children", 0), "one")
    yield "objective", lambda m: m["learner"]["objective"].update(name="reg:magic")
    yield "future version", lambda m: m.update(version=[99, 0, 0])
    yield "tree_info", lambda m: m["learner"]["gradient_booster"]["model"].update(tree_info=[3])
    yield "booster", lambda m: m["learner"]["gradient_booster"].update(name="quantum")


@pytest.mark.parametrize("name, change", list(broken_models()), ids=lambda v: v if isinstance(v, str) else "")
def test_broken_models(pdp, tiny, tmp_path, name, change):
    model = copy.deepcopy(tiny)
    change(model)
    (tmp_path / "broken.json").write_text(json.dumps(model))
    fails(pdp(model="broken.json"), MODEL, "broken.json")


def test_duplicate_keys(pdp, tiny, tmp_path):
    text = json.dumps(tiny).replace('"feature_names":', '"feature_names": ["y"], "feature_names":', 1)
    (tmp_path / "double.json").write_text(text)
    fails(pdp(model="double.json"), MODEL, "feature_names")


CHILDREN = {
    "dies": ("import sys; sys.exit('out of luck')", "out of luck"),
    "garbage": ("import sys; sys.stdin.readline(); print('hello', flush=True); sys.stdin.read()", ""),
    "wrong length": (
        "for _ in __import__('sys').stdin: print('{\"predictions\": [1, 2, 3, 4, 5, 6, 7]}', flush=True)",
        "",
    ),
    "nan": (
        "import sys, json\nfor l in sys.stdin: print(json.dumps({'predictions': [float('nan')] * json.loads(l)['rows']}), flush=True)",
        "",
    ),
    "error": ("for _ in __import__('sys').stdin: print('{\"error\": \"no bananas\"}', flush=True)", "no bananas"),
    "hangs": ("import time; time.sleep(60)", "gave no answer within 2 seconds"),
    # Its shell may keep the pipe open: then nobody sees that it is closed.
    "closes": ("import os, time; os.close(1); time.sleep(60)", ""),
}


@pytest.mark.parametrize("name", CHILDREN)
def test_child_processes(pdp, tmp_path, name):
    script, words = CHILDREN[name]
    (tmp_path / "child.py").write_text(script)
    timeout = "2" if name in ("hangs", "closes") else "50"
    fails(pdp("--timeout", timeout, model="exec:python3 child.py"), PREDICTION, words)


def test_predictions_that_overflow_are_said(sightglass, tmp_path):
    (tmp_path / "vast.py").write_text(
        "import sys, json\n"
        "for l in sys.stdin:\n"
        "  c = json.loads(l)['columns']\n"
        "  p = [(1.7e308 if x > 0 else -1.7e308) * (1 if z > 0 else 0.5) for x, z in zip(c['x'], c['z'])]\n"
        "  print(json.dumps({'predictions': p}), flush=True)\n"
    )
    (tmp_path / "d.csv").write_text("x,z\n" + "".join(f"{i % 7 - 3},{i % 5 - 2}\n" for i in range(40)))
    for method in ("pdp", "ice", "m-plot", "ale", "interactions", "pd-importance", "shap", "decomposition"):
        run = sightglass(method, "--model", "exec:python3 vast.py", "--data", "d.csv", "-f", "json")
        assert run.code == 0, run.err
        items = json.dumps(run.json["results"])
        assert '"Infinity"' in items or '"-Infinity"' in items or '"NaN"' in items, method
        assert [caveat["advice"] for caveat in run.json["caveats"] if caveat["id"] == "overflow"], method


def test_unknown_command_of_exec(pdp):
    fails(pdp(model="exec:no-such-program-anywhere"), MODEL, "no-such-program-anywhere")


def test_json_that_would_end_the_process(sightglass, tiny, tmp_path):
    arrays, objects = "[" * 60_000 + "]" * 60_000, '{"x":' * 60_000 + "1" + "}" * 60_000
    keys = "".join(f'{{"k{i}":1}}\n' for i in range(30_000))
    cases = {
        "arrays.jsonl": (f'{{"x":1}}\n{{"x":{arrays}}}\n', ["arrays.jsonl, line 2", "nested"]),
        "objects.jsonl": (objects + "\n", ["objects.jsonl, line 1", "nested"]),
        "array.json": (f'[{{"x":{arrays}}}]', ["array.json, line 1, byte", "nested"]),
        "keys.jsonl": (keys, ["keys.jsonl, line 5", "different keys, the last one k5"]),
        "wide.jsonl": ("{" + ",".join(f'"k{i}":1' for i in range(30_000)) + "}\n", ["key k20000", "20000 at the most"]),
    }
    for name, (content, words) in cases.items():
        (tmp_path / name).write_text(content)
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress(content.encode()))
        for data in (name, packed.name):
            words = [
                word.replace("line", "record").replace(", byte", "") if data == packed.name else word for word in words
            ]
            words = [word.replace(name, data) for word in words]
            fails(sightglass("inspect", "--model", "model.json", "--data", data), DATA, *words)
            fails(sightglass("pdp", "--model", "model.json", "--data", data, "--query", "FROM data"), DATA, *words)


def test_json_that_is_nested_but_not_too_much(sightglass, tiny, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"x":0,"more":' + "[" * 100 + '"[[{"' + "]" * 100 + "}\n")
    assert sightglass("predict", "--model", "model.json", "--data", "a.jsonl").code == 0


def test_nothing_tells_of_commands_and_folders(sightglass, tiny, tmp_path):
    (tmp_path / "model.py").write_text(
        "import sys, json\nfor l in sys.stdin:\n"
        "  print(json.dumps({'predictions': [x * 2 for x in json.loads(l)['columns']['x']]}), flush=True)\n"
    )
    command = f"exec:TOKEN=s3cret python3 {tmp_path}/model.py --key=hush"
    data = tmp_path / "data.csv"
    data.write_text("x,y\n" + "".join(f"{i % 10},{i % 7}\n" for i in range(60)))
    secrets = ("s3cret", "hush", "TOKEN", str(tmp_path))

    def silent(text):
        assert not [secret for secret in secrets if secret in text], text

    report = ("report", "--model", command, f"--data={data}", "--target", "y", "--quiet", "--budget", "0")
    run = sightglass(*report, "-o", tmp_path / "r.html", "--save", tmp_path / "saved")
    assert run.code == 0, run.err
    page = (tmp_path / "r.html").read_text()
    silent(page)
    for path in (tmp_path / "saved").iterdir():
        silent(path.read_text())
    first = json.loads((tmp_path / "saved" / "01-report.json").read_text())
    assert first["options"]["command"] == (
        "sightglass report --model exec:python3 --data=data.csv --target y --quiet -o r.html --save saved --budget 0"
    )
    assert first["model"]["file"] == "exec:python3" and first["data"]["file"] == "data.csv"
    for method in ("pdp", "inspect"):
        run = sightglass(method, "--model", command, "--data", data, "--format", "json")
        assert run.code == 0, run.err
        silent(run.out)
    for model in (
        f"exec:TOKEN=s3cret {tmp_path}/nowhere --key=hush",
        "exec:TOKEN=s3cret sh -c 'echo no $TOKEN >&2; exit 3'",
        "exec:export TOKEN=s3cret; echo $TOKEN",
        f"exec:cat {tmp_path}/nowhere",
        tmp_path / "nowhere",
        data,
    ):
        run = sightglass("pdp", "--model", model, "--data", data, "--verbose")
        assert run.code in (MODEL, PREDICTION), run.err
        silent(run.err.replace("$TOKEN", ""))
    for path in (tmp_path / "nowhere.csv", tmp_path, tmp_path / "model.json"):
        run = sightglass("pdp", "--model", "model.json", "--data", path, "--verbose")
        assert run.code == DATA, run.err
        silent(run.err)
    run = sightglass("pdp", "--model", "model.json", "--data", data, "-o", tmp_path / "missing" / "r.json")
    fails(run, OUTPUT)
    silent(run.err)


def test_ctrl_c_while_data_are_read(tiny, tmp_path):
    rows = "".join(f"{i % 97 / 7},{i % 31},word {i % 11}\n" for i in range(100_000))
    with open(tmp_path / "large.csv", "w") as file:
        file.write("x,y,z\n")
        for _ in range(40):
            file.write(rows)
    process = subprocess.Popen(
        [BINARY, "pdp", "--model", "model.json", "--data", "large.csv", "--out", "r.json"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until(lambda: has_open(process, "large.csv"), process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 130


def test_ctrl_c_stops_quickly_and_leaves_nothing(tiny, tmp_path):
    slow = (
        "import sys, json, time\n"
        "for count, l in enumerate(sys.stdin):\n"
        "  if count == 3: open('asked', 'w')\n"
        "  time.sleep(0.2)\n"
        "  print(json.dumps({'predictions': [1.0] * json.loads(l)['rows']}), flush=True)\n"
    )
    (tmp_path / "slow.py").write_text(slow)
    (tmp_path / "many.csv").write_text("x\n" + "\n".join(str(i) for i in range(3000)) + "\n")
    process = subprocess.Popen(
        [BINARY, "pdp", "--model", "exec:python3 slow.py", "--data", "many.csv", "--batch", "10", "--out", "r.json"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until((tmp_path / "asked").exists, process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 130
    assert sorted(p.name for p in tmp_path.iterdir()) == ["asked", "data.csv", "many.csv", "model.json", "slow.py"]


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
def test_errors_without_a_place_to_say_them(tiny, tmp_path, stderr):
    done = subprocess.run(f"'{BINARY}' pdp --model nowhere --data data.csv {stderr}", shell=True, cwd=tmp_path)
    assert done.returncode == MODEL


def test_a_column_name_is_not_sql(sightglass, tiny, tmp_path):
    name = "x\x1fINTEGER); CALL enable_logging(storage='stdout'); CREATE TABLE more (a"
    (tmp_path / "evil.csv").write_text(f'"{name}",x\n1,2\n3,4\n')
    run = sightglass("predict", "--model", "model.json", "--data", "evil.csv", "--query", "SELECT x FROM data")
    assert run.code == 0 and run.out == "prediction\n2\n2\n", run


def test_counts_out_of_proportion(pdp, tiny, tmp_path):
    model = copy.deepcopy(tiny)
    model["learner"]["learner_model_param"]["num_class"] = "100000"
    model["learner"]["objective"] = {"name": "multi:softprob", "softmax_multiclass_param": {"num_class": "100000"}}
    (tmp_path / "bomb.json").write_text(json.dumps(model))
    fails(pdp(model="bomb.json"), MODEL, "100000 outputs but only")


def test_outputs_need_different_names(pdp, tmp_path):
    (tmp_path / "child.py").write_text(
        "import sys, json\n"
        "for l in sys.stdin: print(json.dumps({'predictions': [[1, 2]] * json.loads(l)['rows'],"
        " 'outputs': ['a', 'a']}), flush=True)\n"
    )
    fails(pdp(model="exec:python3 child.py"), PREDICTION, "two are called a")


def test_only_regular_files_are_read(sightglass, pdp):
    fails(sightglass("render", "."), DATA)
    fails(sightglass("render", "/dev/zero"), DATA)
    fails(pdp("--units", "/dev/zero"), USAGE)


def test_weights_that_cannot_be_added(pdp, tmp_path):
    (tmp_path / "w.csv").write_text("x,w\n0,1e308\n1,1e308\n")
    fails(pdp("--weights", "w", data="w.csv"), DATA, "weights")
    (tmp_path / "z.csv").write_text("x,w\n0,0\n1,0\n")
    fails(pdp("--weights", "w", data="z.csv"), DATA, "zero")


def test_flags_are_true_or_false(pdp):
    assert pdp("--quiet=false").code == 0
    for word in ["2.5", "99999999999999999999", "0x10", "-1", "abc"]:
        fails(pdp(f"--quiet={word}"), USAGE, "is true or false")


def test_a_units_file_is_one(pdp, tiny):
    fails(pdp("--units", "model.json"), USAGE, "--units: model.json is no list of units")


def test_rows_without_numbers(pdp, tmp_path):
    (tmp_path / "child.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n"
        "  n = len(next(iter(json.loads(line)['columns'].values())))\n"
        "  print(json.dumps({'predictions': [[]] * n}), flush=True)\n"
    )
    fails(pdp(model="exec:python3 child.py"), PREDICTION, "has no number")


def test_numbers_out_of_range_whatever_the_method(sightglass, bike):
    for given in (
        ["report", *bike, "--predictions", "-7", "-o", "r.html"],
        ["shap", *bike, "--predictions", "-5"],
        ["report", *bike, "--sample", "-1", "-o", "r.html"],
    ):
        run = sightglass(*given)
        assert run.code == 2 and f"{given[-2] if given[0] == 'shap' else given[5]}: 0 or more, please" in run.err, (
            run.err
        )
    run = sightglass("pdp", *bike, "--features", "temp", "--extrapolation-threshold", "1.5")
    assert run.code == 2 and "between 0 and 1, please" in run.err, run.err


def test_misspelled_options(sightglass):
    for arguments, message in [
        (["predict", "--modle", "m.json"], "there is no option --modle; did you mean --model?"),
        (["pdp", "--model", "m.json", "--dta=x.csv"], "there is no option --dta; did you mean --data?"),
        # What other libraries call it, and what only begins so.
        (["pfi", "--model", "m.json", "--n-jobs", "2"], "there is no option --n-jobs; did you mean --threads?"),
        (
            ["pfi", "--model", "m.json", "--sample-weight=w"],
            "there is no option --sample-weight; did you mean --weights?",
        ),
        (["pdp", "--model", "m.json", "--n_points", "9"], "there is no option --n_points; did you mean --grid?"),
        (["report", "--model", "m.json", "--Group_By=a"], "there is no option --Group_By; did you mean --by?"),
        (["predict", "--model", "m.json"], "--data is required; see sightglass predict --help"),
        (["compare", "--pairs", "a:b"], "there is no option --pairs; see sightglass compare --help"),
        (["pfi", "--model", "m.json"], "see sightglass permutation-importance --help"),
    ]:
        run = sightglass(*arguments)
        assert run.code == 2
        assert message in run.err


def test_groups_are_arguments(sightglass, tmp_path):
    (tmp_path / "d.csv").write_text("rooms,beds,age,od280/od315,y\n" + "1,2,3,4,5\n2,1,4,3,6\n3,1,4,2,7\n" * 3)
    (tmp_path / "m.py").write_text("class Model:\n  def predict(self, X): return list(X['rooms'])\nmodel = Model()")

    def pfi(*more):
        given = ["--model", "python:m:model.predict", "--data", "d.csv", "--target", "y", "--repeats", "2"]
        return sightglass("pfi", *given, *more)

    def units(run):
        assert run.code == 0, run.err
        return [(item["feature"], item["features"]) for item in run.json["results"] if item["type"] == "importance"]

    groups = ["--groups", "size=rooms, beds", "old=age,beds"]
    singles = [("od280/od315", ["od280/od315"])]
    both = [("size", ["rooms", "beds"]), ("old", ["age", "beds"])]
    assert units(pfi(*groups)) == singles + both
    assert units(pfi(*groups, "--features", "age, rooms")) == [("age", ["age"]), ("rooms", ["rooms"]), *both]
    assert units(pfi("--losses", "rmse, r2", "--features", "age", "--noise", "0.5, 1")) == [("age", ["age"])] * 2
    fails(pfi("--groups", "size=rooms,beds", "age"), USAGE, "--groups: age is one feature, not a group")
    fails(pfi("--groups", "size=rooms,rooms"), USAGE, "--groups: size=rooms,rooms names a feature twice")
    fails(pfi("--groups", "size=rooms,bedz"), USAGE, "--groups: the data have no column bedz; did you mean beds?")
    fails(pfi("--where", "od280/od315 > 2"), USAGE, "put quotes around it: 'od280/od315'")
    fails(pfi("--losses", "auc"), USAGE, "losses of classes", "use rmse")
    run = sightglass("pdp", "--model", "python:m:model", "--data", "d.csv")
    fails(run, PREDICTION, "a Model object is not callable; did you mean python:m:model.predict?")
    run = sightglass("regional", "--model", "python:m:model.predict", "--data", "d.csv", "--split-by", "agee")
    fails(run, USAGE, "--split-by: the data have no column agee; did you mean age?")


def test_advice_names_flags(sightglass, bike, tmp_path):
    given = [*bike, "--target", "rentals", "--features", "temp", "--sample", "300"]

    def text(*arguments):
        return " ".join(sightglass(*arguments).out.split())

    table = text("ice", *given, "--curves", "3", "--format", "table")
    assert "set --curves to 0" in table and "leave out --sample to use all rows" in table
    assert sightglass("ice", *given, "--curves", "3", "-o", "ice.json").code == 0
    saved = (tmp_path / "ice.json").read_text()
    assert "set curves to 0" in saved and "leave out sample" in saved, "JSON is the same for all"
    # A page keeps what is typed for a tip.
    assert '"tip":"set --curves to 0' in text("render", "ice.json", "--format", "html").lower()
    budget = text("h", *given, "--features", "temp,hour", "--sample-rows", "20", "--format", "table")
    assert "set --sample-rows to 300" in budget and "or raise --predictions" in budget
    # Words that are also names of options stay words.
    assert "with --grid-rule values" in text("pdp", "--help")
    assert "the loss with noise of these sizes" in text("pfi", "--help")
    assert "unless others are named with --features" in text("pfi", "--help")


def test_data_for_a_model(sightglass, tmp_path):
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    run = sightglass("predict", "--model", "data.csv", "--data", "data.csv")
    assert run.code == MODEL
    assert "data, not a model; did --model and --data change places?" in run.err


def test_messages_leave_names_alone_and_advice_names_flags(tiny, tmp_path):
    """A file, a column or a level may be called like an option."""
    for arguments, wanted in [
        (["--data", "training_data.csv"], "cannot open training_data.csv"),
        (["--data", "data.csv", "--features", "grid_rule"], "--features: the data have no column grid_rule"),
        (["--data", "data.csv", "--grid", "0"], "between 1 and 100000"),
    ]:
        done = subprocess.run(
            [BINARY, "pdp", "--model", "model.json", *arguments], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode != 0
        assert wanted in done.stderr, done.stderr


def test_sigterm_has_its_own_code(tiny, tmp_path):
    slow = "import sys, time\nfor l in sys.stdin:\n  open('asked', 'w')\n  time.sleep(30)\n"
    (tmp_path / "slow.py").write_text(slow)
    process = subprocess.Popen(
        [BINARY, "pdp", "--model", "exec:python3 slow.py", "--data", "data.csv"], cwd=tmp_path, stderr=subprocess.PIPE
    )
    wait_until((tmp_path / "asked").exists, process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=10) == 143


def test_the_trees_of_an_opaque_model(sightglass, tmp_path):
    (tmp_path / "m.py").write_text("def predict(X):\n    return list(X['x'])\n")
    (tmp_path / "d.csv").write_text("x,y\n1,2\n3,4\n")
    run = sightglass("pdp", "--model", "python:m:predict", "--data", "d.csv", "--engine", "trees")
    fails(run, USAGE, "engine trees: of this model (python) only the predictions are known")


def test_a_query_may_look_into_nested_texts(sightglass, tiny, tmp_path):
    (tmp_path / "a.csv").write_text('x,j\n1,"' + "[" * 60_000 + "]" * 60_000 + '"\n2,"[1]"\n')
    for question in ("json_contains(j, '1')", "json_structure(j)", "json_valid(j)"):
        run = sightglass(
            "predict", "--model", "model.json", "--data", "a.csv", "--query", f"SELECT x, {question} FROM data"
        )
        assert run.code == 0, (question, run.err)
