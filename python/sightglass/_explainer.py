"""The way in: a model and data, then one method per question."""

from __future__ import annotations

import functools
import json
import numbers
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _core
from ._containers import Container, is_table, read_column, read_container, read_rows
from ._errors import DataError, Error, UsageError
from ._methods import Methods
from ._models import open_source
from ._report import Report, check_report_place
from ._result import Result
from ._saving import OF_RESULTS, check_place
from ._words import METHODS_INSTEAD, UnknownWordError, no_such_attribute, own_words


class Explainer(Methods):
    """Explains a trained model with data.

    Parameters
    ----------
    model : estimator, callable, Booster, str, path or None
        A fitted estimator (``predict_proba`` if it has one, else ``predict``), any function that takes data and returns
        predictions, a Booster of XGBoost or LightGBM, the path of a model file, or the address of a server of models
        (``http://…``, docs/servers.md). Trees of scikit-learn, XGBoost, LightGBM and CatBoost are read from the live
        object; any other is asked, and is given the kind of container that `X` is.
        None for methods that look at the data alone; the others say that they need a model.
    X : DataFrame, Table, relation, array, str or path
        pandas or polars DataFrame, pyarrow Table, DuckDB relation, two-dimensional NumPy array, or any other object
        with an Arrow stream. Read in place where possible; `notes` says what had to be copied. For models that the
        engine reads also the path of a CSV, Parquet, JSON lines or DuckDB file.
    y : array, Series or str, optional
        The true outcome, or the name of its column in `X`. That column is not given to the model.
    weights : array, Series or str, optional
        Weight of each row, or the name of a column in `X`, which is then not given to the model.
    ids : array, Series, Index or str, optional
        What each row is called, or the name of the column in `X` that says it, which is then not given to the model:
        results name rows so. The index of a pandas DataFrame if not given, unless it only counts from 0.
    output : str, optional
        The class or output to explain; all if not given. Each method can be told otherwise, here and below.
    scale : {"response", "margin"}, optional
        Scale of the predictions, for models that have both; the response if not given, but for methods about sums of
        effects (interactions, decomposition), which a nonlinear link would bend.
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
        Names of the classes, for model files and Boosters, which have none, and for functions. If not given, functions
        whose answers look like probabilities of the values of `y` are taken for classifiers, which `notes` says; an
        empty list: they predict mere numbers.
    rounds : int
        Use only the first so many rounds of boosting of a model file, Booster or estimator of XGBoost, LightGBM or
        CatBoost; 0 = as the model's own predict does.
    native : bool
        Whether the engine computes predictions itself where it can read the model: the trees of scikit-learn, XGBoost,
        LightGBM and CatBoost. It computes what the model's own predict does, on all threads and without Python. False: always
        ask the object itself.
    timeout : float
        Seconds to wait for one answer of a server or a program (``exec:``).
    protocol : {"", "oip", "oip-columns", "oip-matrix", "mlflow", "tf-serving"}
        How a server is spoken to, where its address does not say.
    server_output : str or sequence of str, optional
        Which of a server's outputs to explain, where it has several.
    max_requests : int
        Requests that a server may be sent, tries included; 0 = any number.
    units : mapping of str to str, optional
        Units of columns, for axes: ``{"temp": "°C"}``.
    training_data : bool
        Whether the model was trained on these data: methods that measure its loss then say what that means.
    caveats : mapping of str to number, optional
        Thresholds of the cautions that come with results: ``{"correlation_threshold": 0.8}``; docs/caveats.md lists them.
    feature_names : sequence of str, optional
        Names of the columns of a NumPy array, in their order; x0, x1, … if neither they nor the model's are known.
    sample_weight, random_state, n_jobs : optional
        scikit-learn's names of `weights`, `seed` and `threads`; -1 jobs are as many threads as the machine has.

    Attributes
    ----------
    engine : str
        How explanations are computed: "trees", exactly and fast from the structure of a tree ensemble, or "blackbox",
        from predictions alone. Every method takes ``engine="blackbox"`` to do without the structure.
    native : bool
        Whether the engine computes the predictions itself; if not, the Python object is asked, and `notes` says why
        where that could be expected otherwise.
    features : list of str
        The columns that the model is given.
    notes : list of str
        What to know about how the model and the data were read.
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

    @own_words
    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any = None,
        *,
        weights: Any = None,
        ids: Any = None,
        output: Any = None,
        scale: str | None = None,
        sample: int = 0,
        seed: int = 0,
        batch: int = 4096,
        threads: int | None = None,
        classes: Sequence[Any] | None = None,
        rounds: int = 0,
        native: bool = True,
        timeout: float = 60,
        protocol: str = "",
        server_output: str | Sequence[str] | None = None,
        max_requests: int = 0,
        units: Mapping[str, str] | None = None,
        training_data: bool = False,
        caveats: Mapping[str, float] | None = None,
        feature_names: Sequence[str] | None = None,
        sample_weight: Any = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._call = _call_of({name: value for name, value in locals().items() if name != "self"})
        self._from_file = isinstance(model, (str, os.PathLike))
        self._name = _name_of(model)
        self._inputs = [os.fspath(given) for given in (model, X) if isinstance(given, (str, os.PathLike))]
        weights = _one_of("weights", weights, "sample_weight", sample_weight)
        seed = _one_of("seed", seed or None, "random_state", random_state) or 0
        threads = _one_of("threads", threads, "n_jobs", None if n_jobs == -1 else n_jobs)
        rounds = _whole("rounds", rounds, 0)
        batch = _whole("batch", batch, 1)
        if isinstance(classes, str) or not hasattr(classes or (), "__iter__"):
            raise UsageError(f"classes cannot be {classes!r}", "give a list of names")
        labels = None if classes is None else [str(label) for label in classes]
        outputs = [server_output] if isinstance(server_output, str) else list(server_output or [])
        if not isinstance(timeout, numbers.Real) or not timeout > 0:
            raise UsageError(f"timeout cannot be {timeout!r}", "give a number of seconds above 0")
        asking = {
            "timeout": float(timeout),
            "protocol": protocol,
            "server_outputs": outputs,
            "max_requests": _whole("max_requests", max_requests, 0),
        }
        self._opening = {"classes": labels, "rounds": rounds, "native": native, "asking": asking}
        self._source = open_source(model, **self._opening)
        self._column_names = _names_for(X, self._source.features, feature_names)
        container = read_container(X, self._column_names)
        table, target = _with_column(container.table, container, y, "y", "target")
        table, weight = _with_column(table, container, weights, "weights", "weights")
        if weight:
            table = table.with_weights(weight)
        for name, unit in (units or {}).items():
            table = table.with_unit(name, unit)
        self._container = container
        self._dates = getattr(container, "dates", None) or _core.CsvDates(False)
        id_column = ids if isinstance(ids, str) else ""
        if id_column and id_column not in container.names:
            raise UsageError(f"ids: X has no column {ids}", "give its name, or the names themselves")
        self._columns = [name for name in container.names if name not in (target, weight, id_column)]
        opened, about_model = self._source.open(container, self._columns)
        if target and self._source.undecided:
            known = table
            for beside in filter(None, (weight, id_column)):
                known = known.without(beside)

            try:
                found = opened.answered_classes(known, target, batch)
            except Error:
                found = None  # the same error comes, with all that is known of it, when an explanation is asked for
            if found is not None:
                names, said = found
                if any((name, kind) == (target, "boolean") for name, kind, _ in table.columns):
                    names = [name.capitalize() for name in names]  # as Python calls them, and classes_ of estimators
                self._source.name_classes(names)
                opened, about_model = self._source.open(container, self._columns)
                about_model = [*about_model, said]
        table = opened.with_categories(table, target)
        table, self._index = _with_labels(table, container, ids)
        self.features, notes = opened.fit(table, target)
        self._about_model = about_model
        self.notes: list[str] = [*about_model, *table.notes, *notes, *container.notes]
        self.native: bool = opened.native
        self.engine: str = opened.engine
        self._model = opened
        self._beside = (target, weight, id_column)
        self._table = table
        self._names = [name for name, _, _ in table.columns]
        self._threads = _thread_count(threads)
        self._defaults = {
            "target": target,
            "output": "" if output is None else self._output_name(output),
            "sample": sample,
            "seed": seed,
            "batch": batch,
            "training_data": bool(training_data),
        }
        if scale is not None:
            self._defaults["scale"] = scale
        self._defaults.update(_thresholds(caveats or {}))
        self._has_model = model is not None

    @property
    def methods(self) -> list[str]:
        return list(Methods.names)

    def __repr__(self) -> str:
        rows, columns = f"{self._table.rows:,}", len(self.features)
        if not self._has_model:
            return f"<sightglass.Explainer: no model, {rows} rows, {columns} features>"
        asked = {"python": ", asked through Python", "exec": ", a program"}
        how = "" if self.native else asked.get(self._model.format, ", a server")
        return f"<sightglass.Explainer: {self._model.format} model{how}, {rows} rows, {columns} features>"

    def inspect(self) -> dict[str, Any]:
        """What the model is, what the data are, and how they fit: the same as ``sightglass inspect``.

        Returns
        -------
        dict
            ``model`` (format, version, objective, task, outputs, features, and in ``detail`` the trees), ``data``
            (rows, columns), ``fit`` (the columns that the model is given) and, with outcomes, ``performance`` (how well
            the model predicts some of them, and what to beware of). Besides, ``engine`` says how explanations are
            computed: its ``name``, whether predictions are ``native``, and ``why``, where another way could be expected.
        """
        self._require_model("inspect")
        found = json.loads(self._model.describe(self._table, self._defaults["target"], self._threads))
        return {**found, "engine": {"name": self.engine, "native": self.native, "why": list(self._about_model)}}

    def predict(self, X: Any = None, *, scale: str | None = None, arithmetic: str = "framework") -> Any:
        """The model's predictions, the same as ``sightglass predict`` computes.

        Parameters
        ----------
        X : DataFrame, Table, relation, array, str or path, optional
            Other data than those of this explainer, in any container.
        scale : {"response", "margin"}, optional
            Scale of the predictions, for models that have both; as the explainer was told if not given.
        arithmetic : {"framework", "exact"}
            Whether a model that the engine reads adds up as its framework does, in float32 for XGBoost, or in double,
            as explanations do.

        Returns
        -------
        numpy.ndarray
            One number per row; of a model with several outputs one column for each. A classifier of two classes has
            one output: the probability of the second.
        """
        self._require_model("predict")
        model, table, target = self._model, self._table, self._defaults["target"]
        if X is not None:
            container = read_container(X, self._column_names, self._dates)
            columns = [name for name in container.names if name not in self._beside]
            # Other names, or categories that codes of the model stand for, make it another model.
            if columns != self._columns or self._source.needs_data or not self.native:
                model, _ = self._source.open(container, columns)
            table, target = container.table, target if target in container.names else ""
            for beside in self._beside[1:]:
                if beside in container.names:
                    table = table.without(beside)
            table = model.with_categories(table, target)
            for note in model.fit(table, target)[1]:
                if note not in self.notes:
                    warnings.warn(note, stacklevel=2)
        chosen = scale or self._defaults.get("scale", "response")
        batch = self._defaults["batch"]
        names, values = _core.predict(model, table, target, chosen, arithmetic, batch, self._threads)
        return values[:, 0] if len(names) == 1 else values

    def verify(self, result: Result, *, of_new_model: bool = False) -> list[str]:
        """Whether what a result of `counterfactuals`, or of `anchors` with certain rules, claims holds.

        Its predictions and its proofs are made again.

        Parameters
        ----------
        result : Result
            Made with the same model and data, now or before it was saved.
        of_new_model : bool
            The explainer's model is another version than the result's: only ask whether changes that were promised
            still lead to what was wanted, and whether certain rules still settle the outcome.

        Returns
        -------
        list of str
            What does not hold, a line each; empty if everything does.
        """
        self._require_model("verify")
        if not isinstance(result, Result):
            raise UsageError(f"result: {type(result).__name__} is not a result", "give what a method returned")
        return _core.verify(result._native, self._model, self._table, self._threads, of_new_model)

    def __getattr__(self, name: str) -> Any:
        raise no_such_attribute(self, name, METHODS_INSTEAD)

    def __call__(self, *given: Any, **options: Any) -> Any:
        raise UnknownWordError("an Explainer is no function", "shap(X_new) explains rows so; methods lists all others")

    def _require_model(self, what: str) -> None:
        if not self._has_model:
            raise UsageError(f"{what} is about a model, and there is none", "give one as the explainer's model")

    def _report(self, path: Any, options: dict[str, Any]) -> Report:
        if path is not None:
            check_report_place(path, self._inputs)
        given = self._given("report", options)
        own = self._own_explanation()
        other = self._other_model("report", given)
        natives = _core.report(self._model, self._table, {**self._defaults, **given}, self._threads, own, other)
        report = Report(natives, self._call, given)
        if path is not None:
            report.save(path)
        return report

    def _own_explanation(self) -> Any:
        """How the model of a file explains itself, if it is one that `fit` wrote."""
        place = self._inputs[0] if self._from_file else ""
        if not os.path.isfile(place):
            return None
        with open(place, "rb") as file:
            return _core.explanation(file.read(), os.path.basename(place))

    def _run(self, method: str, options: dict[str, Any], out: Any = None) -> Result:
        if out is not None:
            check_place(out, OF_RESULTS, self._inputs)
        given = self._given(method, options)
        other = self._other_model(method, given)
        defaults = self._defaults
        # A table in the place of row numbers is where the rows come from.
        if "rows" in given and _option_types()[method].get("rows") == "rows" and is_table(given["rows"], self._names):
            if "rows_from" in given:
                raise UsageError("rows and rows_from are both tables", "give the new rows once")
            given["rows_from"] = given.pop("rows")
        kinds = _option_types()[method]
        if not any(given.get(name) is not None and kinds.get(name) == "data" for name in _OTHER_TABLES):
            found = _core.run(method, self._model, self._table, {**defaults, **given}, self._threads, other)
            result = Result(found, (self._index, self._index))
        else:
            result = self._run_with(method, {**defaults, **given}, other)
        if out is not None:
            result.save(out)
        return result

    def _run_with(self, method: str, given: dict[str, Any], other: Any) -> Result:
        """With other tables: rows to explain, or to compare with, or those that the model was fitted to."""
        model = self._model
        indexes = {"rows_from": self._index, "background_data": self._index}
        tables: dict[str, Any] = dict.fromkeys(_OTHER_TABLES)
        # The background first: it decides which levels there are.
        for name in reversed(_OTHER_TABLES):
            table = given.get(name)
            if table is None:
                continue
            try:
                table, y = table if isinstance(table, tuple) and len(table) == 2 else (table, None)
                container = read_rows(table, self._columns, self._column_names, self._dates)
                read = container.table
                if y is not None:
                    if not given["target"]:
                        raise UsageError("there is no target", "give the explainer y as well")
                    read = read.with_columns([read_column(given["target"], y)])
                if name == "background_data":
                    columns = [column for column in container.names if column not in self._beside]
                    # As other data for predictions: codes of levels are those of the table that the model looks at.
                    if columns != self._columns or self._source.needs_data or not self.native:
                        model, _ = self._source.open(container, columns)
                # Dates as the model counts them, as in the data.
                there = {column for column, _, _ in read.columns}
                target = given["target"] if given["target"] in there else ""
                read = model.with_categories(read, target)
                if name == "background_data":
                    model.fit(read, target)
                ids = self._beside[2] if self._beside[2] in container.names else None
                tables[name], indexes[name] = _with_labels(read, container, ids)
            except Error as error:
                raise type(error)(f"{name}: {error.message}", error.advice, error.detail) from error.__cause__
            is_place = isinstance(table, (str, os.PathLike))
            given[name] = os.path.basename(os.fspath(table)) if is_place else type(table).__name__
        found = _core.run(method, model, self._table, given, self._threads, other, **tables)
        return Result(found, (indexes["rows_from"], indexes["background_data"]))

    def _other_model(self, method: str, given: dict[str, Any]) -> Any:
        """The second model that an option names, as the engine takes it; in its place comes what results call it."""
        kinds = _option_types()[method]
        for name in (name for name in given if kinds.get(name) == "model"):
            model = given[name]
            is_file = isinstance(model, (str, os.PathLike))
            # Rounds are those of the explainer's own model; classes are the same.
            opening = {**self._opening, "rounds": 0, "native": is_file or self._opening["native"]}
            try:
                source = open_source(model, **opening)
                if source.undecided and self._source.classes:
                    source.name_classes(self._source.classes)
                opened, _ = source.open(self._container, self._columns)
            except Error as error:
                raise type(error)(f"{name}: {error.message}", error.advice, error.detail) from error.__cause__
            given[name] = _name_of(model)
            names = next((option for option, kind in kinds.items() if kind == "model-names"), None)
            if names is not None and names not in given:
                given[names] = _core.shown_models(self._name, given[name])
            return opened
        return None

    def _given(self, method: str, options: dict[str, Any]) -> dict[str, Any]:
        """What the engine reads: each option by what it means, not by its name."""
        types, defaults = _option_types()[method], _option_defaults().get(method, {})
        readers = {
            "output": self._output_name,
            "groups": self._group_names,
            "pairs": lambda pairs: [self._pair_name(pair) for pair in _listed(pairs)],
            "triples": lambda triples: [self._joined(triple) for triple in _listed(triples, 3)],
            "duration": lambda time: f"{float(time):g}s" if isinstance(time, numbers.Real) else time,
            "rows": self._rows,
            "numbers": lambda values: _told(values) if _is_single(values) else [_told(value) for value in values],
        }
        given: dict[str, Any] = {}
        among_features: list[Any] = []
        for name, value in options.items():
            # What is as always was not said: it holds for the method that is run, which may be another one.
            if value is None or (value.__class__ is defaults.get(name).__class__ and value == defaults[name]):
                continue
            kind = types.get(name)
            if name in ("losses", "scoring"):
                value = self._loss_names(name, value)
            if kind == "features":
                given[name], pairs = self._split_features(value)
                among_features += pairs
            else:
                given[name] = readers[kind](value) if kind in readers else value
        if among_features:
            name = next((name for name, kind in types.items() if kind == "pairs"), None)
            if name is None:
                raise UsageError(f"features: {among_features[0]!r} is a pair", f"{method} takes single features")
            given[name] = [*given.get(name, ()), *(self._pair_name(pair) for pair in among_features)]
        return given

    def _output_name(self, output: Any) -> str:
        """A class or output by its name, or by its place where no class is called so."""
        name = str(output)
        classes = self._source.classes or self._model.outputs
        place = output.__index__() if hasattr(output, "__index__") and not isinstance(output, bool) else -1
        return classes[place] if name not in classes and 0 <= place < len(classes) else name

    def _loss_names(self, option: str, losses: Any) -> Any:
        if callable(losses):
            raise UsageError(f"{option} cannot be of type function", "name a loss; docs/performance.md has them all")
        # Of two classes scikit-learn's is another: the mean over both.
        if losses == "f1_macro" and len(self._source.classes or self._model.outputs) > 2:
            return "f1"
        return losses if isinstance(losses, str) else [self._loss_names(option, loss) for loss in losses]

    def _rows(self, rows: Any) -> Any:
        """Rows by their numbers, by their names, or themselves."""
        if is_table(rows, self._names):
            return rows
        if _is_single(rows):
            # A name goes first: whoever has a file of this name can give a Path.
            is_file = isinstance(rows, str) and not self._has_row(rows) and _looks_like_file(rows)
            return Path(rows) if is_file else _row_name(rows)
        if isinstance(rows, tuple) and self._has_row(_label_text(rows)):
            return _label_text(rows)  # of an index with several levels
        return [_row_name(row) for row in rows]

    def _has_row(self, name: str) -> bool:
        index = self._index
        return index is not None and any(_label_text(index[row]) == name for row in range(len(index)))

    def _split_features(self, features: Any) -> tuple[list[str], list[Any]]:
        """Single features by name, and the pairs among them, as scikit-learn lets users mix them."""
        single: list[str] = []
        pairs: list[Any] = []
        alone = isinstance(features, str) or hasattr(features, "__index__")
        for feature in [features] if alone else list(features):
            if isinstance(feature, (tuple, list)):
                pairs.append(feature)
            else:
                single.append(self._name_of(feature))
        return single, pairs

    def _pair_name(self, pair: Any) -> str:
        if not isinstance(pair, str) and len(pair) != 2:
            raise UsageError(f"pairs: {pair!r} has {len(pair)} features", "a pair has two")
        return self._joined(pair)

    def _joined(self, features: Any) -> str:
        return features if isinstance(features, str) else ":".join(self._name_of(feature) for feature in features)

    def _group_names(self, groups: Any) -> list[str]:
        """Groups of features as the engine reads them: {"climate": ["temp", "humidity"]} is climate=temp,humidity."""

        def joined(features: Any) -> str:
            alone = isinstance(features, str) or hasattr(features, "__index__")
            return ",".join(self._name_of(feature) for feature in ([features] if alone else features))

        if isinstance(groups, Mapping):
            return [f"{name}={joined(features)}" for name, features in groups.items()]
        return [joined(item) for item in ([groups] if isinstance(groups, str) else groups)]

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


def _is_single(value: Any) -> bool:
    return isinstance(value, (str, bytes)) or not hasattr(value, "__iter__") or getattr(value, "ndim", 1) == 0


def _told(value: Any) -> Any:
    """A date as people write it; numbers and texts are what they are."""
    is_date = hasattr(value, "isoformat") or type(value).__name__ == "datetime64"
    return str(value) if is_date else value


def _row_name(row: Any) -> Any:
    """Whole numbers count rows, everything else is what one is called."""
    counts = hasattr(row, "__index__") and not isinstance(row, bool)
    return row.__index__() if counts else _label_text(row)


def _looks_like_file(text: str) -> bool:
    return os.path.splitext(text)[1].lower() in DATA_ENDINGS or os.path.exists(text)


def _listed(items: Any, size: int = 2) -> list[Any]:
    if isinstance(items, str):
        return [items]
    items = list(items)
    # ("a", "b") is one pair, as long as neither is itself written as a pair; the same for three.
    single = len(items) == size and not any(isinstance(item, (tuple, list)) or ":" in str(item) for item in items)
    return [tuple(items)] if single else items


def _names_for(X: Any, fitted: list[str] | None, given: Sequence[str] | None) -> list[str] | None:
    """What the columns of data without names are called."""
    if given is None:
        return fitted
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise UsageError(f"feature_names cannot be {given!r}", "give a list of names")
    names = [str(name) for name in given]
    own = getattr(X, "columns", None)
    known = fitted if own is None or callable(own) else [str(name) for name in own]
    if known is not None and known != names:
        whose = "X" if known is not fitted else "the model"
        raise UsageError(f"feature_names are others than those of {whose}", "leave them out, or give the same")
    return names


#: How files of data end.
DATA_ENDINGS = frozenset(
    (".csv", ".tsv", ".txt", ".gz", ".zst", ".parquet", ".pq", ".json", ".jsonl", ".ndjson", ".duckdb", ".db")
)
#: Options that bring tables beside the data.
_OTHER_TABLES = ("rows_from", "background_data", "train_data")


def _with_labels(table: Any, container: Container, ids: Any) -> tuple[Any, Any]:
    """The table with names for its rows, and these by the row's place."""
    if isinstance(ids, str):
        table = table.with_row_ids(ids)
        return table, _Labels(table)
    index = container.index if ids is None else ids
    if index is None:
        return table, None
    # Of several levels there is no such array.
    index = index.to_numpy() if getattr(index, "nlevels", 1) > 1 else getattr(index, "array", index)
    if len(index) != table.rows:
        raise DataError(f"ids has {len(index)} values, X has {table.rows} rows")
    return table.with_row_labels("", lambda row: _label_text(index[row])), index


