"""Invented results of accumulated effects, comparisons, groups of rows, slopes of single rows and noise."""

import math
import random

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


def density(t):
    return bell(t, 10, 7) + 0.9 * bell(t, 24, 6)


def curve(feature, grid, heights, **more):
    """A curve with the keys that every one has; heights are means unless it measures effects."""
    item = {
        "type": "curve",
        "feature": feature,
        "kind": "categorical" if isinstance(grid[0], str) else "numeric",
        "unit": "",
        "ordered": False,
        "output": "prediction",
        "group": "",
        "series": "",
        "measure": "mean",
        "grid": grid,
    }
    item["effect" if more.get("measure") == "effect" else "mean"] = heights
    tail = {"count": [], "missing": None, "distribution": no_distribution(), "verdict": None, "heterogeneity": None}
    return item | tail | more


def centred(values, weights):
    middle = sum(v * w for v, w in zip(values, weights)) / sum(weights)
    return [v - middle for v in values]


def quantile_edges(count):
    """Edges that follow the data: narrow steps where there are many rows."""
    fine = [-8.2 + 47.6 * i / 2000 for i in range(2001)]
    total, sums = 0, []
    for t in fine:
        total += density(t)
        sums.append(total)
    edges = [fine[0]]
    for k in range(1, count + 1):
        edges.append(next(t for t, s in zip(fine, sums) if s >= total * k / count - 1e-9))
    return edges


def slopes(grid, heights):
    return [(heights[i + 1] - heights[i]) / (grid[i + 1] - grid[i]) for i in range(len(grid) - 1)]


def ale_temp(count=40):
    edges = quantile_edges(count)
    effect = centred([0.7 * rentals(t) for t in edges], [density(t) for t in edges])
    distribution = histogram(-8.2, 39.4, 30, density, ROWS - 214) | {"missing": 214}
    return curve(
        "temp",
        edges,
        effect,
        unit="°C",
        measure="effect",
        se=[1.1 + 7 * (bell(t, -9, 4) + bell(t, 40, 4)) for t in edges],
        edges=edges,
        bin_count=[430] * (len(edges) - 1),
        slope=slopes(edges, effect),
        distribution=distribution,
        verdict="complex",
        sparse=[len(edges) - 2, len(edges) - 1],
        outside=[0.02] * len(edges),
    )


def ale():
    hours = list(range(24))
    commute = [30 + 330 * bell(h, 8, 1.1) + 420 * bell(h, 17.4, 1.6) + 190 * bell(h, 13, 4) for h in hours]
    effect = centred(commute, [1] * 24)
    hour = curve(
        "hour",
        hours,
        effect,
        measure="effect",
        se=[1 + h / 90 for h in commute],
        edges=hours,
        bin_count=[1400] + [724] * 22,
        slope=slopes(hours, effect),
        distribution=histogram(-0.5, 23.5, 24, lambda h: 1, ROWS),
        verdict="complex",
    )
    levels = ["clear", "mist", "light rain or snow", "heavy rain"]
    weather = curve(
        "weather",
        levels,
        [14.2, 0.6, -58.1, -71.9],
        measure="effect",
        se=[0.4, 0.6, 1.9, 16.4],
        edges=[],
        bin_count=[15957, 5963, 1422],
        slope=[],
        count=[11413, 4544, 1419, 3],
        distribution=no_distribution() | {"counts": [11413, 4544, 1419, 3]},
        sparse=[3],
        extrapolated=[],
    )
    first, second = quantile_edges(20), [i * 5 for i in range(21)]
    middle = [[(t - 14) * (h - 55) * -0.012 * bell(t, 18, 12) for h in second] for t in first]
    counts = [
        [round(120 * bell(h + 2.5, 64 - t / 2, 15)) for h in second[:-1]]
        for t in (a / 2 + b / 2 for a, b in zip(first, first[1:]))
    ]
    pair = {
        "type": "surface",
        "features": ["temp", "humidity"],
        "kinds": ["numeric", "numeric"],
        "units": ["°C", "%"],
        "ordered": [False, False],
        "output": "prediction",
        "group": "",
        "measure": "effect",
        "grid": [first, second],
        "effect": middle,
        "count": counts,
        "empty": [[i, j] for i, row in enumerate(counts) for j, c in enumerate(row) if not c > 0],
    }
    seasons = ["spring", "summer", "autumn", "winter"]
    matrix = pair | {
        "features": ["weather", "season"],
        "kinds": ["categorical", "categorical"],
        "units": ["", ""],
        "grid": [levels, seasons],
        "effect": [[4.1, -6.2, -1.3, 3.4], [1.2, -0.8, 0.2, -0.6], [-9.4, 12.1, 3.3, -6.0], [0, 0, 0, 0]],
        "count": [[7940, 8114, 8017], [2876, 2952, 3087], [0, 0, 0]],
        "empty": [[2, 0], [2, 1], [2, 2]],
    }
    days = ["working day", "weekend"]
    lines = pair | {
        "features": ["hour", "day"],
        "kinds": ["numeric", "categorical"],
        "units": ["", ""],
        "grid": [hours, days],
        "effect": [
            [a, -2.2 * a] for a in (70 * bell(h, 8, 1.3) + 45 * bell(h, 17.5, 1.6) - 25 * bell(h, 13, 3) for h in hours)
        ],
        "count": [[724]] * 23,
        "empty": [],
    }
    write(
        "ale.json",
        "ale",
        [ale_temp(), hour, weather, pair, matrix, lines],
        [
            caveat(
                "sparse-region",
                "caution",
                "temp: fewer than 87 rows near each grid point above 36 °C",
                {"feature": "temp", "from": 36, "to": 39.4, "rows": 71},
                "do not read the curve there",
            )
        ],
        BIKE_MODEL,
        BIKE_DATA,
        {"bins": 40, "scale": "response"},
    )


