"""Learners by the names of the command line, and models from files."""

from __future__ import annotations

import json
import os
from typing import Any

from ._errors import ModelError, UsageError
from ._estimator import Classifier, Regressor, TrainingRows, from_file, object_array
from ._learners import ALIASES, ESTIMATORS


def fit(
    kind: str, X: Any, y: Any, *, task: str = "auto", sample_weight: Any = None, **options: Any
) -> Regressor | Classifier:
    """Fits a model that explains itself: the same as ``sightglass fit KIND``.

    Parameters
    ----------
    kind : str
        Which learner: "tree", "sparse-linear" and so on, as ``sightglass methods`` lists them.
    X : DataFrame, Table, relation, array, str or path
        What to learn from, in any container, or the path of a file.
    y : array, Series or str
        The outcome of each row, or the name of its column in `X`.
    task : {"auto", "regression", "classification"}
        What the outcome is; auto: classes where it is text, categories or true and false, else a number.
    sample_weight : array, Series or str, optional
        Weight of each row, or the name of its column in `X`.
    **options
        Parameters of the learner's estimator.

    Returns
    -------
    estimator
        Fitted; of the class that docs/fit.md lists for the kind.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> sg.fit("tree", X, 10 * (X[:, 0] > 0.5)).predict(X[:3]).shape
    (3,)
    """
    kind = ALIASES.get(kind, kind)
    if task not in ("auto", "regression", "classification"):
        raise UsageError(f"task cannot be {task!r}", "it is one of auto, regression, classification")
    if not any(kind == known for known, _ in ESTIMATORS):
        kinds = dict.fromkeys(known for known, _ in ESTIMATORS)
        raise UsageError(f"there is no learner {kind!r}", f"there are {', '.join(kinds)}")
    if y is None:
        raise UsageError("y is missing: the outcome to learn")
    classes = task == "classification" or (task == "auto" and TrainingRows(X, y, sample_weight).has_classes)
    estimator = ESTIMATORS.get((kind, "classifier" if classes else "regressor"))
    if estimator is None:
        raise UsageError(f"{kind} learns classes, and y has numbers", "say task='classification' if these are classes")
    return new_estimator(estimator, options).fit(X, y, sample_weight)


def new_estimator(estimator: type[Regressor | Classifier], options: dict[str, Any]) -> Regressor | Classifier:
    known = estimator._parameters()
    for name in options:
        if name not in known:
            raise UsageError(f"{estimator.__name__} has no parameter {name!r}", f"it has {', '.join(known)}")
    return estimator(**options)


def load_model(path: str | os.PathLike[str]) -> Regressor | Classifier:
    """Reads a model that `sightglass fit` or an estimator's `save` wrote.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    estimator
        Fitted, with the parameters that it was fitted with. Classes are text: files know no other labels.
    """
    name = os.fspath(path)
    where = os.path.basename(name)
    try:
        with open(name, "rb") as file:
            content = file.read()
    except OSError as error:
        raise ModelError(f"cannot read {where}: {error.strerror}", "give the file of a fitted model") from None
    fitted = from_file(content, where)
    model = fitted.model
    task = "regressor" if model.task == "regression" else "classifier"
    estimator = ESTIMATORS.get((model.objective, task))
    if estimator is None:
        raise ModelError(f"{where} is a {model.objective} of a newer version", "Explainer takes it all the same")
    known = estimator._parameters()
    loaded = estimator(**{key: value for key, value in fitted.result.options.items() if key in known})
    loaded._fitted = fitted
    loaded._columns = model.features
    loaded.n_features_in_ = len(model.features)
    loaded.feature_names_in_ = object_array(model.features)
    if isinstance(loaded, Classifier):
        loaded.classes_ = object_array(json.loads(content)["fitted"]["classes"])
    return loaded
