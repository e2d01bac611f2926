"""What a method found: tables, charts, files."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import namedtuple
from typing import Any

from . import _core
from ._errors import UsageError

Caveat = namedtuple("Caveat", ["id", "severity", "message", "evidence", "advice"])
Caveat.__doc__ = "A reason to read a result with care, with the evidence for it and what to do instead."

_IMPORTANCES = ("importances_mean", "importances_std", "importances")
_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class Result:
    """The result of one method, independent of the model and the data that it came from.

    Shows itself as a chart in a notebook and as a table in a terminal. Where scikit-learn has the same thing, its
    keys work too: ``result["grid_values"]``, ``result["average"]``, ``result["individual"]``; of permutation importance
    ``result["importances_mean"]``, ``result["importances_std"]``, ``result["importances"]``.

    Attributes
    ----------
    method : str
        What was computed, for example "partial-dependence".
    results : list of dict
        One item per feature or pair and output, as in the JSON.
    caveats : list of Caveat
        What to be careful about.
    data, model, options : dict
        What it was computed from, and how.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> result = sg.Explainer(lambda X: X[:, 0] ** 2, X).partial_dependence("x0", grid=3)
    >>> result["average"].shape
    (1, 3)
    """

    def __init__(self, native: Any) -> None:
        self._native = native
        self._parsed: dict[str, Any] | None = None

    @property
    def _content(self) -> dict[str, Any]:
        if self._parsed is None:
            self._parsed = json.loads(self._native.to_json())
        return self._parsed

    @property
    def method(self) -> str:
        return self._content["method"]

    @property
    def model(self) -> dict[str, Any]:
        return self._content["model"]

    @property
    def data(self) -> dict[str, Any]:
        return self._content["data"]

    @property
    def options(self) -> dict[str, Any]:
        return self._content["options"]

    @property
    def results(self) -> list[dict[str, Any]]:
        return self._content["results"]

    @property
    def caveats(self) -> list[Caveat]:
        return [Caveat(**caveat) for caveat in self._content["caveats"]]

    def to_json(self) -> str:
        """The result as JSON, schema sightglass.result/1: the same bytes that the command line program writes."""
        return self._native.to_json()

    def to_frame(self, library: str | None = None) -> Any:
        """The numbers as one tidy table: a row per grid point, per row of the data and grid point, or per cell.

        Parameters
        ----------
        library : {"pandas", "polars", "dict"}, optional
            What kind of table. If not given: pandas or polars, whichever is imported already, then whichever is
            installed, else a dictionary of lists.
        """
        return _frame(_tidy(self.results), library)

    def plot(self) -> Chart:
        """A Vega-Lite chart that shows itself in a notebook and saves itself as HTML, SVG, PNG or JSON."""
        return Chart(self._native)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the result: .json (read it back with `load`), .csv, .html, .txt, or as a chart .svg, .png.

        The file appears whole or not at all.
        """
        _save(self._native, path, vega=False)

    def select(self, *features: str, output: Any = None) -> Result:
        """Only the items of one feature (or of one pair: two names), and of one output if it is given."""
        content = dict(self._content)
        content["results"] = [
            item
            for item in self.results
            if (not features or _features(item) == list(features)) and output in (None, item["output"])
        ]
        if not content["results"]:
            have = sorted({":".join(_features(item)) for item in self.results})
            raise UsageError("the result has nothing about " + ":".join(features), "it has " + ", ".join(have))
        return Result(_core.Result.from_json(json.dumps(content), "result"))

    def keys(self) -> list[str]:
        """scikit-learn's keys that this result can answer."""
        if self.method == "permutation-importance":
            return list(_IMPORTANCES)
        kinds = {item["type"] for item in self.results}
        return ["grid_values", "average"] + (["individual"] if kinds == {"curves"} else [])

    def __getitem__(self, key: str) -> Any:
        import numpy as np

        if key in _IMPORTANCES and self.method == "permutation-importance":
            return self._importances(key)
        if key not in ("grid_values", "average", "individual"):
            raise KeyError(key)
        if len({tuple(_features(item)) for item in self.results}) > 1:
            raise KeyError(f"{key}: the result is about several features; choose one with result.select(name)")
        first = self.results[0]
        if key == "grid_values":
            return [np.asarray(grid) for grid in (first["grid"] if first["type"] == "surface" else [first["grid"]])]
        if key == "average":
            return np.asarray([item["mean"] for item in self.results], dtype=float)
        if first["type"] != "curves":
            raise KeyError("individual: averages keep no single rows; use ice() instead")
        return np.asarray([item["values"] for item in self.results], dtype=float)

    def _importances(self, key: str) -> Any:
        """As scikit-learn's permutation_importance: one row per feature, in the order of the features."""
        import numpy as np

        entries = [item for item in self.results if item["type"] == "importance"]
        measures = list(dict.fromkeys(item["measure"] for item in entries))
        if len(measures) > 1:
            raise KeyError(f"{key}: the result has several measures; run it with one loss ({', '.join(measures)})")
        repeats = np.asarray([item["details"]["repeats"] for item in entries], dtype=float)
        if key == "importances":
            return repeats
        return repeats.mean(axis=1) if key == "importances_mean" else repeats.std(axis=1)

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def __repr__(self) -> str:
        return self._native.to_text(width=shutil.get_terminal_size().columns).rstrip("\n")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.plot()._repr_mimebundle_(include, exclude)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _from_json, (self.to_json(),)


