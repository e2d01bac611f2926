"""Writes tests/golden/results/*.json: invented but realistic results, one per shape, for the schema, the
renderers and the page. Run it after a change of the schema; standard library only."""

import math
import random

import results_effects
import results_rankings
import results_rows
from result_parts import (
    BIKE_DATA,
    BIKE_MODEL,
    ROWS,
    bell,
    caveat,
    histogram,
    no_distribution,
    rentals,
    temp_axis,
    write,
)


def numeric():
    density = lambda x: bell(x, 10, 7) + 0.9 * bell(x, 24, 6)
    temp = temp_axis()
    distribution = histogram(-8.2, 39.4, 30, density, ROWS - 214) | {"missing": 214}
    se = [2.2 + 16 * (bell(t, -9, 4) + bell(t, 40, 4)) for t in temp]
    curve = {
        "type": "curve",
        "feature": "temp",
        "kind": "numeric",
        "unit": "°C",
        "ordered": False,
        "output": "prediction",
        "grid": temp,
        "mean": [rentals(t) for t in temp],
        "sd": [90 + 1.8 * t for t in temp],
        "se_level": [1.4 + s / 2 for s in se],
        "se_shape": se,
        "count": [round(1300 * density(t)) for t in temp],
        "missing": {"mean": 171.3, "sd": 96.2, "se_level": 0.9, "se_shape": 6.1, "count": 214},
        "distribution": distribution,
        "verdict": "complex",
        "heterogeneity": 0.184,
    }
    hum = [i / 31 * 100 for i in range(32)]
    humidity = {
        "type": "curve",
        "feature": "humidity",
        "kind": "numeric",
        "unit": "%",
        "ordered": False,
        "output": "prediction",
        "grid": hum,
        "mean": [214 - 0.012 * h * h for h in hum],
        "sd": [110.0] * 32,
        "se_level": [0.9] * 32,
        "se_shape": [1.2 + 9 * bell(h, 0, 14) for h in hum],
        "count": [round(900 * bell(h, 64, 20)) for h in hum],
        "missing": None,
        "distribution": histogram(0, 100, 25, lambda h: bell(h, 64, 20), ROWS),
        "verdict": "monotone",
        "heterogeneity": 0.312,
    }
    hours = list(range(24))
    commute = lambda h: 30 + 330 * bell(h, 8, 1.1) + 420 * bell(h, 17.4, 1.6) + 190 * bell(h, 13, 4)
    hour = {
        "type": "curve",
        "feature": "hour",
        "kind": "numeric",
        "unit": "",
        "ordered": False,
        "output": "prediction",
        "grid": hours,
        "mean": [commute(h) for h in hours],
        "sd": [40 + commute(h) / 2 for h in hours],
        "se_level": [1.1] * 24,
        "se_shape": [1 + commute(h) / 90 for h in hours],
        "count": [724] * 24,
        "missing": None,
        "distribution": histogram(-0.5, 23.5, 24, lambda h: 1, ROWS),
        "verdict": "complex",
        "heterogeneity": 0.437,
    }
    constant = {
        "type": "curve",
        "feature": "holiday_code",
        "kind": "numeric",
        "unit": "",
        "ordered": False,
        "output": "prediction",
        "grid": [0],
        "mean": [189.4],
        "sd": [181.2],
        "se_level": [1.4],
        "se_shape": [0],
        "count": [ROWS],
        "missing": None,
        "distribution": no_distribution(),
        "verdict": "constant",
        "heterogeneity": 0,
    }
    caveats = [
        caveat(
            "sparse-region",
            "caution",
            "temp: fewer than 87 rows near each grid point above 37 °C",
            {"feature": "temp", "from": 37, "to": 39.4, "rows": 23},
            "do not read the curve there",
        ),
        caveat(
            "correlated-features",
            "warning",
            "temp moves with feels_like (Spearman 0.99)",
            {"feature": "temp", "other": "feels_like", "spearman": 0.988},
            "use accumulated local effects instead of partial dependence",
        ),
        caveat(
            "hidden-heterogeneity",
            "caution",
            "hour: 44 % of the curves' variation is not in their mean",
            {"feature": "hour", "heterogeneity": 0.437},
            "look at centred ICE, or split with --by workingday",
        ),
        caveat("sampling", "note", "all 17,379 rows were used", {"rows": ROWS}, ""),
    ]
    write(
        "numeric.json",
        "partial-dependence",
        [hour, curve, humidity, constant],
        caveats,
        BIKE_MODEL,
        BIKE_DATA,
        {"grid": 64, "scale": "response", "seed": 0},
    )


