"""Write small XGBoost models of the installed version and what XGBoost itself predicts with them.

    tests/formats/make.sh xgboost [VERSION]    # all versions or one, each in a virtual environment of its own
    some-venv/bin/python make_xgboost.py       # the version that is installed there

NAME.json is a model as XGBoost saved it, NAME.ubj (since 1.6) the same in its binary format; the answers stand beside
them as fixture.py says. Margins come from output_margin=True of the model read back from its file. Rows hold random
values, missing values, values on every threshold with their neighbours as float32 and as double, +-0, tiny and huge
numbers and, where the version takes them, +-inf.
"""

import json
import sys
import warnings
import zlib
from pathlib import Path

import numpy as np
import xgboost as xgb
from fixture import make_matrix, picks, start_over, write_fixture

OUT = Path(__file__).resolve().parent / "xgboost"
VERSION = tuple(int(part) for part in xgb.__version__.split(".")[:3])
TAG = "v" + "_".join(map(str, VERSION))
HAS_UBJ = VERSION >= (1, 6)
TAKES_INF = VERSION >= (1, 7)  # inplace_predict does; DMatrix never
READS_BACK = VERSION >= (1, 1)  # 1.0 cannot read its own pruned trees
# Up to 1.2, dart up to 1.3.
BASE_LAST = "this version adds the base score to the sum of the leaves, not the leaves to the base score"
RNG = np.random.default_rng()
MAIN_ROWS = 10000


def seed(name):
    """By the model's name, so that a new model leaves the others as they are."""
    global RNG
    RNG = np.random.default_rng(zlib.crc32(name.encode()))
    return f"{TAG}_{name}"


def trees_of(path):
    booster = json.loads(path.read_text())["learner"]["gradient_booster"]
    booster = booster.get("gbtree", booster)
    return booster["model"].get("trees", [])


def thresholds(path, feature, most):
    """Of the numeric splits of a feature, as float32; a sample if there are more."""
    found = set()
    for tree in trees_of(path):
        kinds = tree.get("split_type") or [0] * len(tree["left_children"])
        for left, kind, split, condition in zip(
            tree["left_children"], kinds, tree["split_indices"], tree["split_conditions"]
        ):
            if left != -1 and kind == 0 and split == feature:
                found.add(float(np.float32(condition)))
    found = sorted(found)
    return found if len(found) <= most else [found[i] for i in RNG.choice(len(found), most, replace=False)]


def pool_of(path, feature, infinite, small):
    """What a numeric column may hold."""
    plain = [float(v) for v in np.round(RNG.normal(size=20 if small else 60), 3)]
    pool = plain + [float("nan")] * (3 if small else 8) + [0.0, -0.0, 1e-36, 1e-35, 1e-45, 1e38]
    pool += [float(2**24 + 1), float(2**24 + 3), float(2**31 + 1), float(2**53 + 2)]
    if infinite:
        pool += [float("inf"), float("-inf"), 1e39, -1e39]
    for k, t in enumerate(thresholds(path, feature, 12 if small else 300)):
        below = float(np.nextafter(np.float32(t), np.float32(-np.inf)))
        above = float(np.nextafter(np.float32(t), np.float32(np.inf)))
        pool += [t, below, above]
        if k < 20:  # doubles that round to the threshold, or just not
            middle = (below + t) / 2
            pool += [np.nextafter(t, -np.inf), middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)]
    return [float(v) for v in pool]


def dmatrix(X, y=None, **more):
    return xgb.DMatrix(X, y, missing=np.nan, **more)


def predict(booster, X, margin, infinite, **more):
    """XGBoost's answer. DMatrix refuses inf, inplace_predict does not; where both work they must agree."""
    if not infinite:
        return booster.predict(dmatrix(X, **more), output_margin=margin)
    with np.errstate(over="ignore"):
        finite = ~np.isinf(X.astype(np.float32)).any(axis=1)
    answer = booster.inplace_predict(X, predict_type="margin" if margin else "value")
    np.testing.assert_array_equal(answer[finite], booster.predict(dmatrix(X[finite], **more), output_margin=margin))
    return answer


