"""Columns of pandas. Only ever loaded when the user already works with pandas."""

from __future__ import annotations

import copy
import sys
from typing import Any

from ._columns import (
    CodeColumn,
    Column,
    TextColumn,
    distinct_texts,
    distinct_values,
    level_names,
    numbers_of,
    numpy_column,
    numpy_type,
    times_from_seconds,
)
from ._memory import Memory


class CategoryColumn(CodeColumn):
    """A categorical column; the levels are its categories, in their order, used or not."""

    #: Of made-up texts: where each is among the different ones.
    _places: Any = None

    def __init__(self, name: str, series: Any) -> None:
        self.dtype = series.dtype
        codes = series.array.codes
        self._code_type = codes.dtype
        copied = "" if codes.dtype == "int32" else "category codes"
        levels = level_names(name, series.array.categories)
        super().__init__(name, codes, levels, bool(series.dtype.ordered), copied)

    def target(self, memory: Memory, rows: int, kind: str, marks_missing: bool) -> tuple[Any, Any]:
        # pandas wants the smallest type that holds the codes: written so at once, nothing is converted again.
        return memory.take(self.name, self._code_type, rows), None

    def restore(self, values: Any, missing: Any, kind: str) -> Any:
        values = values if self._places is None else self._places[values]
        return sys.modules["pandas"].Categorical.from_codes(values, dtype=self.dtype, validate=False)

    def with_levels(self, levels: list[str] | None) -> Column:
        import numpy as np

        own = self.levels or []
        if levels is None or levels == own:
            return self
        categories = self.dtype.categories
        known = set(own)
        added = [level for level in levels if level not in known]
        # In the type of the others, where these are numbers.
        numeric = categories.dtype.kind in "iuf"
        new = categories.append(sys.modules["pandas"].Index([float(level) for level in added] if numeric else added))
        place = {level: code for code, level in enumerate([*own, *added])}
        other = copy.copy(self)
        other.levels = levels
        # One more for code -1, which indexes the last.
        other._places = np.array([*(place[level] for level in levels), -1], np.int32)
        other.dtype = sys.modules["pandas"].CategoricalDtype(new, self.ordered)
        other._code_type = "int32"
        return other

    def with_texts(self, texts: Any) -> Column:
        other = copy.copy(self)
        levels, other._places = distinct_texts(texts)
        other.dtype = sys.modules["pandas"].CategoricalDtype(levels, self.ordered)
        other._code_type = "int32"
        return other


class MaskedColumn(Column):
    """pandas' nullable numbers: Int64, Float64, boolean, ..."""

    def __init__(self, name: str, series: Any) -> None:
        self.name = name
        array = series.array
        self._array_type = type(array)
        self.values, self.missing = array._data, array._mask
        self.dtype = self.values.dtype
        # Without gaps there is nothing to mark, and integers can stay integers.
        if not self.missing.any():
            self.missing = None

    def restore(self, values: Any, missing: Any, kind: str) -> Any:
        import numpy as np

        pandas = sys.modules["pandas"]
        if missing is None:
            missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
        array_type = self._array_type if values.dtype == self.dtype else pandas.arrays.FloatingArray
        return array_type(values, missing, copy=False)


def pandas_texts(texts: Any, dtype: Any) -> Any:
    """Made-up texts in one of pandas' text types; where that is Arrow's, the memory itself."""
    if getattr(dtype, "storage", None) == "pyarrow":
        import pyarrow

        offsets, content = map(pyarrow.py_buffer, texts.buffers())
        values = pyarrow.LargeStringArray.from_buffers(len(texts), offsets, content)
        return dtype.construct_array_type()._from_sequence(values, dtype=dtype)
    return sys.modules["pandas"].array(texts.strings(), dtype=dtype)


class PandasText(TextColumn):
    """Text in a column of objects or of pandas' own text type."""

    #: Whether each row has a text of its own, in order.
    _made = False

    def __init__(self, name: str, series: Any) -> None:
        import numpy as np

        pandas = sys.modules["pandas"]
        super().__init__(name, np.asarray(series, dtype=object))
        # For pandas' text type, the levels as such an array; rows are then taken from it.
        own_type = not isinstance(series.dtype, np.dtype)
        self._levels = pandas.array(self._objects[:-1], dtype=series.dtype) if own_type else None

    @staticmethod
    def distinct(name: str, values: Any) -> tuple[Any, list[Any], Any]:
        try:
            codes, objects = sys.modules["pandas"].factorize(values)
        except TypeError:
            return distinct_values(name, values)  # which says in what row something is no value
        gap = codes.argmin() if len(codes) else 0
        return codes, list(objects), values[gap] if len(codes) and codes[gap] < 0 else None

    def restore(self, values: Any, missing: Any, kind: str) -> Any:
        if self._levels is None:
            # As a Series: a bare array of objects that happen to be text would become pandas' text type.
            return sys.modules["pandas"].Series(super().restore(values, missing, kind), dtype=object, copy=False)
        return self._levels if self._made else self._levels.take(values, allow_fill=True)

    def with_levels(self, levels: list[str] | None) -> Column:
        other = super().with_levels(levels)
        if other is not self and self._levels is not None:
            other._levels = sys.modules["pandas"].array(other._objects[:-1], dtype=self._levels.dtype)
        return other

    def with_texts(self, texts: Any) -> Column:
        if self._levels is None:
            return super().with_texts(texts)
        other = copy.copy(self)
        other._made = True
        other._levels = pandas_texts(texts, self._levels.dtype)
        return other


