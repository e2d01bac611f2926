"""Makes the models of many.test.mjs: a category of 2,000 levels beside one of 300, and 400 features.

    pip install lightgbm==4.6.0 pandas && python make.py

The rows are those of rowsWithLevels() and wideRows() in many.test.mjs, by the same arithmetic.
"""

import math
import pathlib

import lightgbm
import pandas

here = pathlib.Path(__file__).parent


def part(i, step):
    return math.fmod(i * step, 1.0)


def rows_with_levels(count):
    rows = []
    for i in range(count):
        city = int(2000 * part(i, 0.6180339887498949) ** 1.7)
        shop = int(300 * part(i, 0.7548776662466927))
        bedrooms = 1 + int(6 * part(i, 0.5698402909980532))
        area = round(20 + 180 * part(i, 0.4142135623730951), 1)
        rows.append((f"city {city:04d}", f"shop {shop:03d}", bedrooms, area, city, shop))
    return rows


def levels():
    rows = rows_with_levels(12000)
    frame = pandas.DataFrame([row[:4] for row in rows], columns=["city", "shop", "bedrooms", "area"])
    price = [
        8 * math.sin(row[4]) + 2 * math.sin(3 * row[5]) * row[2] / 3 + 2 * row[2] + row[3] / 20 for row in rows
    ]
    for column in ("city", "shop"):
        frame[column] = frame[column].astype("category")
    model = lightgbm.LGBMRegressor(
        n_estimators=30, num_leaves=15, learning_rate=0.3, min_data_per_group=5, cat_smooth=5, max_cat_threshold=256, verbose=-1
    )
    model.fit(frame, price)
    model.booster_.save_model(str(here / "levels.txt"))
    print("levels", model.score(frame, price))


def wide():
    rows = [[round(part(i + 1, 0.6180339887498949 * (k + 1)), 4) for k in range(400)] for i in range(1500)]
    names = [f"measurement_{k}" for k in range(400)]
    value = [sum(row[:60]) + 4 * row[0] * row[1] for row in rows]
    model = lightgbm.LGBMRegressor(n_estimators=40, num_leaves=15, verbose=-1)
    model.fit(pandas.DataFrame(rows, columns=names), value)
    model.booster_.save_model(str(here / "wide.txt"))
    print("wide", model.score(pandas.DataFrame(rows, columns=names), value))


levels()
wide()
