"""Pipelines of scikit-learn in the columns of the user's table.

The steps are followed column by column (`_steps`). Where each column that reaches the last step is made of one column of
the table, trees are folded into trees on these, and linear models become terms on them. Whatever is not understood is
asked through the pipeline, and the reason is told.
"""

from __future__ import annotations

import math
from typing import Any

from . import _core
from ._boosters import LiveBooster, library_of_booster
from ._containers import Container
from ._errors import Error
from ._linear import LinearParts, linear_name
from ._live import NotReadable, base_of, refuse_overrides, version_of
from ._sklearn import estimator_name, read_estimator
from ._steps import NAN, REFUSED, Flow, Levels, Numbers, Trace, is_sparse, step, without_calls

SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
#: What a pipeline, or a search, may not change if we are to know what it predicts.
METHODS = ("predict", "predict_proba", "decision_function", "transform")


def is_readable_kind(model: Any) -> bool:
    """Whether it is a pipeline, a search for the best estimator, or a linear model."""
    return bool(base_of(model, "sklearn", ("Pipeline", *SEARCHES)) or linear_name(model))


class _Sources:
    """The columns of the table that the first step is given."""

    def __init__(self, model: Any, container: Container, columns: list[str]) -> None:
        names = getattr(model, "feature_names_in_", None)
        self.names = columns if names is None else [str(name) for name in names]
        width = getattr(model, "n_features_in_", len(self.names))
        if width != len(self.names):
            raise NotReadable(f"it was fitted on {width} columns without names, X has {len(self.names)}")
        kinds = {name: kind for name, kind, _ in container.table.columns}
        lacking = [name for name in self.names if name not in kinds]
        if lacking:
            raise NotReadable(f"X lacks {lacking[0]}")
        self.kinds = [kinds[name] for name in self.names]
        self._container = container
        #: By source: the values that its encoders know.
        self.levels: dict[int, list[Any]] = {}

    def traces(self) -> list[Any]:
        return [Trace(i) for i in range(len(self.names))]

    def columns(self) -> list[Any]:
        return [self._column(i) for i in range(len(self.names))]

    def settle(self, found: dict[int, list[Any]]) -> None:
        """``found``: the categories that encoders have of each source."""
        for source, values in found.items():
            known: dict[Any, Any] = {}
            for value in values:
                if value is not None and value == value:
                    known.setdefault(value, value)
            if len({str(value) for value in known}) < len(known):
                raise NotReadable(f"two categories of {self.names[source]} are called the same")
            self.levels[source] = list(known)

    def description(self, source: int) -> dict[str, Any]:
        values = self.levels.get(source)
        if values is None:
            return {"name": self.names[source], "levels": None}
        numbers = all(_is_number(value) for value in values)
        return {"name": self.names[source], "levels": [str(value) for value in values], "numbers": numbers}

    def _column(self, source: int) -> Any:
        values = self.levels.get(source)
        if values is None:
            return Numbers(source, self.kinds[source] == "float32")
        return Levels(source, [*values, self._unseen(values), self._gap(source)])

    @staticmethod
    def _unseen(values: list[Any]) -> Any:
        if values and all(isinstance(value, bool) for value in values):
            return REFUSED
        if values and all(_is_number(value) for value in values):
            return float(max(values)) + 0.5
        name = "a level never seen"
        while name in values:
            name += "!"
        return name

    def _gap(self, source: int) -> Any:
        """What a missing value of the column is in the user's container."""
        columns = {column.name: column for column in getattr(self._container, "columns", ())}
        if not columns:
            return None if self.kinds[source] == "categorical" else NAN
        column = columns[self.names[source]]
        objects = getattr(column, "_objects", None)
        # Where X has none it is what pandas has by default.
        is_none = objects is not None and len(objects) > 0 and objects[-1] is None and bool((column.values < 0).any())
        return None if is_none else NAN


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def read_pipeline(model: Any, container: Container, columns: list[str], classes: list[str]) -> Any:
    """The engine's model for a pipeline; raises NotReadable if it must be asked."""
    whole = model
    search = base_of(model, "sklearn", SEARCHES)
    if search is not None:
        refuse_overrides(model, search, METHODS)
        model = model.best_estimator_
    steps: list[tuple[str, Any]] = [("", model)]
    pipeline = base_of(model, "sklearn", ("Pipeline",))
    if pipeline is not None:
        refuse_overrides(model, pipeline, METHODS)
        steps = list(model.steps)
    sources = _Sources(model, container, columns)
    # Once to see which sources are encoded, then with their categories.
    traced = _behind(steps[:-1], sources.traces(), flow := Flow())
    sources.settle(flow.found)
    made = _behind(steps[:-1], sources.columns(), Flow()) if steps[:-1] else sources.columns()
    for trace, column in zip(traced, made, strict=True):
        name = sources.names[trace.source]
        if isinstance(column, Levels) and not column.encoded:
            raise NotReadable(f"{name} is encoded as categories, and reaches the model as it is as well")
        if isinstance(column, Numbers) and sources.kinds[trace.source] in ("categorical", "timestamp"):
            raise NotReadable(f"{name} holds no numbers and is not encoded")
    last = steps[-1][1]
    if linear_name(last):
        described = _Terms(LinearParts(last, classes), sources, made).description()
    else:
        described = None
    about = {
        "where": type(whole).__name__,
        "version": version_of("sklearn"),
        "detail": {"estimator": type(last).__name__, "steps": [f"{n}: {type(t).__name__}" for n, t in steps[:-1]]},
    }
    if described is not None:
        try:
            return _core.linear_model({**about, **described})
        except Error as error:
            raise NotReadable(error.message) from None
    trees, zero_is_missing = _trees_of(last, steps, classes, len(made))
    if trees.engine != "trees":
        raise NotReadable(f"{type(last).__name__} has no trees that the engine explains")
    used = sorted({column.source for column in made})
    place = {source: i for i, source in enumerate(used)}
    derived = []
    for i, column in enumerate(made):
        item = _derived(column, place[column.source])
        borders = set(_core.breakpoints(trees, i)) | ({0.0, math.ulp(0.0)} if zero_is_missing else set())
        item["steps"] = without_calls(item["steps"], sorted(borders))
        if zero_is_missing:
            item["steps"].append(step("replace", 0.0, NAN))
        derived.append(item)
    try:
        return _core.fold(trees, {**about, "sources": [sources.description(s) for s in used], "derived": derived})
    except Error as error:
        raise NotReadable(error.message) from None


