"""What can be done with a result."""

import json
import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sightglass as sg

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=100), "b": rng.normal(size=100), "k": rng.choice(["x", "y"], 100)})
    frame.loc[::9, "b"] = np.nan
    return frame


@pytest.fixture(scope="module")
def explainer(frame):
    return sg.Explainer(lambda data: data["a"] * 2 + data["b"].fillna(0) + (data["k"] == "x"), frame)


def test_tidy_frames(explainer):
    result = explainer.partial_dependence(["a", "b", "k", ("a", "k")], grid=4, pair_grid=3)
    table = result.to_frame()
    assert isinstance(table, pd.DataFrame)
    assert len(table) == 4 + 5 + 2 + 6
    assert list(table.columns[:5]) == ["feature", "value", "feature_2", "value_2", "output"]
    assert table["mean"].notna().all()
    missing = table[(table["feature"] == "b") & table["value"].isna()]
    assert len(missing) == 1 and missing["count"].item() == 12
    other = result.to_frame(library="polars")
    assert isinstance(other, pl.DataFrame) and other.shape == table.shape
    np.testing.assert_array_equal(other["mean"].to_numpy(), table["mean"])
    curves = explainer.ice("a", grid=3, rows=[5, 7]).to_frame()
    assert list(curves.columns) == ["feature", "value", "output", "row", "prediction"]
    assert curves["row"].tolist() == [5, 5, 5, 7, 7, 7]
    with pytest.raises(sg.UsageError):
        result.to_frame(library="excel")


def test_scikit_learns_keys(explainer):
    result = explainer.ice("a", grid=3, curves=0)
    assert result.keys() == ["grid_values", "average", "individual"]
    assert result["individual"].shape == (1, 100, 3)
    assert "individual" in result and "nonsense" not in result
    np.testing.assert_allclose(result["individual"].mean(axis=1), result["average"])
    several = explainer.partial_dependence()
    with pytest.raises(KeyError, match="several features"):
        several["average"]
    assert several.select("k")["average"].shape == (1, 2)
    with pytest.raises(KeyError, match="ice"):
        several.select("a")["individual"]
    with pytest.raises(KeyError):
        several["importances_mean"]
    with pytest.raises(sg.UsageError, match="it has a, b, k"):
        several.select("z")


def test_json_there_and_back(explainer, tmp_path):
    result = explainer.partial_dependence(grid=4)
    path = tmp_path / "result.json"
    result.save(path)
    assert path.read_text() == result.to_json()
    again = sg.load(path)
    assert again.to_json() == result.to_json()
    assert repr(again) == repr(result)
    assert pickle.loads(pickle.dumps(result)).to_json() == result.to_json()
    content = json.loads(result.to_json())
    assert content["schema"] == "sightglass.result/1"
    assert result.method == "partial-dependence"
    assert content["options"]["grid"] == 4
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(sg.DataError):
        sg.load(tmp_path / "bad.json")


def test_files(explainer, tmp_path):
    result = explainer.partial_dependence("a", grid=4)
    for name in ("r.csv", "r.html", "r.txt", "r.json"):
        result.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    result.plot().save(tmp_path / "chart.json")
    assert json.loads((tmp_path / "chart.json").read_text())["$schema"].endswith("v5.json")
    result.plot().save(tmp_path / "chart.html")
    with pytest.raises(sg.UsageError, match="cannot tell a format"):
        result.save(tmp_path / "r.docx")
    with pytest.raises(sg.OutputError) as caught:
        result.save(tmp_path / "no" / "such" / "folder.json")
    assert isinstance(caught.value, OSError)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "chart.html",
        "chart.json",
        "r.csv",
        "r.html",
        "r.json",
        "r.txt",
    ]


