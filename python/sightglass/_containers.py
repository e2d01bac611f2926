"""Whatever the user calls data: read into a table for the engine, and given back to the user's model."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from . import _core
from ._columns import Column, TextColumn, numpy_array, numpy_column, numpy_type
from ._errors import DataError, UsageError
from ._memory import Memory


def library_of(value: Any) -> str:
    """The package that an object's type comes from, without importing anything."""
    return (type(value).__module__ or "").split(".")[0]


class Container:
    """Data that the engine can read (``table``) and that can be built again from the engine's rows (``packing``)."""

    #: Columns of the table, in order.
    names: list[str]
    table: Any
    #: What had to be copied, in words.
    notes: list[str]
    #: What the rows are called, where they have other names than their numbers: an index of pandas.
    index: Any = None

    @property
    def levels(self) -> dict[str, list[str] | None]:
        """Of each column; None: it has numbers."""
        return {name: levels for name, _, levels in self.table.columns}

    def knowing(self, levels: dict[str, list[str]]) -> Container:
        """A container that makes columns with these levels, by the order of their codes, of its own kind."""
        return self

    def packing(self, names: list[str], texts: dict[str, Any]) -> Any:
        """Builds containers of this kind with only these columns; ``texts``: columns with made ones (``_core.Texts``)."""
        raise NotImplementedError


class ColumnContainer(Container):
    """A container that comes apart into NumPy arrays."""

    def __init__(self, columns: list[Column]) -> None:
        self.columns = columns
        self.names = [column.name for column in columns]
        self.table = _core.Table.from_columns(columns, [column.note for column in columns if column.note])
        self.notes = copy_notes(columns)

    @property
    def levels(self) -> dict[str, list[str] | None]:
        return {column.name: column.levels for column in self.columns}

    def knowing(self, levels: dict[str, list[str]]) -> Container:
        other = copy.copy(self)
        other.columns = [column.with_levels(levels.get(column.name, column.levels)) for column in self.columns]
        return other

    def chosen(self, names: list[str], texts: dict[str, Any]) -> tuple[list[Column], list[int]]:
        positions = [self.names.index(name) for name in names]
        columns = [self.columns[position] for position in positions]
        return [
            column.with_texts(texts[column.name]) if column.name in texts else column for column in columns
        ], positions


class NumpyContainer(ColumnContainer):
    def __init__(self, matrix: Any, names: list[str] | None) -> None:
        if hasattr(matrix, "mask"):
            raise UsageError("X is a masked array", "fill the gaps first: X.filled(numpy.nan)")
        if matrix.ndim != 2:
            raise DataError(f"X has {matrix.ndim} dimensions, it needs rows and columns", "reshape it to two")
        if names is None:
            names = [f"x{i}" for i in range(matrix.shape[1])]
        if len(names) != matrix.shape[1]:
            raise DataError(f"X has {matrix.shape[1]} columns, the model was fitted on {len(names)}")
        super().__init__([numpy_column(name, matrix[:, i]) for i, name in enumerate(names)])
        self.dtype = matrix.dtype

    def packing(self, names: list[str], texts: dict[str, Any]) -> Any:
        columns, _ = self.chosen(names, texts)
        if self.dtype.kind in "fiub":
            return MatrixPacking(self.dtype, len(columns))
        return ObjectPacking(self.dtype, columns)


class PandasContainer(ColumnContainer):
    def __init__(self, frame: Any) -> None:
        from ._pandas import pandas_column

        super().__init__([pandas_column(str(label), frame.iloc[:, i]) for i, label in enumerate(frame.columns)])
        self._frame = frame.iloc[:0]
        index = frame.index
        # The numbers that rows have anyway are no names.
        counted = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
        self.index = None if counted else index

    def packing(self, names: list[str], texts: dict[str, Any]) -> Any:
        from ._pandas import FramePacking

        return FramePacking(self._frame, *self.chosen(names, texts))


