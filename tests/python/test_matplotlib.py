"""Results as pictures of matplotlib."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import sightglass as sg

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {"a": rng.normal(size=300), "b": rng.uniform(size=300), "k": rng.choice(["low", "mid", "high"], size=300)}
    )
    y = X["a"] + X["b"] * (X["k"] == "low")
    return sg.Explainer(lambda data: data["a"] + data["b"] * (data["k"] == "low"), X, y.rename("y"), units={"a": "m"})


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def drawn(ax):
    ax.figure.canvas.draw()
    return ax


def test_a_curve(explainer):
    result = explainer.partial_dependence("a", grid=7)
    ax = drawn(result.to_matplotlib())
    [line] = ax.lines
    np.testing.assert_array_equal(line.get_xdata(), result["grid_values"][0])
    np.testing.assert_array_equal(line.get_ydata(), result["average"][0])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a (m)", "mean prediction of y")


def test_levels(explainer):
    ax = drawn(explainer.ale("k").to_matplotlib())
    assert {label.get_text() for label in ax.get_xticklabels()} == {"low", "mid", "high"}
    assert ax.get_ylabel() == "effect on the prediction of y"


def test_groups_are_lines_with_names(explainer):
    ax = drawn(explainer.ale("a", by="k").to_matplotlib())
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"k = low", "k = mid", "k = high"}


def test_several_pictures_are_a_figure(explainer):
    axes = explainer.partial_dependence(["a", "k", ("a", "b"), ("a", "k")], grid=5).to_matplotlib()
    assert len(axes) == 4
    assert len({ax.figure for ax in axes}) == 1
    drawn(axes[0])


def test_single_rows(explainer):
    result = explainer.ice("a", rows=[1, 2, 3], grid=5)
    ax = drawn(result.to_matplotlib())
    assert len([line for line in ax.lines if line.get_alpha()]) == 3
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), result["individual"][0][0])


def test_rankings(explainer):
    result = explainer.permutation_importance()
    ax = drawn(result.to_matplotlib())
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == result.to_frame("dict")["feature"]
    assert [bar.get_width() for bar in ax.patches] == result.to_frame("dict")["importance"]
    assert len(drawn(explainer.interactions().to_matplotlib()[0]).patches) == 3


def test_a_waterfall_ends_at_the_prediction(explainer):
    result = explainer.shap(rows=[5])
    ax = drawn(result.select(output="prediction").to_matplotlib())
    ends = [bar.get_x() for bar in ax.patches] + [bar.get_x() + bar.get_width() for bar in ax.patches]
    [item] = result.all(sg.shapes.Attributions)
    assert min(abs(np.asarray(ends) - item.predictions[0])) < 1e-12
    assert min(abs(np.asarray(ends) - item.base)) < 1e-12
    many = explainer.shap(rows=list(range(50))).to_matplotlib()
    drawn(many.flat[0] if hasattr(many, "flat") else many)


def test_dates_are_dates():
    rng = np.random.default_rng(3)
    days = np.datetime64("2020-01-01") + rng.integers(0, 700, 200)
    frame = pd.DataFrame({"sold_on": days.astype("datetime64[ns]"), "area": rng.uniform(size=200)})
    ex = sg.Explainer(lambda data: data["area"] + (data["sold_on"] - data["sold_on"].min()).dt.days / 700, frame)
    for ax in (
        ex.partial_dependence("sold_on", grid=5).to_matplotlib(),
        ex.ice("sold_on", rows=[1, 2], grid=5).to_matplotlib(),
    ):
        assert ax.lines[0].get_xdata().dtype.kind == "M"
        drawn(ax)
        assert any(label.get_text().startswith("202") for label in ax.get_xticklabels())
    drawn(ex.partial_dependence([("sold_on", "area")], grid=5).to_matplotlib())
    waterfall = drawn(ex.shap(rows=[0]).to_matplotlib())
    labels = [label.get_text() for label in waterfall.get_yticklabels()]
    assert f"sold_on = {days[0]}" in labels


def test_axes_of_the_user(explainer):
    figure, axes = pyplot.subplots(1, 2)
    result = explainer.ale(["a", "b"])
    assert list(result.to_matplotlib(axes)) == list(axes)
    assert all(ax.lines for ax in axes)
    assert result.select("a").to_matplotlib(ax=axes[0]) is axes[0]
    with pytest.raises(sg.UsageError, match="2 pictures.*select"):
        result.to_matplotlib(axes[0])


def test_what_it_does_not_draw(explainer):
    with pytest.raises(sg.UsageError, match=r"plot\(\) draws it"):
        explainer.performance().to_matplotlib()
    report = explainer.report(sample=30)
    with pytest.raises(sg.UsageError, match="results have"):
        report.chart(report.charts[0]).to_matplotlib()


def test_charts_draw_as_their_results(explainer):
    chart = explainer.ale("a").plot()
    assert chart.to_matplotlib().lines


def test_matplotlib_is_not_needed(explainer, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(sg.UsageError, match="pip install matplotlib"):
        explainer.ale("a").to_matplotlib()
    script = "import sys, sightglass; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