def save(booster, name, ubj=True):
    """Both formats, and the model as it reads back."""
    path = OUT / f"{name}.json"
    booster.save_model(str(path))
    if HAS_UBJ and ubj:
        booster.save_model(str(OUT / f"{name}.ubj"))
    if READS_BACK:
        booster = xgb.Booster(model_file=str(path))
    return path, booster


def write(name, columns, rows, margin, response, **more):
    old = "_gblinear" not in name and VERSION < ((1, 4) if "_dart" in name else (1, 3))
    if response is not None and (np.shape(margin) != np.shape(response) or np.array_equal(margin, response)):
        response = None  # the class instead of its probability, or nothing new
    write_fixture(
        OUT,
        name,
        framework="xgboost",
        version=xgb.__version__,
        columns=columns,
        rows=rows,
        margin=np.asarray(margin, dtype=np.float32),
        response=response,
        tolerance=1e-6 if old else 0,
        why=BASE_LAST if old else None,
        response_tolerance=2e-6 if old else 2.4e-7,
        **more,
    )


def data(rows, columns=4):
    X = RNG.normal(size=(rows, columns))
    if columns > 3:  # whole numbers that float32 cannot tell apart
        X[:, 3] = np.floor(2**24 + 40 * X[:, 3])
    return X


def numeric_model(
    name, parameters, rounds, target, rows=500, train_rows=500, columns=4, names=True, respond=True, **more
):
    name = seed(name)
    X = data(train_rows, columns)
    y = target(X)
    X[RNG.random(X.shape) < 0.05] = np.nan
    labels = [f"x{j}" for j in range(columns)] if names else None
    D = dmatrix(X, None if more.get("bounds") else y, feature_names=labels)
    if more.get("bounds"):
        D.set_float_info("label_lower_bound", y)
        D.set_float_info("label_upper_bound", y)
    if more.get("group"):
        D.set_group(more["group"])
    booster = xgb.train({"nthread": 1, "verbosity": 0, **parameters}, D, rounds, obj=more.get("custom"))
    path, booster = save(booster, name, more.get("ubj", True))
    # Dart adds the products in another way when it is given no DMatrix; gblinear wants one.
    infinite = TAKES_INF and parameters.get("booster", "gbtree") == "gbtree"
    pools = [pool_of(path, j, infinite, rows < MAIN_ROWS) for j in range(columns)]
    test = make_matrix(rows, pools)
    margin = predict(booster, test, True, infinite, feature_names=labels)
    response = predict(booster, test, False, infinite, feature_names=labels) if respond else None
    described = [((labels or [f"f{j}" for j in range(columns)])[j], "float64", pools[j]) for j in range(columns)]
    write(name, described, rows, margin, response)


def code_model(name, parameters, rounds=6, rows=MAIN_ROWS):
    """Categories as bare codes, without names; the rows also hold codes that were never seen."""
    name = seed(name)
    X = RNG.normal(size=(900, 3))
    X[:, 1] = RNG.integers(0, 150, 900)
    X[:, 2] = RNG.integers(0, 3, 900)
    y = X[:, 0] + np.sin(X[:, 1]) * 2 + (X[:, 2] == 1)
    X[RNG.random(X.shape) < 0.05] = np.nan
    kinds, labels = ["float", "c", "c"], ["x", "many", "few"]
    more = {"feature_types": kinds, "feature_names": labels, "enable_categorical": True}
    method = "hist" if VERSION >= (2,) else "approx"
    D = xgb.DMatrix(X, y, **more)
    booster = xgb.train({"nthread": 1, "max_depth": 4, "tree_method": method, **parameters}, D, rounds)
    path, booster = save(booster, name)
    odd = [0.5, 1.9, 63, 64, 127, 128, 149, 150, 1e6, 16777215, np.nan, np.nan]
    if VERSION >= (3, 1):  # older versions refuse some, send others elsewhere; today's XGBoost is the measure
        odd += [-1, -0.5, 16777216, 3e9, 2.5, 1e9]
    pools = [
        pool_of(path, 0, False, rows < MAIN_ROWS),
        [float(v) for v in list(range(150)) + odd],
        [float(v) for v in [0, 1, 2, 3] * 5 + odd],
    ]
    test = make_matrix(rows, pools)
    margin = booster.predict(xgb.DMatrix(test, **more), output_margin=True)
    write(name, [(labels[j], "float64", pools[j]) for j in range(3)], rows, margin, None)


