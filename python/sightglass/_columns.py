"""Columns of a user's container: how the engine reads them, and how a model gets them back.

Each class here stands for one kind of column. ``values`` (with ``missing``, ``levels`` and ``ordered``) is what the
engine reads, the container's own memory wherever that is possible. ``target`` and ``restore`` are the way back: memory
that the engine fills with rows, and the user's kind of column made from it.
"""

from __future__ import annotations

import copy
from typing import Any

from ._errors import DataError
from ._memory import Memory

#: Seconds per unit of NumPy's times, as a power of ten below a second.
MICROSECONDS = 1_000_000


class ValueTypeError(DataError, TypeError):
    """An object among the values of a column that is no value."""


class Column:
    """Numbers in a NumPy array."""

    missing: Any = None
    levels: list[str] | None = None
    ordered = False
    #: Whether the numbers are seconds since 1970-01-01, and of a time zone.
    dates = False
    zoned = False
    #: Why the values are not the container's own memory; empty if they are.
    copied = ""
    #: What the engine should say about the meaning of the values.
    note = ""

    def __init__(self, name: str, values: Any) -> None:
        self.name = name
        self.dtype = values.dtype
        self.values = readable(values)
        if self.values is not values:
            self.copied = "byte order or direction" if values.dtype == self.values.dtype else str(values.dtype)

    def target(self, memory: Memory, rows: int, kind: str, marks_missing: bool) -> tuple[Any, Any]:
        """Arrays for the values and, if asked for, a byte per row that says whether it is missing."""
        missing = memory.take((self.name, "missing"), "bool", rows) if marks_missing else None
        return memory.take(self.name, numpy_type(kind), rows), missing

    def restore(self, values: Any, missing: Any, kind: str) -> Any:
        """The user's kind of column, made from what the engine wrote."""
        return values

    def with_levels(self, levels: list[str] | None) -> Column:
        """The same column for rows whose codes are places in these levels, of which it may know only some."""
        return self

    def with_texts(self, texts: Any) -> Column:
        """The same column for rows of made-up texts (``_core.Texts``), each code a place in these."""
        return self


class CodeColumn(Column):
    """Levels as int32 codes; -1 is missing."""

    def __init__(self, name: str, codes: Any, levels: list[str], ordered: bool = False, copied: str = "") -> None:
        self.name = name
        self.values = codes
        self.levels = levels
        self.ordered = ordered
        self.copied = copied


