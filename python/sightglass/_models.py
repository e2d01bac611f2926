"""Whatever the user calls a model, as something that the engine can ask for predictions."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

from . import _core
from ._boosters import LiveBooster, as_in_data, feature_names, library_of_booster
from ._containers import Container, FileContainer, library_of
from ._errors import DataError, Error, InternalError, ModelError, PredictionError, UsageError
from ._estimator import Estimator
from ._live import NotReadable, base_of
from ._networks import network_call
from ._onnx import is_onnx, onnx_bytes, onnx_function
from ._pipelines import is_readable_kind, read_pipeline
from ._sklearn import ISOLATION, estimator_name, is_unfitted, read_estimator


class Prediction:
    """How a Python model is asked, and what its answers are called."""

    def __init__(
        self,
        call: Callable[[Any], Any],
        *,
        task: str | None = None,
        outputs: list[str] | None = None,
        features: list[str] | None = None,
        column: int | None = None,
        texts: bool = False,
    ) -> None:
        #: Whether it reads texts one after the other, no table with them.
        self.texts = texts
        self.call = (lambda data: call(only_column(data))) if texts else call
        #: None: the model does not say; its answers and the true outcomes may (`answered_classes` of the engine).
        self.task = task
        #: Names of the columns of predictions, if the model knows them.
        self.outputs = outputs
        #: Of two classes with one output, the one that it is not about.
        self.other_class = ""
        #: The columns that the model was fitted on, if it knows them.
        self.features = features
        #: The only column of the predictions that counts: of two probabilities, the second says it all.
        self.column = column

    def name_classes(self, names: list[str]) -> None:
        """Probabilities of these classes. Of two the second says it all, in a column of its own or alone; without
        names only their number is known."""
        two = len(names) == 2
        self.task = "binary" if two else "multiclass"
        self.outputs = names[1:] if two else names or None
        self.column = 1 if two else None
        self.other_class = names[0] if two else ""


def only_column(data: Any) -> Any:
    """A table of one column as that column; what is no table as it is."""
    if len(getattr(data, "shape", ())) != 2:
        return data
    if hasattr(data, "iloc"):
        return data.iloc[:, 0]
    if hasattr(data, "to_series"):
        return data.to_series(0)
    return data.column(0).to_pylist() if hasattr(data, "column") else data[:, 0]


class Predictor:
    """What the native side holds on to: the model and the user's kind of container."""

    def __init__(self, prediction: Prediction, container: Container) -> None:
        self._prediction = prediction
        self._container = container

    def bind(self, names: list[str], texts: dict[str, Any], levels: dict[str, list[str]]) -> BoundPredictor:
        """``texts`` are columns that have texts of a method's making (``_core.Texts``), one for each row; ``levels`` those
        of the rows at hand, by column, of which the container may know only some."""
        own = self._container.levels
        other = {name: those for name, those in levels.items() if own.get(name) != those}
        container = self._container.knowing(other) if other else self._container
        unseen = {}
        for name, those in other.items():
            known = set(own.get(name) or ())
            unseen[name] = [level for level in those if level not in known]
        # New for each run: runs on several threads at once must not share memory.
        packing = container.packing(names, texts)
        return BoundPredictor(self._prediction, packing, [(name, those) for name, those in unseen.items() if those])


class BoundPredictor:
    """One run's conversation with the model; the native side calls begin, fills the memory, and calls finish."""

    def __init__(self, prediction: Prediction, packing: Any, unseen: list[tuple[str, list[str]]]) -> None:
        self._prediction = prediction
        self._packing = packing
        #: Levels that are none of the data's own, by column.
        self.unseen = unseen
        self._rows = 0
        self._names: list[str] | None = prediction.outputs

    def begin(self, rows: int, types: list[str], marks: list[bool]) -> Any:
        self._rows = rows
        return self._packing.begin(rows, types, marks)

    def begin_pictures(self, rows: int, height: int, width: int) -> Any:
        """An array for so many pictures; None if the model takes none."""
        self._rows = rows
        begin = getattr(self._packing, "begin_pictures", None)
        return None if begin is None else begin(rows, height, width)

    def finish(self) -> Any:
        answer = self._prediction.call(self._packing.build())
        if self._names is None and hasattr(answer, "columns") and hasattr(answer, "to_numpy"):
            self._names = [str(name) for name in answer.columns]
        return prediction_matrix(answer, self._rows, self._prediction.column)

    def outputs(self, predictions: Any) -> list[str]:
        width = predictions.shape[1]
        if self._names is not None and len(self._names) == width:
            return self._names
        if self._names is not None:
            raise PredictionError(
                f"the model returned {width} columns of predictions for {len(self._names)} classes",
                "give one name for each of them, in the model's order, as classes=",
            )
        return ["prediction"] if width == 1 else [f"output{k}" for k in range(width)]


