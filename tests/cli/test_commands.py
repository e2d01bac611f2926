"""The commands on the shipped examples."""

import json
import os
import pty
import subprocess

import pytest
from native_tool import BINARY, ROOT, USAGE, fails


def test_version_and_help(sightglass):
    assert sightglass("--version").out.startswith("sightglass 0.")
    help_text = sightglass("--help")
    assert help_text.code == 0
    for command in ["partial-dependence", "ice", "inspect", "predict", "methods", "render"]:
        assert command in help_text.out
    assert "--pair-grid" in sightglass("pdp", "--help").out


def test_json_to_a_pipe(sightglass, bike):
    result = sightglass("pdp", *bike, "--target", "rentals", "--features", "temp,weather").json
    assert result["schema"] == "sightglass.result/1"
    assert result["method"] == "partial-dependence"
    assert result["data"]["rows"] == 8645
    assert result["options"]["engine"] == "trees"
    temp, weather = result["results"]
    assert temp["feature"] == "temp" and temp["kind"] == "numeric"
    for key in ["grid", "mean", "sd", "se_level", "se_shape", "count"]:
        assert len(temp[key]) == len(temp["grid"]), key
    # The textbook story: rentals rise with temperature, then flatten or fall when it is hot.
    peak = temp["mean"].index(max(temp["mean"]))
    assert temp["mean"][0] < temp["mean"][-1] < temp["mean"][peak]
    assert 12 < temp["grid"][peak] < 30
    assert weather["kind"] == "categorical"
    assert weather["grid"] == ["clear", "cloudy/misty", "light rain/snow", "heavy rain/snow"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["pdp", "--features", "temp,weather"],
        ["pdp", "--pairs", "temp:hour,season:weather,hour:season", "--pair-grid", "5"],
        ["ice", "--features", "temp,weather", "--center", "--curves", "7"],
    ],
)
def test_results_follow_the_schema(sightglass, bike, arguments):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs" / "result.schema.json").read_text())
    jsonschema.validate(sightglass(*arguments, *bike, "--sample", "200").json, schema)


def test_table_to_a_terminal(bike):
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [str(BINARY), "pdp", *map(str, bike), "--features", "temp"], stdout=follower, stderr=follower
    )
    os.close(follower)
    text = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            break
        if not chunk:
            break
        text += chunk
    assert process.wait() == 0
    assert "Partial dependence" in text.decode() and "┤" in text.decode()


@pytest.mark.parametrize("ending", ["json", "csv", "vl.json", "html", "txt"])
def test_every_format_from_a_saved_result(sightglass, bike, tmp_path, ending):
    assert sightglass("ice", *bike, "--features", "hour", "--center", "--sample", "300", "-o", "ice.json").code == 0
    again = sightglass("render", "ice.json", "-o", f"again.{ending}")
    assert again.code == 0, again.err
    direct = sightglass("ice", *bike, "--features", "hour", "--center", "--sample", "300", "-o", f"direct.{ending}")
    assert direct.code == 0
    if ending != "html":  # the page has a title of its own
        assert (tmp_path / f"again.{ending}").read_bytes() == (tmp_path / f"direct.{ending}").read_bytes()
    assert (tmp_path / f"again.{ending}").stat().st_size > 500


def test_any_thread_count_gives_the_same_bytes(sightglass, bike):
    outputs = {
        sightglass("pdp", *bike, "--features", "temp", "--pairs", "hour:workingday", "--threads", str(n)).out
        for n in (1, 2, 5)
    }
    assert len(outputs) == 1


def test_inspect(sightglass, bike):
    told = sightglass("inspect", *bike).json
    assert told["model"]["format"] == "xgboost-json"
    assert told["fit"]["fits"] is True
    assert [f["name"] for f in told["model"]["features"]][:3] == ["season", "month", "hour"]
    text = sightglass("inspect", *bike, "--format", "table").out
    assert "Data and model fit." in text