def categorical():
    levels = ["clear", "mist", "light rain or snow", "heavy rain"]
    weather = {
        "type": "curve",
        "feature": "weather",
        "kind": "categorical",
        "unit": "",
        "ordered": True,
        "output": "prediction",
        "grid": levels,
        "mean": [204.9, 189.2, 121.6, 87.4],
        "sd": [183.6, 170.2, 133.8, 120.9],
        "se_level": [1.4, 1.3, 1.1, 1.0],
        "se_shape": [0.8, 1.1, 2.4, 14.8],
        "count": [11413, 4544, 1419, 3],
        "missing": None,
        "distribution": no_distribution() | {"counts": [11413, 4544, 1419, 3]},
        "verdict": None,
        "heterogeneity": 0.121,
    }
    write(
        "categorical.json",
        "partial-dependence",
        [weather],
        [
            caveat(
                "sparse-region",
                "warning",
                'weather: only 3 rows are "heavy rain"',
                {"feature": "weather", "level": "heavy rain", "rows": 3},
                "do not read the bar there",
            )
        ],
        BIKE_MODEL,
        BIKE_DATA,
        {"scale": "response"},
    )


def multiclass():
    species = ["Adelie", "Chinstrap", "Gentoo"]
    bill = [32.1 + (59.6 - 32.1) * i / 39 for i in range(40)]
    density = lambda x: bell(x, 39, 2.7) + 0.9 * bell(x, 47.5, 3)
    results = []
    for k, name in enumerate(species):
        adelie = lambda x: 0.06 + 0.78 / (1 + math.exp((x - 42.8) / 1.1))
        rest = lambda x: 1 - adelie(x)
        mean = [adelie(x) if k == 0 else rest(x) * (0.42 if k == 1 else 0.58) for x in bill]
        results.append(
            {
                "type": "curve",
                "feature": "bill_length",
                "kind": "numeric",
                "unit": "mm",
                "ordered": False,
                "output": name,
                "grid": bill,
                "mean": mean,
                "sd": [0.3 + 0.1 * bell(x, 43, 2) for x in bill],
                "se_level": [0.016] * 40,
                "se_shape": [0.006 + 0.012 * bell(x, 43, 2) for x in bill],
                "count": [round(40 * density(x)) for x in bill],
                "missing": {"mean": mean[18], "sd": 0.31, "se_level": 0.017, "se_shape": 0.02, "count": 2},
                "distribution": histogram(32.1, 59.6, 22, density, 342) | {"missing": 2},
                "verdict": "monotone",
                "heterogeneity": 0.09,
            }
        )
    islands = ["Biscoe", "Dream", "Torgersen"]
    table = {"Adelie": [0.36, 0.41, 0.58], "Chinstrap": [0.12, 0.38, 0.18], "Gentoo": [0.52, 0.21, 0.24]}
    for name in species:
        results.append(
            {
                "type": "curve",
                "feature": "island",
                "kind": "categorical",
                "unit": "",
                "ordered": False,
                "output": name,
                "grid": islands,
                "mean": table[name],
                "sd": [0.4, 0.42, 0.38],
                "se_level": [0.021, 0.022, 0.02],
                "se_shape": [0.011, 0.013, 0.017],
                "count": [168, 124, 52],
                "missing": {"mean": 0.33, "sd": 0.4, "se_level": 0.02, "se_shape": 0.03, "count": 4},
                "distribution": no_distribution(4) | {"counts": [168, 124, 52]},
                "verdict": None,
                "heterogeneity": 0.2,
            }
        )
    write(
        "multiclass.json",
        "partial-dependence",
        results,
        [],
        {"source": "penguins.json", "format": "lightgbm", "task": "classification", "outputs": species},
        {"source": "penguins.csv", "rows": 344, "target": "species"},
        {"grid": 64, "scale": "response"},
    )


