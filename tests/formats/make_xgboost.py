"""Write small XGBoost models and what XGBoost itself predicts with them.

    python3 -m venv venv && venv/bin/pip install xgboost-cpu==3.2.0 pandas scikit-learn
    venv/bin/python make_xgboost.py            # the full set, from the version above
    old/bin/python make_xgboost.py 1.7.6       # a few models of an older version, in a venv that has it

Each NAME.json is a model as XGBoost saved it, NAME.expected.json holds rows and XGBoost's answers: margins and
responses are float32, written with the fewest digits that read back exactly; null is a missing value, and
"Infinity" is spelled out. Rows hold random values, missing values, +-inf, and for every threshold the value itself
and its two float32 neighbours. scikit-learn is only needed for the model of early stopping.
"""

import json
import sys
from pathlib import Path

import numpy as np
import xgboost as xgb

OUT = Path(__file__).resolve().parent / "xgboost"
VERSION = tuple(int(part) for part in xgb.__version__.split(".")[:2])
NEW = VERSION >= (3, 1)
OLD = VERSION < (1, 7)  # inplace_predict is missing or different; DMatrix does not take inf
RNG = np.random.default_rng(20240607)


def number(value):
    if np.isnan(value):
        return None
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(np.format_float_positional(np.float32(value), unique=True))


def numbers(values):
    return [number(v) for v in np.asarray(values, dtype=np.float32).ravel()]


def table(matrix):
    """One list of outputs for each row."""
    matrix = np.asarray(matrix, dtype=np.float32)
    matrix = matrix.reshape(len(matrix), -1)
    for row in matrix:
        assert [np.float32(v) for v in numbers(row)] == list(row)
    return [numbers(row) for row in matrix]


def thresholds(path):
    """(feature, threshold) of every numeric split."""
    learner = json.loads(path.read_text())["learner"]
    found = set()
    for tree in learner["gradient_booster"]["model"]["trees"]:
        kinds = tree.get("split_type") or [0] * len(tree["left_children"])
        for left, kind, feature, condition in zip(
            tree["left_children"], kinds, tree["split_indices"], tree["split_conditions"]
        ):
            if left != -1 and kind == 0:
                found.add((feature, condition))
    return sorted(found)


def hard_rows(path, columns, rows, kinds):
    """Random rows; numeric columns also get values on and next to thresholds, +-inf and missing values."""
    X = RNG.normal(size=(rows, columns)).astype(np.float32)
    for k, (feature, condition) in enumerate(thresholds(path)):
        t = np.float32(condition)
        for offset, value in enumerate((t, np.nextafter(t, np.float32(-np.inf)), np.nextafter(t, np.float32(np.inf)))):
            X[(3 * k + offset) % rows, feature] = value
    numeric = [j for j in range(columns) if kinds is None or kinds[j] != "c"]
    for j in numeric:
        X[RNG.random(rows) < 0.06, j] = np.nan
    X[rows - 1, :] = np.nan
    for j in numeric:
        X[rows - 2, j], X[rows - 3, j] = np.inf, -np.inf
    return X


def predict(booster, X, margin, kinds=None, names=None, limit=None):
    """XGBoost's answer. DMatrix refuses inf, inplace_predict does not; where both work they must agree."""
    if OLD or kinds is not None:
        options = {"feature_types": kinds, "enable_categorical": True} if kinds else {}
        return booster.predict(xgb.DMatrix(X, feature_names=names, **options), output_margin=margin)
    options = {"iteration_range": (0, limit)} if limit else {}
    answer = booster.inplace_predict(
        X, predict_type="margin" if margin else "value", validate_features=False, **options
    )
    finite = ~np.isinf(X).any(axis=1)
    plain = booster.predict(xgb.DMatrix(X[finite], feature_names=names), output_margin=margin, **options)
    assert np.array_equal(answer[finite], plain)
    return answer


def write(name, path, columns, margin, response, kinds=None):
    content = {"xgboost": xgb.__version__, "columns": columns, "kinds": kinds or {}, "margin": table(margin)}
    if response is not None:
        content["response"] = table(response)
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    (OUT / f"{name}.expected.json").write_text(text + "\n")
    print(name, path.stat().st_size, len(text))


def numeric_model(
    name, parameters, rounds, target, rows=500, columns=4, names=True, train_rows=600, respond=True, **data
):
    X = RNG.normal(size=(train_rows, columns)).astype(np.float32)
    X[RNG.random(X.shape) < 0.08] = np.nan
    y = target(np.nan_to_num(X))
    labels = [f"x{j}" for j in range(columns)] if names else None
    D = xgb.DMatrix(X, y, feature_names=labels)
    if "group" in data:
        D.set_group(data["group"])
    booster = xgb.train({"nthread": 1, **parameters}, D, rounds)
    path = OUT / f"{name}.json"
    booster.save_model(str(path))
    if not OLD:  # 1.0 cannot read its own Poisson models back
        booster = xgb.Booster(model_file=str(path))
    test = hard_rows(path, columns, rows, None)
    if OLD:
        test = np.where(np.isinf(test), np.float32(1e30) * np.sign(test), test).astype(np.float32)
    margin = predict(booster, test, True, names=labels)
    response = predict(booster, test, False, names=labels) if respond else None
    write(name, path, {f"x{j}": numbers(test[:, j]) for j in range(columns)}, margin, response)


