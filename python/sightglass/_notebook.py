"""How results show themselves in notebooks, and in a browser where there is no notebook.

A front end draws the best of what it is offered: Vega-Lite (JupyterLab, VS Code, Colab), else a PNG (nbconvert, PyCharm,
GitHub, PDF). The cautions stand below the chart as an output of their own: beside Vega-Lite in the same output
they would take its place, since JupyterLab prefers HTML. Without the exporter, which draws the PNG, the chart is offered as a page with
everything in it, a megabyte each.
"""

from __future__ import annotations

import base64
import html
import json
import os
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._errors import OutputError
from ._picture import has_exporter, picture
from ._saving import require_exporter

VEGA_LITE = "application/vnd.vegalite.v5+json"
#: Pixels of a PNG per pixel on the screen.
PIXELS = 2


class Shown:
    """What shows itself: subclasses say what is to be drawn."""

    def _vega_lite(self) -> str:
        """Vega-Lite."""
        raise NotImplementedError

    def _page(self) -> str:
        """A page of HTML, complete in itself; empty if there is none."""
        return ""

    def _cautions(self) -> Sequence[Any]:
        return ()

    def show(self) -> None:
        """Shows it: below the cell of a notebook, elsewhere in the browser."""
        if notebook():
            self._ipython_display_()
            return
        page = self._page()
        if not page:
            require_exporter(".svg")
            page = page_of_picture(picture(self._vega_lite(), "svg"))
        open_in_browser(page)

    def _ipython_display_(self) -> None:
        if not notebook():
            raise NotImplementedError  # IPython in a terminal then takes the text
        image = self._png()
        bundle = self._offered({"image/png": image.decode()} if image else {})
        below = cautions_html(self._cautions()) if image else ""
        publish = sys.modules["IPython"].display.publish_display_data
        publish(bundle, metadata={"image/png": size_of_png(base64.b64decode(image))} if image else {})
        if below:
            publish({"text/html": below, "text/plain": cautions_text(self._cautions())})

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Everything in one output, for front ends that are not IPython's: cautions are in the HTML."""
        image = b"" if terminal() else self._png()
        parts = {}
        if image:
            below = cautions_html(self._cautions())
            width = size_of_png(base64.b64decode(image))["width"]
            source = f"data:image/png;base64,{image.decode()}"
            parts["text/html"] = f'<img alt="chart" width="{width}" style="max-width:100%" src="{source}">{below}'
        bundle = {"text/plain": repr(self)} if terminal() else self._offered(parts)
        return {
            kind: content
            for kind, content in bundle.items()
            if (not include or kind in include) and (not exclude or kind not in exclude)
        }

    def _offered(self, drawn: dict[str, str]) -> dict[str, Any]:
        spec = json.loads(self._vega_lite())
        spec["background"] = "white"  # the ink is dark, whatever the notebook's colours
        if not drawn:
            page = self._page()
            drawn = {"text/html": framed(page)} if page else {}
        return {VEGA_LITE: spec, **drawn, "text/plain": str(self)}

    def _png(self) -> bytes:
        """Of a chart, in base64; empty without the exporter, or if it fails: then there is still the page."""
        if not has_exporter():
            return b""
        try:
            return base64.b64encode(picture(self._vega_lite(), "png"))
        except Exception:
            return b""


def shell() -> Any:
    """IPython's, which is asked only if it is there anyway."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def terminal() -> bool:
    """Whether it is IPython in a terminal, which shows text only."""
    return any(ancestor.__name__ == "TerminalInteractiveShell" for ancestor in type(shell()).__mro__)


def notebook() -> bool:
    return shell() is not None and not terminal()


def size_of_png(content: bytes) -> dict[str, int]:
    """Its size on the screen."""
    width, height = struct.unpack(">II", content[16:24])
    return {"width": width // PIXELS, "height": height // PIXELS}


def cautions_html(cautions: Sequence[Any]) -> str:
    if not cautions:
        return ""
    items = "".join(
        f"<li><b>{html.escape(one.severity)}</b> {html.escape(one.message)}"
        + (f" <i>→ {html.escape(one.advice)}</i>" if one.advice else "")
        + "</li>"
        for one in cautions
    )
    return f'<ul class="sightglass-cautions" style="max-width:70ch;margin:0.2em 0 0.8em">{items}</ul>'


def cautions_text(cautions: Sequence[Any]) -> str:
    return "\n".join(f"{one.severity}: {one.message}" + (f" → {one.advice}" if one.advice else "") for one in cautions)


def framed(page: str, height: str = "640px") -> str:
    """A page in a notebook, with scripts and styles that do not touch those of the notebook."""
    content = html.escape(page, quote=True)
    return f'<iframe srcdoc="{content}" style="width:100%;height:{height};border:0" title="Sightglass"></iframe>'


def page_of_picture(svg: bytes) -> str:
    return f"<!doctype html><meta charset=utf-8><title>Sightglass</title><body>{svg.decode()}</body>"


def open_in_browser(page: str) -> None:
    import tempfile
    import webbrowser

    handle, place = tempfile.mkstemp(prefix="sightglass-", suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(page)
    if not webbrowser.open(Path(place).as_uri()):
        raise OutputError("there is no browser to show it in", f"save('chart.html') writes it; now it is {place}")
