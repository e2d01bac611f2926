"""Data that come as an Arrow stream: polars, pyarrow, DuckDB, and whoever else speaks it."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

from . import _core
from ._columns import MICROSECONDS, distinct_texts, numpy_type
from ._containers import Container, library_of
from ._memory import Memory

#: Makes the user's kind of column: name, values, marks of missing ones or None, levels or None.
Restore = Callable[[str, Any, Any, "list[str] | None"], Any]


class ArrowContainer(Container):
    def __init__(self, data: Any) -> None:
        self.table = _core.Table.from_arrow(data)
        self.names = [name for name, _, _ in self.table.columns]
        self.notes = []
        self._levels = {name: levels for name, _, levels in self.table.columns}
        library = library_of(data)
        if library not in ("polars", "pyarrow"):
            # No model takes a relation or a stream itself: it gets what the user works with besides.
            library = next((name for name in ("pandas", "polars", "pyarrow") if name in sys.modules), "numpy")
            self._kind: Any = KINDS[library]()
        else:
            self._kind = KINDS[library](data)

    @property
    def levels(self) -> dict[str, list[str] | None]:
        return self._levels

    def knowing(self, levels: dict[str, list[str]]) -> Container:
        other = copy.copy(self)
        other._levels = {**self._levels, **levels}
        return other

    def packing(self, names: list[str], texts: dict[str, Any]) -> Any:
        made = {name: distinct_texts(those) for name, those in texts.items()}
        levels = [made[name][0] if name in made else self._levels[name] for name in names]
        return ArrowPacking(self._kind, names, levels, {name: places for name, (_, places) in made.items()})


class ArrowPacking:
    """Columns in NumPy arrays first, then as the user's library has them."""

    def __init__(self, kind: Any, names: list[str], levels: list[list[str] | None], places: dict[str, Any]) -> None:
        self._kind = kind
        #: Of made-up texts: where each is among the different ones; None: where it is.
        self._places = places
        self._names = names
        self._levels = levels
        self._memory = Memory()
        self._parts: list[tuple[Any, Any]] = []

    def begin(self, rows: int, types: list[str], marks: list[bool]) -> list[tuple[Any, Any]]:
        take = self._memory.take
        self._parts = [
            (take(name, numpy_type(kind), rows), take((name, "missing"), "bool", rows) if mark else None)
            for name, kind, mark in zip(self._names, types, marks, strict=True)
        ]
        return self._parts

    def build(self) -> Any:
        parts, self._parts = self._parts, []
        columns = {
            name: self._kind.column(name, self._coded(name, values), missing, levels)
            for name, (values, missing), levels in zip(self._names, parts, self._levels, strict=True)
        }
        return self._kind.frame(columns)

    def _coded(self, name: str, values: Any) -> Any:
        places = self._places.get(name)
        return values if places is None else places[values]


class PolarsKind:
    def __init__(self, frame: Any = None) -> None:
        self._schema = {} if frame is None else dict(frame.schema)
        self._nulls = set() if frame is None else {name for name in frame.columns if frame[name].null_count() > 0}
        self._level_series: dict[str, tuple[Any, Any]] = {}

    def column(self, name: str, values: Any, missing: Any, levels: list[str] | None) -> Any:
        import numpy as np

        polars = sys.modules["polars"]
        dtype = self._schema.get(name)
        if levels is not None:
            known, series = self._level_series.get(name, (None, None))
            if known is not levels:
                # One more for code -1; in the user's own type, so that rows only have to be picked.
                series = polars.Series(name, [*levels, None], dtype=polars.String)
                series = series if dtype is None else series.cast(dtype)
                self._level_series[name] = (levels, series)
            return series.gather(np.where(values < 0, len(levels), values))
        series = polars.Series(name, values)
        if missing is not None:
            series = polars.select(polars.when(~polars.Series(missing)).then(series).alias(name)).to_series()
        elif name in self._nulls and values.dtype.kind == "f":
            series = series.fill_nan(None)
        if dtype is None or series.dtype == dtype:
            return series
        if dtype.is_temporal():
            return self._time(series, dtype)
        # A fraction in a column of integers stays a fraction.
        return series if dtype.is_integer() or dtype == polars.Boolean else series.cast(dtype)

    def _time(self, series: Any, dtype: Any) -> Any:
        polars = sys.modules["polars"]
        series = series.cast(polars.Float64).fill_nan(None)
        if dtype == polars.Date:
            return series.round().cast(polars.Int32).cast(dtype)
        micros = (series * MICROSECONDS).round().cast(polars.Int64)
        if dtype == polars.Time:
            return (micros * 1000).cast(dtype)
        if dtype == polars.Duration:
            return micros.cast(polars.Duration("us")).cast(dtype)
        times = micros.cast(polars.Datetime("us"))
        if dtype.time_zone:
            times = times.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
        return times.cast(dtype)

    def frame(self, columns: dict[str, Any]) -> Any:
        return sys.modules["polars"].DataFrame(list(columns.values()))