def code_model(name, rounds=6):
    """Categories as bare codes, without names; the rows also hold codes that were never seen."""
    X = RNG.normal(size=(600, 3)).astype(np.float32)
    X[:, 1] = RNG.integers(0, 70, 600)
    X[:, 2] = RNG.integers(0, 3, 600)
    y = X[:, 0] + np.sin(X[:, 1]) * 2 + (X[:, 2] == 1)
    X[RNG.random(X.shape) < 0.05] = np.nan
    kinds, names = ["float", "c", "c"], ["x", "many", "few"]
    D = xgb.DMatrix(X, y, feature_types=kinds, feature_names=names, enable_categorical=True)
    booster = xgb.train({"nthread": 1, "max_depth": 4, "tree_method": "approx" if not NEW else "hist"}, D, rounds)
    path = OUT / f"{name}.json"
    booster.save_model(str(path))
    test = np.where(np.isinf(t := hard_rows(path, 3, 500, kinds)), np.float32(9), t).astype(np.float32)
    test[:, 1] = RNG.integers(0, 75, 500)
    test[:, 2] = RNG.integers(0, 4, 500)
    odd = [-1, -0.5, 0.5, 1.9, 63, 64, 69, 70, 127, 128, 1e6, 16777215, 16777216, 3e9, np.nan]
    if not NEW:  # older versions refuse some, send others elsewhere; today's XGBoost is the measure
        odd = [v for v in odd if v >= 0 and v < 16777216 or np.isnan(v)]
    for k, value in enumerate(odd):
        test[k, 1] = test[k + len(odd), 2] = value
    margin = predict(booster, test, True, kinds, names)
    write(name, path, {n: numbers(test[:, j]) for j, n in enumerate(names)}, margin, margin)


def named_category_model():
    import pandas as pd

    def frame(rows):
        return pd.DataFrame(
            {
                "x": RNG.normal(size=rows).astype(np.float32),
                "weather": pd.Categorical(RNG.choice(["rain", "clear", "mist", 'a b,c"d', "snow"], rows)),
                "size": pd.Categorical(RNG.choice([30, 2, -5, 100], rows)),
                "flag": RNG.random(rows) < 0.5,
                "count": RNG.integers(0, 9, rows),
            }
        )

    X = frame(700)
    y = X.x + (X.weather == "mist") * 2 + (X["size"] == 30) * 1.5 - (X["size"] == -5) + X.flag + 0.1 * X["count"]
    y -= (X.weather == "clear") * X.flag
    X.loc[RNG.random(700) < 0.05, "weather"] = np.nan
    booster = xgb.train(
        {"nthread": 1, "max_depth": 5, "max_cat_to_onehot": 5}, xgb.DMatrix(X, y, enable_categorical=True), 10
    )
    path = OUT / "categories.json"
    booster.save_model(str(path))
    test = frame(500)
    test.loc[RNG.random(500) < 0.1, "weather"] = np.nan
    test.loc[RNG.random(500) < 0.1, "size"] = np.nan
    test.loc[RNG.random(500) < 0.1, "x"] = np.nan
    # Other codes for the same names: XGBoost must find them by name, and so must we.
    test["weather"] = test.weather.cat.reorder_categories(["snow", "rain", 'a b,c"d', "mist", "clear"])
    margin = booster.predict(xgb.DMatrix(test, enable_categorical=True), output_margin=True)
    columns = {
        "x": numbers(test.x),
        "weather": [None if isinstance(v, float) else v for v in test.weather.astype(object)],
        "size": [None if np.isnan(v) else int(v) for v in test["size"].astype(float)],
        "flag": [bool(v) for v in test.flag],
        "count": [int(v) for v in test["count"]],
    }
    write("categories", path, columns, margin, margin, {"weather": "text", "flag": "boolean"})