def test_pictures_need_the_extra(explainer, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(sg.UsageError, match=r"sightglass\[export\]"):
        explainer.partial_dependence("a").plot().save(tmp_path / "chart.svg")


def test_notebooks(explainer):
    result = explainer.partial_dependence(["a", "k"], grid=4)
    bundle = result._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.vegalite.v5+json", "text/html", "text/plain"}
    spec = bundle["application/vnd.vegalite.v5+json"]
    assert spec["$schema"] == "https://vega.github.io/schema/vega-lite/v5.json"
    assert json.dumps(spec)
    assert bundle["text/plain"] == str(result)
    assert set(result.plot()._repr_mimebundle_(include=["text/plain"])) == {"text/plain"}
    assert "Partial dependence" in str(result)


def test_caveats(frame):
    result = sg.Explainer(lambda data: data["a"], frame.assign(one=1.0)).partial_dependence(["a", "one"], sample=50)
    found = {caveat.id: caveat for caveat in result.caveats}
    assert found["constant-feature"].evidence == {"feature": "one"}
    assert found["sampled-rows"].message.startswith("computed on 50 of 100 rows")
    assert result.data["rows"] == 50


def golden(name):
    return sg.load(ROOT / "tests" / "golden" / "results" / f"{name}.json")


def test_frames_of_effects_and_slopes():
    frame = golden("ale").select("temp").to_frame()
    expected = ["feature", "value", "output", "effect", "slope", "se", "bin_count", "outside", "sparse"]
    assert list(frame.columns) == expected
    assert frame["sparse"].sum() == 2
    assert frame["bin_count"].notna().sum() == len(frame) - 1
    pair = golden("ale").select("temp", "humidity").to_frame()
    assert len(pair) == 21 * 21 and pair["bin_count"].notna().sum() == 400
    slopes = golden("slopes").select("temp", group="").to_frame()
    assert "slope" in slopes and "prediction" not in slopes
    compare = golden("compare").to_frame()
    assert compare["series"].unique().tolist() == ["PDP", "M-plot", "ALE"]
    loss = golden("noise").to_frame()
    assert loss["loss"].notna().all() and "mean" not in loss


def test_frames_of_rankings_and_figures():
    frame = golden("importance").to_frame()
    assert list(frame.columns[:4]) == ["feature", "measure", "importance", "se"]
    assert frame["importance"].is_monotonic_decreasing
    assert frame["details.repeats"].max() == 10
    result = golden("interactions")
    frame = result.to_frame()
    assert list(frame.columns[:6]) == ["feature", "feature_2", "feature_3", "strength", "h2", "h"]
    assert "figure" not in frame
    assert frame["feature_3"].dropna().tolist() == ["temp"]
    assert set(frame["details.in_findings"].dropna()) <= {True, False}
    figures = result.to_frame(kind="figure")
    assert list(figures.columns[:2]) == ["name", "figure"] and figures["figure"].notna().all()
    assert len(figures) == 4
    with pytest.raises(sg.UsageError, match="kind 'curve'; it has figure, interaction"):
        result.to_frame(kind="curve")


def test_frames_of_importances(frame):
    data = frame.fillna({"b": 0})
    ex = sg.Explainer(lambda data: data["a"] + 2.2 * data["b"], data, data["a"] + 2 * data["b"])
    result = ex.permutation_importance(losses=["rmse", "r2"], groups={"both": ["a", "b"]}, features=["a", "b"])
    table = result.to_frame()
    first = ["feature", "measure", "importance", "se", "rank", "features", "sd", "low", "high"]
    assert list(table.columns[: len(first)]) == first
    assert table["measure"].tolist() == ["increase of rmse"] * 3 + ["decrease of r2"] * 3
    assert table["feature"].tolist() == ["both", "b", "a"] * 2
    assert table["rank"].tolist() == [1, 2, 3] * 2
    assert table["features"][0] == "a, b"
    assert not any(isinstance(value, (list, str)) for value in table["details.after"])
    assert "details.repeats" not in table
    assert set(result.to_frame(kind="figure")["name"]) >= {"rmse", "r2"}
    assert len(result.to_frame("polars")) == 6
    with_noise = ex.permutation_importance(noise=[1], repeats=2)
    assert with_noise.to_frame()["importance"].notna().all()
    assert with_noise.to_frame(kind="curve")["loss"].notna().all()


def test_marks_of_some_groups(frame):
    data = frame.assign(a=frame["a"].where(frame.index > 0), side=(frame["b"] > 0).map({True: "right", False: "left"}))
    result = sg.Explainer(lambda data: data["a"].fillna(3), data).partial_dependence("a", by="side")
    marked = json.loads(result.to_json())
    marked["results"][0]["sparse"] = [0]
    marked["results"][1]["sparse"] = []
    table = sg.Result(type(result._native).from_json(json.dumps(marked), "test")).to_frame()
    assert table["sparse"].dtype == bool and table["sparse"].sum() == 1
    assert table["value"].isna().any(), "the missing level is not marked"


def test_selecting_by_more_than_features():
    ranking = golden("ranking")
    assert ranking.to_frame()["rank"].max() == 8, "each measure has its own ranks"
    assert len(ranking.select(measure="mean |SHAP|").results) == 8
    assert len(ranking.select("workingday").results) == 4
    assert len(golden("class_groups").select(output="Adelie", group="island = Dream").results) == 1
    assert golden("compare").select("temp", series="ALE").results[0]["measure"] == "effect"
    assert golden("interactions").select("hour", "temp").results[0]["features"] == ["hour", "temp"]
    with pytest.raises(sg.UsageError, match="measure odd.*mean |SHAP|"):
        ranking.select(measure="odd")


def test_scikit_learns_keys_of_importances():
    result = golden("importance")
    assert result.keys() == ["importances_mean", "importances_std"]
    assert result["importances_mean"][0] == 96.4
    assert result["importances_std"].shape == (9,)
    ranking = golden("ranking")
    with pytest.raises(KeyError, match="more than one measure"):
        ranking["importances_mean"]
    chosen = ranking.select(measure="mean |SHAP|")
    assert chosen["importances_mean"].argmax() == 0
    assert np.isnan(chosen["importances_std"]).all()
    with pytest.raises(KeyError, match="no effects"):
        result["average"]
    with pytest.raises(KeyError, match="no such numbers"):
        golden("ale")["importances_mean"]
    assert golden("ale").select("temp")["average"].shape == (1, 41)
    with pytest.raises(KeyError, match="more than one series"):
        golden("compare").select("temp")["average"]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "golden" / "results").glob("*.json")), ids=lambda path: path.name
)
def test_golden_results(path):
    result = sg.load(path)
    columns = result.to_frame(library="dict")
    assert {len(result.to_frame())} == {len(values) for values in columns.values()}
    assert len(result.to_frame(library="polars")) == len(result.to_frame())
    assert result.plot().to_dict()
    assert repr(result)