def ice():
    random.seed(7)
    temp = temp_axis(32)
    rows = sorted(random.sample(range(ROWS), 120))
    values, own = [], []
    for row in rows:
        size = random.gauss(1, 0.45)
        late = random.random() < 0.35
        shift = random.gauss(0, 22)
        values.append([max(2, 190 + shift + size * (rentals(t) - 190) * (0.25 if late else 1.2)) for t in temp])
        own.append(round(random.gauss(14, 9), 1) if random.random() > 0.02 else None)
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    ranked = [sorted(values[i][k] for i in range(120)) for k in range(32)]
    bands = [{"level": q, "values": [ranked[k][min(119, int(q * 120))] for k in range(32)]} for q in levels]
    mean = [sum(values[i][k] for i in range(120)) / 120 for k in range(32)]
    density = lambda x: bell(x, 10, 7) + 0.9 * bell(x, 24, 6)
    curves = {
        "type": "curves",
        "feature": "temp",
        "kind": "numeric",
        "unit": "°C",
        "ordered": False,
        "output": "prediction",
        "total_rows": ROWS,
        "rows": rows,
        "grid": temp,
        "values": values,
        "missing": [],
        "own": own,
        "anchor": None,
        "mean": mean,
        "bands": bands,
        "distribution": histogram(-8.2, 39.4, 30, density, ROWS),
        "heterogeneity": 0.184,
    }
    centred = curves | {
        "rows": rows[:40],
        "own": own[:40],
        "anchor": temp[0],
        "values": [[v - c[0] for v in c] for c in values[:40]],
        "mean": [m - mean[0] for m in mean],
        "bands": [],
        "feature": "feels_like",
        "missing": [175.5] + [None] * 39,
    }
    levels = ["clear", "mist", "light rain or snow", "heavy rain"]
    factor = [1.1, 1.0, 0.62, 0.4]
    weather = [[size * f for f in factor] for size in (random.uniform(40, 520) for _ in range(30))]
    ranked = [sorted(weather[i][k] for i in range(30)) for k in range(4)]
    by_level = curves | {
        "feature": "weather",
        "kind": "categorical",
        "unit": "",
        "ordered": True,
        "grid": levels,
        "values": weather,
        "rows": rows[:30],
        "own": [random.choice(levels[:3]) for _ in range(30)],
        "mean": [sum(column) / 30 for column in ranked],
        "bands": [
            {"level": q, "values": [column[min(29, int(q * 30))] for column in ranked]}
            for q in (0.05, 0.25, 0.5, 0.75, 0.95)
        ],
        "distribution": no_distribution() | {"counts": [11413, 4544, 1419, 3]},
        "heterogeneity": 0.121,
    }
    write(
        "ice.json",
        "ice",
        [curves, centred, by_level],
        [
            caveat(
                "curve-sample",
                "note",
                "120 of 17,379 curves are kept, picked by quantiles of the prediction",
                {"curves": 120, "rows": ROWS},
                "ask for all with --curves 0",
            )
        ],
        BIKE_MODEL,
        BIKE_DATA,
        {"curves": 120, "center": False, "scale": "response"},
    )


def surfaces():
    temp, hum = temp_axis(28), [i / 23 * 100 for i in range(24)]
    effect = [[rentals(t) * (1.15 - 0.0000055 * h**2.4) for h in hum] for t in temp]
    count = [[round(70 * (bell(t, 10, 7) + 0.9 * bell(t, 24, 6)) * bell(h, 64 - t / 2, 17)) for h in hum] for t in temp]

    def surface(first, second, mean, counts):
        empty = [[i, j] for i, row in enumerate(counts) for j, c in enumerate(row) if not c > 0]
        return {
            "type": "surface",
            "features": [first[0], second[0]],
            "kinds": [first[1], second[1]],
            "units": [first[2], second[2]],
            "ordered": [False, False],
            "output": "prediction",
            "grid": [first[3], second[3]],
            "mean": mean,
            "count": counts,
            "empty": empty,
        }

    days = ["working day", "weekend", "holiday"]
    hours = list(range(24))
    work = lambda h: 30 + 330 * bell(h, 8, 1.1) + 440 * bell(h, 17.4, 1.6) + 120 * bell(h, 13, 4)
    free = lambda h: 40 + 320 * bell(h, 14, 4)
    by_day = [[work(h), free(h), 0.85 * free(h)] for h in hours]
    weather, seasons = ["clear", "mist", "rain"], ["spring", "summer", "autumn", "winter"]
    matrix = [[222.8, 264.1, 251.7, 198.3], [201.4, 241.9, 236.2, 180.8], [131.2, 160.3, 148.7, 112.4]]
    numeric_temp, numeric_hum = ("temp", "numeric", "°C", temp), ("humidity", "numeric", "%", hum)
    write(
        "surface.json",
        "partial-dependence",
        [
            surface(numeric_temp, numeric_hum, effect, count),
            surface(("hour", "numeric", "", hours), ("day", "categorical", "", days), by_day, [[496, 209, 21]] * 24),
            surface(
                ("weather", "categorical", "", weather),
                ("season", "categorical", "", seasons),
                matrix,
                [[2834, 2941, 3012, 2626], [1102, 1063, 1098, 1281], [306, 405, 386, 0]],
            ),
        ],
        [
            caveat(
                "extrapolation",
                "caution",
                "temp × humidity: 31 % of the cells have no rows of the data",
                {"features": ["temp", "humidity"], "share": 0.31},
                "trust the unshaded part",
            )
        ],
        BIKE_MODEL,
        BIKE_DATA,
        {"grid": 28, "scale": "response"},
    )