def named_category_model(name, parameters):
    """Categories by name: the rows' frame has other codes for the same names."""
    import pandas as pd

    name = seed(name)
    weather = ["snow", "rain", 'a b,c"d', "mist", "clear"]
    city = [f"city {k}" for k in range(80)]
    size = [30, 2, -5, 100]
    flag, count = [False, True], list(range(9))

    def frame(rows, pools):
        chosen = picks(rows, pools)
        columns = [[pool[k] for k in at] for pool, at in zip(pools, chosen)]
        frame = pd.DataFrame({"x": np.asarray(columns[0], dtype=float)})
        frame["weather"] = pd.Categorical(columns[1], categories=sorted(set(columns[1]) - {None}))
        frame["city"] = pd.Categorical(columns[2], categories=list(dict.fromkeys(v for v in columns[2] if v)))
        frame["size"] = pd.Categorical(columns[3], categories=sorted(set(columns[3]) - {None}))
        frame["flag"] = np.asarray(columns[4], dtype=bool)
        frame["count"] = np.asarray(columns[5], dtype=np.int64)
        return frame

    X = frame(900, [[float(v) for v in RNG.normal(size=500)], weather + [None], city, size, flag, count])
    y = X.x + (X.weather == "mist") * 2 + (X["size"] == 30) * 1.5 - (X["size"] == -5) + X.flag + 0.1 * X["count"]
    y += np.sin(X.city.astype(str).str[5:].astype(int)) - (X.weather == "clear") * X.flag
    D = xgb.DMatrix(X, y, enable_categorical=True)
    booster = xgb.train({"nthread": 1, "max_depth": 5, **parameters}, D, 8)
    path, booster = save(booster, name)
    pools = [
        pool_of(path, 0, False, False),
        weather[::-1] + [None],
        city[::-1] + [None] * 4,
        size[::-1] + [None],
        flag,
        count,
    ]
    margin = booster.predict(xgb.DMatrix(frame(MAIN_ROWS, pools), enable_categorical=True), output_margin=True)
    kinds = ["float64", "text", "text", "int64", "boolean", "int64"]
    write(name, list(zip(X.columns, kinds, pools)), MAIN_ROWS, margin, None)


def early_stopping():
    """The same trees twice: saved by a scikit-learn class (predicts with the best rounds) and by a Booster (all)."""
    name = seed("early_sklearn")
    X = RNG.normal(size=(500, 3))
    y = X[:, 0] + RNG.normal(size=500)
    parts = {"X": X[:250], "y": y[:250], "eval_set": [(X[250:], y[250:])], "verbose": False}
    settings = {"n_estimators": 30, "max_depth": 2, "n_jobs": 1, "num_parallel_tree": 2, "verbosity": 0}
    if VERSION >= (1, 6):
        model = xgb.XGBRegressor(early_stopping_rounds=3, **settings).fit(**parts)
    else:
        model = xgb.XGBRegressor(**settings).fit(early_stopping_rounds=3, **parts)
    path = OUT / f"{name}.json"
    model.save_model(str(path))
    if HAS_UBJ:
        model.save_model(str(OUT / f"{name}.ubj"))
    assert model.best_iteration + 1 < len(trees_of(path)) // 2
    pools = [pool_of(path, j, False, True) for j in range(3)]
    test = make_matrix(2000, pools)
    columns = [(f"f{j}", "float64", pools[j]) for j in range(3)]
    margin = model.predict(test, output_margin=True)
    loaded = xgb.XGBRegressor()
    loaded.load_model(str(path))
    if VERSION[:2] not in [(1, 4), (1, 5)]:  # these forget num_parallel_tree
        np.testing.assert_array_equal(margin, loaded.predict(test, output_margin=True))
    write(name, columns, 2000, margin, None)
    name = f"{TAG}_early_booster"
    booster = model.get_booster()
    if VERSION < (1, 4):
        booster.set_attr(scikit_learn=None)
    path, booster = save(booster, name)
    write(name, columns, 2000, booster.predict(dmatrix(test), output_margin=True), None)


