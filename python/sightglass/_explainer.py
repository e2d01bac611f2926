"""The way in: a model and data, then one method per question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._containers import Container, read_column, read_container
from ._errors import DataError, UsageError
from ._methods import Methods
from ._models import Predictor, is_location, load_file, read_model
from ._result import Result


class Explainer(Methods):
    """Explains a trained model with data.

    Parameters
    ----------
    model : estimator, callable, Booster, str or path
        A fitted estimator (asked through ``predict_proba`` if it has one, else ``predict``), any function that takes
        data and returns predictions, an XGBoost Booster, or the path of a model file that the engine reads itself.
        A Python model is given the kind of container that `X` is.
    X : DataFrame, Table, relation, array, str or path
        pandas or polars DataFrame, pyarrow Table, DuckDB relation, two-dimensional NumPy array, or any other object
        with an Arrow stream. Read in place where possible; `notes` says what had to be copied. With a model file also
        the path of a CSV, Parquet, JSON lines or DuckDB file.
    y : array, Series or str, optional
        The true outcome, or the name of its column in `X`. That column is not given to the model.
    weights : array, Series or str, optional
        Weight of each row, or the name of a column in `X`, which is then not given to the model.
    output : str, optional
        The class or output to explain; all if not given. Each method can be told otherwise, here and below.
    scale : {"response", "margin"}
        Scale of the predictions, for models that have both.
    sample : int
        Rows to use, drawn at random; 0 = all.
    seed : int
        Seed of everything random.
    batch : int
        Rows in a block. Fixes how calls of the model are cut, whatever the number of threads.
    threads : int, optional
        Threads of the engine; as many as the machine has if not given. Python models are always called on the thread
        that called the method. The result is the same for any number.
    classes : sequence of str, optional
        Names of the classes, for model files that have none.
    units : mapping of str to str, optional
        Units of columns, for axes: ``{"temp": "°C"}``.

    Attributes
    ----------
    engine : str
        How predictions are made: "blackbox".
    features : list of str
        The columns that the model is given.
    notes : list of str
        What to know about how the data were read.
    methods : list of str
        Names of all methods.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> ex = sg.Explainer(lambda X: X[:, 0] + 2 * X[:, 1], X)
    >>> ex.partial_dependence(["x0", "x1"], grid=10).to_frame(library="dict")["feature"][0]
    'x0'
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any = None,
        *,
        weights: Any = None,
        output: Any = None,
        scale: str = "response",
        sample: int = 0,
        seed: int = 0,
        batch: int = 4096,
        threads: int | None = None,
        classes: Sequence[Any] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> None:
        from_file = is_location(model)
        prediction = None if from_file else read_model(model)
        native = load_file(model, [str(label) for label in classes or ()]) if from_file else None
        known = native.features if native is not None else prediction.features
        container = read_container(X, known or None)
        table, target = _with_column(container.table, container, y, "y", "target")
        table, weight = _with_column(table, container, weights, "weights", "weights")
        if weight:
            table = table.with_weights(weight)
        for name, unit in (units or {}).items():
            table = table.with_unit(name, unit)
        if native is None:
            native = _core.Model.from_python(Predictor(prediction, container), prediction.features, prediction.task)
        self.features, notes = native.fit(table, target)
        self.notes: list[str] = [*table.notes, *notes, *container.notes]
        self.engine = "blackbox"
        self._model = native
        self._table = table
        self._names = [name for name, _, _ in table.columns]
        self._threads = _thread_count(threads)
        self._defaults = {
            "target": target,
            "output": "" if output is None else str(output),
            "scale": scale,
            "sample": sample,
            "seed": seed,
            "batch": batch,
        }

    @property
    def methods(self) -> list[str]:
        return list(Methods.names)

    def __repr__(self) -> str:
        rows, columns = f"{self._table.rows:,}", len(self.features)
        return f"<sightglass.Explainer: {self._model.format} model, {rows} rows, {columns} features>"

    def _run(self, method: str, options: dict[str, Any]) -> Result:
        given = {name: value for name, value in options.items() if value is not None}
        if "output" in given:
            given["output"] = str(given["output"])
        if "features" in given:
            given["features"], pairs = self._split_features(given["features"])
            given["pairs"] = [*_listed(given.get("pairs", ())), *pairs]
            if not given["pairs"]:
                del given["pairs"]
        if "pairs" in given:
            given["pairs"] = [self._pair_name(pair) for pair in _listed(given["pairs"])]
        return Result(_core.run(method, self._model, self._table, {**self._defaults, **given}, self._threads))

    def _split_features(self, features: Any) -> tuple[list[str], list[Any]]:
        """Single features by name, and the pairs among them, as scikit-learn lets users mix them."""
        single: list[str] = []
        pairs: list[Any] = []
        for feature in [features] if isinstance(features, (str, int)) else list(features):
            if isinstance(feature, (tuple, list)):
                pairs.append(feature)
            else:
                single.append(self._name_of(feature))
        return single, pairs

    def _pair_name(self, pair: Any) -> str:
        if isinstance(pair, str):
            return pair
        if len(pair) != 2:
            raise UsageError(f"pairs: {pair!r} has {len(pair)} features", "a pair has two")
        return ":".join(self._name_of(feature) for feature in pair)

    def _name_of(self, feature: Any) -> str:
        """A feature's name: as it is, or by position among the columns that the model is given."""
        if isinstance(feature, str):
            return feature
        if hasattr(feature, "__index__") and not isinstance(feature, bool) and str(feature) not in self._names:
            position = feature.__index__()
            if not -len(self.features) <= position < len(self.features):
                raise UsageError(f"features: there is no feature {position}", f"there are {len(self.features)}")
            return self.features[position]
        return str(feature)


def _listed(items: Any) -> list[Any]:
    if isinstance(items, str):
        return [items]
    items = list(items)
    # ("a", "b") is one pair, as long as neither is itself written as a pair.
    single = len(items) == 2 and not any(isinstance(item, (tuple, list)) or ":" in str(item) for item in items)
    return [tuple(items)] if single else items


def _with_column(table: Any, container: Container, values: Any, name: str, what: str) -> tuple[Any, str]:
    """The table with one more column, and what that is called; or the name of the column that is meant."""
    if values is None:
        return table, ""
    if isinstance(values, str):
        if values not in container.names:
            raise UsageError(f"{what}: X has no column {values}", "give its name, or the values themselves")
        return table, values
    name = str(name if getattr(values, "name", None) is None else values.name)
    taken = {column for column, _, _ in table.columns}
    while name in taken:
        name += f" ({what})"
    column = read_column(name, values)
    if len(column.values) != table.rows:
        raise DataError(f"{what} has {len(column.values)} values, X has {table.rows} rows")
    return table.with_columns([column]), name


def _thread_count(threads: int | None) -> int:
    if threads is None:
        return 0
    if threads < 1:
        raise UsageError(f"threads cannot be {threads}", "give 1 or more, or leave it out")
    return int(threads)