HOSTILE_NAMES = [
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "__proto__",
    "a.b[0]",
    "\"'`${alert(1)}\\",
    "\u202eevil\u202c مرحبا",
    "🚲🇪🇺👩‍👩‍👧",
    "x" * 5000,
    "constructor",
    "<!-- <script>",
    "datum.x + alert(1)",
    "line\u2028break\u2029\n\ttab\u001b[31m",
    "",
]


def hostile():
    """Names and levels that try to leave their place."""
    names = HOSTILE_NAMES
    results = []
    for i, name in enumerate(names):
        results.append(
            {
                "type": "curve",
                "feature": name,
                "kind": "numeric",
                "unit": name,
                "ordered": False,
                "output": name,
                "grid": ["-Infinity", 0, 1.5, 2],
                "mean": [1 + i, "NaN", 3, 2],
                "sd": [],
                "se_level": [],
                "se_shape": [0.1, "NaN", "Infinity", 0.2],
                "count": [],
                "missing": None,
                "distribution": no_distribution(),
                "verdict": None,
                "heterogeneity": None,
            }
        )
    tail = {
        "sd": [],
        "se_level": [],
        "se_shape": [0.1] * len(names),
        "count": [1] * len(names),
        "missing": {"mean": 3, "sd": 0, "se_level": 0, "se_shape": 0, "count": 1},
        "distribution": no_distribution(),
        "verdict": None,
        "heterogeneity": None,
    }
    for output in names[:3]:
        results.append(
            {
                "type": "curve",
                "feature": names[0],
                "kind": "categorical",
                "unit": "",
                "ordered": False,
                "output": output,
                "grid": names,
                "mean": list(range(len(names))),
            }
            | tail
        )
    results.append(
        {
            "type": "curve",
            "feature": "nothing",
            "kind": "numeric",
            "unit": "",
            "ordered": False,
            "output": "",
            "grid": [],
            "mean": [],
            "missing": None,
        }
    )
    results.append(
        {
            "type": "surface",
            "features": [names[1], names[2]],
            "kinds": ["categorical", "categorical"],
            "units": ["", ""],
            "ordered": [False, False],
            "output": names[1],
            "grid": [names[:4], names[4:8]],
            "mean": [[1, 2, 3, "NaN"]] * 4,
            "count": [[1, 0, 1, 0]] * 4,
            "empty": [],
        }
    )
    results.append(
        {
            "type": "surface",
            "features": [names[3], names[7]],
            "kinds": ["numeric", "categorical"],
            "units": ["", ""],
            "ordered": [False, False],
            "output": names[1],
            "grid": [[1, 2, 3], names[:4]],
            "mean": [[1, 2, 3, 4]] * 3,
            "count": [],
            "empty": [],
        }
    )
    results.append(
        {
            "type": "curves",
            "feature": names[6],
            "kind": "categorical",
            "unit": "",
            "ordered": False,
            "output": names[0],
            "total_rows": 2,
            "rows": [0, 1],
            "grid": names[:3],
            "values": [[1, 2, 3], ["NaN", 2, 1]],
            "missing": [None, 2],
            "own": ["a", names[0]],
            "anchor": names[0],
            "mean": [1, 2, 2],
            "bands": [],
            "heterogeneity": None,
        }
    )
    write(
        "hostile.json",
        names[0],
        results,
        [caveat(name or "none", "warning", name, {name: name, "feature": name}, name) for name in names],
        {name: name for name in names},
        {"target": names[0], "target_unit": names[1], "rows": 3},
        {name: name for name in names},
    )