class TextContainer(Container):
    """Texts one after the other, as vectorizers take them: a column to the engine, a sequence again to the model."""

    def __init__(self, table: Container, sequence: Callable[[Any], Any]) -> None:
        self._table = table
        self._sequence = sequence
        self.names, self.table, self.notes = table.names, table.table, table.notes

    @property
    def levels(self) -> dict[str, list[str] | None]:
        return self._table.levels

    def knowing(self, levels: dict[str, list[str]]) -> Container:
        return TextContainer(self._table.knowing(levels), self._sequence)

    def packing(self, names: list[str], texts: dict[str, Any]) -> Any:
        if len(names) != 1:
            raise UsageError("a model of texts takes texts alone", "leave other columns out")
        return TextPacking(self._table.packing(names, texts), self._sequence)


class PictureContainer(Container):
    """Pictures as an array, n × height × width × 3: a column of texts to the engine, an array again to the model."""

    def __init__(self, pictures: Any) -> None:
        import base64

        import numpy as np

        if pictures.ndim != 4 or pictures.shape[3] != 3:
            raise DataError(
                f"X has the shape {pictures.shape}; pictures need four dimensions, the last with red, green and blue",
                "X[None] makes a batch of one picture",
            )
        self._scaled = pictures.dtype.kind == "f"
        self.dtype = pictures.dtype
        if self._scaled:
            if not np.isfinite(pictures).all() or pictures.min() < 0 or pictures.max() > 1:
                raise DataError("X has pictures of fractions that are not between 0 and 1", "scale them, or use uint8")
            pictures = np.rint(pictures * 255)
        elif pictures.size and (pictures.min() < 0 or pictures.max() > 255):
            raise DataError("X has pictures of whole numbers that are not between 0 and 255", "scale them")
        self._shape = pictures.shape[1:]
        bytes_of = np.ascontiguousarray(pictures, np.uint8)
        size = f"rgb:{self._shape[1]}x{self._shape[0]}:"
        texts = [size + base64.b64encode(picture.tobytes()).decode() for picture in bytes_of]
        self._column = TextColumn("image", np.array(texts, object))
        self.names = ["image"]
        self.table = _core.Table.from_columns([self._column], [])
        self.notes = ["copied: pictures"]

    def knowing(self, levels: dict[str, list[str]]) -> Container:
        other = copy.copy(self)
        other._column = copy.copy(self._column)
        other._column.levels = levels.get("image", self._column.levels)
        return other

    def packing(self, names: list[str], texts: dict[str, Any]) -> Any:
        if names != ["image"]:
            raise UsageError("a model of pictures takes pictures alone", "leave the target out")
        made = texts.get("image")
        return PicturePacking((self._column.levels or []) if made is None else made.strings(), self._shape, self.dtype)


class FileContainer(Container):
    """A file that the engine reads itself; for models that it reads itself, too."""

    def __init__(self, path: str, dates: Any) -> None:
        #: How files that belong together write dates.
        self.dates = dates
        self.table = _core.Table.from_file(path, dates)
        self.names = [name for name, _, _ in self.table.columns]
        self.notes = []

    def packing(self, names: list[str], texts: dict[str, Any]) -> Any:
        raise UsageError(
            "X is a file, but the model is a Python object, which needs data that Python has read",
            "read the file with pandas, polars or pyarrow first",
        )


class MatrixPacking:
    """NumPy matrices of the user's type."""

    def __init__(self, dtype: Any, width: int) -> None:
        self._dtype = dtype
        self._width = width
        self._memory = Memory()
        self._matrix: Any = None

    def begin(self, rows: int, types: list[str], marks: list[bool]) -> Any:
        self._matrix = None
        # Integers stay integers only if every column can: one fraction makes the whole matrix floats.
        kind = numpy_type(types[0]) if len(set(types)) == 1 else "float64"
        self._matrix = self._memory.take("matrix", kind, rows * self._width).reshape(rows, self._width)
        return self._matrix

    def build(self) -> Any:
        matrix, self._matrix = self._matrix, None
        # Half floats are computed with as single ones, byte orders as this machine's.
        return matrix if self._dtype.kind != "f" else matrix.astype(self._dtype, copy=False)


class TextPacking:
    """Sequences of texts of the user's kind."""

    def __init__(self, packing: Any, sequence: Callable[[Any], Any]) -> None:
        self.begin = packing.begin
        self._packing = packing
        self._sequence = sequence

    def build(self) -> Any:
        return self._sequence(self._packing.build())


