"""What the learners share in Python: scikit-learn's ways, with the engine behind them.

scikit-learn is never imported here but by what it calls itself. Its exceptions and warnings are used where it is loaded
already, so that its tools know ours.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections import namedtuple
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from . import _core
from ._columns import CodeColumn, Column, distinct_values, level_names, numbers_of, numpy_array
from ._containers import Container, FileContainer, library_of, read_container
from ._errors import DataError, UsageError
from ._result import Result

Self = TypeVar("Self", bound="Estimator")

#: The engine's model, the bytes of its file, and how it explains itself.
Fitted = namedtuple("Fitted", ["model", "file", "result"])

#: Rows that are predicted at once.
BATCH = 4096


class Estimator:
    """A model that explains itself, as a scikit-learn estimator."""

    #: What `sightglass fit` calls it.
    _learner: ClassVar[str]
    #: "regression" or "classification".
    _task: ClassVar[str]

    n_features_in_: int
    feature_names_in_: Any
    _fitted: Fitted
    #: All columns that it was fitted on; the model knows those that have values.
    _columns: list[str]

    # Parameters

    @classmethod
    def _parameters(cls) -> dict[str, Any]:
        """Names and defaults of what the constructor takes."""
        import inspect

        found = inspect.signature(cls.__init__).parameters.values()
        return {one.name: one.default for one in found if one.name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as they were given to the constructor.

        Parameters
        ----------
        deep : bool
            Without meaning here: no parameter is an estimator.
        """
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self: Self, **params: Any) -> Self:
        """Sets parameters by name; for the next `fit`."""
        known = self._parameters()
        for name in params:
            if name not in known:
                raise UsageError(f"{type(self).__name__} has no parameter {name!r}", f"it has {', '.join(known)}")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        told = []
        for name, default in self._parameters().items():
            value = getattr(self, name)
            if repr(value) != repr(default):
                told.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(told)})"

    # What scikit-learn asks

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

        classifies = self._task == "classification"
        return Tags(
            estimator_type="classifier" if classifies else "regressor",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if classifies else None,
            regressor_tags=None if classifies else RegressorTags(),
            input_tags=InputTags(allow_nan=True, categorical=True),
        )

    # Fitting

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits the model.

        Parameters
        ----------
        X : DataFrame, Table, relation, array, str or path
            pandas or polars DataFrame, pyarrow Table, DuckDB relation, two-dimensional NumPy array or what becomes
            one, any other object with an Arrow stream, or the path of a file. Columns of text or categories are
            categories; missing values may stay missing.
        y : array, Series or str
            The outcome of each row, or the name of its column in `X`, from which the model then does not learn.
        sample_weight : array, Series or str, optional
            Weight of each row, or the name of its column in `X`. Twice the weight is the same row twice.

        Returns
        -------
        The estimator itself.
        """
        if y is None:
            raise UsageError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        data = TrainingRows(X, y, sample_weight)
        target = self._target(data)
        table = data.table.with_columns([target])
        if data.weights is not None:
            table = table.with_columns([data.weights]).with_weights(data.weights.name)
        given = {name: value for name, value in self.get_params().items() if value is not None}
        options = {name: self._option(name, value, data) for name, value in given.items()}
        threads = thread_count(options.pop("threads", None))
        options.update(target=target.name, task=self._task)
        try:
            model, file, result = _core.fit(self._learner, table, options, threads)
        except DataError as error:
            if data.rows > 1:
                raise
            raise DataError(f"{error.message} (one sample)", error.advice) from error
        self._keep(data, Fitted(model, file, Result(result)))
        return self

    def _target(self, data: TrainingRows) -> Column:
        raise NotImplementedError

    def _option(self, name: str, value: Any, data: TrainingRows) -> Any:
        return as_text(value, data.names)

    def _keep(self, data: TrainingRows, fitted: Fitted) -> None:
        self._fitted = fitted
        self._columns = data.names
        self.n_features_in_ = len(data.names)
        self.__dict__.pop("feature_names_in_", None)
        if data.has_names:
            self.feature_names_in_ = object_array(data.names)

    # Predicting

    def _outputs(self, X: Any) -> Any:
        """Rows × outputs, on the scale of the response."""
        fitted = self._require_fitted()
        container, has_names = read_features(X, self._columns)
        table = self._as_fitted(container, has_names, self._columns)
        table = fitted.model.with_categories(table, "")
        for note in fitted.model.fit(table, "")[1]:
            warnings.warn(note, stacklevel=3)
        threads = thread_count(getattr(self, "threads", None))
        return _core.predict(fitted.model, table, "", "response", "framework", BATCH, threads)[1]

    def _as_fitted(self, container: Container, has_names: bool, features: list[str]) -> Any:
        """The table with the columns that the model knows; names that differ are an error, as in scikit-learn."""
        if has_names and "feature_names_in_" in self.__dict__:
            if not isinstance(container, FileContainer):  # of which columns are found by name, whatever else it has
                check_names(features, container.names)
            return container.table
        name = type(self).__name__
        if len(container.names) != len(features):
            raise DataError(
                f"X has {len(container.names)} features, but {name} is expecting {len(features)} features as input"
            )
        if has_names:
            warnings.warn(f"X has feature names, but {name} was fitted without feature names", stacklevel=4)
        elif "feature_names_in_" in self.__dict__:
            warnings.warn(
                f"X does not have valid feature names, but {name} was fitted with feature names", stacklevel=4
            )
        return container.table.with_names(features)

    def _require_fitted(self) -> Fitted:
        if "_fitted" not in self.__dict__:
            raise not_fitted(f"this {type(self).__name__} is not fitted yet", "call its fit first")
        return self._fitted

    # What it found

    def explain(self) -> Result:
        """How the model explains itself: its tree, rules, terms or curves, and how well it fits the training rows.

        Returns
        -------
        Result
            `plot`, `to_frame`, `save` and so on, as of every result.
        """
        return self._require_fitted().result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model's file, for ``--model`` of every command, `Explainer` and `load_model`.

        The file appears whole or not at all.
        """
        _core.write_file(os.fspath(path), self._require_fitted().file)

    # Copies

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if "_fitted" in state:
            state["_fitted"] = state["_fitted"].file
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_fitted" in state:
            self._fitted = from_file(state["_fitted"], "the pickled model")


