"""Writes importances.json: permutation importance by scikit-learn, and model reliance by the double sum.

pip install -r ../effects/requirements.txt
python make_importances.py
"""

import importlib.util
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import xgboost as xgb
from sklearn.inspection import permutation_importance

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[2] / "examples"
REPEATS = 20


def script(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shuffled(name, model, X, y, scorers):
    """`name`: how the tests call the model and data; scorers: our losses and theirs."""
    found = permutation_importance(
        model, X, y, scoring=list(scorers.values()), n_repeats=REPEATS, random_state=1, n_jobs=1
    )
    cases = []
    for ours, theirs in scorers.items():
        result = found[theirs]
        cases.append(
            {
                "model": name,
                "loss": ours,
                "features": list(X.columns),
                "mean": result["importances_mean"].tolist(),
                "std": result["importances_std"].tolist(),
            }
        )
    return cases


def switched(model, X, y, features, rows):
    """e_orig and e_switch of the squared error over the first rows, all pairs."""
    X, y = X.iloc[:rows], np.asarray(y[:rows], dtype=float)
    original = (y - model.predict(X).astype(float)) ** 2
    cases = []
    for feature in features:
        total = -original.sum()
        for j in range(rows):
            changed = X.copy()
            changed[feature] = X[feature].iloc[[j] * rows].set_axis(X.index)
            total += ((y - model.predict(changed).astype(float)) ** 2).sum()
        cases.append(
            {"feature": feature, "e_orig": float(original.mean()), "e_switch": float(total / (rows * (rows - 1)))}
        )
    return {"model": "bike", "rows": rows, "cases": cases}


def main():
    bike = script(EXAMPLES / "bike" / "train.py", "bike_train")
    X, y = bike.load()
    model = xgb.XGBRegressor(enable_categorical=True)
    model.load_model(EXAMPLES / "bike" / "model.json")
    regression = {"rmse": "neg_root_mean_squared_error", "absolute": "neg_mean_absolute_error", "r2": "r2"}
    cases = shuffled("bike", model, X, y, regression)
    reliance = switched(model, X, y, ["hour", "temp", "weather"], 200)

    penguins = script(EXAMPLES / "penguins" / "train.py", "penguins_train")
    scorers = {
        "sex": {
            "log-loss": "neg_log_loss",
            "auc": "roc_auc",
            "accuracy": "accuracy",
            "f1": "f1",
            "brier": "neg_brier_score",
        },
        "species": {"log-loss": "neg_log_loss", "auc": "roc_auc_ovr", "accuracy": "accuracy", "f1": "f1_macro"},
    }
    for name, theirs in scorers.items():
        X, y = penguins.load(name)
        model = xgb.XGBClassifier(enable_categorical=True)
        model.load_model(EXAMPLES / "penguins" / f"{name}.json")
        known = y >= 0  # rows without a target are left out
        cases += shuffled(name, model, X[known], y[known], theirs)
    content = {
        "oracle": f"scikit-learn {version('scikit-learn')}, xgboost {version('xgboost-cpu')}",
        "repeats": REPEATS,
        "shuffled": cases,
        "switched": reliance,
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    (HERE / "importances.json").write_text(text.replace(',"', ',\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