def prediction_matrix(answer: Any, rows: int, column: int | None) -> Any:
    """A model's answer as float64, one row per row and one column per output."""
    import numpy as np

    if hasattr(answer, "detach"):  # a tensor of torch, which may hang in a graph or live on another device
        answer = answer.detach().cpu()
    matrix = answer.to_numpy() if hasattr(answer, "to_numpy") else np.asarray(answer)
    if matrix.dtype.kind not in "fiub":
        if matrix.dtype.kind == "c":
            raise PredictionError("the model returned complex values, not numbers")
        try:
            matrix = matrix.astype(np.float64)
        except (TypeError, ValueError):
            raise PredictionError(
                f"the model returned {type(answer).__name__} of {matrix.dtype}, not numbers",
                "give a function that returns numbers, for example model.predict_proba",
            ) from None
    if matrix.ndim not in (1, 2):
        raise PredictionError(
            f"the model returned predictions of {matrix.ndim} dimensions", "one or two are needed: rows, outputs"
        )
    if matrix.shape[0] != rows:
        raise PredictionError(f"the model returned {matrix.shape[0]} predictions for {rows} rows")
    if matrix.ndim == 1:
        matrix = matrix.reshape(rows, 1)
    elif column is not None and matrix.shape[1] > 1:
        if matrix.shape[1] > 2:
            raise PredictionError(
                f"the model returned {matrix.shape[1]} columns of predictions for 2 classes",
                "give the names of all classes in the model's order as classes=",
            )
        matrix = matrix[:, column : column + 1]
    return matrix.astype(np.float64, copy=False)


class Source:
    """A model as the user gave it, before it meets data."""

    #: The columns that the model was fitted on, if it knows them.
    features: list[str] | None = None
    #: Whether data with the same columns may still make it another model.
    needs_data = False

    def open(self, container: Container, columns: list[str]) -> tuple[Any, list[str]]:
        """The engine's model for these data, and notes. ``columns`` are those that may be features."""
        raise NotImplementedError

    @property
    def undecided(self) -> bool:
        """Whether the model does not say what it predicts."""
        return False

    @property
    def classes(self) -> list[str]:
        """The names of its classes, if it is asked and they are known."""
        return []

    def name_classes(self, names: list[str]) -> None:
        """For one that does not say what it predicts: probabilities of these classes. Then it is to be opened again."""


class NoSource(Source):
    """No model: for methods that look at the data alone."""

    def open(self, container: Container, columns: list[str]) -> tuple[Any, list[str]]:
        return _core.Model.none(), []


class FileSource(Source):
    """A model file, a program or a server."""

    def __init__(self, location: str, classes: list[str] | None, rounds: int, asking: dict[str, Any]) -> None:
        self._model = _core.Model.from_file(location, classes, rounds, **asking)
        self._classes = classes or []
        self.features = self._model.features or None

    def open(self, container: Container, columns: list[str]) -> tuple[Any, list[str]]:
        return self._model, []

    @property
    def undecided(self) -> bool:
        return self._model.undecided

    @property
    def classes(self) -> list[str]:
        return self._classes

    def name_classes(self, names: list[str]) -> None:
        self._model = self._model.with_classes(names)
        self._classes = names


class BytesSource(Source):
    """An object whose saved form the engine reads."""

    def __init__(self, content: bytes, where: str, classes: list[str]) -> None:
        self._model = _core.Model.from_bytes(content, where, classes, 0, False)
        self.features = self._model.features or None

    def open(self, container: Container, columns: list[str]) -> tuple[Any, list[str]]:
        return self._model, []


