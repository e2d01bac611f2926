"""Sightglass explains trained models, and says by itself when an explanation should not be trusted.

>>> import numpy as np
>>> import sightglass as sg
>>> X = np.random.default_rng(0).normal(size=(200, 2))
>>> ex = sg.Explainer(lambda X: 3 * X[:, 0], X)
>>> result = ex.partial_dependence("x0", grid=5)
>>> result.results[0]["verdict"]
'linear'
"""

from __future__ import annotations

from . import shapes
from ._core import __version__
from ._errors import DataError, Error, InternalError, ModelError, OutputError, PredictionError, UsageError
from ._explainer import Explainer
from ._fit import fit, load_model
from ._learners import *  # noqa: F403
from ._learners import __all__ as _estimators
from ._noise import add_noise
from ._report import Report, load
from ._result import Caveat, Chart, Result

__all__ = [
    *_estimators,
    "Caveat",
    "Chart",
    "DataError",
    "Error",
    "Explainer",
    "InternalError",
    "ModelError",
    "OutputError",
    "PredictionError",
    "Report",
    "Result",
    "UsageError",
    "__version__",
    "add_noise",
    "fit",
    "load",
    "load_model",
    "shapes",
]