def compare():
    temp = temp_axis(40)
    mixed = [rentals(t) + 2.4 * (t - 14) for t in temp]
    near = [round(800 * density(t)) for t in temp]
    histogram_of = histogram(-8.2, 39.4, 30, density, ROWS)
    shared = {"unit": "°C", "distribution": histogram_of}
    pdp = curve(
        "temp",
        temp,
        [rentals(t) for t in temp],
        series="PDP",
        count=near,
        sd=[90.0] * 40,
        se_level=[1.4] * 40,
        se_shape=[2.0] * 40,
        sparse=[38, 39],
        extrapolated=[0, 1, 2, 3, 34, 35, 36, 37, 38, 39],
        outside=[0.3 if t < -3 or t > 32 else 0.04 for t in temp],
        **shared,
    )
    m_plot = curve(
        "temp",
        temp,
        mixed,
        series="M-plot",
        count=near,
        sd=[80.0] * 40,
        se_level=[3.0] * 40,
        se_shape=[3.0] * 40,
        **shared,
    )
    effect = ale_temp() | {"series": "ALE", "verdict": None}
    levels = ["clear", "mist", "light rain or snow"]
    by_level = [
        curve(
            "weather", levels, [204.9, 189.2, 121.6], series="PDP", se_shape=[0.8, 1.1, 2.4], count=[11413, 4544, 1422]
        ),
        curve(
            "weather",
            levels,
            [206.1, 175.2, 111.8],
            series="M-plot",
            se_shape=[1.8, 2.4, 4.0],
            count=[11413, 4544, 1422],
        ),
        curve(
            "weather",
            levels,
            [9.8, 1.3, -49.9],
            series="ALE",
            measure="effect",
            se=[0.4, 0.6, 1.9],
            bin_count=[15957, 5966],
        ),
    ]
    write(
        "compare.json",
        "compare",
        [pdp, m_plot, effect, *by_level],
        [
            caveat(
                "correlated-features",
                "warning",
                "temp moves with season (correlation ratio 0.84)",
                {"feature": "temp", "other": "season", "ratio": 0.84},
                "trust ALE more than the other two",
            )
        ],
        BIKE_MODEL,
        BIKE_DATA,
        {"grid": 40, "scale": "response"},
    )


