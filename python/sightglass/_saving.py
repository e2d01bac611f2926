"""Where results are written and in what format: all of it looked at before the work."""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import _core
from ._errors import UsageError
from ._picture import has_exporter

#: What a result, a chart and a single chart of a page are written as, by the end of the file's name.
OF_RESULTS = (".json", ".csv", ".html", ".txt", ".svg", ".png")
OF_CHARTS = (".html", ".json", ".svg", ".png")
OF_PAGE_CHARTS = (".svg", ".png", ".json")


def check_place(path: str | os.PathLike[str], endings: Sequence[str], inputs: Sequence[str] = ()) -> tuple[str, str]:
    """The path as text and its ending, if such a file can be made there and would replace none of the inputs."""
    name = os.fspath(path)
    ending = os.path.splitext(name)[1].lower()
    if ending not in endings:
        raise UsageError(f"cannot tell a format from {name!r}", f"end it in one of {', '.join(endings)}")
    if ending in (".svg", ".png"):
        require_exporter(ending)
    _core.check_output_file(name, list(inputs))
    return name, ending


def require_exporter(ending: str) -> None:
    if not has_exporter():
        raise UsageError(
            f"{ending} pictures need vl-convert, which is not installed",
            "pip install 'sightglass[export]', or write .html",
        )