def test_inspect_names_what_does_not_fit(sightglass, bike, tmp_path):
    (tmp_path / "other.csv").write_text("season,hour\nwinter,3\n")
    told = sightglass("inspect", "--model", bike[1], "--data", "other.csv").json
    assert told["fit"]["fits"] is False
    assert "humidity" in told["fit"]["why"]
    assert {"feature": "humidity"} in told["fit"]["missing_columns"]
    table = (ROOT / "examples" / "bike" / "bike.csv").read_text().splitlines()[:30]
    turned = [",".join(reversed(line.split(","))) for line in table]
    (tmp_path / "turned.csv").write_text(
        "\n".join([*turned[:-1], turned[-1] + "\n" + turned[1].replace("clear", "fog")])
    )
    told = sightglass("inspect", "--model", bike[1], "--data", "turned.csv", "--target", "rentals").json["fit"]
    assert told["fits"] is True
    assert "another than the model's" in told["order"]
    assert told["unknown_categories"] == {"weather": ["fog"]}
    assert told["used_columns"][0] == "season"


def test_rounds(sightglass, bike):
    told = sightglass("inspect", *bike, "--rounds", "7").json["model"]["detail"]
    assert (told["rounds"], told["trees"], told["rounds_in_file"]) == (7, 7, 150)
    for given, message in [
        ("-1", "--rounds: a whole number from 0 on"),
        ("151", "151 rounds were asked for, but"),
        ("ten", "--rounds"),
    ]:
        run = sightglass("predict", *bike, f"--rounds={given}")
        assert run.code == 2
        assert message in run.err
    run = sightglass("predict", "--model", "exec:cat", *bike[2:], "--rounds", "3")
    assert run.code == 2
    assert "no rounds to choose from" in run.err


def test_every_format_by_its_content(sightglass, tmp_path):
    """Files of both frameworks, without their endings, predict what the framework did."""
    formats = ROOT / "tests" / "formats"
    for framework, name, ending, told in [
        ("xgboost", "v3_2_0_regression", "ubj", "xgboost-ubj"),
        ("xgboost", "v3_2_0_regression", "json", "xgboost-json"),
        ("lightgbm", "regression", "txt", "lightgbm-text"),
    ]:
        (tmp_path / "model").write_bytes((formats / framework / f"{name}.{ending}").read_bytes())
        assert sightglass("inspect", "--model", "model").json["model"]["format"] == told


def test_predict_equals_the_framework(sightglass):
    penguins = ROOT / "examples" / "penguins"
    golden = json.loads((ROOT / "tests/golden/effects/species_predictions.json").read_text())
    run = sightglass("predict", "--model", penguins / "species.json", "--data", penguins / "penguins.csv",
                     "--classes", "Adelie,Chinstrap,Gentoo", "--scale", "margin")  # fmt: skip
    assert run.code == 0, run.err
    header, *rows = run.out.splitlines()
    assert header == "prediction_Adelie,prediction_Chinstrap,prediction_Gentoo"
    assert [[float(x) for x in row.split(",")] for row in rows] == golden["margin"]


def test_methods_catalogue(sightglass):
    catalogue = json.loads(sightglass("methods", "--format", "json").out)
    names = [method["name"] for method in catalogue]
    assert names[:2] == ["partial-dependence", "ice"]
    assert {"ale", "interactions", "permutation-importance", "shap", "compare", "ranking"} < set(names)
    for method in catalogue:
        if method["kind"] == "learner":
            continue  # test_fit.py
        for key in ["question", "when", "when_not", "formula", "paper", "kind", "scope", "expresses", "cost"]:
            assert method[key], (method["name"], key)
    assert "ICE" in sightglass("methods", "ice").out
    # Options are flags here too, and what has no default shows none.
    for entry in catalogue:
        page = sightglass("methods", entry["name"]).out
        options = page.split("\nOptions\n")[1]
        assert "[[]]" not in options and '[""]' not in options
        for option in entry["options"]:
            assert "_" not in option["name"] or f" {option['name']} " not in options, (entry["name"], option["name"])