class PandasTime(Column):
    """Times with a zone."""

    copied = "time"
    dates = zoned = True

    def __init__(self, name: str, series: Any) -> None:
        utc = numpy_column(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
        self.name, self.values, self.note = name, utc.values, utc.note
        self._naive, self._zone, self.dtype = utc.dtype, series.dt.tz, series.dtype

    def restore(self, values: Any, missing: Any, kind: str) -> Any:
        times = sys.modules["pandas"].Series(times_from_seconds(values, self._naive))
        return times.dt.tz_localize("UTC").dt.tz_convert(self._zone)


class ConvertedColumn(Column):
    """Numbers of an extension type (Arrow, sparse): read as float64, given back in their type."""

    def __init__(self, name: str, series: Any, values: Any) -> None:
        self.name, self.values, self.dtype = name, values, series.dtype
        self.copied = str(series.dtype)

    def restore(self, values: Any, missing: Any, kind: str) -> Any:
        import numpy as np

        pandas = sys.modules["pandas"]
        numbers = pandas.Series(values)
        if values.dtype.kind == "f":
            numbers = numbers.astype("Float64").mask(np.isnan(values)) if np.isnan(values).any() else numbers
        try:
            return numbers.astype(self.dtype)
        except (TypeError, ValueError, ArithmeticError):
            return numbers  # a fraction in a column of integers


def pandas_column(name: str, series: Any) -> Column:
    import numpy as np

    pandas = sys.modules["pandas"]
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        values = series.to_numpy()
        if dtype.kind != "O":
            return numpy_column(name, values)
        return PandasText(name, series) if numbers_of(values) is None else numpy_column(name, values)
    if isinstance(dtype, pandas.CategoricalDtype):
        return CategoryColumn(name, series)
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return PandasTime(name, series)
    if hasattr(series.array, "_mask") and hasattr(series.array, "_data"):
        return MaskedColumn(name, series)
    if pandas.api.types.is_numeric_dtype(dtype) and not pandas.api.types.is_bool_dtype(dtype):
        return ConvertedColumn(name, series, series.to_numpy(dtype=np.float64, na_value=np.nan))
    return PandasText(name, series)


class FramePacking:
    """Builds DataFrames with the user's column names and types."""

    def __init__(self, frame: Any, columns: list[Column], positions: list[int]) -> None:
        # Picking labels takes as long as predicting a few rows; most models take all columns.
        every = positions == list(range(len(frame.columns)))
        self._labels = frame.columns if every else frame.columns[positions]
        self._columns = columns
        self._memory = Memory()
        self._parts: Any = None
        self._types: list[str] = []

    def begin(self, rows: int, types: list[str], marks: list[bool]) -> list[tuple[Any, Any]]:
        self._types = types
        self._parts = None
        if all(type(column) is Column for column in self._columns) and len(set(types)) == 1:
            # One block with a row per column, as pandas has it: nothing is copied to build the frame.
            width = len(types)
            block = self._memory.take("block", numpy_type(types[0]), rows * width).reshape(width, rows)
            self._parts = block
            return [(line, None) for line in block]
        self._parts = [
            column.target(self._memory, rows, kind, mark)
            for column, kind, mark in zip(self._columns, types, marks, strict=True)
        ]
        return self._parts

    def build(self) -> Any:
        pandas = sys.modules["pandas"]
        parts, self._parts = self._parts, None
        if not isinstance(parts, list):
            return pandas.DataFrame(parts.T, columns=self._labels, copy=False)
        restored = {
            position: column.restore(values, missing, kind)
            for position, (column, (values, missing), kind) in enumerate(
                zip(self._columns, parts, self._types, strict=True)
            )
        }
        frame = pandas.DataFrame(restored, copy=False)
        frame.columns = self._labels
        return frame
