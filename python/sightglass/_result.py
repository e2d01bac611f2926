"""What a method found: tables, charts, files."""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections import namedtuple
from collections.abc import Sequence
from typing import Any, TypeVar, overload

from . import _core
from ._errors import UsageError
from ._frames import frame
from ._items import Item, features_of, item_of
from ._matplotlib import draw
from ._notebook import Shown
from ._picture import picture
from ._saving import OF_CHARTS, OF_PAGE_CHARTS, OF_RESULTS, check_place
from ._words import RESULTS_INSTEAD, no_such_attribute
from .shapes import Attributions, Curve, Curves, Importance, Surface

Shape = TypeVar("Shape", bound=Item)

Caveat = namedtuple("Caveat", ["id", "severity", "message", "evidence", "advice"])
Caveat.__doc__ = "A reason to read a result with care, with the evidence for it and what to do instead."

Explanation = namedtuple(
    "Explanation",
    [
        "values",
        "base_values",
        "data",
        "feature_names",
        "output_names",
        "rows",
        "predictions",
        "se",
        "interactions",
        "index",
    ],
)
Explanation.__doc__ = """What each feature adds to the predictions of rows, as arrays, called as in the shap package.

values : rows × features, with several outputs × outputs
base_values : per row, with several outputs × outputs: what is predicted on average
data : rows × features: the rows' own values (None or nan = missing)
feature_names, output_names : list of str
rows : which rows of the table that they come from, counted from 0
predictions : base_values + values.sum(axis=1)
se : standard errors as values, None if they are exact
interactions : rows × features × features (× outputs), half of a pair on each side of the diagonal; None if not asked for
index : what the rows are called in their table, such as the index of a DataFrame; their numbers if they have no names
"""


def caveats_of(about: dict[str, Any]) -> list[Caveat]:
    return [Caveat(*(caveat[name] for name in Caveat._fields)) for caveat in about["caveats"]]


_IMPORTANCES = ("importances_mean", "importances_std", "importances")