def test_shap_of_single_rows_and_of_many(sightglass, tmp_path):
    penguins = ROOT / "examples" / "penguins"
    common = ("shap", "--model", penguins / "sex.json", "--data", penguins / "penguins.csv", "--classes", "male,female")
    run = sightglass(*common, "--rows", "3,0", "--background-rows", "50")
    assert run.code == 0, run.err
    (item,) = run.json["results"]
    assert item["type"] == "attributions"
    assert [row["row"] for row in item["attributions"]] == [0, 3]
    for row in item["attributions"]:
        assert row["base"] + sum(row["values"].values()) == pytest.approx(row["prediction"], abs=1e-9)
        assert set(row["values"]) == set(row["data"])
        assert "se" not in row
    assert "margin-scale" in [caveat["id"] for caveat in run.json["caveats"]]
    # On the response scale they are probabilities.
    chance = sightglass(*common, "--rows", "3", "--scale", "response").json["results"][0]["attributions"][0]
    assert 0 < chance["prediction"] < 1
    many = sightglass(*common, "--explain", "40", "--background-rows", "20", "-o", "many.json")
    assert many.code == 0, many.err
    for ending in ("html", "csv"):
        assert sightglass("render", "many.json", "-o", f"many.{ending}").code == 0
    assert "mean |SHAP|" in sightglass("render", "many.json", "--format", "table").out
    cover = sightglass(*common, "--background", "cover", "--rows", "3").json["results"][0]
    assert cover["details"]["estimator"] == "trees" and cover["details"]["background"] == "cover"
    wrong = sightglass(*common, "--background", "cover", "--engine", "blackbox")
    assert wrong.code == 2 and "the engine is not trees" in wrong.err


def test_exec_model(sightglass, tmp_path):
    (tmp_path / "d.csv").write_text("temp,weather\n1,dry\n2,rain\n3,dry\n")
    run = sightglass(
        "pdp", "--model", f"exec:python3 {ROOT}/examples/exec/model.py", "--data", "d.csv", "--features", "temp"
    )
    assert run.code == 0, run.err
    assert run.json["results"][0]["grid"] == [1, 2, 3]
    assert run.json["options"]["engine"] == "blackbox"
    wrong = sightglass(
        "pdp", "--model", f"exec:python3 {ROOT}/examples/exec/model.py", "--data", "d.csv", "--engine", "trees"
    )
    assert wrong.code == 2 and "only the predictions are known, no trees" in wrong.err


def test_what_is_on_can_be_turned_off(sightglass, tiny):
    assert "--spread=false turns it off" in sightglass("pdp", "--help").out
    for flag, on in (("--spread", True), ("--spread=false", False)):
        run = sightglass("pdp", "--model", "model.json", "--data", "data.csv", flag)
        assert run.code == 0, run.err
        assert run.json["options"]["engine"] == "trees"
        assert bool(run.json["results"][0]["sd"]) is on


def test_a_query_and_weights(sightglass, tiny, tmp_path):
    (tmp_path / "w.csv").write_text("x,w\n0,3\n1,1\n")
    (tmp_path / "dup.csv").write_text("x\n0\n0\n0\n1\n")
    weighted = sightglass("pdp", "--model", "model.json", "--data", "w.csv", "--weights", "w").json
    doubled = sightglass("pdp", "--model", "model.json", "--data", "dup.csv").json
    for key in ["grid", "mean", "sd", "count"]:
        assert weighted["results"][0][key] == doubled["results"][0][key]
    query = sightglass(
        "pdp", "--model", "model.json", "--data", "data.csv", "--query", "SELECT x FROM data WHERE x < 1"
    )
    assert query.json["data"]["rows"] == 3


def test_weights_of_any_scale(sightglass, tiny, tmp_path):
    results = []
    for scale in [1e-30, 1.0, 1e30]:
        (tmp_path / "w.csv").write_text(f"x,w\n0,{scale}\n0.25,{2 * scale}\n1,{5 * scale}\n")
        run = sightglass("pdp", "--model", "model.json", "--data", "w.csv", "--weights", "w")
        results.append(run.json["results"][0])
    for result in results:
        assert result["grid"] == [0, 0.25, 1]
        assert result["mean"] == pytest.approx(results[1]["mean"], rel=1e-12)
        assert result["distribution"]["rug"] == results[1]["distribution"]["rug"]


def test_weighted_spread_far_from_zero(sightglass, tmp_path):
    (tmp_path / "child.py").write_text(
        "import sys, json\n"
        "for l in sys.stdin:\n"
        "  c = json.loads(l)['columns']\n"
        "  print(json.dumps({'predictions': [1e9 + z for z in c['z']]}), flush=True)\n"
    )
    (tmp_path / "d.csv").write_text("x,z,w\n0,1,0.3\n1,2,0.7\n1,4,0.1\n")
    model = ["--model", "exec:python3 child.py", "--data", "d.csv"]
    result = sightglass("pdp", *model, "--weights", "w", "--features", "x")
    mean = (0.3 * 1 + 0.7 * 2 + 0.1 * 4) / 1.1
    variance = (0.3 * (1 - mean) ** 2 + 0.7 * (2 - mean) ** 2 + 0.1 * (4 - mean) ** 2) / 1.1
    for sd in result.json["results"][0]["sd"]:
        assert sd == pytest.approx(variance**0.5, rel=1e-6)