class PyarrowKind:
    def __init__(self, table: Any = None) -> None:
        self._types = {} if table is None else {field.name: field.type for field in table.schema}
        self._nulls = set() if table is None else {name for name in self._types if _null_count(table, name) > 0}

    def column(self, name: str, values: Any, missing: Any, levels: list[str] | None) -> Any:
        import numpy as np

        pyarrow = sys.modules["pyarrow"]
        wanted = self._types.get(name)
        if levels is not None:
            indices = pyarrow.array(values, mask=values < 0)
            array = pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array(levels, pyarrow.string()))
            return array if wanted is None else _cast_levels(array, wanted)
        if missing is None and name in self._nulls and values.dtype.kind == "f":
            missing = np.isnan(values)
        if wanted is not None and pyarrow.types.is_temporal(wanted):
            return _arrow_time(values, missing, wanted)
        array = pyarrow.array(values, mask=missing)
        # A fraction in a column of integers stays a fraction.
        keeps = wanted is None or array.type == wanted or pyarrow.types.is_floating(array.type)
        if keeps and not (
            wanted is not None and (pyarrow.types.is_floating(wanted) or pyarrow.types.is_decimal(wanted))
        ):
            return array
        return array.cast(wanted)

    def frame(self, columns: dict[str, Any]) -> Any:
        return sys.modules["pyarrow"].table(columns)


class PandasKind:
    def column(self, name: str, values: Any, missing: Any, levels: list[str] | None) -> Any:
        pandas = sys.modules["pandas"]
        if levels is not None:
            return pandas.Categorical.from_codes(values, categories=levels)
        if missing is None:
            return values
        kind = pandas.arrays.BooleanArray if values.dtype == bool else pandas.arrays.IntegerArray
        return kind(values, missing, copy=False)

    def frame(self, columns: dict[str, Any]) -> Any:
        return sys.modules["pandas"].DataFrame(columns, copy=False)


class NumpyKind:
    def column(self, name: str, values: Any, missing: Any, levels: list[str] | None) -> Any:
        import numpy as np

        if levels is not None:
            return np.array([*levels, None], object)[values]
        return values if missing is None else np.where(missing, np.nan, values)

    def frame(self, columns: dict[str, Any]) -> Any:
        import numpy as np

        return np.column_stack(list(columns.values()))


KINDS: dict[str, Any] = {"polars": PolarsKind, "pyarrow": PyarrowKind, "pandas": PandasKind, "numpy": NumpyKind}


def _null_count(table: Any, name: str) -> int:
    column = table.column(name) if hasattr(table, "column") else None
    return 0 if column is None else column.null_count


def _cast_levels(array: Any, wanted: Any) -> Any:
    pyarrow = sys.modules["pyarrow"]
    if pyarrow.types.is_dictionary(wanted):
        indices = array.indices.cast(wanted.index_type)
        levels = array.dictionary.cast(wanted.value_type)
        return pyarrow.DictionaryArray.from_arrays(indices, levels, ordered=wanted.ordered)
    return array.cast(pyarrow.string()).cast(wanted)


def _arrow_time(values: Any, missing: Any, wanted: Any) -> Any:
    import numpy as np

    pyarrow = sys.modules["pyarrow"]
    numbers = values.astype(np.float64)
    gaps = np.isnan(numbers) if missing is None else missing
    numbers = np.where(gaps, 0, numbers)
    if pyarrow.types.is_date(wanted):
        return pyarrow.array(np.rint(numbers).astype(np.int32), mask=gaps).cast(pyarrow.date32()).cast(wanted)
    micros = pyarrow.array(np.rint(numbers * MICROSECONDS).astype(np.int64), mask=gaps)
    if pyarrow.types.is_time(wanted):
        return micros.cast(pyarrow.time64("us")).cast(wanted)
    if pyarrow.types.is_duration(wanted):
        return micros.cast(pyarrow.duration("us")).cast(wanted)
    return micros.cast(pyarrow.timestamp("us", wanted.tz)).cast(wanted)