class Chart:
    """A chart of a result, as a Vega-Lite specification with its data inside."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def to_dict(self) -> dict[str, Any]:
        """The Vega-Lite specification."""
        return json.loads(self._native.to_vega())

    def to_json(self) -> str:
        """The Vega-Lite specification as text."""
        return self._native.to_vega()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the chart: .html (works without a network), .json (Vega-Lite), .svg or .png."""
        _save(self._native, path, vega=True)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        # Front ends without Vega-Lite fall back to the text; a picture would need vl-convert.
        bundle = {"application/vnd.vegalite.v5+json": self.to_dict(), "text/plain": repr(self)}
        return {
            kind: content
            for kind, content in bundle.items()
            if (not include or kind in include) and (not exclude or kind not in exclude)
        }

    def __repr__(self) -> str:
        return self._native.to_text(width=shutil.get_terminal_size().columns).rstrip("\n")


def load(path: str | os.PathLike[str]) -> Result:
    """Reads a result that was saved as JSON, by this package or by the command line program."""
    name = os.fspath(path)
    with open(name, encoding="utf-8") as file:
        return Result(_core.Result.from_json(file.read(), str(name)))


def _from_json(text: str) -> Result:
    return Result(_core.Result.from_json(text, "pickled result"))


def _save(native: Any, path: str | os.PathLike[str], vega: bool) -> None:
    name = os.fspath(path)
    extension = os.path.splitext(name)[1].lower()
    if extension in (".svg", ".png"):
        content = _picture(native.to_vega(), extension)
    elif extension == ".html":
        content = native.to_html("").encode()
    elif extension == ".json":
        content = (native.to_vega() if vega else native.to_json()).encode()
    elif extension == ".csv" and not vega:
        content = native.to_csv().encode()
    elif extension == ".txt" and not vega:
        content = native.to_text(width=80).encode()
    else:
        endings = ".html, .json, .svg, .png" if vega else ".json, .csv, .html, .txt, .svg, .png"
        raise UsageError(f"cannot tell a format from {name!r}", f"end it in one of {endings}")
    _core.write_file(name, content)


def _picture(spec: str, extension: str) -> bytes:
    try:
        import vl_convert
    except ImportError:
        raise UsageError(
            f"{extension} pictures need vl-convert, which is not installed",
            "pip install vl-convert-python (the extra sightglass[export])",
        ) from None
    chart = json.loads(spec)
    chart["background"] = "white"  # readable on any page
    if extension == ".png":
        return vl_convert.vegalite_to_png(chart, scale=2)
    return vl_convert.vegalite_to_svg(chart).encode()


def _features(item: dict[str, Any]) -> list[str]:
    return item["features"] if item["type"] == "surface" else [item["feature"]]


def _number(values: list[Any], i: int) -> Any:
    """A number as Python has it; None where a list that came from a file ends early."""
    value = values[i] if i < len(values) else None
    return _NUMBERS[value] if isinstance(value, str) else value


def _tidy(items: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """One list per column; the missing level is a row with value None."""
    rows: list[dict[str, Any]] = []
    for item in items:
        kind = item["type"]
        if kind == "surface":
            (first, second), (grid, other) = item["features"], item["grid"]
            rows += [
                {
                    "feature": first,
                    "value": a,
                    "feature_2": second,
                    "value_2": b,
                    "output": item["output"],
                    "mean": _number(item["mean"][i], j),
                    "count": _number(item["count"][i], j) if i < len(item["count"]) else None,
                }
                for i, a in enumerate(grid)
                for j, b in enumerate(other)
            ]
            continue
        base = {"feature": item["feature"], "output": item["output"]}
        if kind == "curve":
            columns = ("mean", "sd", "se_level", "se_shape", "count")
            rows += [
                {**base, "value": value, **{name: _number(item[name], i) for name in columns}}
                for i, value in enumerate(item["grid"])
            ]
            if item["missing"]:
                rows.append({**base, "value": None, **{name: _number([item["missing"][name]], 0) for name in columns}})
        else:
            for i, row in enumerate(item["rows"]):
                rows += [
                    {**base, "row": row, "value": value, "prediction": _number(item["values"][i], k)}
                    for k, value in enumerate(item["grid"])
                ]
                at_missing = _number(item["missing"], i)
                if at_missing is not None:
                    rows.append({**base, "row": row, "value": None, "prediction": at_missing})
    order = ["feature", "value", "feature_2", "value_2", "output", "row", "prediction"]
    order += ["mean", "sd", "se_level", "se_shape", "count"]
    present = {name for row in rows for name in row}
    return {name: [row.get(name) for row in rows] for name in order if name in present}


def _frame(columns: dict[str, list[Any]], library: str | None) -> Any:
    if library is None:
        library = next((name for name in ("pandas", "polars") if name in sys.modules), None)
    if library is None:
        from importlib.util import find_spec

        library = next((name for name in ("pandas", "polars") if find_spec(name)), "dict")
    if library == "dict":
        return columns
    if library == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if library == "polars":
        import polars

        # Levels and numbers of different features do not fit into one typed column, except as text.
        for name in ("value", "value_2"):
            values = columns.get(name, [])
            if len({isinstance(value, str) for value in values if value is not None}) > 1:
                columns = {**columns, name: [None if value is None else str(value) for value in values]}
        return polars.DataFrame(columns, strict=False)
    raise UsageError(f"to_frame knows no library {library!r}", "it is one of pandas, polars, dict")
