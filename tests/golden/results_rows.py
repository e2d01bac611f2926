"""Invented results about single rows: what each feature adds to their predictions."""

import math
import random

from result_parts import BIKE_DATA, BIKE_MODEL, caveat, write

FEATURES = [
    {"feature": "hour", "kind": "numeric", "unit": "h", "ordered": False},
    {"feature": "temp", "kind": "numeric", "unit": "°C", "ordered": False},
    {"feature": "weather", "kind": "categorical", "unit": "", "ordered": False, "levels": ["clear", "misty", "rain"]},
    {"feature": "workingday", "kind": "categorical", "unit": "", "ordered": False, "levels": ["false", "true"]},
    {"feature": "windspeed", "kind": "numeric", "unit": "km/h", "ordered": False},
]
NAMES = [feature["feature"] for feature in FEATURES]
BASE = 189.4


def row_of(rng, row):
    hour, temp = rng.randrange(24), round(rng.uniform(-8, 38), 1)
    weather, working = rng.choice(["clear", "clear", "misty", "rain"]), rng.random() < 0.7
    wind = round(rng.uniform(0, 40), 1)
    rush = math.exp(-(((hour - 17.5) / 2.5) ** 2)) + (math.exp(-(((hour - 8) / 1.2) ** 2)) if working else 0)
    values = {
        "hour": 260 * rush - 90,
        "temp": 3.1 * (temp - 15) * (0.6 + rush),
        "weather": {"clear": 14, "misty": -6, "rain": -70}[weather],
        "workingday": 20 if working else -45,
        "windspeed": 6 - 0.3 * wind,
    }
    values = {name: float(f"{value:.6g}") for name, value in values.items()}
    data = {"hour": hour, "temp": temp, "weather": weather, "workingday": str(working).lower(), "windspeed": wind}
    if rng.random() < 0.1:
        data["windspeed"] = None
    prediction = BASE + sum(values.values())
    return {"row": row, "output": "prediction", "base": BASE, "prediction": prediction, "values": values, "data": data}


def item(rows, **more):
    head = {"type": "attributions", "output": "prediction", "group": "", "base": BASE, "total_rows": 8645}
    details = {"estimator": "exact", "background": "rows", "background_rows": 100, "background_available": 8645}
    return head | {"details": details, "features": FEATURES, "attributions": rows} | more


def ranking(rows):
    sizes = {name: [abs(row["values"][name]) for row in rows] for name in NAMES}
    mean = {name: sum(values) / len(values) for name, values in sizes.items()}
    order = sorted(NAMES, key=lambda name: -mean[name])
    return [
        {
            "type": "importance",
            "feature": name,
            "features": [name],
            "output": "prediction",
            "group": "",
            "measure": "mean |SHAP|",
            "importance": mean[name],
            "se": mean[name] / 30,
            "sd": mean[name] / 2,
            "low": None,
            "high": None,
            "details": {"rank": order.index(name) + 1, "rows": len(rows)},
        }
        for name in NAMES
    ]


def many_rows():
    rng = random.Random(3)
    rows = [row_of(rng, 40 * i) for i in range(200)]
    write(
        "attributions.json",
        "shap",
        ranking(rows) + [item(rows)],
        [caveat("some-rows", "note", "200 of 8645 rows are explained", {"rows": 200, "available": 8645}, "explain 0")],
        BIKE_MODEL,
        BIKE_DATA,
        {"scale": "response"},
    )


def single_rows():
    rng = random.Random(4)
    rows = []
    for i in (17, 4000):
        row = row_of(rng, i)
        row["se"] = {name: 0.02 * abs(value) + 0.5 for name, value in row["values"].items()}
        row["interactions"] = [[row["values"][a] - 0.4 if a == b else 0.1 for b in NAMES] for a in NAMES]
        rows.append(row)
    write("attribution_rows.json", "shap", [item(rows)], [], BIKE_MODEL, BIKE_DATA, {"scale": "response"})


GENERATORS = (many_rows, single_rows)