class PythonSource(Source):
    """A Python object that is asked for its predictions."""

    def __init__(self, prediction: Prediction, notes: list[str], respelled: bool = False) -> None:
        self._prediction = prediction
        self._notes = notes
        self._respelled = respelled
        self.features = prediction.features

    def open(self, container: Container, columns: list[str]) -> tuple[Any, list[str]]:
        asked, features = self._prediction, self.features
        if asked.texts and len(columns) != 1:
            raise UsageError(
                f"the model begins with a vectorizer, which reads one text per row, and X has {len(columns)} columns",
                "give the column with the texts alone",
            )
        if features is not None and self._respelled:
            features = as_in_data(features, container.names)
        predictor = Predictor(asked, container)
        return _core.Model.from_python(predictor, features, asked.task or "regression", asked.other_class), self._notes

    @property
    def undecided(self) -> bool:
        return self._prediction.task is None

    @property
    def classes(self) -> list[str]:
        asked = self._prediction
        if asked.task in (None, "regression"):
            return []
        return [asked.other_class] * (asked.column is not None) + (asked.outputs or [])

    def name_classes(self, names: list[str]) -> None:
        self._prediction.name_classes(names)


class BoosterSource(Source):
    """XGBoost's, LightGBM's and CatBoost's live models, which the engine reads."""

    needs_data = True

    def __init__(self, model: Any, live: LiveBooster, classes: list[str] | None) -> None:
        self._model = model
        self._live = live
        self._classes = classes
        self.features = live.features

    def open(self, container: Container, columns: list[str]) -> tuple[Any, list[str]]:
        try:
            return self._live.open(container, columns)
        except NotReadable as error:
            asked = read_model(self._model)
            if self._classes is not None:
                give_classes(asked, self._classes)
            return PythonSource(asked, [asked_itself(self._model, error)]).open(container, columns)


class LearnedSource(Source):
    """Our own estimators, whose model the engine has."""

    def __init__(self, estimator: Estimator, classes: list[str]) -> None:
        fitted = estimator._require_fitted()
        self._model = fitted.model
        if classes:
            self._model = _core.Model.from_bytes(fitted.file, "the model", classes, 0, False)
        self._has_names = hasattr(estimator, "feature_names_in_")
        self.features = estimator._columns

    def open(self, container: Container, columns: list[str]) -> tuple[Any, list[str]]:
        # Fitted on columns without names it takes others by their position.
        if not self._has_names and len(columns) == len(self.features or ()) and columns != self.features:
            called = dict(zip(self.features or (), columns, strict=True))
            names = [called[name] for name in self._model.features]
            return self._model.with_features(names, [None] * len(names)), []
        return self._model, []


class EstimatorSource(Source):
    """scikit-learn's estimators with trees, which the engine reads."""

    def __init__(self, model: Any, asked: Prediction, classes: list[str]) -> None:
        self._model = model
        self._asked = asked
        self._classes = classes
        self.features = asked.features

    def open(self, container: Container, columns: list[str]) -> tuple[Any, list[str]]:
        try:
            return read_estimator(self._model, columns, classes=self._classes), []
        except (DataError, InternalError, ModelError):
            # Trees that contradict themselves: asked, the object might crash.
            raise
        except READING_FAILURES as error:
            notes = [*isolation_notes(self._model), asked_itself(self._model, error)]
            return PythonSource(self._asked, notes).open(container, columns)


