"""The report from Python."""

import base64
import json
import pickle
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

import sightglass as sg

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def explainer():
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2] + 0.1 * random.normal(size=300)
    return sg.Explainer(lambda X: X[:, 0] * X[:, 1] + X[:, 2], X, y)


@pytest.fixture(scope="module")
def report(explainer):
    return explainer.report(sample=200, title="Four numbers")


def test_results_are_those_of_the_methods(explainer, report):
    methods = [result.method for result in report.results]
    assert methods[:3] == ["report", "performance", "permutation-importance"]
    alone = explainer.ale(bins=32, sample=200)
    assert report["ale"][0].results == alone.results
    assert report.left_out == []
    # The strongest pair is drawn.
    assert {"x0", "x1"} == set(report["ale"][1].results[0]["features"])


def test_tells_what_to_know_first(report):
    assert 3 <= len(report.findings) <= 7
    assert report.findings[0] in repr(report) and "variance" in report.findings[0]


def test_examples_say_why(report):
    examples = report["shap"][1].results[0]
    assert len(examples["details"]["why"]) == len(examples["attributions"]) > 3
    assert any("highest prediction" in why for why in examples["details"]["why"])
    # The worst error comes first, and what is true stands beside what is predicted.
    places = examples["details"]["place"]
    assert sorted(places) == list(range(len(places)))
    assert examples["details"]["why"][places.index(0)].startswith("most overestimated")
    row, truth = examples["attributions"][places.index(0)], examples["details"]["truth"][places.index(0)]
    assert row["prediction"] > truth


def test_a_page_and_a_folder(report, tmp_path):
    report.save(tmp_path / "report.html")
    assert "Four numbers" in (tmp_path / "report.html").read_text(encoding="utf-8")
    report.save(tmp_path / "results")
    names = sorted(file.name for file in (tmp_path / "results").iterdir())
    assert names[0] == "01-report.json"
    assert sg.load(tmp_path / "results" / names[1]).method == "performance"
    assert report._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(sg.UsageError, match="cannot tell a format"):
        report.save(tmp_path / "report.pdf")
    with pytest.raises(sg.UsageError, match="no result of 'lime'"):
        report["lime"]


def test_single_charts(report, tmp_path):
    assert "effects/x0" in report.charts
    chart = report.chart("x0", show=["ale", "ice"])
    params = {param["name"]: param["value"] for param in chart.to_dict()["params"] if "value" in param}
    assert params["show_ice"] is True and params["show_pdp"] is False
    chart.save(tmp_path / "chart.json")
    assert json.loads((tmp_path / "chart.json").read_text(encoding="utf-8")) == chart.to_dict()
    chart.save(tmp_path / "chart.svg")
    assert "<svg" in (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert "application/vnd.vegalite.v5+json" in chart._repr_mimebundle_()
    with pytest.raises(sg.UsageError, match="there is no chart y"):
        report.chart("y")
    with pytest.raises(sg.UsageError, match="cannot tell a format"):
        chart.save(tmp_path / "chart.html")


def test_comes_back_from_a_folder_and_from_a_pickle(report, tmp_path):
    report.save(tmp_path / "results")
    for again in (sg.load(tmp_path / "results"), pickle.loads(pickle.dumps(report))):
        assert again.to_html() == report.to_html()
    with pytest.raises(sg.DataError, match="no saved report"):
        sg.load(tmp_path)
    with pytest.raises(sg.OutputError, match="cannot write into the folder"):
        report.save("/proc/nowhere")


def test_groups_are_compared(explainer):
    report = explainer.report(
        by="x0", sample=80, skip=["shap", "interactions", "surrogates", "prototypes", "pd-importance"]
    )
    in_groups = [result for result in report.results if result.options.get("by") == "x0" and result.method != "report"]
    assert [result.method for result in in_groups] == ["performance", "permutation-importance", "ale"]
    for result in in_groups:
        groups = {item["group"] for item in result.results}
        assert len(groups) == 4 and all("x0" in group for group in groups), groups
    assert "x0" not in {item["feature"] for item in in_groups[-1].results if item["type"] == "curve"}
    with pytest.raises(sg.UsageError, match="no column x77"):
        explainer.report(by="x77")


def test_options_are_checked(explainer):
    with pytest.raises(sg.UsageError, match="budget"):
        explainer.report(budget="soon")
    with pytest.raises(sg.UsageError, match="budget"):
        explainer.report(budget=-1)
    assert explainer.report(budget=60, sample=50, skip=["shap"]).results[0].options["budget"] == "60s"
    with pytest.raises(TypeError, match="tpo"):
        explainer.report(tpo=3)


def test_a_model_that_fails_says_so():
    def broken(X):
        if len(X) > 50:
            raise RuntimeError("out of order")
        return X[:, 0]

    with pytest.raises(sg.PredictionError, match="out of order"):
        sg.Explainer(broken, np.ones((100, 2))).report()


def test_classes():
    sklearn = pytest.importorskip("sklearn.linear_model")
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)
    report = sg.Explainer(sklearn.LogisticRegression().fit(X, y), X, y).report(sample=100, examples=5)
    outputs = {item["output"] for item in report["ale"][0].results}
    assert len(outputs) == 3
    assert len(report["shap"][1].results) == 3