def mean(X):
    return np.exp(0.4 * X[:, 0] - 0.3 * X[:, 1] * (X[:, 2] > 0))


def events(X):
    return RNG.poisson(mean(X)).astype(float)


def linear(X):
    return X[:, 0] * 2 - X[:, 1] + (X[:, 2] > 0) * X[:, 0] + (X[:, 3] > 2**24) + 10


def additive(X):
    return X[:, 0] * 2 - X[:, 1] + 0.3 * X[:, 2] + 10


def classes(X):
    return np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.6, 0.5])


def yes(X):
    return (X[:, 0] + X[:, 1] > 0.2).astype(float)


def targets(X):
    return np.column_stack([X[:, 0], X[:, 1] ** 2, X[:, 0] * X[:, 2] + 3])


def labels(X):
    return np.column_stack([X[:, 0] > 0, X[:, 1] > 0.5, X[:, 0] + X[:, 2] > 0]).astype(float)


MULTI = {"objective": "multi:softprob", "num_class": 3}


def main_models():
    numeric_model("regression", {"max_depth": 5, "gamma": 0.5}, 8, linear, MAIN_ROWS)
    numeric_model("binary", {"max_depth": 4, "objective": "binary:logistic", "base_score": 0.3}, 8, yes, MAIN_ROWS)
    numeric_model("multiclass", {"max_depth": 3, **MULTI}, 5, classes, MAIN_ROWS)
    numeric_model("poisson", {"max_depth": 4, "objective": "count:poisson"}, 5, events, 2000)
    dart = {"booster": "dart", "rate_drop": 0.4, "one_drop": 1, "max_depth": 4, "seed": 3}
    numeric_model("dart", dart, 8, linear, MAIN_ROWS)
    numeric_model("gblinear", {"booster": "gblinear", "lambda": 0.01}, 10, additive, MAIN_ROWS, columns=3)
    linear_multi = {"booster": "gblinear", **MULTI}
    numeric_model("gblinear_multiclass", linear_multi, 6, classes, 1000, columns=3)
    forest = {"max_depth": 2, "num_parallel_tree": 3, "subsample": 0.6, **MULTI}
    numeric_model("forest", forest, 2, classes, 1000)
    early_stopping()


def newer_models():
    """What came in time."""
    if VERSION >= (1, 6):
        numeric_model("targets", {"max_depth": 3}, 3, targets, 2000)
        code_model("codes", {"max_cat_to_onehot": 4})
    if VERSION >= (2,):
        vector = {"max_depth": 4, "multi_strategy": "multi_output_tree"}
        numeric_model("vector_leaves", vector, 5, targets, MAIN_ROWS if VERSION >= (3, 2) else 4000)
    if VERSION >= (3, 1):
        named_category_model("categories", {"max_cat_to_onehot": 5})


def every_objective():
    """One small model each for those that are not among the main models, with a base score of its own."""
    for objective, target in [
        ("reg:squaredlogerror", mean),
        ("reg:absoluteerror", linear),
        ("reg:pseudohubererror", linear),
        ("reg:quantileerror", linear),
        ("reg:logistic", lambda X: 1 / (1 + np.exp(-X[:, 0]))),
        ("binary:logitraw", yes),
        ("binary:hinge", yes),
        ("multi:softmax", classes),
        ("count:poisson", events),
        ("reg:gamma", mean),
        ("reg:tweedie", mean),
        ("survival:cox", lambda X: mean(X) * np.where(X[:, 2] > 1, -1, 1)),
        ("survival:aft", mean),
        ("rank:pairwise", classes),
        ("rank:ndcg", classes),
        ("rank:map", yes),
    ]:
        since = {
            "survival:aft": (1, 1),
            "reg:pseudohubererror": (1, 1),
            "reg:absoluteerror": (1, 7),
            "reg:quantileerror": (2, 0),
        }
        if VERSION < since.get(objective, (1, 0)):
            continue
        parameters = {"max_depth": 3, "objective": objective, "base_score": 0.3}
        more = {"bounds": objective == "survival:aft", "ubj": False}
        if objective == "reg:quantileerror":
            parameters["quantile_alpha"] = 0.7
        if objective.startswith("rank:"):
            more["group"] = [50] * 10
        if objective.startswith("multi:"):
            parameters["num_class"] = 3
        numeric_model("objective_" + objective.replace(":", "_"), parameters, 3, target, **more)