class Regressor(Estimator):
    """Learns numbers."""

    _task = "regression"
    _estimator_type = "regressor"  # for scikit-learn before 1.6

    def _target(self, data: TrainingRows) -> Column:
        import numpy as np

        numbers = data.target if data.target.dtype.kind in "fiub" else numbers_of(data.target.astype(object))
        if numbers is None:
            other = type(self).__name__.replace("Regressor", "Classifier")
            raise DataError("y holds text, not numbers", f"{other} learns classes")
        numbers = np.asarray(numbers, np.float64)
        check_outcomes(numbers)
        return Column(data.outcome_name, numbers)

    def predict(self, X: Any) -> Any:
        """The predicted number of each row.

        Parameters
        ----------
        X : DataFrame, Table, relation, array, str or path
            Rows with the features that the model was fitted on, by name where both have names.

        Returns
        -------
        numpy.ndarray
        """
        return self._outputs(X)[:, 0].copy()

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the predictions: 1 - Σ w (y - ŷ)² / Σ w (y - mean)²."""
        import numpy as np

        outcome = np.asarray(one_dimension(y), np.float64)
        predicted = self.predict(X)
        weights = weights_for(sample_weight, len(outcome))
        residual = np.sum(weights * (outcome - predicted) ** 2)
        total = np.sum(weights * (outcome - np.average(outcome, weights=weights)) ** 2)
        if total == 0:
            return 1.0 if residual == 0 else 0.0
        return float(1 - residual / total)


class Classifier(Estimator):
    """Learns classes."""

    _task = "classification"
    _estimator_type = "classifier"  # for scikit-learn before 1.6

    classes_: Any
    #: Options that name classes.
    _class_options: tuple[str, ...] = ()

    def _target(self, data: TrainingRows) -> Column:
        import numpy as np

        used = None if data.weights is None else np.asarray(data.weights.values) > 0
        classes, codes = classes_of(data.target, used)
        self._labels = classes
        return CodeColumn(data.outcome_name, codes, level_names("y", classes.tolist()))

    def _option(self, name: str, value: Any, data: TrainingRows) -> Any:
        if name not in self._class_options:
            return super()._option(name, value, data)
        several = not isinstance(value, str) and hasattr(value, "__iter__")
        return [self._class_name(label) for label in value] if several else self._class_name(value)

    def _class_name(self, label: Any) -> str:
        """A label of any type, as the model's file spells it."""
        if isinstance(label, str):
            return label
        return next((str(known) for known in self._labels.tolist() if known == label), str(label))

    def _keep(self, data: TrainingRows, fitted: Fitted) -> None:
        super()._keep(data, fitted)
        self.classes_ = self.__dict__.pop("_labels")

    def predict(self, X: Any) -> Any:
        """The most probable class of each row, as the labels were given to `fit`.

        Parameters
        ----------
        X : DataFrame, Table, relation, array, str or path
            Rows with the features that the model was fitted on, by name where both have names.

        Returns
        -------
        numpy.ndarray
        """
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, in the order of `classes_`.

        Parameters
        ----------
        X : DataFrame, Table, relation, array, str or path
            Rows with the features that the model was fitted on, by name where both have names.

        Returns
        -------
        numpy.ndarray
            Rows × classes.
        """
        import numpy as np

        outputs = self._outputs(X)
        return np.column_stack([1 - outputs[:, 0], outputs[:, 0]]) if outputs.shape[1] == 1 else outputs

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the share of rows whose class is predicted right."""
        import numpy as np

        right = np.asarray(self.predict(X) == labels_among(self.classes_, one_dimension(y)))
        return float(np.average(right, weights=weights_for(sample_weight, len(right))))


