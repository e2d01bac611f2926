"""Makes the LightGBM fixtures: small models as LightGBM saves them, and LightGBM's own answers.

Run by make.sh with each version it names: the newest makes the full set, the others a few models each. Models are
trained on one thread, each from its own seed.
"""

import warnings
import zlib
from pathlib import Path

import lightgbm as lgb
import numpy as np
import pandas as pd
from fixture import make_matrix, make_rows, start_over, write_fixture

warnings.filterwarnings("ignore")
OUT = Path(__file__).parent / "lightgbm"
VERSION = lgb.__version__
MAJOR = int(VERSION.split(".")[0])
TINY = float(np.float32(1e-35))  # what LightGBM takes for zero
# Exactly on, and one step off, the numbers where something changes.
EDGES = [0.0, 1e-36, 1e-35, TINY, np.nextafter(TINY, 1), np.nextafter(TINY, 0), 5e-324]
LARGE = [2.0**24 + 1, 2.0**31 + 1, 2.0**53 + 2, 1e38, 1e39, 1e300, 1.7e308, np.inf]
ODD_CODES = [-1, -0.5, -0.99, -1e9, 0.5, 2.5, 63, 64, 65, 127.9, 1e9, 2.0**31 - 1, 2.0**31, 3e9, 1e300, np.inf, -np.inf]
BASE = {"num_threads": 1, "verbose": -1, "num_leaves": 8, "min_data_in_leaf": 10, "learning_rate": 0.2}


def generator(name):
    return np.random.default_rng(zlib.crc32(f"{VERSION} {name}".encode()))


def thresholds(text, feature):
    """The thresholds of a feature's numeric splits, read off the model file."""
    found = set()
    for block in text.split("\nTree=")[1:]:
        lines = dict(line.split("=", 1) for line in block.split("\n\n")[0].split("\n")[1:] if "=" in line)
        parts = [lines.get(key, "").split() for key in ("split_feature", "threshold", "decision_type")]
        for j, value, kind in zip(*parts):
            if int(j) == feature and not int(kind) & 1:
                found.add(float(value))
    return sorted(found)


