"""What a method found: tables, charts, files."""

from __future__ import annotations

import json
import os
import shutil
from collections import namedtuple
from typing import Any

from . import _core
from ._errors import UsageError
from ._frames import features_of, frame, value_of

Caveat = namedtuple("Caveat", ["id", "severity", "message", "evidence", "advice"])
Caveat.__doc__ = "A reason to read a result with care, with the evidence for it and what to do instead."

Explanation = namedtuple(
    "Explanation",
    ["values", "base_values", "data", "feature_names", "output_names", "rows", "predictions", "se", "interactions"],
)
Explanation.__doc__ = """What each feature adds to the predictions of rows, as arrays, called as in the shap package.

values : rows × features, with several outputs × outputs
base_values : per row, with several outputs × outputs: what is predicted on average
data : rows × features: the rows' own values (None or nan = missing)
feature_names, output_names : list of str
rows : which rows of the data, counted from 0
predictions : base_values + values.sum(axis=1)
se : standard errors as values, None if they are exact
interactions : rows × features × features (× outputs), half of a pair on each side of the diagonal; None if not asked for
"""

_IMPORTANCES = ("importances_mean", "importances_std", "importances")


class Result:
    """The result of one method, independent of the model and the data that it came from.

    Shows itself as a chart in a notebook and as a table in a terminal. Where scikit-learn has the same thing, its
    keys work too: ``result["grid_values"]``, ``result["average"]``, ``result["individual"]``; of importances
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
        return [Caveat(*(caveat[name] for name in Caveat._fields)) for caveat in self._content["caveats"]]

    @property
    def explanation(self) -> Explanation:
        """Of Shapley values: the numbers as arrays."""
        return _explanation([item for item in self.results if item["type"] == "attributions"])

    @property
    def values(self) -> Any:
        """Of Shapley values: what each feature adds to each row, rows × features (× outputs)."""
        return self.explanation.values

    @property
    def base_values(self) -> Any:
        """Of Shapley values: what is predicted on average, per row (× outputs)."""
        return self.explanation.base_values

    @property
    def feature_names(self) -> list[str]:
        """Of Shapley values: the features, in the order of the columns of `values`."""
        return self.explanation.feature_names

    def to_json(self) -> str:
        """The result as JSON, schema sightglass.result/1: the same bytes that the command line program writes."""
        return self._native.to_json()

    def to_frame(self, library: str | None = None, *, kind: str | None = None) -> Any:
        """The numbers as one tidy table: a row per entry of a ranking, most important first, or per grid point, per
        row of the data and grid point, or per cell. docs/results.md describes the columns.

        Parameters
        ----------
        library : {"pandas", "polars", "dict"}, optional
            What kind of table. If not given: pandas or polars, whichever is imported already, then whichever is
            installed, else a dictionary of lists.
        kind : str, optional
            The type of the items that are meant: "curve", "curves", "surface", "importance", "interaction",
            "attributions", "figure". If not given: the ranking where the result has one, else its curves
            and surfaces, else what features add to single rows, else its figures.
        """
        kinds = self._native.types()
        if kind is not None and kind not in kinds:
            raise UsageError(f"the result has nothing of kind {kind!r}", "it has " + ", ".join(kinds))
        return frame(self._native.columns(kind or ""), library)

    def plot(self) -> Chart:
        """A Vega-Lite chart that shows itself in a notebook and saves itself as HTML, SVG, PNG or JSON."""
        return Chart(self._native)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the result: .json (read it back with `load`), .csv, .html, .txt, or as a chart .svg, .png.

        The file appears whole or not at all.
        """
        _save(self._native, path, vega=False)

    def select(
        self,
        *features: str,
        output: Any = None,
        group: str | None = None,
        series: str | None = None,
        measure: str | None = None,
    ) -> Result:
        """Only the items of one feature (or of one pair: two names), and of one output, group of rows, series or
        measure if they are given."""
        wanted = {"output": output, "group": group, "series": series, "measure": measure}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        content = dict(self._content)
        content["results"] = [
            item
            for item in self.results
            if (not features or list(features) in (features_of(item), [item.get("feature")]))
            and all(item.get(name) == value for name, value in wanted.items())
        ]
        if not content["results"]:
            asked = ([":".join(features)] if features else []) + [f"{name} {value}" for name, value in wanted.items()]
            raise UsageError("the result has nothing about " + ", ".join(asked), "it has " + self._choices(wanted))
        return Result(_core.Result.from_json(json.dumps(content), "result"))

    def _choices(self, wanted: dict[str, Any]) -> str:
        """What `select` could have chosen: features, and values of what was asked for."""
        have = [":".join(features_of(item)) or item.get("name", "") for item in self.results]
        texts = [", ".join(sorted(set(have)))]
        for name in wanted:
            found = sorted({str(item[name]) for item in self.results if item.get(name)})
            texts.append(f"{name} " + (", ".join(found) or "none"))
        return "; ".join(texts)

    def keys(self) -> list[str]:
        """scikit-learn's keys that this result can answer."""
        kinds = {item["type"] for item in self.results}
        if "importance" in kinds:
            entries = [item for item in self.results if item["type"] == "importance"]
            if len({(item["measure"], item["output"], item["group"]) for item in entries}) > 1:
                return []
            return [key for key in _IMPORTANCES if key != "importances" or self._has_repeats()]
        if not kinds & {"curve", "curves", "surface"}:
            return []
        return ["grid_values", "average"] + (["individual"] if kinds == {"curves"} else [])

    def __getitem__(self, key: str) -> Any:
        import numpy as np

        if key in _IMPORTANCES:
            return self._importances(key)
        if key not in ("grid_values", "average", "individual"):
            raise KeyError(key)
        items = [item for item in self.results if item["type"] in ("curve", "curves", "surface")]
        if not items:
            raise KeyError(f"{key}: the result has no effects")
        if len({tuple(features_of(item)) for item in items}) > 1:
            raise KeyError(f"{key}: the result is about several features; choose one with result.select(name)")
        self._one(key, items, ("group", "series"))
        first = items[0]
        if key == "grid_values":
            return [np.asarray(grid) for grid in (first["grid"] if first["type"] == "surface" else [first["grid"]])]
        if key == "average":
            return np.asarray([item["effect" if "effect" in item else "mean"] for item in items], dtype=float)
        if first["type"] != "curves":
            raise KeyError("individual: averages keep no single rows; use ice() instead")
        return np.asarray([item["values"] for item in items], dtype=float)

    def _has_repeats(self) -> bool:
        entries = [item for item in self.results if item["type"] == "importance"]
        return all(isinstance(item["details"].get("repeats"), list) for item in entries)

    def _importances(self, key: str) -> Any:
        """As scikit-learn's permutation_importance: one row per feature, in the order of the features."""
        import numpy as np

        entries = [item for item in self.results if item["type"] == "importance"]
        if not entries or (key == "importances" and not self._has_repeats()):
            raise KeyError(f"{key}: the result has no such numbers")
        self._one(key, entries, ("measure", "output", "group"))
        if self._has_repeats():
            repeats = np.asarray([item["details"]["repeats"] for item in entries], dtype=float)
            if key == "importances":
                return repeats
            return repeats.mean(axis=1) if key == "importances_mean" else repeats.std(axis=1)
        column = "importance" if key == "importances_mean" else "sd"
        return np.asarray([value_of(item[column], float("nan")) for item in entries], dtype=float)

    @staticmethod
    def _one(key: str, items: list[dict[str, Any]], names: tuple[str, ...]) -> None:
        for name in names:
            found = sorted({item.get(name, "") for item in items})
            if len(found) > 1:
                choice = f"result.select({name}={found[-1]!r})"
                raise KeyError(f"{key}: the result has more than one {name}; choose one with {choice}")

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