def labels_among(classes: Any, given: Any) -> Any:
    """Numbers, true and false as the classes of a file have them: as text."""
    import numpy as np

    if given.dtype.kind not in "fiub" or not all(isinstance(label, str) for label in classes):
        return given
    spelled = {number: label for label in classes if (number := number_or_none(label)) is not None}
    values, places = np.unique(given, return_inverse=True)
    return object_array([spelled.get(float(value), str(value)) for value in values.tolist()])[places]


def number_or_none(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


class TrainingRows:
    """Features, outcomes and weights as they came, each checked for itself."""

    def __init__(self, X: Any, y: Any, sample_weight: Any) -> None:
        import numpy as np

        container, self.has_names = read_features(X, None)
        self.table = container.table
        apart = [name for name in (y, sample_weight) if isinstance(name, str)]
        for name in apart:
            if name not in container.names:
                raise UsageError(f"X has no column {name}", "give its name, or the values themselves")
            self.table = self.table.without(name)
        self.names = [name for name in container.names if name not in apart]
        rows = self.rows = container.table.rows
        if not self.names:
            rows = len(X) if hasattr(X, "__len__") and not isinstance(X, str) else 0
            raise DataError(f"X has 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required.")
        if rows == 0:
            raise DataError("X has 0 rows, from which nothing can be learned")
        self.outcome_name = self._free_name(y if isinstance(y, str) else getattr(y, "name", None), "y")
        outcomes = column_of(X, container, y) if isinstance(y, str) else y
        self._categories = str(getattr(outcomes, "dtype", "")).lower().startswith(("categor", "enum"))
        self.target = one_dimension(outcomes)
        if len(self.target) != rows:
            raise DataError(f"y has {len(self.target)} values, X has {rows} rows")
        self.weights = None
        if sample_weight is not None:
            given = column_of(X, container, sample_weight) if isinstance(sample_weight, str) else sample_weight
            weights = np.asarray(weights_for(given, rows))
            self.weights = Column(self._free_name("weights", "weights", self.outcome_name), weights)

    @property
    def has_classes(self) -> bool:
        """Whether the outcome is classes, where nobody says: text, categories, true and false."""
        kind = self.target.dtype.kind
        return self._categories or kind in "bUST" or (kind == "O" and numbers_of(self.target) is None)

    def _free_name(self, wanted: Any, otherwise: str, *taken: str) -> str:
        name = wanted if isinstance(wanted, str) and wanted else otherwise
        while name in self.names or name in taken:
            name += " (target)" if otherwise == "y" else " (weights)"
        return name


def as_text(value: Any, names: list[str]) -> Any:
    """A parameter as the engine reads it: {"temp": "increasing"} is temp=increasing, ("temp", 3) is temp:hour."""
    if isinstance(value, Mapping):
        return [f"{feature_name(feature, names)}={word}" for feature, word in value.items()]
    if isinstance(value, (tuple, list)):
        return [
            ":".join(feature_name(feature, names) for feature in item) if isinstance(item, (tuple, list)) else item
            for item in value
        ]
    return value


def feature_name(feature: Any, names: list[str]) -> str:
    """By name, or by position."""
    if isinstance(feature, str) or isinstance(feature, bool) or not hasattr(feature, "__index__"):
        return str(feature)
    if not -len(names) <= feature.__index__() < len(names):
        raise UsageError(f"there is no feature {feature}", f"there are {len(names)}")
    return names[feature.__index__()]


def read_features(X: Any, names: list[str] | None) -> tuple[Container, bool]:
    """The container, and whether its columns have names of their own. ``names`` are those of columns without."""
    import numpy as np

    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise SparseError("X is a sparse matrix, which is not supported", "give X.toarray()")
    library = library_of(X)
    known = library in ("pandas", "polars") or hasattr(X, "__arrow_c_stream__") or isinstance(X, (str, os.PathLike))
    if known and not (library in ("pandas", "polars") and getattr(X, "ndim", 2) == 1):
        labels = getattr(X, "columns", ())
        has_names = library != "pandas" or all(isinstance(label, str) for label in labels)
        return read_container(X, None), has_names
    matrix = np.asarray(X)
    if matrix.dtype.kind == "c":
        raise DataError("Complex data not supported: X holds complex numbers")
    if matrix.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {matrix.ndim}D array instead",
            "Reshape your data: X.reshape(-1, 1) if it has one feature, X.reshape(1, -1) if it is one row",
        )
    if names is not None and len(names) != matrix.shape[1]:
        names = None  # said later, in scikit-learn's words
    return read_container(matrix, names), False