def _behind(steps: list[tuple[str, Any]], columns: list[Any], flow: Flow) -> list[Any]:
    for name, inner in steps:
        flow.path = [name]
        columns = flow.through(inner, columns)
    return columns


def _trees_of(last: Any, steps: list[tuple[str, Any]], classes: list[str], width: int) -> tuple[Any, bool]:
    """The model behind the steps on the columns that these make, and whether it takes zeros for missing."""
    names = [f"column{i}" for i in range(width)]
    if estimator_name(last):
        return read_estimator(last, names, classes=classes), False
    library = library_of_booster(last)
    if not library:
        raise NotReadable(f"the engine does not read {type(last).__name__}")
    trees = LiveBooster(last, classes, 0)._model
    if any(levels is not None for levels in trees.levels):
        raise NotReadable(f"{type(last).__name__} has categories of its own behind the steps")
    if len(trees.features) != width:
        raise NotReadable(f"{type(last).__name__} takes {len(trees.features)} columns, the steps make {width}")
    # XGBoost takes what a sparse matrix does not hold for missing.
    return trees, library == "xgboost" and len(steps) > 1 and is_sparse(steps[-2][1])


def _derived(column: Any, source: int) -> dict[str, Any]:
    if isinstance(column, Numbers):
        return {"source": source, "levels": None, "steps": list(column.steps)}
    values = _plain(column)
    return {
        "source": source,
        "levels": {
            "values": values[:-2],
            "unseen": NAN if values[-2] is REFUSED else values[-2],
            "missing": NAN if values[-1] is REFUSED else values[-1],
            "refuses_unseen": values[-2] is REFUSED,
            "refuses_missing": values[-1] is REFUSED,
        },
        "steps": [],
    }


