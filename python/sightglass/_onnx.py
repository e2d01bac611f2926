"""Live ONNX: a ModelProto, or a session of onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ._errors import UsageError


def is_onnx(model: Any) -> bool:
    kind = type(model)
    library = kind.__module__.partition(".")[0]
    return (library.startswith("onnx") and kind.__name__ == "ModelProto") or (
        library == "onnxruntime" and kind.__name__ == "InferenceSession"
    )


def onnx_bytes(model: Any) -> bytes | None:
    """The saved form; None for a session that does not have it any more."""
    if type(model).__name__ == "ModelProto":
        return model.SerializeToString()
    content = getattr(model, "_model_bytes", None)
    if isinstance(content, bytes) and content:
        return content
    path = getattr(model, "_model_path", None)
    if not isinstance(path, (str, os.PathLike)) or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def onnx_function(session: Any) -> Callable[[Any], Any]:
    """How a session is asked whose model is not at hand: one matrix in, its last output with numbers out."""
    inputs = session.get_inputs()
    types = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(int64)": "int64"}
    if len(inputs) != 1 or inputs[0].type not in types:
        raise UsageError(
            "the session does not have its model any more, and takes more than one matrix of numbers",
            "give the file or the bytes that it was made of",
        )
    numbers = [output for output in session.get_outputs() if output.type in ("tensor(float)", "tensor(double)")]
    if not numbers:
        raise UsageError(
            "the session has no output of float or double", "export the model with zipmap=False, or give its file"
        )

    def onnx_session(data: Any) -> Any:
        import numpy as np

        matrix = np.asarray(data, dtype=types[inputs[0].type])
        return session.run([numbers[0].name], {inputs[0].name: matrix})[0]

    return onnx_session