def test_rows_explained_before_the_link_have_their_probabilities():
    folder = ROOT / "examples" / "penguins"
    names = ["Adelie", "Chinstrap", "Gentoo"]
    ex = sg.Explainer(folder / "species.json", folder / "penguins.csv", y="species", classes=names)
    items = ex.report(sample=60)["shap"][1].results
    predicted = ex.predict(arithmetic="exact")
    assert [item["output"] for item in items] == names
    for k, item in enumerate(items):
        rows = [row["row"] for row in item["attributions"]]
        np.testing.assert_allclose(item["details"]["probability"], predicted[rows, k], rtol=1e-12)


def test_says_how_to_call_it_again(explainer, report, monkeypatch):
    call = "sightglass.Explainer(model, X, y=y).report(title='Four numbers', budget=0, sample=200)"
    assert report.results[0].options["command"] == call
    data = re.search(r'id="sightglass-data"[^>]*>(.*?)</script>', report.to_html(), re.S).group(1)
    page = json.loads(data if data.startswith("{") else zlib.decompress(base64.b64decode(data)))
    assert page["repeat"]["command"] == call
    again = explainer.report(budget="1h", skip=["shap"], features=["x0", "x1"])
    assert again.results[0].options["command"].endswith(".report(features=['x0', 'x1'], budget=0, skip=['shap'])")
    folder = ROOT / "examples" / "penguins"
    told = {"y": "species", "seed": 3, "classes": ["Adelie", "Chinstrap", "Gentoo"], "caveats": {"sparse_rows": 5}}
    made = sg.Explainer(folder / "species.json", str(folder / "penguins.csv"), **told)
    made = made.report(budget=0, sample=40, skip="shap")
    command = made.results[0].options["command"]
    # Files by their names only: it is for whoever has them.
    assert command.startswith("sightglass.Explainer('species.json', 'penguins.csv', ") and "threads" not in command
    assert str(folder) not in made.to_html()
    monkeypatch.chdir(folder)
    again = eval(command, {"sightglass": sg})
    assert again.to_html() == made.to_html()
    # Data stay out of it, whatever they are held in.
    truths = [12345.5, *map(float, range(59))]
    rows = np.random.default_rng(1).normal(size=(60, 2))
    made = sg.Explainer(lambda X: X[:, 0], rows, y=truths, weights=[2.0] * 60).report(no_rows=True)
    assert made.results[0].options["command"].startswith("sightglass.Explainer(model, X, y=y, weights=weights).report(")
    assert "12345.5" not in made.to_html()


def test_cautions_are_those_of_the_page(report):
    repeated = sum(len(result.caveats) for result in report.results)
    assert 0 < len(report.caveats) < repeated
    severities = [["warning", "caution", "note"].index(caveat.severity) for caveat in report.caveats]
    assert severities == sorted(severities)


def test_an_output_may_be_a_number():
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 2))
    both = sg.Explainer(lambda X: np.column_stack([X[:, 0], X[:, 1]]), X)
    name = both.ale("x0").results[1]["output"]
    report = both.report(output=int(name) if name.isdigit() else name, sample=50)
    assert {item["output"] for item in report["ale"][0].results} == {name}


def test_of_many_classes_the_most_predicted_are_shown():
    class Digits:
        classes_ = np.arange(12)

        def predict_proba(self, X):
            scores = np.exp(-np.abs(X[:, :1] - np.arange(12)[None, :]))
            return scores / scores.sum(axis=1, keepdims=True)

    random = np.random.default_rng(3)
    X = np.column_stack([random.integers(0, 10, size=300) + 2.0, random.normal(size=300)])
    report = sg.Explainer(Digits(), X, y=X[:, 0].astype(int)).report(sample=100)
    shown = {item["output"] for item in report["ale"][0].results}
    assert shown == {str(digit) for digit in range(2, 12)}
    assert report.left_out[0].startswith("outputs 0, 1: the 10 most often predicted of 12 are shown")


def test_names_all_parts_that_can_be_left_out(explainer):
    with pytest.raises(sg.UsageError) as error:
        explainer.report(skip=["nonsense"])
    for part in str(error.value).split("one of ")[1].split(", "):
        assert part in sg.Explainer.report.__doc__


def test_a_model_of_ours_is_one_model(tmp_path):
    X = np.random.default_rng(0).uniform(size=(80, 2))
    sg.fit("tree", X, X[:, 0] + X[:, 1], max_depth=2).save(tmp_path / "tree.json")
    report = sg.Explainer(tmp_path / "tree.json", X).report(skip=["shap", "interactions", "surrogates", "prototypes"])
    assert report.results[1].method == "tree"
    assert report.results[1].model == report.results[0].model
    assert "the models say" not in report.to_html()
