"""Items of results as one table: a row per entry of a ranking, grid point, row of the data or figure."""

from __future__ import annotations

import sys
from typing import Any

from ._errors import UsageError

_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def features_of(item: dict[str, Any]) -> list[str]:
    if item["type"] in ("surface", "interaction"):
        return item["features"]
    return [item["feature"]] if "feature" in item else []


def value_of(value: Any, default: Any = None) -> Any:
    """A number as Python has it."""
    return default if value is None else _NUMBERS.get(value, value) if isinstance(value, str) else value


def number_at(values: list[Any], i: int) -> Any:
    """A number as Python has it; None where a list that came from a file ends early."""
    value = values[i] if i < len(values) else None
    return _NUMBERS[value] if isinstance(value, str) else value


# Items that share a table, what is asked for most first.
FAMILIES = (("importance", "interaction"), ("curve", "curves", "surface"), ("attributions",), ("figure",))
# The columns of a tidy table in their order; those with nothing in them are left out.
_COLUMNS = (
    ["feature", "value", "feature_2", "value_2", "output", "group", "series", "row"]
    + ["prediction", "mean", "effect", "loss", "slope", "sd", "se_level", "se_shape", "se", "count", "bin_count"]
    + ["outside", "sparse", "extrapolated"]
)
_RANKING_COLUMNS = (
    ["feature", "feature_2", "feature_3", "measure", "importance", "strength", "h2", "h", "se", "rank"]
    + ["features", "output", "group", "series"]
    + ["sd", "low", "high"]
)
_ATTRIBUTION_COLUMNS = ["row", "feature", "value", "attribution", "se", "output", "group", "prediction", "base"]
_FIGURE_COLUMNS = ["name", "figure", "se", "feature", "output", "group", "series", "meaning"]
# Tables of effects have these always.
_ALWAYS = {"feature", "value", "output"}


