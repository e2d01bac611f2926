"""What front ends are offered, and what a converted notebook shows."""

import base64
import json
import re
import shutil
import subprocess
import sys
import webbrowser
from pathlib import Path

import numpy as np
import pytest

import sightglass as sg

VEGA_LITE = "application/vnd.vegalite.v5+json"
CHROMIUM = shutil.which("chromium")


@pytest.fixture(scope="module")
def explainer():
    X = np.random.default_rng(2).normal(size=(200, 3))
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    return sg.Explainer(lambda data: np.sin(2 * data[:, 0]) + data[:, 1], X)


@pytest.fixture
def no_exporter(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)


def test_one_output_has_it_all(explainer):
    result = explainer.partial_dependence("x0", grid=5)
    assert result.caveats
    for shown in (result, result.plot()):
        bundle = shown._repr_mimebundle_()
        assert set(bundle) == {VEGA_LITE, "text/html", "text/plain"}
        spec = bundle[VEGA_LITE]
        assert spec["$schema"].endswith("vega-lite/v5.json")
        assert spec["background"] == "white"
        page = bundle["text/html"]
        assert base64.b64decode(re.search('data:image/png;base64,([^"]+)', page)[1]).startswith(b"\x89PNG")
        assert all(caveat.message in page for caveat in result.caveats)
        assert "http" not in page
        assert set(shown._repr_mimebundle_(include=["text/plain"])) == {"text/plain"}
        assert set(shown._repr_mimebundle_(exclude=["text/plain"])) == {VEGA_LITE, "text/html"}


def test_without_the_exporter_there_is_the_page(explainer, no_exporter):
    bundle = explainer.partial_dependence("x0", grid=5)._repr_mimebundle_()
    assert bundle["text/html"].startswith("<iframe srcdoc=")
    assert "height:640px" in bundle["text/html"]
    assert VEGA_LITE in bundle


def test_a_failing_exporter_does_not_matter(explainer, monkeypatch):
    def fails(*_):
        raise ValueError("no")

    monkeypatch.setattr(sg._notebook, "picture", fails)
    assert "<iframe" in explainer.ice("x0", grid=3)._repr_mimebundle_()["text/html"]


def test_texts_of_cautions_are_no_html():
    X = np.random.default_rng(0).normal(size=(50, 2))
    import pandas as pd

    frame = pd.DataFrame(X, columns=["<script>a", "b"])
    frame["b"] = frame["<script>a"]
    result = sg.Explainer(lambda data: data["b"], frame).partial_dependence("b", grid=3)
    assert result.caveats
    assert "<script>" not in result._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("exporter", [True, False])
def test_show_outside_a_notebook_opens_the_browser(explainer, monkeypatch, exporter):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda place: opened.append(place) or True)
    if not exporter:
        monkeypatch.setitem(sys.modules, "vl_convert", None)
    result = explainer.partial_dependence("x0", grid=5)
    report = explainer.report(sample=30)
    for shown in (result, result.plot(), report, report.chart(report.charts[0])):
        if not exporter and isinstance(shown, sg._result.PageChart):
            with pytest.raises(sg.UsageError, match=r"sightglass\[export\]"):
                shown.show()
            continue
        assert shown.show() is None
        place = Path(opened[-1].removeprefix("file://"))
        assert "<svg" in place.read_text() or "<script" in place.read_text()
        place.unlink()
    monkeypatch.setattr(webbrowser, "open", lambda place: False)
    with pytest.raises(sg.OutputError, match="no browser.*save"):
        result.show()


CELLS = [
    """import numpy as np
import sightglass as sg
X = np.random.default_rng(2).normal(size=(200, 3))
X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
ex = sg.Explainer(lambda data: np.sin(2 * data[:, 0]) + data[:, 1], X)
result = ex.partial_dependence("x0", grid=8)""",
    "result",
    "result.plot()",
    "ex.ice('x0', rows=list(range(20))).plot().show()",
    "result.show()",
    "ex.report(sample=30).chart('x0')",
]


def executed(extra=""):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in [extra or "0", *CELLS]])
    # The kernel of this Python, whatever else is installed under its name.
    manager = nbclient.NotebookClient(book, timeout=120).create_kernel_manager()
    manager.kernel_spec.argv[0] = sys.executable
    nbclient.NotebookClient(book, km=manager, timeout=120).execute()
    return book


MEASURE = """<script>window.addEventListener("load", () => {
  const images = [...document.querySelectorAll(".jp-OutputArea-output img")].map((image) => image.naturalWidth);
  document.title = JSON.stringify(images);
});</script>"""


@pytest.mark.slow
def test_a_notebook_converted_to_html_shows_its_charts(tmp_path):
    book = executed()
    outputs = [[set(output.get("data", ())) for output in cell.outputs] for cell in book.cells[2:]]
    chart = {VEGA_LITE, "image/png", "text/plain"}
    cautions = {"text/html", "text/plain"}
    assert outputs == [[chart, cautions], [chart, cautions], [chart, cautions], [chart, cautions], [chart]]
    size = book.cells[2].outputs[0].metadata["image/png"]
    assert 300 < size["width"] < 1200
    page, _ = pytest.importorskip("nbconvert").HTMLExporter().from_notebook_node(book)
    assert "caution" in page
    if CHROMIUM is None:
        pytest.skip("no Chromium to look at it")
    place = tmp_path / "book.html"
    place.write_text(page.replace("</head>", MEASURE + "</head>", 1))
    dom = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--virtual-time-budget=5000", "--dump-dom", place.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    widths = json.loads(re.search("<title>(.*?)</title>", dom)[1])
    assert len(widths) == 5
    assert min(widths) > 600


@pytest.mark.slow
def test_a_notebook_without_the_exporter_shows_pages():
    book = executed("import sys; sys.modules['vl_convert'] = None")
    for cell in book.cells[2:6]:
        [output] = cell.outputs
        assert set(output.data) == {VEGA_LITE, "text/html", "text/plain"}


def test_ipython_in_a_terminal_shows_text():
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", "\n".join(CELLS[:2])],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if "No module named" in done.stderr:
        pytest.skip("no IPython")
    assert done.stdout.count("partial-dependence") == 1
    assert "Error" not in done.stderr + done.stdout
