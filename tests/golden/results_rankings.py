"""Invented results of importances, interactions and figures."""

import random
from itertools import combinations

from result_parts import BIKE_DATA, BIKE_MODEL, caveat, write

FEATURES = ["hour", "temp", "humidity", "workingday", "season", "weather", "windspeed", "holiday"]
SHARES = [96.4, 31.2, 14.8, 12.1, 9.6, 5.3, 0.9, -0.2]


def entry(feature, importance, measure, **more):
    item = {
        "type": "importance",
        "feature": feature,
        "features": [feature],
        "output": "",
        "group": "",
        "measure": measure,
        "importance": importance,
        "se": None,
        "sd": None,
        "low": None,
        "high": None,
        "details": {},
    }
    return item | more


def importance():
    results = []
    for name, share in zip(FEATURES, SHARES):
        se = 0.4 + abs(share) / 40
        details = {
            "ratio": 1 + share / 38.2,
            "shuffling_low": share - se / 2,
            "shuffling_high": share + se / 2,
            "repeats": 10,
        }
        results.append(entry(name, share, "increase of rmse", se=se, sd=se / 3, details=details))
    results.append(
        entry(
            "weather and wind",
            6.1,
            "increase of rmse",
            se=0.5,
            features=["weather", "windspeed", "humidity"],
            details={"ratio": 1.16},
        )
    )
    write(
        "importance.json",
        "permutation-importance",
        results,
        [
            caveat(
                "training-data", "note", "computed on the rows that the model was trained on", {}, "use held-out rows"
            )
        ],
        BIKE_MODEL,
        BIKE_DATA,
        {"loss": "rmse", "repeats": 10, "scale": "response"},
    )


def ranking():
    """Several measures: workingday has a flat partial dependence but interacts."""
    measures = {
        "increase of rmse": SHARES,
        "sd of partial dependence": [131.0, 44.2, 16.9, 0.8, 21.3, 22.8, 2.9, 0.4],
        "mean |SHAP|": [98.2, 37.9, 15.2, 17.7, 18.4, 9.1, 2.2, 0.3],
        "interaction with all others": [61.0, 18.4, 4.1, 52.6, 3.2, 2.2, 0.6, 0.3],
    }
    results = []
    for measure, values in measures.items():
        for name, value in zip(FEATURES, values):
            interval = (
                {"low": value - 2 - value / 50, "high": value + 2 + value / 50} if measure == "increase of rmse" else {}
            )
            results.append(
                entry(name, value, measure, details={"interval": "rows, not refits"} if interval else {}, **interval)
            )
    write(
        "ranking.json",
        "ranking",
        results,
        [
            caveat(
                "flat-but-important",
                "caution",
                "workingday: its partial dependence is nearly flat, but shuffling it hurts",
                {"feature": "workingday", "pd_rank": 7, "pfi_rank": 4},
                "look for interactions",
            )
        ],
        BIKE_MODEL,
        BIKE_DATA,
        {"scale": "response"},
    )
    by_group = []
    for g, group in enumerate(("workingday = 0", "workingday = 1")):
        for i, name in enumerate(FEATURES[:6]):
            by_group.append(
                entry(
                    name,
                    SHARES[i] * (1.2 if g else 0.7) + (20 if i == 1 and not g else 0),
                    "increase of rmse",
                    se=1 + i / 3,
                    group=group,
                )
            )
    many = [
        entry(f"sensor_{i:02d}", 40 / (1 + i) - 1, "increase of log-loss", output=f"class {c}", se=0.3)
        for c in range(2)
        for i in range(40)
    ]
    write("ranking_groups.json", "permutation-importance", by_group, [], BIKE_MODEL, BIKE_DATA, {"loss": "rmse"})
    write(
        "ranking_many.json",
        "permutation-importance",
        many,
        [],
        {"source": "sensors.ubj", "format": "xgboost", "task": "classification"},
        {"source": "sensors.parquet", "rows": 52000, "target": "fault"},
        {"loss": "log-loss"},
    )


def interactions():
    random.seed(3)
    results = []
    names = FEATURES[:6]
    strong = {("hour", "workingday"): 58.0, ("hour", "temp"): 17.5, ("temp", "humidity"): 6.2, ("temp", "season"): 4.4}
    for a, b in combinations(names, 2):
        strength = strong.get((a, b), round(random.uniform(0.05, 2.2), 2))
        h2 = min(1.3, (strength / (8 + strength)) ** 2 if strength > 2 else random.uniform(0, 0.9))
        found = strength > 0.6
        results.append(
            {
                "type": "interaction",
                "features": [a, b],
                "output": "prediction",
                "group": "",
                "h2": h2,
                "h": h2**0.5,
                "strength": strength,
                "se": 0.01 if found else None,
                "details": {"rank": 0, "pd_sd": 100.0, "in_findings": found},
            }
        )
    for i, name in enumerate(names):
        strength = [61.0, 18.4, 6.4, 52.6, 4.5, 2.2][i]
        results.append(
            {
                "type": "interaction",
                "features": [name],
                "output": "prediction",
                "group": "",
                "h2": strength / 300,
                "h": (strength / 300) ** 0.5,
                "strength": strength,
                "se": None,
                "details": {},
            }
        )
    results.append(
        {
            "type": "interaction",
            "features": ["hour", "workingday", "temp"],
            "output": "prediction",
            "group": "",
            "h2": 0.004,
            "h": 0.063,
            "strength": 3.1,
            "se": None,
            "details": {"in_findings": True},
        }
    )
    for name, value, se, meaning in (
        (
            "variance that main effects leave",
            0.231,
            0.004,
            "Share of the prediction's variance that the sum of PD main effects does not explain; 0 is an additive model.",
        ),
        ("features used", 8, None, "How many of the 12 features change a prediction at all."),
        ("interaction strength", 0.187, None, "1 minus the share of variance that ALE main effects explain."),
        ("main-effect complexity", 4.6, None, "Straight pieces that the effects need on average; 1 is linear."),
    ):
        results.append(
            {
                "type": "figure",
                "name": name,
                "output": "prediction",
                "group": "",
                "value": value,
                "se": se,
                "meaning": meaning,
            }
        )
    write(
        "interactions.json",
        "interactions",
        results,
        [
            caveat(
                "sampled-rows",
                "note",
                "computed on 500 of 17,379 rows",
                {"rows": 500, "of": 17379},
                "use all with --sample 0",
            )
        ],
        BIKE_MODEL,
        BIKE_DATA,
        {"sample": 500, "scale": "response"},
    )


GENERATORS = (importance, ranking, interactions)