class PicturePacking:
    """Arrays of pictures of the user's type."""

    def __init__(self, texts: list[str], shape: tuple[int, ...], dtype: Any) -> None:
        self._texts = texts
        self._shape = shape
        self._dtype = dtype
        self._codes: Any = None
        self._pictures: Any = None
        self._memory = Memory()

    def begin(self, rows: int, types: list[str], marks: list[bool]) -> list[tuple[Any, Any]]:
        self._pictures = None
        self._codes = self._memory.take("codes", "int32", rows)
        return [(self._codes, None)]

    def begin_pictures(self, rows: int, height: int, width: int) -> Any:
        if (height, width, 3) != tuple(self._shape):
            return None
        native = self._dtype.isnative and self._dtype.name in ("uint8", "float32", "float64")
        flat = self._memory.take("pictures", self._dtype if native else "float64", rows * height * width * 3)
        self._pictures = flat.reshape(rows, height, width, 3)
        return self._pictures

    def build(self) -> Any:
        import binascii

        import numpy as np

        made, self._pictures = self._pictures, None
        if made is not None:
            if self._dtype.kind != "f":
                made = np.rint(made * 255) if made.dtype.kind == "f" else made
            return made.astype(self._dtype, copy=False)
        pictures = np.empty((len(self._codes), *self._shape), np.uint8)
        for picture, code in zip(pictures, self._codes, strict=True):
            content = binascii.a2b_base64(self._texts[code].rsplit(":", 1)[1])
            picture[...] = np.frombuffer(content, np.uint8).reshape(self._shape)
        return (pictures / 255 if self._dtype.kind == "f" else pictures).astype(self._dtype, copy=False)


class ObjectPacking:
    """NumPy matrices of objects or text."""

    def __init__(self, dtype: Any, columns: list[Column]) -> None:
        self._dtype = dtype
        self._columns = columns
        self._memory = Memory()
        self._parts: list[tuple[Any, Any]] = []
        self._types: list[str] = []

    def begin(self, rows: int, types: list[str], marks: list[bool]) -> list[tuple[Any, Any]]:
        self._types = types
        self._parts = [
            column.target(self._memory, rows, kind, mark)
            for column, kind, mark in zip(self._columns, types, marks, strict=True)
        ]
        return self._parts

    def build(self) -> Any:
        import numpy as np

        parts, self._parts = self._parts, []
        matrix = np.empty((len(parts[0][0]), len(parts)), object)
        for i, (column, (values, missing), kind) in enumerate(zip(self._columns, parts, self._types, strict=True)):
            matrix[:, i] = column.restore(values, missing, kind)
        # Texts that were made up may be longer than those that were there.
        return matrix.astype("U" if self._dtype.kind == "U" else self._dtype, copy=False)


def read_texts(data: Any, library: str) -> Container | None:
    """The container of a list, a Series or a one-dimensional array of texts; None if it is none of these."""
    import numpy as np

    if isinstance(data, (list, tuple)) and data and all(isinstance(text, str) for text in data):
        table = NumpyContainer(np.array(data, object)[:, None], ["text"])
        return TextContainer(table, lambda matrix: matrix[:, 0].tolist())
    if library == "numpy" and getattr(data, "ndim", 0) == 1 and data.dtype.kind in "OU" and not hasattr(data, "mask"):
        table = NumpyContainer(data.astype(object)[:, None], ["text"])
        return TextContainer(table, lambda matrix: matrix[:, 0])
    if library == "pandas" and hasattr(data, "iloc") and getattr(data, "ndim", 0) == 1:
        values = data.astype(object) if data.dtype.name == "category" else data
        if sys.modules["pandas"].api.types.infer_dtype(values, skipna=True) != "string":
            return None
        name = "text" if data.name is None else str(data.name)
        return TextContainer(PandasContainer(data.to_frame(name)), lambda frame: frame.iloc[:, 0])
    if library == "polars" and hasattr(data, "to_frame") and str(data.dtype) in ("String", "Utf8"):
        from ._arrow import ArrowContainer

        table = ArrowContainer(data.rename(data.name or "text").to_frame())
        return TextContainer(table, lambda frame: frame.to_series(0))
    return None


