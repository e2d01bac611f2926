"""Neural networks as they are: modules of PyTorch and models of Keras are given float matrices of NumPy, and answer as such."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ._live import base_of


def network_call(model: Any) -> Callable[[Any], Any] | None:
    """How to ask a network for predictions; None if it is none."""
    if base_of(model, "torch", ("Module",)) is not None and not callable(getattr(model, "predict", None)):
        return _torch_call(model)
    for library in ("keras", "tf_keras", "tensorflow"):
        if base_of(model, library, ("Model",)) is not None:
            return lambda data: model.predict(_matrix(data, "float32"), verbose=0)
    return None


def _torch_call(module: Any) -> Callable[[Any], Any]:
    torch = sys.modules["torch"]

    def predict(data: Any) -> Any:
        weights = next(iter(module.parameters()), None)
        given = torch.as_tensor(_matrix(data, "float32"))
        if weights is not None:
            given = given.to(device=weights.device, dtype=weights.dtype)
        # Dropout and the like are not what is explained. Parts of a module may be frozen on their own.
        training = [part for part in module.modules() if part.training]
        module.eval()
        try:
            with torch.inference_mode():
                return module(given)
        finally:
            for part in training:
                part.training = True

    return predict


def _matrix(data: Any, kind: str) -> Any:
    import numpy as np

    values = data.to_numpy() if hasattr(data, "to_numpy") else np.asarray(data)
    # A copy: the memory of rows is used again for the next ones.
    return np.array(values, dtype=kind, order="C")
