"""Writes shapley.json, and the models and rows that it is about: Shapley values by the shap package and by woodelf.

pip install -r ../effects/requirements.txt -r requirements.txt
python make_shapley.py
"""

import importlib.util
import json
from importlib.metadata import version
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import shap
import xgboost
from sklearn.ensemble import RandomForestRegressor
from woodelf import WoodelfExplainer

HERE = Path(__file__).resolve().parent
EXPLAINED = 3
XGB = {"n_jobs": 1, "learning_rate": 0.5}


def script(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def data(rows, features, missing, seed):
    random = np.random.default_rng(seed)
    # Numbers that are the same as float32: the packages compare doubles, whatever the framework does.
    X = np.round(32 * random.normal(size=(rows, features))) / 32
    y = X[:, 0] * X[:, 1] + X @ np.linspace(1, 0.3, features) + 0.2 * random.normal(size=rows)
    X[random.random(X.shape) < missing] = np.nan
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(features)]), y.round(3)


def rounded(values):
    """Both packages add float32, here or there: more digits say nothing."""
    return np.asarray(values, float).round(9).tolist()


def by_shap(model, rows, explained, perturbation):
    background = rows if perturbation == "interventional" else None
    explainer = shap.TreeExplainer(model, background, feature_perturbation=perturbation)
    values = explainer.shap_values(explained, check_additivity=False)
    found = {"values": rounded(values)}
    if background is None:
        found["base"] = float(np.ravel(explainer.expected_value)[0])
        found["interactions"] = rounded(explainer.shap_interaction_values(explained))
    return found


def by_woodelf(model, rows, explained, perturbation):
    background = rows if perturbation == "interventional" else None
    explainer = WoodelfExplainer(model, background, feature_perturbation=perturbation)
    values = explainer.shap_values(explained, verbose=False)
    pairs = explainer.shap_interaction_values(explained, verbose=False)
    return {"values": rounded(values), "interactions": rounded(pairs)}


def models():
    """Name, model, and rows."""
    rows, y = data(100, 5, 0.1, 1)
    yield "xgboost", xgboost.XGBRegressor(n_estimators=6, max_depth=4, **XGB).fit(rows, y), rows
    yield "xgboost_binary", xgboost.XGBClassifier(n_estimators=6, max_depth=4, **XGB).fit(rows, y > 0), rows
    small = {"n_estimators": 6, "num_leaves": 10, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}
    yield "lightgbm", lightgbm.LGBMRegressor(**small).fit(rows, y), rows
    rows, y = data(90, 5, 0, 2)
    yield "forest", RandomForestRegressor(n_estimators=4, max_depth=12, random_state=0).fit(rows, y), rows
    # More than 14 different features on a path.
    rows, _ = data(600, 20, 0, 3)
    first_low = np.cumprod(rows.to_numpy() > -1.3, axis=1).sum(axis=1)  # learned one feature after the other
    long = xgboost.XGBRegressor(n_estimators=2, max_depth=24, min_child_weight=0, reg_lambda=0, **XGB)
    yield "long", long.fit(rows, first_low), rows.iloc[:50]


def longest_path(tree):
    def walk(node, seen):
        if "leaf" in node:
            return len(seen)
        return max(walk(child, seen | {node["split"]}) for child in node["children"])

    return walk(json.loads(tree), frozenset())


def keep(name, model):
    if isinstance(model, RandomForestRegressor):
        recorder = script(HERE.parents[1] / "formats" / "make_sklearn.py", "make_sklearn").Recorder()
        described = json.dumps(recorder.object(model))
        np.savez_compressed(HERE / f"{name}.npz", record=np.array(described), **recorder.arrays)
        return f"{name}.npz"
    if isinstance(model, lightgbm.LGBMRegressor):
        model.booster_.save_model(HERE / f"{name}.txt")
        return f"{name}.txt"
    model.save_model(HERE / f"{name}.json")
    return f"{name}.json"


def main():
    cases = []
    for name, model, rows in models():
        if name == "long":
            assert max(map(longest_path, model.get_booster().get_dump(dump_format="json"))) > 14
        explained = rows.iloc[:EXPLAINED]
        case = {"name": name, "model": keep(name, model), "columns": list(rows.columns)}
        # NaN has no place in JSON.
        case["data"] = [[None if np.isnan(v) else v for v in row] for row in rows.to_numpy().tolist()]
        for ours, theirs in {"rows": "interventional", "cover": "tree_path_dependent"}.items():
            case[ours] = {"woodelf": by_woodelf(model, rows, explained, theirs)}
            # By the cover shap asks XGBoost, whose float32 sums are good to three digits on long paths.
            if (name, ours) != ("long", "cover"):
                case[ours]["shap"] = by_shap(model, rows, explained, theirs)
        cases.append(case)
        for ours in ("rows", "cover"):
            both = [np.asarray(found["values"]) for found in case[ours].values()]
            print(name, ours, both[0].shape, "shap and woodelf differ by", np.abs(both[0] - both[-1]).max())
    content = {
        "oracle": ", ".join(
            f"{package} {version(package)}" for package in ("shap", "woodelf_explainer", "xgboost-cpu", "lightgbm")
        ),
        "scikit-learn": version("scikit-learn"),
        "explained": EXPLAINED,
        "cases": cases,
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    (HERE / "shapley.json").write_text(text.replace(',"', ',\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