def column_of(X: Any, container: Container, name: str) -> Any:
    """A column of X, as the user's library has it where that is one with columns by name."""
    import numpy as np

    if library_of(X) in ("pandas", "polars", "pyarrow") and not hasattr(X, "collect"):
        return X[name]
    values, levels = container.table.column(name)
    if levels is not None:
        return object_array([*levels, None])[np.where(np.isnan(values), -1, values).astype(int)]
    kind = next(kind for column, kind, _ in container.table.columns if column == name)
    return values.astype(bool) if kind == "boolean" and not np.isnan(values).any() else values


def one_dimension(values: Any) -> Any:
    """Outcomes as a NumPy array of one dimension."""
    array = numpy_array(values)
    if array.dtype.kind == "c":
        raise DataError("Complex data not supported: y holds complex numbers")
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples,), for example using ravel().",
            of_sklearn("DataConversionWarning", UserWarning),
            stacklevel=4,
        )
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"y should be a 1d array, got an array of {array.ndim} dimensions instead")
    return array


def weights_for(given: Any, rows: int) -> Any:
    import numpy as np

    if given is None:
        return np.ones(rows)
    array = numpy_array(given)
    try:
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight holds something else than numbers") from None
    if array.shape == ():
        array = np.full(rows, float(array))
    if array.shape != (rows,):
        raise DataError(f"sample_weight is of shape {array.shape}, X has {rows} rows")
    return array