def copy_notes(columns: list[Column]) -> list[str]:
    copied = [f"{column.name} ({column.copied})" for column in columns if column.copied]
    return ["copied, because the engine cannot read them in place: " + ", ".join(copied)] if copied else []


def read_container(data: Any, names: list[str] | None, dates: Any = None) -> Container:
    """The container that fits. ``names`` are the model's features, for data that have no names of their own; ``dates``
    how files that were read before write dates."""
    library = library_of(data)
    texts = read_texts(data, library)
    if texts is not None:
        return texts
    if library == "pandas" and hasattr(data, "iloc") and hasattr(data, "columns"):
        return PandasContainer(data)
    if library == "numpy" and getattr(data, "ndim", 0) == 4:
        return PictureContainer(data)
    if library == "numpy" and hasattr(data, "dtype") and hasattr(data, "ndim"):
        return NumpyContainer(data, names)
    if library == "polars" and hasattr(data, "collect"):
        data = data.collect()
    if hasattr(data, "__arrow_c_stream__"):
        from ._arrow import ArrowContainer

        return ArrowContainer(data)
    if isinstance(data, (str, os.PathLike)):
        return FileContainer(os.fspath(data), _core.CsvDates(True) if dates is None else dates)
    if library == "catboost" and hasattr(data, "get_features"):
        return read_pool(data, names)
    kind = f"{type(data).__module__}.{type(data).__qualname__}"
    raise UsageError(
        f"X cannot be a {kind}",
        "give a pandas or polars DataFrame, a pyarrow Table, a DuckDB relation, a two-dimensional NumPy array, "
        "a list of texts, or the path of a file",
    )


def read_pool(pool: Any, names: list[str] | None) -> Container:
    """CatBoost's Pool, as far as it hands back what it was made of."""
    if pool.is_quantized() or pool.get_cat_feature_indices() or pool.get_text_feature_indices():
        raise UsageError(
            "X is a Pool of categories, texts or quantized numbers, which CatBoost does not hand back",
            "give the data frame that it was made of",
        )
    own = pool.get_feature_names()
    if any(own):
        names = own
    return NumpyContainer(pool.get_features(), names)


def read_rows(data: Any, columns: list[str], features: list[str] | None, dates: Any = None) -> Container:
    """New rows: a table as any other, or a single row that is written as a mapping or a Series of its features."""
    library = library_of(data)
    if isinstance(data, Mapping):
        data = {name: value if _is_list(value) else [value] for name, value in data.items()}
        return ColumnContainer([read_column(str(name), values) for name, values in data.items()])
    if library == "pandas" and getattr(data, "ndim", 0) == 1 and hasattr(data, "index"):
        data = data.to_frame().T.infer_objects()
    if library == "numpy" and getattr(data, "ndim", 0) == 1 and data.dtype.kind in "fiub":
        data = data[None]
    unnamed = library == "numpy" and getattr(data, "ndim", 0) == 2
    if unnamed and features is None and data.shape[1] == len(columns):
        features = columns
    return read_container(data, features, dates)


def is_table(data: Any, features: list[str]) -> bool:
    """Whether rows are given themselves, and not by their numbers."""
    if isinstance(data, (Mapping, os.PathLike)):
        return True
    if isinstance(data, str):
        return False
    if library_of(data) == "pandas" and getattr(data, "ndim", 0) == 1 and hasattr(data, "iloc"):
        # A row of a data frame: its values are named by the features.
        return any(name in features for name in data.index)
    if hasattr(data, "ndim"):
        return data.ndim > 1
    return hasattr(data, "columns") or hasattr(data, "column_names") or hasattr(data, "collect")


def _is_list(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def read_column(name: str, values: Any) -> Column:
    """A single column beside the data: the target, or weights."""
    if library_of(values) == "pandas" and hasattr(values, "dtype"):
        from ._pandas import pandas_column

        series = values if hasattr(values, "iloc") else sys.modules["pandas"].Series(values)
        return pandas_column(name, series)
    array = numpy_array(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"{name} has {array.ndim} dimensions, it needs one number per row")
    return numpy_column(name, array)