def numeric_pool(rng, values, cuts, single=False):
    """Values as in training, missing, infinite, very large, around zero, and on and beside thresholds."""
    pool = list(values[: 60 if len(cuts) else 10]) + [np.nan] * 6
    for edge in EDGES + LARGE:
        pool += [edge, -edge]
    cuts = cuts if len(cuts) <= 100 else list(rng.choice(cuts, 100, replace=False))
    for cut in cuts:
        near = np.float32(cut)
        pool += [cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf)]
        pool += [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    if single:
        with np.errstate(over="ignore"):
            return [float(np.float32(value)) for value in pool]
    return [float(value) for value in pool]


def code_pool(codes):
    return [float(code) for code in [*sorted(set(codes)), *ODD_CODES, *EDGES]] + [np.nan] * 4


def numbers(rng, rows, missing=0.08):
    """x0 normal, x1 mostly zero, x2 whole numbers, x3 skewed; missing values everywhere."""
    X = np.column_stack(
        [
            rng.normal(size=rows),
            np.where(rng.random(rows) < 0.6, 0.0, rng.normal(size=rows)),
            rng.integers(-3, 9, rows).astype(float),
            np.exp(2 * rng.normal(size=rows)),
        ]
    )
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
    return X


def linear(X, rng):
    X = np.nan_to_num(X)
    return 10 + 2 * X[:, 0] - X[:, 1] + 0.3 * X[:, 2] * (X[:, 0] > 0) + 0.2 * np.log(X[:, 3] + 1)


def mean(X, rng):
    return np.exp(0.1 * linear(X, rng))


def yes(X, rng):
    return (linear(X, rng) + rng.normal(size=len(X)) > 10.5).astype(float)


def share(X, rng):
    return 1 / (1 + np.exp(10.5 - linear(X, rng)))


def classes(X, rng):
    return np.digitize(linear(X, rng), [9.5, 11.5]).astype(float)


def answer(booster, X, margin, rounds=None):
    options = {"raw_score": True} if margin else {}
    if rounds:
        options["num_iteration"] = rounds
    return np.asarray(booster.predict(X, **options), dtype=np.float64)


def save(name, booster, columns, X, rows, rounds=None, averaged=False, whole=None):
    """Writes the model and the answers. `X`: the rows that the columns' pools make, as LightGBM takes them."""
    path = OUT / f"{name}.txt"
    if not path.exists():
        booster.save_model(str(path), **({"num_iteration": whole} if whole else {}))
    margin, response = answer(booster, X, True, rounds), answer(booster, X, False, rounds)
    if MAJOR >= 3:  # older versions read their own leaves back with fewer digits
        again = lgb.Booster(model_file=str(path))
        assert np.array_equal(margin, answer(again, X, True, rounds), equal_nan=True), name
    if averaged:  # raw_score is the sum; predict divides it before anything else
        margin = margin / (path.read_text().count("\nTree=") // (margin.size // rows))
    assert np.isfinite(margin).all(), name
    write_fixture(
        OUT,
        name,
        framework="lightgbm",
        version=VERSION,
        columns=columns,
        rows=rows,
        margin=margin,
        response=response,
        response_rows=200,
        response_tolerance=1e-14,
    )
    print(name, path.stat().st_size, sum(f.stat().st_size for f in OUT.glob(f"{name}.*")))


def numeric(
    name, parameters, target, rows=10000, rounds=6, single=False, missing=0.08, names=None, train_rows=700, **more
):
    """A model of four numbers."""
    rng = generator(name)
    X = numbers(rng, train_rows, missing)
    y = more.get("labels", target)(X, rng)
    dataset = {"feature_name": names} if names else {}
    if "group" in more:
        dataset["group"] = more["group"]
    booster = lgb.train({**BASE, **parameters}, lgb.Dataset(X, y, **dataset), rounds, **more.get("train", {}))
    booster.save_model(str(OUT / f"{name}.txt"))
    text = (OUT / f"{name}.txt").read_text()
    kind = "float32" if single else "float64"
    columns = [
        (names[j] if names else f"Column_{j}", kind, numeric_pool(rng, X[:, j], thresholds(text, j), single))
        for j in range(4)
    ]
    matrix = make_matrix(rows, [pool for _, _, pool in columns], np.float32 if single else np.float64)
    save(name, booster, columns, matrix, rows, averaged=parameters.get("boosting") == "rf")


def codes(name, parameters, rows=10000, rounds=6):
    """Categories as bare codes: few, many, and far apart; training has missing and negative ones."""
    rng = generator(name)
    n = 3000
    X = np.column_stack(
        [
            rng.normal(size=n),
            rng.integers(0, 3, n),
            rng.integers(0, 150, n),
            rng.choice([0, 3, 64, 1000, 7000], n),
        ]
    ).astype(float)
    y = X[:, 0] + (X[:, 1] == 1) + 2 * np.sin(X[:, 2]) + (X[:, 3] == 64) - (X[:, 3] == 7000)
    if parameters.get("objective") == "binary":
        y = (y > 0).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[rng.random(n) < 0.02, 1] = -1
    booster = lgb.train({**BASE, **parameters}, lgb.Dataset(X, y, categorical_feature=[1, 2, 3]), rounds)
    booster.save_model(str(OUT / f"{name}.txt"))
    text = (OUT / f"{name}.txt").read_text()
    columns = [("Column_0", "float64", numeric_pool(rng, X[:, 0], thresholds(text, 0)))]
    for j, seen in ((1, range(4)), (2, range(155)), (3, [0, 3, 64, 1000, 7000, 7001])):
        columns.append((f"Column_{j}", "float64", code_pool(seen)))
    save(name, booster, columns, make_matrix(rows, [pool for _, _, pool in columns]), rows)


def named(name, rows=10000, rounds=8):
    """pandas categories by value: text, whole numbers, fractions, truth values; a blank in a column's name."""
    rng = generator(name)
    weather, sizes, ratios = ["rain", "clear", "mist", 'é "b,c', "snow"], [30, 2, -5, 100], [1.5, 2.0, -0.25]

    def frame(n):
        return pd.DataFrame(
            {
                "x a": rng.normal(size=n),
                "weather": pd.Categorical(rng.choice(weather, n)),
                "size": pd.Categorical(rng.choice(sizes, n)),
                "same": pd.Categorical(["one"] * n),
                "ratio": pd.Categorical(rng.choice(ratios, n)),
                "flag": pd.Categorical(rng.random(n) < 0.5),
                "count": rng.integers(0, 9, n),
            }
        )

    X = frame(2000)
    if MAJOR < 3:
        del X["same"]  # these do not say which columns are categorical, and a constant one hides
    y = X["x a"] + (X.weather == "mist") * 2.0 + (X["size"] == 30) * 1.5 - (X["size"] == -5) * 1.0
    y += X.flag.astype(float) * (X.ratio == 2.0) + 0.1 * X["count"] - (X.weather == "clear") * 1.0
    X.loc[rng.random(2000) < 0.05, "weather"] = np.nan
    parameters = {**BASE, "max_cat_to_onehot": 3, "min_data_per_group": 5, "cat_smooth": 1.0}
    booster = lgb.train(parameters, lgb.Dataset(X, y), rounds)
    booster.save_model(str(OUT / f"{name}.txt"))
    text = (OUT / f"{name}.txt").read_text()
    # Other orders of levels, and levels that were never seen.
    pools = {
        "x a": ("float64", numeric_pool(rng, rng.normal(size=60), thresholds(text, 0))),
        "weather": ("text", ["snow", "fog", "rain", 'é "b,c', None, "mist", "clear", "Clear"]),
        "size": ("int64", [100, -5, 30, 2, 7, None]),
        "same": ("text", ["one", "two", None]),
        "ratio": ("float64", [2.0, -0.25, 1.5, 0.1, None]),
        "flag": ("text", ["true", None, "false"]),
        "count": ("int64", list(range(-2, 12)) + [2**31 + 1]),
    }
    pools = {column: pools[column] for column in X.columns}
    values = dict(zip(pools, make_rows(rows, [pool for _, pool in pools.values()])))
    test = pd.DataFrame({"x a": np.asarray(values["x a"], dtype=float)})
    for column in list(pools)[1:-1]:
        levels = [v for v in pools[column][1] if v is not None]
        kept = values[column]
        if column == "flag":
            levels, kept = [True, False], [None if v is None else v == "true" for v in kept]
        test[column] = pd.Categorical(kept, categories=levels)
    test["count"] = np.asarray(values["count"], dtype=float)
    save(name, booster, [(column, *pool) for column, pool in pools.items()], test, rows)


def early_stopping(rows=2000):
    """The same model twice: save_model keeps the best rounds alone, or all of them when told so."""
    rng = generator("early")
    X = numbers(rng, 600)
    y = linear(X, rng) + 3 * rng.normal(size=600)
    booster = lgb.train(
        {**BASE, "learning_rate": 0.3},
        lgb.Dataset(X[:300], y[:300]),
        80,
        valid_sets=[lgb.Dataset(X[300:], y[300:])],
        callbacks=[lgb.early_stopping(8, verbose=False)],
        keep_training_booster=True,  # train itself would forget the rounds behind the best
    )
    assert 0 < booster.best_iteration < booster.num_trees(), (booster.best_iteration, booster.num_trees())
    columns = [(f"Column_{j}", "float64", numeric_pool(rng, X[:, j], [])) for j in range(4)]
    matrix = make_matrix(rows, [pool for _, _, pool in columns])
    save("early_best", booster, columns, matrix, rows)
    save("early_all", booster, columns, matrix, rows, rounds=booster.num_trees(), whole=-1)


def custom(rows=2000):
    """A custom objective leaves no trace in the file; LightGBM answers margins."""

    def squares(score, data):
        return score - data.get_label(), np.ones_like(score)

    def softmax(score, data):
        p = np.exp(score - score.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        truth = np.eye(3)[data.get_label().astype(int)]
        return p - truth, 2 * p * (1 - p)

    numeric("custom", {"objective": squares}, linear, rows)
    numeric("custom_classes", {"objective": softmax, "num_class": 3}, classes, rows)


def continued(rows=2000):
    """Training that goes on from a saved model."""
    rng = generator("continued")
    X = numbers(rng, 600)
    y = linear(X, rng)
    first = lgb.train(BASE, lgb.Dataset(X, y, free_raw_data=False), 4)
    numeric("continued", {"objective": "huber"}, linear, rows, 4, train={"init_model": first})


def refused():
    rng = generator("refused")
    X = numbers(rng, 300, 0)
    y = linear(X, rng)
    lgb.train({**BASE, "linear_tree": True}, lgb.Dataset(X, y), 2).save_model(str(OUT / "refused_linear.txt"))
    # An ordered category is a number to LightGBM, and the file does not say which column had it.
    order = pd.Categorical.from_codes((X[:, 0] > 0).astype(int), ["low", "high"], ordered=True)
    frame = pd.DataFrame({"order": order, "x": X[:, 1]})
    lgb.train(BASE, lgb.Dataset(frame, y), 2).save_model(str(OUT / "refused_ordered.txt"))


def objectives():
    for objective, target, more in [
        ("regression_l1", linear, {}),
        ("huber", linear, {}),
        ("fair", linear, {}),
        ("quantile", linear, {"alpha": 0.7}),
        ("mape", linear, {}),
        ("poisson", mean, {}),
        ("gamma", mean, {}),
        ("tweedie", mean, {}),
        ("cross_entropy", share, {}),
        ("cross_entropy_lambda", share, {}),
    ]:
        numeric(f"objective_{objective}", {"objective": objective, **more}, target, rounds=4)
    for objective in ("lambdarank", "rank_xendcg"):
        numeric(f"objective_{objective}", {"objective": objective}, classes, rounds=4, group=[70] * 10)
    for objective in ("regression", "regression_l1", "quantile", "mape", "fair", "huber"):
        parameters = {"objective": objective, "reg_sqrt": True}
        numeric(f"sqrt_{objective}", parameters, lambda X, rng: linear(X, rng) - 10, rows=2000, rounds=4)


def absent(X, rng):
    """Class 3 of four never occurs: its trees are bare leaves."""
    return classes(X, rng)


def full_set():
    numeric("regression", {"num_leaves": 31}, linear, rounds=12)
    numeric("float32", {}, linear, single=True)
    numeric(
        "named_numbers",
        {"monotone_constraints": [1, 0, 0, 0]},
        linear,
        names=["temp", "é", "hum=id", "wind"],
        rows=2000,
    )
    numeric("binary", {"objective": "binary"}, yes, rounds=10)
    numeric("binary_sigmoid", {"objective": "binary", "sigmoid": 2.5, "is_unbalance": True}, yes)
    numeric("multiclass", {"objective": "multiclass", "num_class": 3}, classes)
    numeric("multiclassova", {"objective": "multiclassova", "num_class": 3, "sigmoid": 0.7}, classes, rows=4000)
    numeric("absent_class", {"objective": "multiclass", "num_class": 4}, absent, rows=1000, rounds=3)
    objectives()
    numeric("missing_none", {"use_missing": False}, linear)
    numeric("missing_unseen", {}, linear, missing=0)
    numeric("missing_zero", {"zero_as_missing": True}, linear, rounds=10)
    numeric("missing_zero_binary", {"zero_as_missing": True, "objective": "binary"}, yes)
    numeric("dart", {"boosting": "dart", "drop_rate": 0.5, "skip_drop": 0.0}, linear, rounds=12)
    numeric("goss", {"data_sample_strategy": "goss"}, linear, rows=2000)
    forest = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6, "feature_fraction": 0.8}
    numeric("rf", forest, linear)
    numeric("rf_binary", {**forest, "objective": "binary"}, yes)
    numeric("rf_multiclass", {**forest, "objective": "multiclass", "num_class": 3}, classes, rows=2000, rounds=3)
    numeric("single_leaf", {"min_data_in_leaf": 5000}, linear, rows=200)
    numeric("no_average", {"boost_from_average": False}, linear, rows=2000)
    numeric("deep", {"num_leaves": 100, "min_data_in_leaf": 1}, linear, rounds=2, train_rows=400)
    codes("codes", {"objective": "regression"})
    codes("codes_binary", {"objective": "binary", "use_missing": False})
    codes("codes_zero", {"zero_as_missing": True}, rows=4000)
    named("categories")
    early_stopping()
    custom()
    continued()
    refused()


def version_set():
    tag = "v" + VERSION.replace(".", "_")
    rows = 1200
    numeric(f"{tag}_regression", {"num_leaves": 16}, linear, rows)
    numeric(f"{tag}_binary", {"objective": "binary", "sigmoid": 1.5}, yes, rows)
    numeric(f"{tag}_multiclass", {"objective": "multiclass", "num_class": 3}, classes, rows, 3)
    numeric(f"{tag}_poisson", {"objective": "poisson"}, mean, rows, 4)
    entropy = "cross_entropy" if VERSION >= "2.3" else "xentropy"
    numeric(f"{tag}_entropy", {"objective": entropy}, share, rows, 4)
    numeric(f"{tag}_missing_none", {"use_missing": False}, linear, rows, 4)
    numeric(f"{tag}_missing_zero", {"zero_as_missing": True}, linear, rows)
    numeric(f"{tag}_dart", {"boosting": "dart", "drop_rate": 0.5, "skip_drop": 0.0}, linear, rows)
    numeric(f"{tag}_single_leaf", {"min_gain_to_split": 1e9}, linear, 100)
    forest = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6, "feature_fraction": 0.8}
    numeric(f"{tag}_rf", forest, linear, rows)
    if VERSION >= "2.3":  # in format v2 leaves are margins or probabilities, and only the version would tell
        numeric(f"{tag}_rf_binary", {**forest, "objective": "binary"}, yes, rows, 3)
    codes(f"{tag}_codes", {}, rows, 4)
    codes(f"{tag}_codes_none", {"use_missing": False}, rows, 3)
    named(f"{tag}_categories", rows, 5)


if __name__ == "__main__":
    start_over(OUT, VERSION)
    full_set() if VERSION == "4.7.0" else version_set()