def _plain(column: Levels) -> list[Any]:
    return [value if value is REFUSED else float(value) for value in column.values]


class _Terms:
    """A linear model on derived columns as terms on their sources."""

    def __init__(self, parts: LinearParts, sources: _Sources, made: list[Any]) -> None:
        if parts.weights.shape[1] != len(made):
            raise NotReadable(f"it has {parts.weights.shape[1]} weights for {len(made)} columns")
        self._parts = parts
        self._sources = sources
        self._used = sorted({column.source for column in made})
        self._place = {source: i for i, source in enumerate(self._used)}
        self._intercept = parts.intercept.copy()
        self._terms: list[dict[str, Any]] = []
        self._by_level: dict[int, Any] = {}
        self._refuses: set[bool] = set()
        self._strict: set[str] = set()
        for column, weights in zip(made, parts.weights.T, strict=True):
            if isinstance(column, Levels):
                self._add_levels(column, weights)
            else:
                self._add_number(column, weights)
        self._spread_levels()

    def description(self) -> dict[str, Any]:
        parts = self._parts
        if self._refuses == {True, False}:
            self._require_values()
        return {
            "objective": parts.objective,
            "outputs": parts.outputs,
            "other_class": parts.other_class,
            "task": parts.task,
            "link": parts.link,
            "features": [self._sources.description(source) for source in self._used],
            "intercept": self._intercept.tolist(),
            "terms": self._terms,
            "refuses_missing": self._refuses == {True},
        }

    def _require_values(self) -> None:
        """The engine's terms refuse missing values of all columns or of none."""
        for column in getattr(self._sources._container, "columns", ()):
            values = column.values
            gaps = values.dtype.kind == "f" and bool((values != values).any())
            if column.name in self._strict and (gaps or column.missing is not None):
                raise NotReadable(f"it refuses missing values of {column.name}, but not of other columns")

    def _add_number(self, column: Numbers, weights: Any) -> None:
        """weight · (a · x + b), with x between two bounds, or filled."""
        a, b, fill, low, high = 1.0, 0.0, None, -float("inf"), float("inf")
        for kind, c, *rest in column.steps:
            d = rest[0] if rest else 0.0
            if kind in ("add", "subtract"):
                b += c if kind == "add" else -c
            elif kind in ("multiply", "divide"):
                factor = c if kind == "multiply" else 1 / c
                a, b = a * factor, b * factor
            elif kind == "replace" and c != c and fill is None:
                fill = (d - b) / a
            elif kind == "clip" and a > 0 and low == -float("inf"):
                low, high = (c - b) / a, (d - b) / a
                fill = None if fill is None else min(max(fill, low), high)
            elif kind not in ("refuse_infinite", "refuse_missing"):
                raise NotReadable(f"a linear model behind {kind} is no sum of weighted columns")
        self._refuses.add(fill is None)
        if fill is None:
            self._strict.add(self._sources.names[column.source])
        self._intercept += weights * b
        self._terms.append(
            {
                "feature": self._place[column.source],
                "weights": (weights * a).tolist(),
                "low": low,
                "high": high,
                "missing": fill or 0.0,
            }
        )

    def _add_levels(self, column: Levels, weights: Any) -> None:
        import numpy as np

        values = _plain(column)
        self._refuses.add(values[-1] is REFUSED)
        if values[-1] is REFUSED:
            values[-1] = 0.0
        if values[-2] is REFUSED:
            values[-2] = 0.0
        sums = np.outer(values, weights)
        if not np.isfinite(sums).all():
            raise NotReadable("a category becomes no number")
        self._by_level[column.source] = self._by_level.get(column.source, 0) + sums

    def _spread_levels(self) -> None:
        """What a level never seen adds belongs to the intercept; the others add what they differ from it."""
        for source, sums in self._by_level.items():
            *levels, unseen, missing = sums
            self._intercept += unseen
            for level, row in [*enumerate(levels), (None, missing)]:
                weights = (row - unseen).tolist()
                self._terms.append({"feature": self._place[source], "weights": weights, "level": level})
