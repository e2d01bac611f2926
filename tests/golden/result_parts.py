"""Pieces of invented results, shared by the generators of tests/golden/results."""

import json
import math
from pathlib import Path

HERE = Path(__file__).parent / "results"


def digits(value):
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: digits(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [digits(item) for item in value]
    return value


def write(name, method, results, caveats, model, data, options=None):
    head = {"schema": "sightglass.result/1", "method": method, "version": "0.1.0"}
    document = head | {"model": model, "data": data, "options": options or {}, "results": results, "caveats": caveats}
    lines = []
    for key, value in digits(document).items():
        dump = lambda item: json.dumps(item, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        if key in ("results", "caveats"):
            text = "[\n" + ",\n".join(dump(item) for item in value) + "\n]" if value else "[\n]"
        else:
            text = dump(value)
        lines.append(f'"{key}":{text}')
    (HERE / name).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def caveat(name, severity, message, evidence, advice):
    return {"id": name, "severity": severity, "message": message, "evidence": evidence, "advice": advice}


def no_distribution(missing=0):
    return {"edges": [], "counts": [], "rug": [], "missing": missing}


def bell(x, middle, width):
    return math.exp(-(((x - middle) / width) ** 2) / 2)


def histogram(low, high, bins, density, rows):
    edges = [low + (high - low) * i / bins for i in range(bins + 1)]
    weights = [density((edges[i] + edges[i + 1]) / 2) for i in range(bins)]
    counts = [round(rows * weight / sum(weights)) for weight in weights]
    rug, total, target = [], 0, 1
    for i, count in enumerate(counts):
        total += count
        while target <= 9 and total >= target * rows / 10:
            rug.append(edges[i + 1])
            target += 1
    return {"edges": edges, "counts": counts, "rug": rug, "missing": 0}


BIKE_MODEL = {
    "source": "bike.ubj",
    "format": "xgboost",
    "task": "regression",
    "trees": 300,
    "features": 12,
    "engine": "trees",
}
BIKE_DATA = {"source": "bike.parquet", "rows": 17379, "target": "rentals", "target_unit": "bikes/hour"}
ROWS = 17379


def rentals(temp):
    return 60 + 210 / (1 + math.exp(-(temp - 12) / 5)) - 95 * max(0, temp - 28) / 12


def temp_axis(n=64):
    return [-8.2 + (39.4 + 8.2) * i / (n - 1) for i in range(n)]