def groups():
    """Penguins by species: the pooled curve hides the groups. Also two classes by island, regions, and noise."""
    grid = [13 + 8.5 * i / 24 for i in range(25)]
    results = []
    for name, level, low, high in (
        ("", 4200, 13, 21.5),
        ("species = Adelie", 3700, 15.5, 21.5),
        ("species = Chinstrap", 3733, 16.4, 20.8),
        ("species = Gentoo", 5076, 13.1, 17.3),
    ):
        own = [x for x in grid if low <= x <= high]
        slope = -95 if name == "" else 120
        results.append(
            curve(
                "bill_depth",
                own,
                [level + slope * (x - (low + high) / 2) for x in own],
                unit="mm",
                group=name,
                se_shape=[25 + 20 * abs(x - (low + high) / 2) for x in own],
                count=[12] * len(own),
                verdict="linear",
                heterogeneity=0.04 if name else 0.41,
            )
        )
    levels = {
        "species = Adelie": ["Biscoe", "Dream", "Torgersen"],
        "species = Chinstrap": ["Dream"],
        "species = Gentoo": ["Biscoe"],
    }
    for k, (name, own) in enumerate(levels.items()):
        results.append(
            curve(
                "island",
                own,
                [3700 + 450 * k + 40 * i for i in range(len(own))],
                group=name,
                se_shape=[60] * len(own),
                count=[44] * len(own),
            )
        )
    write(
        "groups.json",
        "partial-dependence",
        results,
        [],
        {"source": "penguins.txt", "format": "lightgbm", "task": "regression"},
        {"source": "penguins.csv", "rows": 344, "target": "body_mass", "target_unit": "g", "by": "species"},
        {"grid": 25, "scale": "response"},
    )
    results = []
    classes, islands = ["Adelie", "Chinstrap", "Gentoo"], ["island = Biscoe", "island = Dream"]
    flipper = [172 + 59 * i / 29 for i in range(30)]
    for g, island in enumerate(islands):
        for k, name in enumerate(classes):
            heights = [
                [1 / (1 + math.exp((x - 200 + 4 * g) / 4)) * (0.9 - 0.3 * g) for x in flipper],
                [0.08 + 0.5 * g * bell(x, 195, 9) for x in flipper],
                [0.9 / (1 + math.exp(-(x - 207) / 4)) for x in flipper],
            ][k]
            results.append(
                curve(
                    "flipper_length",
                    flipper,
                    heights,
                    unit="mm",
                    output=name,
                    group=island,
                    se_shape=[0.02] * 30,
                    verdict="complex",
                )
            )
    write(
        "class_groups.json",
        "regional-effects",
        results,
        [],
        {"source": "penguins.json", "format": "xgboost", "task": "classification", "outputs": classes},
        {"source": "penguins.csv", "rows": 344, "target": "species"},
        {"scale": "response"},
    )
    noise = [0, 0.25, 0.5, 1, 1.5, 2, 3]
    losses = [
        curve(
            name,
            noise,
            [38.2 + rise * (1 - math.exp(-x / 1.2)) for x in noise],
            measure="loss",
            unit="sd of noise",
            series=loss,
            se_level=[],
            se_shape=[0.4] * 7,
        )
        for name, rise in (("hour", 96.0), ("temp", 31.0))
        for loss in ("rmse",)
    ]
    write(
        "noise.json", "permutation-importance", losses, [], BIKE_MODEL, BIKE_DATA, {"loss": "rmse", "scale": "response"}
    )


def slopes_of_rows():
    random.seed(11)
    temp = temp_axis(33)
    middles = [(a + b) / 2 for a, b in zip(temp, temp[1:])]
    rows = sorted(random.sample(range(ROWS), 80))
    values = []
    for _ in rows:
        size = random.choice([0.2, 1.0, 1.3])
        values.append(
            [size * (rentals(b) - rentals(a)) / (b - a) + random.gauss(0, 0.15) for a, b in zip(temp, temp[1:])]
        )
    mean = [sum(column) / len(rows) for column in zip(*values)]
    sd = [math.sqrt(sum((v - m) ** 2 for v in column) / len(rows)) for column, m in zip(zip(*values), mean)]
    base = {
        "type": "curves",
        "feature": "temp",
        "kind": "numeric",
        "unit": "°C",
        "ordered": False,
        "output": "prediction",
        "group": "",
        "derivative": True,
        "total_rows": ROWS,
        "rows": rows,
        "grid": middles,
        "values": values,
        "missing": [],
        "own": [],
        "anchor": None,
        "mean": mean,
        "sd": sd,
        "bands": [],
        "distribution": histogram(-8.2, 39.4, 30, density, ROWS),
        "heterogeneity": None,
    }
    plain = [[180 + 60 * (i % 3) + (0.4 + 0.3 * (i % 3)) * (rentals(t) - 180) for t in temp] for i in range(60)]
    apart = base | {
        "derivative": False,
        "group": "season = summer",
        "rows": rows[:60],
        "grid": temp,
        "values": plain,
        "missing": [150 + 45 * (i % 3) + i / 5 for i in range(60)],
        "mean": [sum(column) / 60 for column in zip(*plain)],
        "sd": [],
        "distribution": histogram(-8.2, 39.4, 30, density, 4400) | {"missing": 214},
        "total_rows": 4409,
        "heterogeneity": 0.22,
    }
    levels = ["clear", "mist", "rain"]
    by_level = apart | {
        "feature": "weather",
        "kind": "categorical",
        "unit": "",
        "grid": levels,
        "values": [[size, 0.9 * size, 0.6 * size] for size in (60 + 9 * i for i in range(60))],
        "missing": [50 + 8 * i if i % 2 == 0 else None for i in range(60)],
        "own": [levels[i % 3] for i in range(60)],
        "mean": [325.5, 293, 195.3],
        "distribution": no_distribution(),
        "group": "",
    }
    write(
        "slopes.json",
        "ice",
        [base, apart, by_level],
        [],
        BIKE_MODEL,
        BIKE_DATA,
        {"derivative": True, "scale": "response"},
    )


GENERATORS = (ale, compare, groups, slopes_of_rows)
