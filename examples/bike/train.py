"""Train model.json on bike.csv.

    pip install xgboost-cpu pandas
    python train.py

Whole days are held out (every fifth day), because neighbouring hours of one day
share their weather and would make a random split look too good.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import xgboost as xgb

HERE = Path(__file__).resolve().parent
TARGET = "rentals"

# Word columns and the order in which the model numbers their values.
LEVELS = {
    "season": ["winter", "spring", "summer", "autumn"],
    "weekday": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "holiday": ["no", "yes"],
    "workingday": ["no", "yes"],
    "weather": ["clear", "cloudy/misty", "light rain/snow", "heavy rain/snow"],
}
MEASURED = ["temp", "feels_like", "humidity", "windspeed"]


def load(path=HERE / "bike.csv"):
    data = pd.read_csv(path)
    for column, levels in LEVELS.items():
        data[column] = pd.Categorical(data[column], categories=levels)
        assert data[column].notna().all()
    data[MEASURED] = data[MEASURED].astype("float64")
    return data.drop(columns=TARGET), data[TARGET]


def held_out(X):
    """True for the rows of every fifth day; rows are in time order, so a smaller hour starts a day."""
    day = (X["hour"].diff() < 0).cumsum()
    assert day.iloc[-1] + 1 == 365
    return (day % 5 == 4).to_numpy()


def scores(y, prediction):
    error = y - prediction
    return {
        "r2": 1 - np.sum(error**2) / np.sum((y - y.mean()) ** 2),
        "rmse": np.sqrt(np.mean(error**2)),
        "mae": np.mean(np.abs(error)),
    }


def main():
    X, y = load()
    test = held_out(X)
    model = xgb.XGBRegressor(
        n_estimators=150,
        max_depth=5,
        learning_rate=0.1,
        min_child_weight=5,
        tree_method="hist",
        enable_categorical=True,
        n_jobs=1,
        random_state=2011,
    )
    model.fit(X[~test], y[~test])
    for name, rows in [("train", ~test), ("held-out", test)]:
        result = {k: round(float(v), 3) for k, v in scores(y[rows], model.predict(X[rows])).items()}
        print(name, int(rows.sum()), "rows", result)

    path = HERE / "model.json"
    model.save_model(path)
    saved = json.loads(path.read_text())
    learner = saved["learner"]
    assert learner["feature_names"] == list(X.columns)
    assert len(learner["feature_types"]) == len(X.columns)
    assert learner["gradient_booster"]["model"]["cats"]["enc"]
    print("xgboost", xgb.__version__, "wrote", path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
