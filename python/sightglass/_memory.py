"""Memory that is handed to models again and again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class Memory:
    """Flat arrays by name, reused from call to call.

    A fresh array costs more than filling it, because the system has to map its pages. But a model may keep what it
    was given: whatever is still referred to from elsewhere is left to whoever holds it.
    """

    def __init__(self) -> None:
        import numpy as np

        self._arrays: dict[Any, np.ndarray] = {}
        # How many references an array has that nobody else holds differs between versions of Python.
        self._unshared = _references({None: np.empty(0)}, None)

    def take(self, name: Any, dtype: Any, count: int) -> np.ndarray:
        import numpy as np

        array = self._arrays.get(name)
        fits = array is not None and array.size >= count and array.dtype == dtype
        del array
        if not fits or _references(self._arrays, name) > self._unshared:
            self._arrays[name] = np.empty(count, dtype)
        return self._arrays[name][:count]


def _references(arrays: dict[Any, np.ndarray], name: Any) -> int:
    return sys.getrefcount(arrays[name])
