"""Everything at once: the results behind one page."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from . import _core
from ._errors import DataError, UsageError
from ._notebook import framed, notebook, open_in_browser
from ._result import Caveat, PageChart, Result


class Report:
    """The results of a report, in the order in which its page shows them.

    Shows itself as that page in a notebook.

    Attributes
    ----------
    results : list of Result
        The first one says what was asked for and decided; then one for each method.
    left_out : list of str
        What did not fit into the budget of time, or could not be computed.
    findings : list of str
        What to know first, in sentences made from the numbers.
    caveats : list of Caveat
        What to be careful about, worst first, of all results, each once.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> report = sg.Explainer(lambda X: X[:, 0] * X[:, 1], X).report(sample=50)
    >>> report["ale"][0].method
    'ale'
    """

    def __init__(self, natives: list[Any], explainer: str = "", given: dict[str, Any] | None = None) -> None:
        self._natives = natives
        if given is not None:
            natives[0].set_option("command", _call(explainer, given, json.loads(_core.repetition(natives[0]))))
        self.results = [Result(native) for native in natives]

    def __getitem__(self, method: str) -> list[Result]:
        """The results of one method, by its name."""
        found = [result for result in self.results if result.method == method]
        if not found:
            names = ", ".join(dict.fromkeys(result.method for result in self.results))
            raise UsageError(f"the report has no result of {method!r}", f"it has {names}")
        return found

    @property
    def left_out(self) -> list[str]:
        return self.results[0].options.get("left_out", [])

    @property
    def caveats(self) -> list[Caveat]:
        return [self.results[result].caveats[place] for result, place in _core.caveats_once(self._natives)]

    @property
    def findings(self) -> list[str]:
        """What to know first: a few sentences made from the numbers, as on the page."""
        return _core.findings(self._natives)

    def to_html(self) -> str:
        """The page, complete in itself."""
        return _core.render_html(self._natives, self.results[0].options.get("title", ""))

    @property
    def charts(self) -> list[str]:
        """The names of the page's charts, for `chart`."""
        return _core.page_charts(self._natives)

    def chart(self, name: str, *, output: str | None = None, show: Sequence[str] | None = None) -> PageChart:
        """One chart of the page, which shows itself in a notebook and saves itself as SVG, PNG or JSON (Vega-Lite).

        Parameters
        ----------
        name : str
            One of `charts`, for example "effects/temp"; its end will do ("temp") if there is one such chart.
        output : str, optional
            The class or output that the chart shows. If not given: the first.
        show : list of str, optional
            What the chart shows, for example ["ale", "ice"]. If not given: as the page does at first.
        """
        shown = show.split(",") if isinstance(show, str) else list(show or [])
        return PageChart(name, _core.page_chart(self._natives, name, output or "", shown))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page (a name that ends in .html), or every result as JSON into a folder.

        ``sightglass render folder/*.json -o report.html`` makes the same page of the latter.
        """
        name = check_report_place(path, [])
        if _is_page(name):
            _core.write_file(name, self.to_html().encode())
        else:
            _core.save_results(self._natives, name)

    def show(self) -> None:
        """Shows the page: below the cell of a notebook, elsewhere in the browser."""
        if notebook():
            sys.modules["IPython"].display.display(self)
        else:
            open_in_browser(self.to_html())

    def _repr_html_(self) -> str:
        return framed(self.to_html(), "85vh")

    def __reduce__(self) -> tuple[Any, tuple[list[str]]]:
        return report_from_json, ([result.to_json() for result in self.results],)

    def __repr__(self) -> str:
        methods = ", ".join(dict.fromkeys(result.method for result in self.results[1:]))
        told = "".join(f"\n- {sentence}" for sentence in self.findings)
        return f"<Report: {methods}; save('report.html') writes the page>{told}"


def _is_page(name: str) -> bool:
    return name.lower().endswith((".html", ".htm"))


def check_report_place(path: str | os.PathLike[str], inputs: list[str]) -> str:
    """The path as text, if a report can be written there and none of the inputs is."""
    name = os.fspath(path)
    if _is_page(name):
        _core.check_output_file(name, inputs)
    elif os.path.splitext(name)[1]:
        raise UsageError(f"cannot tell a format from {os.path.basename(name)!r}", "end it in .html, or name a folder")
    else:
        _core.check_output_folder(name)
    return name


def _call(explainer: str, given: dict[str, Any], again: dict[str, Any]) -> str:
    """How to do it again, with what the time decided as options."""
    kept = {name: value for name, value in given.items() if name not in again["replaced"]}
    kept.update(again["instead"])
    return f"{explainer}.report({', '.join(f'{name}={value!r}' for name, value in kept.items())})"


def report_from_json(texts: list[str], places: list[str] | None = None) -> Report:
    where = places or ["saved report"] * len(texts)
    return Report([_core.Result.from_json(text, place) for text, place in zip(texts, where)])


def load(path: str | os.PathLike[str]) -> Result | Report:
    """Reads what was saved as JSON, by this package or by the command line program: a result, or the folder of a
    report."""
    name = os.fspath(path)
    if not os.path.isdir(name):
        return Result(_core.Result.from_json(_text(name), str(name)))
    files = _core.saved_results(name)
    if not files:
        raise DataError(f"the folder {name!r} has no saved report", "report.save(folder) makes one")
    return report_from_json([_text(file) for file in files], files)


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