def variants():
    """What only the newest version is asked for."""
    numeric_model("nameless", {"max_depth": 3}, 4, linear, names=False)
    numeric_model("gblinear_targets", {"booster": "gblinear"}, 4, targets, columns=3)
    deep = {"grow_policy": "lossguide", "max_depth": 0, "max_leaves": 60, "min_child_weight": 0, "learning_rate": 0.9}
    numeric_model("unbalanced", deep, 3, lambda X: np.exp(3 * X[:, 0]))
    numeric_model("stump_only", {"max_depth": 2, "gamma": 1e9}, 2, linear)
    numeric_model("vector_stump", {"gamma": 1e9, "multi_strategy": "multi_output_tree"}, 2, targets)
    numeric_model("vector_multiclass", {"max_depth": 3, "multi_strategy": "multi_output_tree", **MULTI}, 4, classes)
    for name, strategy in [("labels", "one_output_per_tree"), ("vector_labels", "multi_output_tree")]:
        several = {"max_depth": 3, "objective": "binary:logistic", "multi_strategy": strategy}
        numeric_model(name, several, 3, labels)
    quantiles = {"max_depth": 3, "objective": "reg:quantileerror", "quantile_alpha": [0.05, 0.5, 0.95]}
    numeric_model("quantiles", quantiles, 3, linear, 2000)
    numeric_model("vector_quantiles", {**quantiles, "multi_strategy": "multi_output_tree"}, 3, linear)
    for score in (1e-9, 0.999999999):
        edge = {"max_depth": 2, "objective": "binary:logistic", "base_score": score}
        numeric_model("base_score_low" if score < 0.5 else "base_score_high", edge, 1, yes)
    dart = {"booster": "dart", "rate_drop": 0.5, "one_drop": 1, "max_depth": 3, "normalize_type": "forest", "seed": 4}
    numeric_model("dart_forest", {**dart, "num_parallel_tree": 2, **MULTI}, 6, classes, 2000)
    numeric_model("dart_binary", {**dart, "objective": "binary:logistic", "sample_type": "weighted"}, 8, yes, 2000)
    code_model("dart_codes", {"max_cat_to_onehot": 4, **dart}, rows=2000)
    code_model("codes_onehot", {"max_cat_to_onehot": 1000}, rows=2000)
    named_category_model("categories_partition", {"max_cat_to_onehot": 1})
    named_category_model("categories_dart", {**dart, "max_depth": 4})


def custom(preds, D):
    """Softmax by hand."""
    y = D.get_label().astype(int)
    margin = np.asarray(preds, dtype=float).reshape(len(y), 3)
    p = np.exp(margin - margin.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    gradient, hessian = p - np.eye(3)[y], 2 * p * (1 - p)
    if VERSION >= (2, 1):
        return gradient, hessian
    return gradient.reshape(-1, 1), hessian.reshape(-1, 1)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    start_over(OUT, xgb.__version__)
    if VERSION not in [(1, 6, 2), (3, 1, 3)]:  # like their neighbours but for the things that came with them
        main_models()
    newer_models()
    if VERSION in [(1, 0, 2), (1, 3, 3), (3, 2, 0)]:
        every_objective()
    if VERSION in [(1, 7, 6), (3, 2, 0)]:
        settings = {"max_depth": 3, "num_class": 3, "disable_default_eval_metric": 1}
        numeric_model("custom", settings, 4, classes, custom=custom)  # the file says multi:softmax
        margins = {**settings, "objective": "reg:squarederror"}  # the file says so, and num_class
        numeric_model("custom_margins", margins, 4, classes, custom=custom)
    if VERSION == (3, 2, 0):
        variants()
    sys.stdout.write(f"{TAG}: {len(list(OUT.glob(f'{TAG}_*.expected.json')))} models\n")