def hostile_shapes():
    """The same names in the shapes that came later: groups, series, rankings, interactions, figures."""
    base = {"type": "curve", "kind": "numeric", "unit": "", "ordered": False, "output": HOSTILE_NAMES[1]}
    results = []
    for group in HOSTILE_NAMES:
        results.append(
            base
            | {
                "feature": HOSTILE_NAMES[0],
                "group": group,
                "measure": "effect",
                "grid": [0, 1, 2],
                "effect": [-1, "NaN", 1],
            }
            | {"se": [0.1, 0.1, "Infinity"], "sparse": [0], "extrapolated": [2], "outside": [0, 0, 1]}
        )
        results.append(
            base | {"feature": HOSTILE_NAMES[4], "series": group, "measure": "loss", "grid": [0, 1], "mean": [1, 2]}
        )
        results.append(
            base
            | {"feature": HOSTILE_NAMES[9], "kind": "categorical", "group": group, "measure": "effect"}
            | {"grid": [group, "x"], "effect": [1, -1], "sparse": [0]}
        )
    for i, name in enumerate(HOSTILE_NAMES):
        for measure in HOSTILE_NAMES[:3]:
            results.append(
                {"type": "importance", "feature": name, "features": [name, name], "output": HOSTILE_NAMES[0]}
                | {
                    "group": HOSTILE_NAMES[1],
                    "measure": measure,
                    "importance": ["NaN", "Infinity", -1e300, 1e300, 0][i % 5],
                }
                | {
                    "se": "NaN" if i % 2 else 1,
                    "low": "-Infinity",
                    "high": 3,
                    "details": {name: name, "interval": name},
                }
            )
    for i, name in enumerate(HOSTILE_NAMES[:5]):
        for other in HOSTILE_NAMES[i + 1 : 5]:
            results.append(
                {
                    "type": "interaction",
                    "features": [name, other],
                    "output": name,
                    "h2": 1e308,
                    "h": "NaN",
                    "strength": i,
                }
                | {"group": name, "details": {"in_findings": i != 2, name: [name, {name: name}]}}
            )
            results.append(
                {"type": "interaction", "features": [name, other], "output": "all", "h2": 0.1, "h": 0.3, "strength": i}
            )
        results.append({"type": "interaction", "features": [name] * 4, "h2": 0, "h": 0, "strength": "Infinity"})
        results.append(
            {"type": "figure", "name": name, "output": other, "group": name, "value": "NaN", "meaning": name}
        )
    results.append(
        {
            "type": "curves",
            "feature": HOSTILE_NAMES[2],
            "kind": "numeric",
            "output": HOSTILE_NAMES[3],
            "derivative": True,
        }
        | {"group": HOSTILE_NAMES[0], "rows": [0, 1], "grid": [0, 1], "values": [[1, 2], [0, "NaN"]], "sd": [1, "NaN"]}
        | {"missing": [3, "Infinity"], "mean": [0.5, 2]}
    )
    results.append(
        {"type": "surface", "features": HOSTILE_NAMES[:2], "kinds": ["numeric", "numeric"], "output": HOSTILE_NAMES[5]}
        | {
            "group": HOSTILE_NAMES[6],
            "measure": "effect",
            "grid": [[0, 1, 2], [0, 1]],
            "effect": [[0, 0], [1, "NaN"], [3, 1]],
        }
        | {"count": [[0], [2]]}
    )
    results.append(
        {"type": "surface", "features": HOSTILE_NAMES[:2], "kinds": ["categorical", "categorical"], "measure": "effect"}
        | {
            "grid": [HOSTILE_NAMES[:3], HOSTILE_NAMES[3:5]],
            "effect": [[0, 0], [1, "NaN"], [-3, 1]],
            "count": [[0], [0]],
        }
    )
    # Features and levels with such names, one row and many; numbers that are none.
    names = [name for name in HOSTILE_NAMES if name]
    features = [{"feature": name, "kind": "numeric", "unit": name} for name in names[:-1]]
    features.append({"feature": names[-1], "kind": "categorical", "unit": "", "levels": names})

    def hostile_row(i):
        values = {name: (k - 3) * (i % 5 + 1) for k, name in enumerate(names)} | {names[1]: "NaN"}
        own = {name: [None, "Infinity", 1.5 * i][(i + k) % 3] for k, name in enumerate(names)}
        own[names[-1]] = names[i % len(names)]
        return {"row": i, "prediction": ["NaN", 3, "-Infinity"][i % 3], "values": values, "data": own}

    for rows, output in ((1, names[0]), (12, names[2])):
        results.append(
            {"type": "attributions", "output": output, "group": names[3], "base": 1.5, "features": features}
            | {"attributions": [hostile_row(i) for i in range(rows)]}
        )
    write("hostile_shapes.json", "compare", results, [], {"task": HOSTILE_NAMES[0]}, {"target": HOSTILE_NAMES[1]}, {})


OWN = (numeric, categorical, multiclass, ice, surfaces, hostile, hostile_shapes)
for make in OWN + results_effects.GENERATORS + results_rankings.GENERATORS + results_rows.GENERATORS:
    make()
