"""Columns of random numbers, to see whether a model rests on noise."""

from __future__ import annotations

from typing import Any

from ._errors import UsageError


def add_noise(X: Any, columns: int = 5, *, seed: int = 0, prefix: str = "noise_") -> Any:
    """The same rows with so many columns of standard normal numbers behind their own.

    Add them before training, then ask ``Explainer.lime(noisy=[...])`` how many predictions rest on them. X: pandas,
    polars, pyarrow or NumPy; what comes back is of the same kind, and X stays as it is. Columns are called ``noise_1``,
    ``noise_2``, …; in an array they are the last ones.
    """
    import numpy as np

    if columns < 1:
        raise UsageError("columns: at least 1, please")
    rows = len(X)
    noise = np.random.default_rng(seed).standard_normal((columns, rows))
    names = [f"{prefix}{i + 1}" for i in range(columns)]
    if isinstance(X, np.ndarray):
        if X.ndim != 2:
            raise UsageError("an array of rows and columns, please")
        return np.concatenate([X, noise.T], axis=1)
    known = list(getattr(X, "column_names", None) or getattr(X, "columns", ()))
    taken = [name for name in names if name in known]
    if taken:
        raise UsageError(f"there is a column called {taken[0]} already: choose another prefix")
    if hasattr(X, "append_column"):  # pyarrow
        for name, values in zip(names, noise):
            X = X.append_column(name, [values])
        return X
    if hasattr(X, "with_columns"):  # polars
        series = type(X[:, 0]) if known else None
        if series is None:
            raise UsageError("a frame with at least one column, please")
        return X.with_columns([series(name, values) for name, values in zip(names, noise)])
    if hasattr(X, "assign"):  # pandas
        return X.assign(**dict(zip(names, noise)))
    raise UsageError(f"columns cannot be added to {type(X).__name__}: a pandas, polars, pyarrow or NumPy table, please")
