"""What is wrong with a place to save to is said before the work."""

import inspect
import re
import sys
import time

import numpy as np
import pytest

import sightglass as sg

X = np.random.default_rng(5).normal(size=(400, 3))


@pytest.fixture
def asked():
    """Rows that a model was asked about."""
    return []


@pytest.fixture
def explainer(asked):
    def model(data):
        asked.append(len(data))
        return np.sin(3 * data[:, 0]) + data[:, 1]

    return sg.Explainer(model, X)


def test_every_method_takes_a_place(explainer):
    for name in explainer.methods:
        assert "out" in inspect.signature(getattr(explainer, name)).parameters, name


@pytest.mark.parametrize("ending", [".json", ".csv", ".html", ".txt", ".svg", ".png"])
def test_out_is_where_the_result_goes(explainer, tmp_path, ending):
    place = tmp_path / f"ice{ending}"
    result = explainer.ice("x0", sample=20, grid=5, out=place)
    other = tmp_path / f"other{ending}"
    result.save(other)
    assert place.read_bytes() == other.read_bytes()


def test_it_is_looked_at_first(explainer, asked, tmp_path, monkeypatch):
    with pytest.raises(sg.OutputError):
        explainer.ice("x0", out=tmp_path / "no" / "such.png")
    with pytest.raises(sg.OutputError):
        explainer.ranking(out="/proc/ranking.json")
    with pytest.raises(sg.UsageError, match=r"x\.docx.*end it in one of \.json"):
        explainer.ice("x0", out=tmp_path / "x.docx")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for place in ("x.svg", "x.PNG"):
        with pytest.raises(sg.UsageError, match=r"pip install 'sightglass\[export\]'"):
            explainer.ice("x0", out=tmp_path / place)
    assert not asked
    assert not list(tmp_path.iterdir())


def test_a_report_takes_out_as_well(explainer, asked, tmp_path):
    for place in (tmp_path / "no" / "r.html", "/proc/r.html"):
        with pytest.raises(sg.OutputError):
            explainer.report(out=place)
    with pytest.raises(sg.UsageError, match="format"):
        explainer.report(out=tmp_path / "r.png")
    with pytest.raises(sg.UsageError, match="twice"):
        explainer.report(tmp_path / "a.html", out=tmp_path / "b.html")
    assert not asked
    explainer.report(out=tmp_path / "r.html", sample=30)
    assert (tmp_path / "r.html").stat().st_size > 10_000


def test_saving_looks_before_it_draws(explainer, tmp_path, monkeypatch):
    result = explainer.ice("x0", sample=20, grid=5)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for saver in (result, result.plot()):
        with pytest.raises(sg.UsageError, match=r"sightglass\[export\]"):
            saver.save(tmp_path / "no" / "such.png")


def test_many_curves_are_drawn_in_time(explainer, tmp_path):
    began = time.process_time()  # of all threads: what the machine does besides does not count
    explainer.ice("x0", rows=list(range(250)), out=tmp_path / "ice.png")
    assert time.process_time() - began < 3
    explainer.ice("x0", rows=list(range(250)), out=tmp_path / "ice.svg")
    svg = (tmp_path / "ice.svg").read_text()
    # A faint element is drawn on a canvas of its own, faint paint is not.
    assert len(re.findall(r'<path[^>]* opacity="', svg)) < 30
    assert len(re.findall(r'<path[^>]* stroke-opacity="', svg)) >= 250
