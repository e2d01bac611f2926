"""How the answers of a framework are kept beside its model, for all frameworks alike.

NAME.expected.json says what the rows are: each column has a pool of values, and row i of column j holds
pool[splitmix64(i * columns + j) % len(pool)], so that ten thousand rows cost no more than their pools.
NAME.margin.bin holds the framework's margins, row after row, little endian; NAME.response.bin the responses of the
first rows. fixture.h reads the same.
"""

import json
import math
from pathlib import Path

import numpy as np


def splitmix64(n):
    z = (n + np.uint64(0x9E3779B97F4A7C15)).astype(np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def picks(rows, pools):
    """For each column, the position in its pool of each row."""
    columns = len(pools)
    with np.errstate(over="ignore"):
        return [
            (
                splitmix64(np.arange(rows, dtype=np.uint64) * np.uint64(columns) + np.uint64(j)) % np.uint64(len(pool))
            ).astype(np.int64)
            for j, pool in enumerate(pools)
        ]


def make_rows(rows, pools):
    """One list of values per column; a pool holds numbers (NaN: missing), or text and None."""
    return [[pool[k] for k in chosen] for pool, chosen in zip(pools, picks(rows, pools))]


def make_matrix(rows, pools, dtype=np.float64):
    """The same for pools of numbers, as a matrix."""
    return np.column_stack([np.asarray(pool, dtype=dtype)[chosen] for pool, chosen in zip(pools, picks(rows, pools))])


def spelled(value):
    """A value as JSON has it, so that it reads back exactly."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    number = float(value)
    if math.isnan(number):
        return None
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return number


def start_over(folder, version):
    """Makes the folder, and removes what this version of the framework left there before."""
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.expected.json"):
        if json.loads(path.read_text())["version"] == version:
            name = path.name[: -len("expected.json")]
            for old in folder.glob(f"{name}*"):
                old.unlink()


def write_fixture(
    folder,
    name,
    *,
    framework,
    version,
    columns,
    rows,
    margin,
    response=None,
    tolerance=0,
    why=None,
    response_rows=500,
    response_tolerance=1e-6,
    **extra,
):
    """`columns`: (name, type, pool) each. margin, response: rows × outputs, in the framework's own type."""
    folder = Path(folder)
    margin = np.asarray(margin).reshape(rows, -1)
    dtype = {"f4": "float32", "f8": "float64"}[margin.dtype.str[1:]]
    head = {
        "framework": framework,
        "version": version,
        "rows": rows,
        "outputs": margin.shape[1],
        "dtype": dtype,
        "tolerance": tolerance,
    }
    if why:
        head["why"] = why
    margin.astype(margin.dtype.newbyteorder("<")).tofile(folder / f"{name}.margin.bin")
    if response is not None:
        response = np.asarray(response).astype(margin.dtype).reshape(rows, -1)[:response_rows]
        head |= {"response_rows": len(response), "response_tolerance": response_tolerance}
        response.astype(response.dtype.newbyteorder("<")).tofile(folder / f"{name}.response.bin")
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in {**head, **extra}.items()]
    described = ",\n".join(
        "    " + json.dumps({"name": n, "type": t, "pool": [spelled(v) for v in pool]}, ensure_ascii=False)
        for n, t, pool in columns
    )
    lines.append('  "columns": [\n' + described + "\n  ]")
    (folder / f"{name}.expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