class PipelineSource(Source):
    """scikit-learn's pipelines and linear models, which the engine reads in the columns of the data."""

    needs_data = True
    #: As many rows are asked to see that what was read is the model.
    CHECKED_ROWS = 2048

    def __init__(self, model: Any, asked: Prediction, classes: list[str]) -> None:
        self._model = model
        self._asked = asked
        self._classes = classes
        self.features = asked.features

    def open(self, container: Container, columns: list[str]) -> tuple[Any, list[str]]:
        try:
            read = read_pipeline(self._model, container, columns, self._classes)
            self._check(read, container, columns)
            return read, []
        except (DataError, InternalError, ModelError):
            raise
        except READING_FAILURES as error:
            return PythonSource(self._asked, [asked_itself(self._model, error)]).open(container, columns)

    def _check(self, read: Any, container: Container, columns: list[str]) -> None:
        """Whether the model itself predicts the same for rows of the data, spread over all of them."""
        import numpy as np

        if isinstance(container, FileContainer) or not container.table.rows:
            return
        table = container.table
        for name in container.names:
            if name not in columns:
                table = table.without(name)
        count = min(self.CHECKED_ROWS, table.rows)
        table = table.picked([i * table.rows // count for i in range(count)])
        asked, _ = PythonSource(self._asked, []).open(container, columns)
        try:
            _, expected = _core.predict(asked, table, "", "response", "framework", 4096, 1)
        except Error as error:
            raise NotReadable(f"asked about rows of X it fails: {error.message}") from None
        _, found = _core.predict(read, read.with_categories(table, ""), "", "response", "framework", 4096, 1)
        near = found.shape == expected.shape and np.allclose(
            found, expected, rtol=1e-6, atol=1e-9 + 1e-6 * expected.std()
        )
        if not near:
            raise NotReadable(
                "its own predictions for rows of X are not those of its steps and trees as they were read"
            )


#: What may go wrong while an object is taken apart that is not what it seems.
READING_FAILURES = (NotReadable, Error, AttributeError, LookupError, TypeError, ValueError)


def asked_itself(model: Any, error: Exception) -> str:
    reason = str(error) if isinstance(error, (NotReadable, Error)) else f"{type(error).__name__}: {error}"
    return f"{type(model).__name__} is asked through its own predict: {reason}"


def open_source(model: Any, *, classes: list[str] | None, rounds: int, native: bool, asking: dict[str, Any]) -> Source:
    """What the user calls a model: a file, a server, an object that the engine can read, or one that it must ask.

    ``asking`` is how programs and servers are asked.
    """
    if model is None:
        if classes or rounds or not native:
            raise UsageError("classes, rounds and native are about a model, and there is none", "leave them out")
        return NoSource()
    if isinstance(model, (str, os.PathLike)):
        if not native:
            raise UsageError("a model file is always read by the engine", "leave out native=False")
        return FileSource(os.fspath(model), classes, rounds, asking)
    if asking["protocol"] or asking["server_outputs"] or asking["max_requests"]:
        raise UsageError("protocol, server_output and max_requests are about a server, and the model is none")
    if native and is_onnx(model):
        if rounds:
            raise UsageError("rounds: only for model files and boosters that the engine reads")
        content = onnx_bytes(model)
        if content is not None:
            return BytesSource(content, type(model).__name__, classes or [])
        model = onnx_function(model)
    if native and isinstance(model, Estimator):
        if rounds:
            raise UsageError("rounds: only for model files and boosters that the engine reads")
        return LearnedSource(model, classes or [])
    if not isinstance(model, type) and is_unfitted(model):
        raise UsageError(f"the {type(model).__name__} is not fitted", "call its fit first")
    booster = library_of_booster(model)
    if native and booster:
        try:
            return BoosterSource(model, LiveBooster(model, classes or [], rounds), classes)
        except (UsageError, InternalError):
            raise
        except READING_FAILURES as error:
            notes = [asked_itself(model, error)]
    else:
        notes = []
    if rounds:
        raise UsageError("rounds: only for model files and boosters that the engine reads", *notes)
    estimator = estimator_name(model)
    asked = read_model(model)
    if classes is not None:
        give_classes(asked, classes)
    if native and estimator:
        return EstimatorSource(model, asked, classes or [])
    if native and is_readable_kind(model):
        return PipelineSource(model, asked, classes or [])
    return PythonSource(asked, [*notes, *isolation_notes(model)], respelled=booster == "lightgbm")


def give_classes(asked: Prediction, classes: list[str]) -> None:
    """The user's names for a model's classes; none: whatever it answers are numbers."""
    if not classes:
        asked.task = asked.task or "regression"
        return
    known = asked.outputs
    expected = None if known is None else 2 if asked.column is not None else len(known)
    if expected is not None and len(classes) != expected:
        raise UsageError(
            f"classes: {len(classes)} names for a model with {expected} outputs",
            "give one for each class, in the model's order",
        )
    # Whoever names classes has a function that returns their probabilities.
    asked.name_classes(classes)


def isolation_notes(model: Any) -> list[str]:
    if estimator_name(model) != ISOLATION:
        return []
    return ["IsolationForest: explained is score_samples; the lower, the more abnormal"]


#: What scikit-learn makes numbers of texts with.
VECTORIZERS = ("CountVectorizer", "HashingVectorizer")


def takes_texts(model: Any) -> bool:
    """Whether a model of scikit-learn begins with a vectorizer."""
    model = getattr(model, "best_estimator_", model)
    while base_of(model, "sklearn", ("Pipeline",)) is not None and getattr(model, "steps", None):
        model = model.steps[0][1]
    return base_of(model, "sklearn", VECTORIZERS) is not None


def read_model(model: Any) -> Prediction:
    """How to ask a fitted estimator, a Booster or a function."""
    if isinstance(model, type):
        raise UsageError(f"the model is the class {model.__name__}", "give a fitted instance of it")
    if library_of(model) == "xgboost" and type(model).__name__ == "Booster":
        return xgboost_booster(model)
    if library_of(model) == "lightgbm" and type(model).__name__ == "Booster":
        return Prediction(model.predict, features=feature_names(model, model.feature_name(), "lightgbm"))
    network = network_call(model)
    if network is not None:
        return Prediction(network)
    features = fitted_features(model)
    if estimator_name(model) == ISOLATION:
        # predict only says on which side of a limit a row is.
        return Prediction(model.score_samples, task="regression", outputs=["score_samples"], features=features)
    classes = class_names(model)
    if callable(getattr(model, "predict_proba", None)):
        asked = Prediction(model.predict_proba, features=features, texts=takes_texts(model))
        if classes is None:
            asked.task = "binary"
        else:
            asked.name_classes(classes)
        return asked
    if callable(getattr(model, "predict", None)):
        if classes is not None and callable(getattr(model, "decision_function", None)):
            raise UsageError(
                f"{type(model).__name__} has no predict_proba",
                "give the function to explain itself, for example model.decision_function",
            )
        return Prediction(model.predict, task=task_of(model), features=features, texts=takes_texts(model))
    if callable(model):
        return read_function(model)
    raise UsageError(
        f"a {type(model).__name__} is not a model",
        "give a fitted estimator, a function that predicts, or the path of a model file",
    )


def read_function(function: Callable[[Any], Any]) -> Prediction:
    """A function says nothing of itself, but a method of a fitted estimator still tells what that knows."""
    method: Any = function
    while isinstance(method, functools.partial):
        method = method.func
    owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
    asked = Prediction(function, features=fitted_features(owner), texts=takes_texts(owner))
    classes = class_names(owner)
    if name == "predict_proba" and classes is not None:
        asked.name_classes(classes)
    elif name == "decision_function" and classes is not None and len(classes) > 2:
        asked.name_classes(classes)  # scores, no probabilities, but of the same classes
    elif name == "predict":
        asked.task = task_of(owner)
    return asked


def class_names(model: Any) -> list[str] | None:
    classes = getattr(model, "classes_", None)
    return None if classes is None else [str(label) for label in classes]


def task_of(model: Any) -> str | None:
    """ "regression" if an estimator of scikit-learn's kind says so of itself."""
    kind = getattr(model, "_estimator_type", None)
    if kind is None and hasattr(model, "__sklearn_tags__"):
        try:
            kind = model.__sklearn_tags__().estimator_type
        except Exception:
            return None  # a tag is not worth failing over
    return "regression" if kind == "regressor" else None


def fitted_features(model: Any) -> list[str] | None:
    # A property that raises something else than AttributeError is not worth failing over either.
    try:
        names = model.feature_names_in_
    except Exception:
        return None
    return [str(name) for name in names]


def xgboost_booster(model: Any) -> Prediction:
    names = model.feature_names
    matrix = sys.modules["xgboost"].DMatrix

    def predict(data: Any) -> Any:
        named = getattr(data, "ndim", None) != 2 or hasattr(data, "columns")
        return model.predict(matrix(data, feature_names=None if named else names, enable_categorical=True))

    return Prediction(predict, features=None if names is None else list(names))
