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
        self._arrays: dict[Any, np.ndarray] = {}

    def take(self, name: Any, dtype: Any, count: int) -> np.ndarray:
        import numpy as np

        array = self._arrays.get(name)
        # Three references are ours: the dictionary, the local variable, the argument of getrefcount.
        if array is None or array.size < count or array.dtype != dtype or sys.getrefcount(array) > 3:
            array = self._arrays[name] = np.empty(count, dtype)
        return array[:count]