class Result(Shown):
    """The result of one method, independent of the model and the data that it came from.

    Shows itself as a chart in a notebook; `print` shows it as a table; `repr` says in a line or two what it is, and of
    which rows. Where scikit-learn has the same thing, its keys work too: ``result["grid_values"]``,
    ``result["average"]``, ``result["individual"]``; of importances ``result["importances_mean"]``,
    ``result["importances_std"]``, ``result["importances"]``.

    Attributes
    ----------
    method : str
        What was computed, for example "partial-dependence".
    results : list of dict
        One item per feature or pair and output, as in the JSON. `all` has the same items as objects, with arrays.
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
    >>> [curve.feature for curve in result.all(sg.shapes.Curve)]
    ['x0']
    """

    def __init__(self, native: Any, indexes: tuple[Any, Any] = (None, None)) -> None:
        self._native = native
        # What rows are called, in the types that their owner has: of those that are explained, of the others.
        self._indexes = indexes

    @functools.cached_property
    def _about(self) -> dict[str, Any]:
        """All but the items."""
        return json.loads(self._native.about())

    @functools.cached_property
    def _items(self) -> list[Item]:
        return [item_of(shape, fields) for shape, fields in self._native.items()]

    @property
    def method(self) -> str:
        return self._native.method

    @property
    def model(self) -> dict[str, Any]:
        return self._about["model"]

    @property
    def data(self) -> dict[str, Any]:
        return self._about["data"]

    @property
    def options(self) -> dict[str, Any]:
        return self._about["options"]

    @functools.cached_property
    def results(self) -> list[dict[str, Any]]:
        return json.loads(self._native.to_json())["results"]

    @property
    def caveats(self) -> list[Caveat]:
        return caveats_of(self._about)

    @overload
    def all(self) -> list[Item]: ...
    @overload
    def all(self, shape: type[Shape]) -> list[Shape]: ...
    def all(self, shape: type[Item] = Item) -> list[Any]:
        """The items as objects: numbers are NumPy arrays, fields are attributes.

        Parameters
        ----------
        shape : class, optional
            Only those of one shape, for example `sightglass.shapes.Curve`.

        Returns
        -------
        list of Item
            In the order of `results`.
        """
        return [item for item in self._items if isinstance(item, shape)]

    @functools.cached_property
    def explanation(self) -> Explanation:
        """Of Shapley values: the numbers as arrays."""
        return _explanation(self.all(Attributions), self._indexes[0])

    @property
    def values(self) -> Any:
        """Of Shapley values: what each feature adds to each row, rows × features (× outputs)."""
        return self.explanation.values

    @property
    def index(self) -> Any:
        """Of Shapley values: what the rows of `values` are called in the data: ``X.loc[result.index]``."""
        return self.explanation.index

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
        columns = self._native.columns(kind or "")
        if "label" in columns:
            columns["label"] = [
                _typed(text, int(row), self._indexes)
                for text, row in zip(columns["label"], columns["row"], strict=True)
            ]
        return frame(columns, library)

    def plot(self) -> Chart:
        """A Vega-Lite chart that shows itself in a notebook and saves itself as HTML, SVG, PNG or JSON."""
        return Chart(self._native)

    def to_matplotlib(self, ax: Any = None) -> Any:
        """Draws curves, surfaces, rankings and values of single rows with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or array of them, optional
            Where to draw, one for each picture that the result has; a new figure if not given.

        Returns
        -------
        matplotlib.axes.Axes or array of them
            Where it was drawn; ``.figure`` is the figure.
        """
        return draw(self.all(), ax, self.data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the result: .json (read it back with `load`), .csv, .html, .txt, or as a chart .svg, .png.

        The file appears whole or not at all.
        """
        _save(self._native, path, OF_RESULTS)

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
        places = [
            place
            for place, item in enumerate(self._items)
            if (not features or list(features) == features_of(item))
            and all(getattr(item, name, None) == value for name, value in wanted.items())
        ]
        if not places:
            asked = ([":".join(map(str, features))] if features else []) + [
                f"{name} {value}" for name, value in wanted.items()
            ]
            raise UsageError("the result has nothing about " + ", ".join(asked), "it has " + self._choices(wanted))
        return Result(self._native.pick(places), self._indexes)

    def _choices(self, wanted: dict[str, Any]) -> str:
        """What `select` could have chosen: features, and values of what was asked for."""
        have = [":".join(features_of(item)) or getattr(item, "name", "") for item in self._items]
        texts = [", ".join(sorted(set(have)))]
        for name in wanted:
            found = sorted({str(getattr(item, name)) for item in self._items if getattr(item, name, None)})
            texts.append(f"{name} " + (", ".join(found) or "none"))
        return "; ".join(texts)

    def keys(self) -> list[str]:
        """scikit-learn's keys that this result can answer."""
        entries = self.all(Importance)
        if entries:
            if len({(item.measure, item.output, item.group) for item in entries}) > 1:
                return []
            return [key for key in _IMPORTANCES if key != "importances" or _have_repeats(entries)]
        if not self._effects():
            return []
        return ["grid_values", "average"] + (["individual"] if len(self.all(Curves)) == len(self._items) else [])

    def _effects(self) -> list[Curve | Curves | Surface]:
        return [item for item in self._items if isinstance(item, (Curve, Curves, Surface))]

    def __getitem__(self, key: str) -> Any:
        import numpy as np

        if key in _IMPORTANCES:
            return self._importances(key)
        if key not in ("grid_values", "average", "individual"):
            raise KeyError(key)
        items = self._effects()
        if not items:
            raise KeyError(f"{key}: the result has no effects")
        if len({tuple(features_of(item)) for item in items}) > 1:
            raise KeyError(f"{key}: the result is about several features; choose one with result.select(name)")
        self._one(key, items, ("group", "series"))
        first = items[0]
        if key == "grid_values":
            return [np.asarray(grid) for grid in (first.grid if isinstance(first, Surface) else [first.grid])]
        if key == "average":
            effects = [getattr(item, "effect", None) for item in items]
            return np.asarray([item.mean if effect is None else effect for item, effect in zip(items, effects)])
        if not isinstance(first, Curves):
            raise KeyError("individual: averages keep no single rows; use ice() instead")
        return np.asarray([item.values for item in self.all(Curves)])

    def _importances(self, key: str) -> Any:
        """As scikit-learn's permutation_importance: one row per feature, in the order of the features."""
        import numpy as np

        entries = self.all(Importance)
        if not entries or (key == "importances" and not _have_repeats(entries)):
            raise KeyError(f"{key}: the result has no such numbers")
        self._one(key, entries, ("measure", "output", "group"))
        if _have_repeats(entries):
            repeats = np.asarray([item.details["repeats"] for item in entries], dtype=float)
            if key == "importances":
                return repeats
            return repeats.mean(axis=1) if key == "importances_mean" else repeats.std(axis=1)
        numbers = [item.importance if key == "importances_mean" else item.sd for item in entries]
        return np.asarray([float("nan") if number is None else number for number in numbers])

    @staticmethod
    def _one(key: str, items: Sequence[Item], names: tuple[str, ...]) -> None:
        for name in names:
            found = sorted({getattr(item, name, "") for item in items})
            if len(found) > 1:
                choice = f"result.select({name}={found[-1]!r})"
                raise KeyError(f"{key}: the result has more than one {name}; choose one with {choice}")

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def to_shap(self) -> Any:
        """Shapley values as a ``shap.Explanation``, which the plots of the shap package take.

        Needs the shap package. Of several outputs, the last dimension has one each: ``result.to_shap()[..., 0]``.

        Returns
        -------
        shap.Explanation
            With values, base_values, data (levels of categorical features as their positions), display_data (as they
            are), feature_names and, of several outputs, output_names.
        """
        found = self.explanation  # says what is missing where there are no such values
        try:
            from shap import Explanation as Other
        except ImportError:
            raise UsageError(
                "to_shap needs the shap package, which is not installed",
                "pip install shap; result.values, .base_values and .data have the same numbers",
            ) from None
        first = self.all(Attributions)[0]
        several = len(found.output_names) > 1
        return Other(
            found.values,
            base_values=found.base_values,
            data=first.data,
            display_data=found.data,
            feature_names=list(found.feature_names),
            error_std=found.se,
            **({"output_names": list(found.output_names)} if several else {}),
        )

    def _summary(self) -> str:
        """What there is, of which rows, and what to beware of, in a line or two."""
        words = [self.method]
        attributed = self.all(Attributions)
        if attributed:
            shape = f"{_plural(len(attributed[0].rows), 'row')} × {_plural(len(attributed[0].features), 'feature')}"
            words.append(shape + (f" × {len(attributed)} outputs" if len(attributed) > 1 else ""))
        counts: dict[str, int] = {}
        for item in self._items:
            if not isinstance(item, Attributions):
                counts[item.type] = counts.get(item.type, 0) + 1
        words += [_plural(count, kind.replace("_", " ")) for kind, count in counts.items()]
        line = f"<sightglass.Result: {', '.join(words)}"
        more = [self._which_rows()]
        cautions = sum(caveat.severity != "note" for caveat in self.caveats)
        if cautions:
            more.append(_plural(cautions, "caution"))
        more.append("print(result) shows it as a table, result.plot() as a chart")
        return "\n  ".join([line, "; ".join(word for word in more if word)]) + ">"

    def _which_rows(self) -> str:
        """Which rows were explained, and how they were chosen."""
        about, new = self.data, self.data.get("new_rows")
        for caveat in self.caveats:
            if caveat.id in ("some-rows", "sampled-rows") and caveat.evidence.get("available"):
                drawn, available = caveat.evidence["rows"], caveat.evidence["available"]
                how = f"{drawn:,} of {available:,} rows drawn at random, seed {self.options.get('seed', 0)}"
                return how + (" (of other data)" if new else "")
        rows = self.options.get("rows")
        if new:
            named = f"{new['explained']:,} of " if new["explained"] < new["rows"] else ""
            return f"{named}{_plural(new['rows'], 'row')} of other data, compared with {_plural(about.get('rows', 0), 'row')}"
        if rows:
            named = [rows] if isinstance(rows, int) else list(rows)
            shown = ", ".join(map(str, named[:5])) + (", …" if len(named) > 5 else "")
            return f"{'row' if len(named) == 1 else 'rows'} {shown} of {about.get('rows', 0):,}"
        return f"all {about['rows']:,} rows" if about.get("rows") else ""

    def __repr__(self) -> str:
        return self._summary()

    def __str__(self) -> str:
        return self._native.to_text(width=shutil.get_terminal_size().columns).rstrip("\n")

    def _vega_lite(self) -> str:
        return self._native.to_vega()

    def _page(self) -> str:
        return self._native.to_html("")

    def _cautions(self) -> Sequence[Caveat]:
        return self.caveats

    def __getattr__(self, name: str) -> Any:
        raise no_such_attribute(self, name, RESULTS_INSTEAD)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _from_json, (self.to_json(),)


class Chart(Shown):
    """A chart of a result, as a Vega-Lite specification with its data inside.

    Shows itself in a notebook, with its cautions below; elsewhere `show` opens it in the browser.
    """

    def __init__(self, native: Any) -> None:
        self._native = native

    def to_dict(self) -> dict[str, Any]:
        """The Vega-Lite specification."""
        return json.loads(self._native.to_vega())

    def to_json(self) -> str:
        """The Vega-Lite specification as text."""
        return self._native.to_vega()

    def to_matplotlib(self, ax: Any = None) -> Any:
        """The same with matplotlib, where it draws such a result: see `Result.to_matplotlib`."""
        return Result(self._native).to_matplotlib(ax)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the chart: .html (works without a network), .json (Vega-Lite), .svg or .png."""
        _save(self._native, path, OF_CHARTS)

    def _vega_lite(self) -> str:
        return self.to_json()

    def _page(self) -> str:
        return self._native.to_html("")

    def _cautions(self) -> Sequence[Caveat]:
        return caveats_of(json.loads(self._native.about()))

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
        name, ending = check_place(path, OF_PAGE_CHARTS)
        content = self._spec.encode() if ending == ".json" else picture(self._spec, ending[1:])
        _core.write_file(name, content)

    def to_matplotlib(self, ax: Any = None) -> Any:
        raise UsageError(
            "a chart of the page has no picture of matplotlib", "the report's results have: to_matplotlib()"
        )

    def _page(self) -> str:
        return ""  # the report's own page has it

    def _cautions(self) -> Sequence[Caveat]:
        return ()

    def __repr__(self) -> str:
        return f"<chart {self.name}; save('chart.svg') writes it>"


def _from_json(text: str) -> Result:
    return Result(_core.Result.from_json(text, "pickled result"))


def _save(native: Any, path: str | os.PathLike[str], endings: tuple[str, ...]) -> None:
    name, ending = check_place(path, endings)
    if ending in (".svg", ".png"):
        content = picture(native.to_vega(), ending[1:])
    elif ending == ".html":
        content = native.to_html("").encode()
    elif ending == ".json":
        content = (native.to_vega() if endings is OF_CHARTS else native.to_json()).encode()
    elif ending == ".csv":
        content = native.to_csv().encode()
    else:
        content = native.to_text(width=80).encode()
    _core.write_file(name, content)


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 or noun.endswith("s") else "s")


def _have_repeats(entries: list[Importance]) -> bool:
    return all(hasattr(entry.details.get("repeats"), "__len__") for entry in entries)


def _typed(text: Any, row: int, indexes: tuple[Any, Any]) -> Any:
    """The label as its owner has it, where that is still known."""
    for index in indexes:
        if text is not None and index is not None and row < len(index) and str(index[row]) == text:
            return index[row]
    return text


def _explanation(items: list[Attributions], index: Any) -> Explanation:
    import numpy as np

    if not items:
        raise UsageError("the result has no values of single rows", "shap() computes them")
    groups = sorted({item.group for item in items})
    if len(groups) > 1:
        raise UsageError("the result has more than one group", f"choose one with result.select(group={groups[0]!r})")
    first = items[0]

    def by_output(arrays: list[Any]) -> Any:
        if arrays[0] is None:
            return None
        return arrays[0] if len(arrays) == 1 else np.stack(arrays, axis=-1)

    data: Any = first.data
    if any(feature.kind == "categorical" for feature in first.features):
        data = np.full(first.data.shape, None, dtype=object)
        for place, feature in enumerate(first.features):
            for row, own in enumerate(first.data[:, place].tolist()):
                if own == own:
                    data[row, place] = own if feature.levels is None else feature.levels[int(own)]
    return Explanation(
        values=by_output([item.values for item in items]),
        base_values=by_output([np.full(len(item.rows), item.base) for item in items]),
        data=data,
        feature_names=[feature.feature for feature in first.features],
        output_names=[item.output for item in items],
        rows=first.rows,
        predictions=by_output([item.predictions for item in items]),
        se=by_output([item.se for item in items]),
        interactions=by_output([item.interactions for item in items]),
        index=_labels(first, index),
    )


def _labels(item: Attributions, index: Any) -> Any:
    import numpy as np

    if index is None:
        labels = getattr(item, "row_labels", None)
        return np.asarray(item.rows) if not labels else np.array(labels, object)
    if hasattr(index, "take"):
        return np.asarray(index.take(item.rows))
    return np.array([index[row] for row in np.asarray(item.rows).tolist()])
