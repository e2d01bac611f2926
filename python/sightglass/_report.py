"""Everything at once: the results behind one page."""

from __future__ import annotations

import html
import os
import re
from typing import Any

from . import _core
from ._errors import UsageError
from ._result import Caveat, Result


class Report:
    """The results of a report, in the order in which its page shows them.

    Shows itself as that page in a notebook.

    Attributes
    ----------
    results : list of Result
        The first one says what was asked for and decided; then one for each method.
    left_out : list of str
        What did not fit into the budget of time, or could not be computed.
    caveats : list of Caveat
        What to be careful about, of all results, each once.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> report = sg.Explainer(lambda X: X[:, 0] * X[:, 1], X).report(sample=50)
    >>> report["ale"][0].method
    'ale'
    """

    def __init__(self, natives: list[Any]) -> None:
        self._natives = natives
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
        return self.results[0].options["left_out"]

    @property
    def caveats(self) -> list[Caveat]:
        found: list[Caveat] = []
        for result in self.results:
            found += [caveat for caveat in result.caveats if caveat not in found]
        return found

    def to_html(self) -> str:
        """The page, complete in itself."""
        return _core.render_html(self._natives, self.results[0].options["title"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page (a name that ends in .html), or every result as JSON into a folder.

        ``sightglass render folder/*.json -o report.html`` makes the same page of the latter.
        """
        name = os.fspath(path)
        if name.lower().endswith((".html", ".htm")):
            _core.write_file(name, self.to_html().encode())
            return
        if os.path.splitext(name)[1]:
            raise UsageError(f"cannot tell a format from {name!r}", "end it in .html, or name a folder")
        os.makedirs(name, exist_ok=True)
        # Two reports in one folder would be drawn as one.
        for old in os.listdir(name):
            if re.fullmatch(r"\d\d-[a-z-]+\.json", old):
                os.remove(os.path.join(name, old))
        for number, result in enumerate(self.results, 1):
            result.save(os.path.join(name, f"{number:02}-{result.method}.json"))

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:85vh;border:0" title="Sightglass report"></iframe>'

    def __repr__(self) -> str:
        methods = ", ".join(dict.fromkeys(result.method for result in self.results[1:]))
        return f"<Report: {methods}; save('report.html') writes the page>"