def _label_text(label: Any) -> str:
    if isinstance(label, tuple):
        return ", ".join(map(_label_text, label))
    # Days of an index of dates have no time worth telling.
    return str(_told(label)).removesuffix(" 00:00:00") if hasattr(label, "isoformat") else str(label)


class _Labels:
    """Names of rows from a column that the engine keeps."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __getitem__(self, row: int) -> str:
        return self._table.row_label(row)

    def __len__(self) -> int:
        return self._table.rows


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


def _name_of(model: Any) -> str:
    """What results call it: its file, a function's name, or its class."""
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    return getattr(model, "__name__", type(model).__name__)


def _one_of(name: str, value: Any, other: str, same: Any) -> Any:
    """What was said under one of two names."""
    if value is not None and same is not None:
        raise UsageError(f"{name} and {other} mean the same", "give one of them")
    return same if value is None else value


def _whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    whole = value.__index__() if hasattr(value, "__index__") and not isinstance(value, bool) else least - 1
    if not least <= whole <= (2**31 - 1 if most is None else most):
        limits = f"from {least} on" if most is None else f"from {least} to {most}"
        raise UsageError(f"{name} cannot be {value!r}", f"give a whole number {limits}, or leave it out")
    return whole


@functools.cache
def _option_defaults() -> dict[str, dict[str, Any]]:
    """By method: its own options that have a default, and which."""
    entries = json.loads(_core.catalogue())["methods"]
    return {
        entry["name"]: {
            option["name"]: option["default"] for option in entry["options"] if option["default"] is not None
        }
        for entry in entries
    }


