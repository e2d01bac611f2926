"""Tables as data frames."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Any

from ._errors import UsageError


def frame(columns: dict[str, list[Any]], library: str | None) -> Any:
    if library is None:
        library = next((name for name in ("pandas", "polars") if name in sys.modules), None)
    if library is None:
        from importlib.util import find_spec

        library = next((name for name in ("pandas", "polars") if find_spec(name)), "dict")
    if library == "dict":
        return columns
    if library == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if library == "polars":
        import polars

        # Levels, dates and numbers of different features do not fit into one typed column, except as text.
        for name, values in columns.items():
            if name not in ("value", "value_2") and not name.startswith("details."):
                continue
            if (
                len(
                    {
                        str if isinstance(value, str) else isinstance(value, datetime)
                        for value in values
                        if value is not None
                    }
                )
                > 1
            ):
                columns = {**columns, name: [None if value is None else str(value) for value in values]}
        return polars.DataFrame(columns, strict=False)
    raise UsageError(f"to_frame knows no library {library!r}", "it is one of pandas, polars, dict")
