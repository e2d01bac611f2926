"""Train sex.json and species.json on penguins.csv.

    pip install xgboost-cpu pandas
    python train.py

Every fifth usable row is held out.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import xgboost as xgb

HERE = Path(__file__).resolve().parent

MEASURES = ["bill_length", "bill_depth", "flipper_length", "body_mass"]
LEVELS = {"species": ["Adelie", "Chinstrap", "Gentoo"], "island": ["Biscoe", "Dream", "Torgersen"]}
FEATURES = {"sex": ["species", "island"] + MEASURES, "species": ["island"] + MEASURES}
# The position in the list is the class number, so class 1 of the sex model is female.
CLASSES = {"sex": ["male", "female"], "species": LEVELS["species"]}

SETTINGS = dict(
    max_depth=3, learning_rate=0.1, tree_method="hist", enable_categorical=True, n_jobs=1, random_state=2007
)
ROUNDS = {"sex": 60, "species": 40}
OBJECTIVE = {"sex": "binary:logistic", "species": "multi:softprob"}


def load(target, path=HERE / "penguins.csv"):
    """All rows: features, and class numbers with -1 where the target is missing."""
    data = pd.read_csv(path)
    y = pd.Categorical(data[target], categories=CLASSES[target]).codes
    for column, levels in LEVELS.items():
        data[column] = pd.Categorical(data[column], categories=levels)
    data[MEASURES] = data[MEASURES].astype("float64")
    return data[FEATURES[target]], np.asarray(y, dtype=int)


def train(target):
    X, y = load(target)
    known = np.flatnonzero(y >= 0)
    test = known[4::5]
    fit = np.setdiff1d(known, test)
    model = xgb.XGBClassifier(objective=OBJECTIVE[target], n_estimators=ROUNDS[target], **SETTINGS)
    model.fit(X.iloc[fit], y[fit])
    if target == "sex":
        # Class 1 must be the smaller sex.
        lightest = X["body_mass"].nsmallest(20).index
        assert model.predict_proba(X.loc[lightest])[:, 1].mean() > 0.9
    for name, rows in [("train", fit), ("held-out", test)]:
        p = model.predict_proba(X.iloc[rows])
        accuracy = (p.argmax(axis=1) == y[rows]).mean()
        logloss = -np.log(p[np.arange(len(rows)), y[rows]]).mean()
        print(f"{target}: {name} {len(rows)} rows, accuracy {accuracy:.3f}, log loss {logloss:.3f}")
    path = HERE / f"{target}.json"
    model.save_model(path)
    print("xgboost", xgb.__version__, "wrote", path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    for target in CLASSES:
        train(target)
    classes = {f"{target}.json": names for target, names in CLASSES.items()}
    (HERE / "classes.json").write_text(json.dumps(classes, indent=2) + "\n", encoding="utf-8")