def check_outcomes(numbers: Any) -> None:
    import numpy as np

    if np.isnan(numbers).any():
        row = int(np.isnan(numbers).argmax())
        raise DataError(f"Input y contains NaN: row {row} has no outcome", "leave such rows out")
    if np.isinf(numbers).any():
        row = int(np.isinf(numbers).argmax())
        raise DataError(f"Input y contains infinity: the outcome of row {row}", "leave such rows out")


def classes_of(labels: Any, used: Any) -> tuple[Any, Any]:
    """The different labels of rows that count, in order, and the position of each row's label; -1: it does not count."""
    import numpy as np

    kind = labels.dtype.kind
    if kind == "f":
        check_outcomes(labels)
        if (labels != np.round(labels)).any():
            raise DataError(
                "Unknown label type: y holds numbers with fractions, not classes", "a regressor learns numbers"
            )
    if kind in "fiub":
        classes, codes = np.unique(labels, return_inverse=True)
    else:
        positions, found, _ = distinct_values("y", labels)
        if (positions < 0).any():
            row = int((positions < 0).argmax())
            raise DataError(f"Input y contains NaN: row {row} has no class", "leave such rows out")
        order = sorted_places(found)
        rank = np.empty(len(order), np.intp)
        rank[order] = np.arange(len(order))
        codes = rank[positions]
        ordered = [found[place] for place in order]
        classes = np.asarray(ordered, labels.dtype) if kind in "US" else object_array(ordered)
    codes = codes.astype(np.int32)
    if used is not None and not used.all():
        kept = np.unique(codes[used])
        place = np.full(len(classes), -1, np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        codes = np.where(used, place[codes], np.int32(-1))
        classes = classes[kept]
    return classes, codes


def sorted_places(values: list[Any]) -> list[int]:
    try:
        return sorted(range(len(values)), key=values.__getitem__)
    except TypeError:  # of several types
        return sorted(range(len(values)), key=lambda place: str(values[place]))


def object_array(items: list[Any]) -> Any:
    import numpy as np

    array = np.empty(len(items), object)
    array[:] = items
    return array


def check_names(fitted: list[str], given: list[str]) -> None:
    if fitted == given:
        return
    unseen, missing = sorted(set(given) - set(fitted)), sorted(set(fitted) - set(given))
    lines = ["The feature names should match those that were passed during fit."]
    for words, names in (
        ("Feature names unseen at fit time:", unseen),
        ("Feature names seen at fit time, yet now missing:", missing),
    ):
        if names:
            lines += [words, *(f"- {name}" for name in names[:5]), *(["- ..."] if len(names) > 5 else [])]
    if not unseen and not missing:
        lines.append("Feature names must be in the same order as they were in fit.")
    raise DataError("\n".join(lines) + "\n")


def thread_count(threads: Any) -> int:
    from ._explainer import _thread_count

    return _thread_count(threads)


def from_file(file: bytes, where: str) -> Fitted:
    model = _core.Model.from_bytes(file, where, [], 0, False)
    return Fitted(model, file, Result(_core.explanation(file, where)))


class SparseError(UsageError, TypeError):
    """A sparse matrix."""


def of_sklearn(name: str, otherwise: Any) -> Any:
    """An exception or a warning of scikit-learn, if that is loaded."""
    module = sys.modules.get("sklearn.exceptions")
    return getattr(module, name, otherwise)


def not_fitted(message: str, advice: str) -> UsageError:
    theirs = of_sklearn("NotFittedError", None)
    kind = UsageError if theirs is None else type("NotFittedError", (UsageError, theirs), {})
    return kind(message, advice)