def tidy(items: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """One list per column; the missing level is a row with value None."""
    rows: list[dict[str, Any]] = []
    for item in items:
        rows += _ROWS[item["type"]](item)
    kinds = {item["type"] for item in items}
    columns, always = _COLUMNS, _ALWAYS
    if kinds & {"importance", "interaction"}:
        columns, always = _RANKING_COLUMNS, {"feature"}
        rows = _ranked(rows)
    elif "attributions" in kinds:
        columns, always = _ATTRIBUTION_COLUMNS, {"row", "feature", "value", "attribution", "output"}
    elif "figure" in kinds:
        columns, always = _FIGURE_COLUMNS, {"name"}
    details = sorted({name for row in rows for name in row if name not in columns})
    marked = {name for name in ("sparse", "extrapolated") if any(name in row for row in rows)}
    for row in rows:
        # Of a curve that is marked nowhere; cells of surfaces are never marked.
        row |= {name: False for name in marked if name not in row and "feature_2" not in row}
    table = {name: [row.get(name) for row in rows] for name in columns + details}
    kept = {name for row in rows for name in row if name in always or row[name] not in (None, "")}
    return {name: values for name, values in table.items() if name in kept}


def _ranked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Most important first, one ranking after the other."""
    names = ("measure", "output", "group", "series")
    places: dict[tuple[Any, ...], int] = {}

    def order(row: dict[str, Any]) -> tuple[Any, ...]:
        sort = (*(row.get(name) for name in names), sum(f"feature_{k}" in row for k in (2, 3)))
        size = row.get("importance", row.get("strength"))
        unknown = size is None or size != size
        return places.setdefault(sort, len(places)), unknown, 0 if unknown else -size, row.get("rank") or 0

    ranked = sorted(rows, key=order)
    above: dict[int, int] = {}
    for row in ranked:
        place = order(row)[0]
        above[place] = above.get(place, 0) + 1
        row.setdefault("rank", above[place])
    return ranked


def _base(item: dict[str, Any]) -> dict[str, Any]:
    base = {"output": item["output"], "group": item.get("group", ""), "series": item.get("series", "")}
    return {"feature": item["feature"], **base} if "feature" in item else base


def _curve_rows(item: dict[str, Any]) -> list[dict[str, Any]]:
    base = _base(item)
    effect = "effect" in item
    height = "effect" if effect else "loss" if item.get("measure") == "loss" else "mean"
    columns = {height: "effect" if effect else "mean"}
    names = ("se", "count", "bin_count", "slope") if effect else ("sd", "se_level", "se_shape", "count")
    columns |= {name: name for name in (*names, "outside")}
    marks = {name: set(item.get(name, [])) for name in ("sparse", "extrapolated") if item.get(name)}
    rows = []
    for i, value in enumerate(item["grid"]):
        row = {name: number_at(item.get(source, []), i) for name, source in columns.items()}
        rows.append({**base, "value": value, **row, **{name: i in found for name, found in marks.items()}})
    missing = item["missing"]
    if missing:
        row = {height: missing["mean"], "count": missing["count"]}
        # A curve that does not know its spread does not know it here either.
        known = {"se": "se_shape"} if effect else {name: name for name in ("sd", "se_level", "se_shape")}
        row |= {name: missing.get(source) for name, source in known.items()}
        rows.append({**base, "value": None, **{name: value_of(value) for name, value in row.items()}})
    return rows


def _curves_rows(item: dict[str, Any]) -> list[dict[str, Any]]:
    height = "slope" if item.get("derivative") else "prediction"
    rows = []
    for i, row in enumerate(item["rows"]):
        base = {**_base(item), "row": row}
        rows += [
            {**base, "value": value, height: number_at(item["values"][i], k)} for k, value in enumerate(item["grid"])
        ]
        at_missing = number_at(item["missing"], i)
        if at_missing is not None:
            rows.append({**base, "value": None, height: at_missing})
    return rows


def _surface_rows(item: dict[str, Any]) -> list[dict[str, Any]]:
    (first, second), (grid, other) = item["features"], item["grid"]
    height, count = ("effect", "bin_count") if "effect" in item else ("mean", "count")
    return [
        {
            **_base(item),
            "feature": first,
            "value": a,
            "feature_2": second,
            "value_2": b,
            height: number_at(item[height][i], j),
            count: number_at(item["count"][i], j) if i < len(item["count"]) else None,
        }
        for i, a in enumerate(grid)
        for j, b in enumerate(other)
    ]


def _details(item: dict[str, Any]) -> dict[str, Any]:
    """What else was measured, as columns that cannot be taken for others; lists stay in the JSON."""
    details = {name: value_of(value) for name, value in item["details"].items() if not isinstance(value, (list, dict))}
    rank = {"rank": details.pop("rank")} if "rank" in details else {}
    return rank | {f"details.{name}": value for name, value in details.items()}


def _importance_rows(item: dict[str, Any]) -> list[dict[str, Any]]:
    numbers = {name: value_of(item[name]) for name in ("importance", "se", "sd", "low", "high")}
    members = item.get("features", [])
    row = {**_base(item), "measure": item["measure"], **numbers, **_details(item)}
    return [row | {"features": ", ".join(members)} if len(members) > 1 else row]


def _interaction_rows(item: dict[str, Any]) -> list[dict[str, Any]]:
    names = dict(zip(("feature", "feature_2", "feature_3"), item["features"]))
    numbers = {name: value_of(item[name]) for name in ("strength", "h2", "h", "se")}
    return [{**_base(item), **names, **numbers, **_details(item)}]


def _attribution_rows(item: dict[str, Any]) -> list[dict[str, Any]]:
    base = _base(item)
    numeric = {feature["feature"]: feature["kind"] == "numeric" for feature in item["features"]}
    rows = []
    for one in item["attributions"]:
        shared = {**base, "row": one["row"], "prediction": value_of(one["prediction"]), "base": value_of(item["base"])}
        for name, value in one["values"].items():
            own = one["data"][name]
            row = {**shared, "feature": name, "value": value_of(own) if numeric[name] else own}
            row["attribution"] = value_of(value)
            if "se" in one:
                row["se"] = value_of(one["se"][name])
            rows.append(row)
    return rows


def _figure_rows(item: dict[str, Any]) -> list[dict[str, Any]]:
    numbers = {"figure": value_of(item["value"]), "se": value_of(item["se"])}
    return [{**_base(item), "name": item["name"], **numbers, "meaning": item["meaning"]}]


_ROWS = {
    "curve": _curve_rows,
    "curves": _curves_rows,
    "surface": _surface_rows,
    "importance": _importance_rows,
    "interaction": _interaction_rows,
    "attributions": _attribution_rows,
    "figure": _figure_rows,
}


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

        # Levels and numbers of different features do not fit into one typed column, except as text.
        for name, values in columns.items():
            if name not in ("value", "value_2") and not name.startswith("details."):
                continue
            if len({isinstance(value, str) for value in values if value is not None}) > 1:
                columns = {**columns, name: [None if value is None else str(value) for value in values]}
        return polars.DataFrame(columns, strict=False)
    raise UsageError(f"to_frame knows no library {library!r}", "it is one of pandas, polars, dict")