@functools.cache
def _option_types() -> dict[str, dict[str, str]]:
    """By method: what each of its options means."""
    catalogue = json.loads(_core.catalogue())

    def types(options: list[dict[str, Any]]) -> dict[str, str]:
        return {name: option["type"] for option in options for name in (option["name"], *option["aliases"])}

    shared = types(catalogue["run_options"])
    known = {entry["name"]: {**shared, **types(entry["options"])} for entry in catalogue["methods"]}
    return {**known, "report": types(catalogue["report_options"])}


def _thresholds(given: Mapping[str, float]) -> dict[str, float]:
    if not given:
        return {}
    known = [option["name"] for option in json.loads(_core.catalogue())["caveat_options"]]
    known.remove("training_data")  # an argument of its own
    for name in given:
        if name not in known:
            raise UsageError(f"caveats: there is no threshold {name!r}", f"there are {', '.join(known)}")
    return dict(given)


def _thread_count(threads: int | None) -> int:
    if threads is None:
        return 0
    return _whole("threads", threads, 1, _core.most_threads)


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return type(value) is dict and all(map(_is_plain, [*value.keys(), *value.values()]))
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return value is None or type(value) in (str, bool, int) or (type(value) is float and value - value == 0)


def _call_of(arguments: dict[str, Any]) -> str:
    """How an explainer was made, where its arguments can be written down; others stand there by their names."""
    longest = 500  # letters
    standard = {"y": None, **Explainer.__init__.__wrapped__.__kwdefaults__}
    words = []
    for name, value in arguments.items():
        value = os.fspath(value) if isinstance(value, os.PathLike) else value
        # The page is for others: without folders, and without a command that may hold passwords.
        if name == "model" and isinstance(value, str):
            value = _core.shown_model(value)
        if name == "X" and isinstance(value, str):
            value = os.path.basename(value)
        # A list may be a column of the data: that is not for the page.
        is_data = name in ("model", "X", "y", "weights") and not isinstance(value, (str, type(None)))
        told = name if is_data or not _is_plain(value) else repr(value)
        told = told if len(told) <= longest else name
        if name in ("model", "X"):
            words.append(told)
        elif told != repr(standard[name]):
            words.append(f"{name}={told}")
    return f"sightglass.Explainer({', '.join(words)})"