def early_stopping():
    """The same trees twice: saved by a scikit-learn class (predicts with the best rounds) and by a Booster (all)."""
    X = RNG.normal(size=(500, 3)).astype(np.float32)
    y = X[:, 0] + RNG.normal(size=500)
    model = xgb.XGBRegressor(n_estimators=60, max_depth=3, early_stopping_rounds=5, n_jobs=1, num_parallel_tree=2)
    model.fit(X[:250], y[:250], eval_set=[(X[250:], y[250:])], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    test = RNG.normal(size=(500, 3)).astype(np.float32)
    path = OUT / "early_sklearn.json"
    model.save_model(path)
    loaded = xgb.XGBRegressor()
    loaded.load_model(path)
    columns = {f"f{j}": numbers(test[:, j]) for j in range(3)}
    write("early_sklearn", path, columns, loaded.predict(test, output_margin=True), loaded.predict(test))
    path = OUT / "early_booster.json"
    model.get_booster().save_model(path)
    booster = xgb.Booster(model_file=str(path))
    write("early_booster", path, columns, predict(booster, test, True), predict(booster, test, False))


def refused():
    X = RNG.normal(size=(60, 2)).astype(np.float32)
    y = X[:, 0]
    both = np.column_stack([y, -y])
    for name, parameters, target in [
        ("refused_dart", {"booster": "dart"}, y),
        ("refused_gblinear", {"booster": "gblinear"}, y),
        ("refused_hinge", {"objective": "binary:hinge"}, y > 0),
        ("refused_vector_leaf", {"multi_strategy": "multi_output_tree"}, both),
        ("refused_targets", {}, both),
    ]:
        xgb.train({"nthread": 1, "max_depth": 2, **parameters}, xgb.DMatrix(X, target), 2).save_model(
            OUT / f"{name}.json"
        )


def mean(X):
    return np.exp(0.4 * X[:, 0] - 0.3 * X[:, 1] * (X[:, 2] > 0))


def count(X):
    return RNG.poisson(mean(X)).astype(float)


def linear(X):
    return X[:, 0] * 2 - X[:, 1] + (X[:, 2] > 0) * X[:, 0] + 10


def classes(X):
    return np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.6, 0.5])


def yes(X):
    return (X[:, 0] + X[:, 1] > 0.2).astype(float)


def old_set(version):
    tag = "v" + version.replace(".", "_")
    numeric_model(f"{tag}_regression", {"max_depth": 4, "gamma": 3.0, "tree_method": "exact"}, 5, linear, rows=200)
    binary = {"max_depth": 3, "objective": "binary:logistic", "base_score": 0.3}
    numeric_model(f"{tag}_binary", binary, 5, yes, rows=200)
    multi = {"max_depth": 3, "objective": "multi:softprob", "num_class": 3}
    numeric_model(f"{tag}_multiclass", multi, 4, classes, rows=200)
    numeric_model(f"{tag}_poisson", {"max_depth": 3, "objective": "count:poisson"}, 5, count, rows=200)
    if version >= "1.7":
        code_model(f"{tag}_codes", 3)


def full_set():
    numeric_model("regression", {"max_depth": 5}, 12, linear)
    numeric_model("nameless", {"max_depth": 3}, 4, linear, names=False, rows=100)
    numeric_model("binary", {"max_depth": 4, "objective": "binary:logistic"}, 10, yes)
    numeric_model("multiclass", {"max_depth": 3, "objective": "multi:softprob", "num_class": 3}, 8, classes)
    numeric_model("poisson", {"max_depth": 4, "objective": "count:poisson"}, 10, count)
    forest = {"max_depth": 3, "objective": "multi:softprob", "num_class": 3, "num_parallel_tree": 3, "subsample": 0.6}
    numeric_model("forest", forest, 2, classes, rows=200)
    deep = {"grow_policy": "lossguide", "max_depth": 0, "max_leaves": 60, "min_child_weight": 0, "learning_rate": 0.9}
    numeric_model("unbalanced", deep, 3, lambda X: np.exp(3 * X[:, 0]), rows=500)
    numeric_model("stump_only", {"max_depth": 2, "gamma": 1e9}, 2, linear, rows=20)
    for objective, target in [
        ("reg:logistic", lambda X: 1 / (1 + np.exp(-X[:, 0]))),
        ("binary:logitraw", yes),
        ("reg:gamma", mean),
        ("reg:tweedie", mean),
        ("reg:absoluteerror", linear),
        ("reg:pseudohubererror", linear),
        ("reg:squaredlogerror", mean),
        ("reg:quantileerror", linear),
        ("rank:pairwise", classes),
        ("rank:ndcg", classes),
        ("rank:map", yes),
    ]:
        parameters = {"max_depth": 3, "objective": objective}
        extra = {}
        if objective == "reg:quantileerror":
            parameters["quantile_alpha"] = 0.7
        if objective.startswith("rank:"):
            extra["group"] = [60] * 10
        numeric_model("objective_" + objective.replace(":", "_"), parameters, 3, target, rows=80, **extra)
    soft = {"max_depth": 3, "objective": "multi:softmax", "num_class": 3}
    numeric_model("objective_multi_softmax", soft, 3, classes, rows=80, respond=False)
    for score in (1e-9, 0.999999999):
        edge = {"max_depth": 2, "objective": "binary:logistic", "base_score": score}
        numeric_model("base_score_low" if score < 0.5 else "base_score_high", edge, 1, yes, rows=40)
    code_model("codes")
    named_category_model()
    early_stopping()
    refused()


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    if len(sys.argv) > 1:
        assert xgb.__version__ == sys.argv[1], xgb.__version__
        old_set(sys.argv[1])
    else:
        full_set()