class PageChart(Chart):
    """One chart of a report's page."""

    def __init__(self, name: str, spec: str) -> None:
        self.name = name
        self._spec = spec

    def to_dict(self) -> dict[str, Any]:
        return json.loads(self._spec)

    def to_json(self) -> str:
        return self._spec

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the chart: .json (Vega-Lite), .svg or .png."""
        name = os.fspath(path)
        extension = os.path.splitext(name)[1].lower()
        if extension not in (".json", ".svg", ".png"):
            raise UsageError(f"cannot tell a format from {name!r}", "end it in one of .svg, .png, .json")
        content = self._spec.encode() if extension == ".json" else _picture(self._spec, extension)
        _core.write_file(name, content)

    def __repr__(self) -> str:
        return f"<chart {self.name}; save('chart.svg') writes it>"


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


def _explanation(items: list[dict[str, Any]]) -> Explanation:
    import numpy as np

    if not items:
        raise UsageError("the result has no values of single rows", "shap() computes them")
    groups = sorted({item.get("group", "") for item in items})
    if len(groups) > 1:
        raise UsageError("the result has more than one group", f"choose one with result.select(group={groups[0]!r})")
    names = [feature["feature"] for feature in items[0]["features"]]
    rows = items[0]["attributions"]
    nan = float("nan")

    def numbers(read: Any) -> Any:
        arrays = [np.array([read(item, one) for one in item["attributions"]], dtype=float) for item in items]
        return arrays[0] if len(arrays) == 1 else np.stack(arrays, axis=-1)

    def by_feature(key: str) -> Any:
        if not rows or key not in rows[0]:
            return None
        return numbers(lambda item, one: [value_of(one[key][name], nan) for name in names])

    def matrix(item: dict[str, Any], one: dict[str, Any]) -> Any:
        return [[value_of(value, nan) for value in line] for line in one["interactions"]]

    if all(feature["kind"] == "numeric" for feature in items[0]["features"]):
        data = np.array([[value_of(one["data"][name], nan) for name in names] for one in rows], dtype=float)
    else:
        numeric = {feature["feature"] for feature in items[0]["features"] if feature["kind"] == "numeric"}
        own = [
            [value_of(one["data"][name]) if name in numeric else one["data"][name] for name in names] for one in rows
        ]
        data = np.array(own, dtype=object)
    return Explanation(
        values=by_feature("values"),
        base_values=numbers(lambda item, one: value_of(item["base"], nan)),
        data=data,
        feature_names=names,
        output_names=[item["output"] for item in items],
        rows=np.array([one["row"] for one in rows], dtype=np.int64),
        predictions=numbers(lambda item, one: value_of(one["prediction"], nan)),
        se=by_feature("se"),
        interactions=numbers(matrix) if rows and "interactions" in rows[0] else None,
    )