class TextColumn(CodeColumn):
    """Text, or any objects, in a NumPy array; the levels are the distinct values, sorted by what they are called."""

    def __init__(self, name: str, values: Any) -> None:
        import numpy as np

        codes, objects, nothing = self.distinct(name, values)
        names = level_names(name, objects)
        order = sorted(range(len(names)), key=names.__getitem__)
        rank = np.empty(len(order) + 1, np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        rank[-1] = -1
        super().__init__(name, rank[codes], [names[i] for i in order], copied="text")
        # One more for code -1, which indexes the last.
        self._objects = np.empty(len(order) + 1, object)
        self._objects[:-1] = [objects[i] for i in order]
        self._objects[-1] = nothing

    @staticmethod
    def distinct(name: str, values: Any) -> tuple[Any, list[Any], Any]:
        """For each row the position of its value among the distinct ones, these, and what stands for a missing one."""
        return distinct_values(name, values)

    def restore(self, values: Any, missing: Any, kind: str) -> Any:
        return self._objects[values]

    def with_levels(self, levels: list[str] | None) -> Column:
        import numpy as np

        if levels is None or levels == self.levels:
            return self
        known = dict(zip(self.levels or (), self._objects, strict=False))
        kinds = {type(value) for value in known.values()}
        kind = next(iter(kinds)) if len(kinds) == 1 and kinds <= {int, float} else str
        other = copy.copy(self)
        other.levels = levels
        other._objects = np.empty(len(levels) + 1, object)
        other._objects[:-1] = [known[level] if level in known else kind(level) for level in levels]
        other._objects[-1] = self._objects[-1]
        return other

    def with_texts(self, texts: Any) -> Column:
        import numpy as np

        other = copy.copy(self)
        other._objects = np.empty(len(texts) + 1, object)
        other._objects[:-1] = texts.strings()
        other._objects[-1] = self._objects[-1]
        return other


class TimeColumn(Column):
    """Dates and times: seconds since 1970, as the engine reads them from files."""

    copied = "time"

    def __init__(self, name: str, values: Any) -> None:
        import numpy as np

        self.name = name
        self.dtype = values.dtype
        self.dates = values.dtype.kind == "M"
        # Which number a date is, the model decides.
        self.note = f"{name}: {'dates became numbers' if self.dates else 'times became seconds'}"
        gaps = np.isnat(values)
        self.values = seconds_of(name, values)
        self.values[gaps] = np.nan

    def restore(self, values: Any, missing: Any, kind: str) -> Any:
        return times_from_seconds(values, self.dtype)


#: Seconds of NumPy's units that are a second or more, and all take the same time.
UNITS = {"W": 604800, "D": 86400, "h": 3600, "m": 60, "s": 1}
#: Of finer units, how many are a microsecond.
PARTS = {"ns": 10**3, "ps": 10**6, "fs": 10**9, "as": 10**12}
#: Beyond, seconds are not told to the microsecond: years 283000 and more.
TOLD_TO_MICROSECONDS = 9e12


def seconds_of(name: str, values: Any) -> Any:
    """Through microseconds, what a double can hold of today's times and enough to come back exactly, but for units that
    reach farther than microseconds do."""
    import numpy as np

    kind = values.dtype.kind
    unit, step = np.datetime_data(values.dtype)
    if unit in ("Y", "M"):
        days = values.astype(f"{kind}8[D]")
        if (days.astype(values.dtype) != values)[~np.isnat(values)].any():
            raise DataError(f"column {name} has dates that no calendar has", "leave out their rows, or the column")
        values, unit, step = days, "D", 1
    counts = values.view("i8")
    if unit in UNITS:
        return counts * float(UNITS[unit] * step)
    if unit == "ms":
        return counts * step / 1000
    # Not by NumPy's conversion, which turns the first of its times into the last.
    return counts * step // PARTS.get(unit, 1) / MICROSECONDS


def times_from_seconds(seconds: Any, dtype: Any) -> Any:
    import numpy as np

    gaps = np.isnan(seconds)
    unit, step = np.datetime_data(dtype)
    told = np.where(gaps, 0, seconds)
    if unit in UNITS and (np.abs(told) > TOLD_TO_MICROSECONDS).any():
        times = _clipped(np.floor(told / (UNITS[unit] * step)), 1).view(dtype)
    else:
        # What the unit itself cannot hold is the last that it can.
        times = _clipped(np.rint(told * MICROSECONDS), PARTS.get(unit, 1) * step).view(f"{dtype.kind}8[us]")
        times = times.astype(dtype)
    times[gaps] = "NaT"
    return times


def _clipped(whole: Any, parts: int) -> Any:
    import numpy as np

    most = (2**63 - 1) // parts - 1
    return np.where(np.abs(whole) < most, whole, 0).astype("i8") + np.where(
        np.abs(whole) < most, 0, np.sign(whole).astype("i8") * most
    )


def numpy_type(kind: str) -> str:
    """NumPy's name of one of the engine's types."""
    return {"boolean": "bool", "categorical": "int32"}.get(kind, kind)


def readable(values: Any) -> Any:
    """The array itself if the engine can read it where it is, else a copy that it can."""
    import numpy as np

    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        return values.astype(np.float32 if values.dtype.itemsize == 2 else np.float64)
    if not values.dtype.isnative:
        return values.astype(values.dtype.newbyteorder("="))
    if values.strides[0] < 0:
        return values.copy()
    return values


def distinct_values(name: str, values: Any) -> tuple[Any, list[Any], Any]:
    import numpy as np

    positions: dict[Any, int] = {}
    codes = np.empty(len(values), np.intp)
    nothing = None
    for row, value in enumerate(values.tolist()):
        try:
            if is_missing(value):
                codes[row] = -1
                nothing = value
            else:
                codes[row] = positions.setdefault(value, len(positions))
        except (TypeError, ValueError):
            raise ValueTypeError(
                f"column {name}: row {row} holds a {type(value).__name__}, not a value",
                "each value of the argument must be a string or a number",
            ) from None
    return codes, list(positions), nothing


def distinct_texts(texts: Any) -> tuple[list[str], Any]:
    """The different ones of made-up texts, and where each is among them (None: where it is)."""
    import numpy as np

    strings = texts.strings()
    places = {text: place for place, text in enumerate(dict.fromkeys(strings))}
    if len(places) == len(strings):
        return strings, None
    return list(places), np.array([places[text] for text in strings], np.int32)


def is_missing(value: Any) -> bool:
    # NaN and pandas' NaT differ from themselves; pandas' NA compares to NA, which is neither true nor false.
    return value is None or type(value).__name__ == "NAType" or value != value


def level_names(name: str, objects: Any) -> list[str]:
    names = [str(item) for item in objects]
    if len(set(names)) < len(names):
        twice = next(item for item in names if names.count(item) > 1)
        raise DataError(f"column {name}: different values are called {twice!r}", "make them of one type")
    return names


def numpy_array(values: Any) -> Any:
    """Any column as a NumPy array."""
    import numpy as np

    # A single array of pyarrow copies only what it must if asked this way.
    is_arrow = type(values).__module__.startswith("pyarrow")
    return values.to_numpy() if hasattr(values, "to_numpy") and not is_arrow else np.asarray(values)


def numpy_column(name: str, values: Any) -> Column:
    """A column over a one-dimensional NumPy array of any type."""
    kind = values.dtype.kind
    if kind in "fiub" and values.dtype.itemsize <= 16:
        return Column(name, values)
    if kind in "mM":
        return TimeColumn(name, values)
    if kind in "OUST":
        numbers = numbers_of(values) if kind == "O" else None
        return TextColumn(name, values) if numbers is None else ObjectNumbers(name, numbers)
    raise DataError(f"column {name}: cannot read values of type {values.dtype}")


class ObjectNumbers(Column):
    """Numbers that came as Python objects, and go back as such."""

    def __init__(self, name: str, numbers: Any) -> None:
        self.name = name
        self.values = numbers
        self.copied = "objects"

    def restore(self, values: Any, missing: Any, kind: str) -> Any:
        return values.astype(object)


def numbers_of(values: Any) -> Any:
    """The objects as float64, or None if they are not all numbers or missing."""
    import numbers

    import numpy as np

    items = values.tolist()
    found = False
    for item in items:
        if isinstance(item, (bool, str)):
            return None
        if isinstance(item, numbers.Real):
            found = True
        elif not is_missing(item):
            return None
    if not found:
        return None
    return np.array([np.nan if is_missing(item) else float(item) for item in items])