def test_infinities_in_a_csv_are_numbers(sightglass, tiny, tmp_path):
    (tmp_path / "inf.csv").write_text("x\ninf\n1.5\n-inf\n")
    result = sightglass("pdp", "--model", "model.json", "--data", "inf.csv").json
    assert result["results"][0]["grid"] == [1.5]
    assert "infinite-values" in [c["id"] for c in result["caveats"]]


def test_breakpoints_tell_the_curve_everywhere(sightglass, bike):
    """Between two neighbouring breakpoints the prediction does not change."""
    options = ["--features", "temp", "--sample", "50"]
    result = sightglass("pdp", *bike, *options, "--grid-rule", "breakpoints").json["results"][0]
    grid, mean = result["grid"], result["mean"]
    between = ",".join(repr((a + b) / 2) for a, b in zip(grid, grid[1:], strict=False))
    again = sightglass("pdp", *bike, *options, "--grid-rule", "values", "--values=" + between)
    assert again.json["results"][0]["mean"] == mean[:-1]


@pytest.mark.parametrize(
    ("words", "own"),
    [
        (["--metric", "mae"], ["--losses", "absolute"]),
        (["--metrics=neg_mean_absolute_error,mse"], ["--losses", "absolute,squared"]),
        (["--loss", "R2"], ["--losses", "r2"]),
        (["--scoring", "root_mean_squared_error", "--feature", "temp"], ["--losses", "rmse", "--features", "temp"]),
    ],
    ids=lambda words: " ".join(words),
)
def test_words_of_other_libraries_are_taken_as_in_python(sightglass, bike, words, own):
    common = [*bike, "--target", "rentals", "--sample", 200, "--repeats", 2, "--quiet"]
    others, ours = sightglass("pfi", *common, *words), sightglass("pfi", *common, *own)
    assert others.code == ours.code == 0, others.err + ours.err
    assert others.json["results"] == ours.json["results"]


def test_both_words_for_the_same(sightglass, bike):
    common = [*bike, "--target", "rentals"]
    words = ("--metric and --losses mean the same",)
    fails(sightglass("pfi", *common, "--metric", "mae", "--losses", "rmse"), USAGE, *words)
    fails(sightglass("pfi", *common, "--metric", "maee"), USAGE, "there is no loss maee", "did you mean mae?")
    fails(sightglass("pfi", *common, "--losses", "squard"), USAGE, "did you mean squared?")
    # Of a method that has none.
    fails(sightglass("pdp", *common, "--metric", "mae"), USAGE, "there is no option --metric")


def test_names_with_commas_in_lists(sightglass, tmp_path):
    rows = "\n".join(f"{k % 7},{k % 5},{k % 7 + 2 * (k % 5)}" for k in range(60))
    (tmp_path / "prices.csv").write_text(f'"price, net",nights,total\n{rows}\n')
    sightglass("fit", "tree", "--data", "prices.csv", "--target", "total", "-o", "tree.json")
    files = ["--model", "tree.json", "--data", "prices.csv", "-f", "json", "--features"]
    for given in ["price, net,nights", '"price, net",nights', "'price, net',nights", "price\\, net,nights"]:
        told = sightglass("pdp", *files, given).json
        assert [item["feature"] for item in told["results"] if item["type"] == "curve"] == ["price, net", "nights"]
    told = sightglass("pdp", *files[:-1], "--pairs", "price, net:nights", "--grid", "3").json
    assert ["price, net", "nights"] in [item["features"] for item in told["results"] if item["type"] == "surface"]
    run = sightglass("pdp", *files, "price")
    assert run.code == 2
    assert """a name with a comma goes in quotes within the list: '"price, net"'""" in run.err


def test_words_name_what_helps(sightglass, bike):
    assert "it counts predictions of the model" in sightglass("interactions", *bike, "--budget", "10s").err
    assert "compare-models compares two" in sightglass("compare", *bike, *bike[:2]).err
    assert "write .html and print it as PDF" in sightglass("report", *bike, "-o", "rep.pdf").err
    text = sightglass("inspect", *bike, "--target", "rentals", "--format", "table").out
    assert "--sample" not in text and "performance measures all rows" in " ".join(text.split())
