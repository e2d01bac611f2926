"""Makes the CatBoost fixtures: small models as CatBoost saves them, and CatBoost's own answers.

Run by make.sh with each version it names: the newest makes the full set, the other a few models. Models are trained on
one thread, each from its own seed. Each is saved in both formats; the answers are those of the model in memory.
"""

import json
import warnings
import zlib
from pathlib import Path

import catboost
import numpy as np
import pandas as pd
from catboost import CatBoost, Pool
from fixture import make_rows, start_over, write_fixture

warnings.filterwarnings("ignore")
OUT = Path(__file__).parent / "catboost"
VERSION = catboost.__version__
NEWEST = "1.2.10"
BASE = {
    "iterations": 8,
    "depth": 4,
    "verbose": 0,
    "allow_writing_files": False,
    "thread_count": 1,
    "random_seed": 1,
    "learning_rate": 0.4,
}
TEXTS = ["red", "green", "blue", "", "é ü", "a" * 9, "b" * 17, "c" * 33, "d" * 65, "e" * 130, "f" * 200]


def generator(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def numbers(rng, rows, missing=0.08):
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=rows),
            "zeros": np.where(rng.random(rows) < 0.5, 0.0, rng.normal(size=rows)),
            "count": rng.integers(-3, 9, rows).astype(float),
            "skewed": np.exp(2 * rng.normal(size=rows)),
        }
    )
    return frame.mask(rng.random(frame.shape) < missing) if missing else frame


def categories(rng, rows):
    return pd.DataFrame(
        {
            "colour": rng.choice(TEXTS, rows),
            "size": rng.integers(-2, 30, rows),
            "two": rng.choice(["yes", "no"], rows),
        }
    )


def linear(X):
    X = X.fillna(0)
    y = 2 * X["x"] - X["zeros"] + 0.3 * X["count"] * (X["x"] > 0) + 0.2 * np.log(X["skewed"] + 1)
    if "colour" in X:
        y = y + X["colour"].map({text: k % 4 for k, text in enumerate(TEXTS)}) + np.sin(X["size"].astype(float))
        y = y + (X["two"] == "yes") * ((X["colour"] == "red") * 3 - (X["size"] > 5) * 1.5)
    return y.to_numpy()


def near(values, borders):
    """Numbers of the data, and on and one step beside each border, as float32 and as double."""
    pool = [float(v) for v in values if v == v][:40] + [np.nan] * 5
    pool += [0.0, -0.0, 5e-324, 1e39, -1e39, np.inf, -np.inf, 3.4028234663852886e38, -3.4028234663852886e38, 16777217.0]
    for border in borders[:60]:
        near32 = np.float32(border)
        pool += [float(near32), float(np.nextafter(near32, np.float32(np.inf)))]
        pool += [float(np.nextafter(near32, np.float32(-np.inf)))]
        pool += [float(np.nextafter(float(near32), np.inf)), float(np.nextafter(float(near32), -np.inf))]
    return pool


def pools_of(X, content, missing=True):
    borders = {
        feature["flat_feature_index"]: feature["borders"] or []
        for feature in content["features_info"].get("float_features") or []
    }
    pools = {}
    for at, name in enumerate(X.columns):
        if X[name].dtype == object:
            pools[name] = ("text", [*dict.fromkeys(X[name]), "unseen", "Red", "01"])
        elif X[name].dtype.kind == "i":
            pools[name] = ("text", [*(str(v) for v in sorted(set(X[name]))), "777", "-777"])
        else:
            pool = near(X[name], borders.get(at, []))
            pools[name] = ("float64", pool if missing else [v for v in pool if v == v])
    return pools


def model_of(name, parameters, X, y, **pool):
    cats = [column for column in X.columns if X[column].dtype.kind != "f"]
    model = CatBoost({**BASE, **parameters})
    model.fit(Pool(X, y, cat_features=cats, **pool))
    return model, cats


def save(name, model, X, cats, rows, response_type="Probability", names=True, **extra):
    model.save_model(str(OUT / f"{name}.json"), format="json")
    model.save_model(str(OUT / f"{name}.cbm"))
    content = json.loads((OUT / f"{name}.json").read_text())
    pools = pools_of(X, content)
    values = make_rows(rows, [pool for _, pool in pools.values()])
    test = pd.DataFrame(
        {
            column: np.asarray(list_, dtype=float) if kind == "float64" else np.asarray(list_, dtype=object)
            for (column, (kind, _)), list_ in zip(pools.items(), values)
        }
    )
    pool = Pool(test, cat_features=cats) if names else Pool(test.to_numpy(), cat_features=cats)
    margin = np.asarray(model.predict(pool, prediction_type="RawFormulaVal", thread_count=1), dtype=np.float64)
    response = margin
    if response_type:
        response = np.asarray(model.predict(pool, prediction_type=response_type, thread_count=1), dtype=np.float64)
        if response.ndim == 2 and margin.ndim == 1:
            response = response[:, 1]
    assert np.isfinite(margin).all(), name
    columns = [(column if names else f"f{at}", kind, pool) for at, (column, (kind, pool)) in enumerate(pools.items())]
    write_fixture(
        OUT,
        name,
        framework="catboost",
        version=VERSION,
        columns=columns,
        rows=rows,
        margin=margin,
        response=response,
        response_rows=200,
        response_tolerance=1e-12,
        **extra,
    )
    print(name, sum(f.stat().st_size for f in OUT.glob(f"{name}.*")))


def numeric(name, parameters, target=linear, rows=10000, missing=0.08, response=None, train_rows=600, **pool):
    rng = generator(name)
    X = numbers(rng, train_rows, missing)
    model, cats = model_of(name, parameters, X, target(X), **pool)
    save(name, model, X, cats, rows, response)


def mixed(name, parameters, target=linear, rows=10000, response=None, train_rows=900, by_node=False):
    rng = generator(name)
    X = pd.concat([numbers(rng, train_rows), categories(rng, train_rows)], axis=1)
    model, cats = model_of(name, parameters, X, target(X))
    if by_node:  # training makes combinations for symmetric trees only
        model._convert_to_asymmetric_representation()
    save(name, model, X, cats, rows, response)
    ctrs = json.loads((OUT / f"{name}.json").read_text())["features_info"].get("ctrs") or []
    assert ("combined" in name) == any(len(ctr["elements"]) > 1 for ctr in ctrs), name


def positive(X):
    return np.exp(0.3 * linear(X))


def yes(X):
    return (linear(X) > 1).astype(int)


def words(X):
    return np.where(linear(X) > 1, "good", "bad")


def share(X):
    return 1 / (1 + np.exp(-linear(X)))


def classes(X):
    return np.digitize(linear(X), [-1, 2])


def class_words(X):
    return np.array(["low", "middle", "high"])[classes(X)]


def two(X):
    y = linear(X)
    return np.column_stack([y, -0.5 * y + 1])


def labels(X):
    y = linear(X)
    return np.column_stack([y > 0, y > 2]).astype(int)


def nameless(name):
    """Trained on an array: features have no names."""
    rng = generator(name)
    X = numbers(rng, 400)
    model = CatBoost(BASE).fit(Pool(X.to_numpy(), linear(X)))
    save(name, model, X, [], 2000, None, names=False)


def scaled(name):
    """Scale and bias that training did not set."""
    rng = generator(name)
    X = numbers(rng, 400)
    model, cats = model_of(name, {}, X, linear(X))
    model.set_scale_and_bias(1.7, -0.3)
    save(
        name,
        model,
        X,
        cats,
        2000,
        None,
        tolerance=1e-14,
        why="leaves are multiplied by the scale before they are added",
    )


def refused(name):
    """Texts and embeddings."""
    rng = generator(name)
    X = pd.DataFrame({"t": rng.choice(["a b", "c d", "a d"], 200), "x": rng.normal(size=200)})
    model = CatBoost({**BASE, "loss_function": "Logloss"}).fit(Pool(X, [0, 1] * 100, text_features=["t"]))
    model.save_model(str(OUT / "refused_text.cbm"))
    X = pd.DataFrame({"e": [list(rng.normal(size=3)) for _ in range(200)], "x": rng.normal(size=200)})
    model = CatBoost({**BASE, "loss_function": "Logloss"}).fit(Pool(X, [0, 1] * 100, embedding_features=["e"]))
    model.save_model(str(OUT / "refused_embedding.cbm"))


def hashes():
    """Categories of all lengths with CatBoost's own hashes."""
    texts = ["".join(chr(97 + (i * 7 + k) % 26) for k in range(i)) for i in range(1, 140)] + ["é", "日本語", "-12"]
    X = pd.DataFrame({"c": texts * 3})
    pool = Pool(X, generator("hashes").normal(size=len(X)), cat_features=["c"])
    model = CatBoost({**BASE, "iterations": 1, "depth": 1}).fit(pool)
    path = OUT / "hashes.json.tmp"
    model.save_model(str(path), format="json", pool=pool)
    found = json.loads(path.read_text())["features_info"]["cat_features_hash"]
    path.unlink()
    table = {entry["value"]: entry["hash"] for entry in found}
    (OUT / "hashes.txt").write_text("".join(f"{value}\t{hash_}\n" for value, hash_ in sorted(table.items())))


SINGLE = {"max_ctr_complexity": 1}


def full_set():
    numeric("regression", {"iterations": 20, "depth": 6})
    numeric("deep", {"iterations": 2, "depth": 10}, rows=4000)
    numeric("nan_max", {"nan_mode": "Max"})
    numeric("nan_forbidden", {"nan_mode": "Forbidden"}, missing=0, rows=4000)
    numeric("lossguide", {"grow_policy": "Lossguide", "max_leaves": 12})
    numeric("depthwise", {"grow_policy": "Depthwise", "depth": 5, "nan_mode": "Max"})
    numeric("binary", {"loss_function": "Logloss"}, words, response="Probability")
    numeric("focal", {"loss_function": "Focal:focal_alpha=0.4;focal_gamma=1.5"}, yes, rows=2000, response="Probability")
    numeric("cross_entropy", {"loss_function": "CrossEntropy"}, share, rows=2000, response="Probability")
    numeric("multiclass", {"loss_function": "MultiClass"}, class_words, response="Probability")
    numeric("one_vs_all", {"loss_function": "MultiClassOneVsAll"}, classes, rows=4000, response="Probability")
    numeric("multilabel", {"loss_function": "MultiLogloss"}, labels, rows=2000, response="Probability")
    numeric("multi_rmse", {"loss_function": "MultiRMSE"}, two, rows=4000)
    numeric(
        "multi_lossguide",
        {"loss_function": "MultiClass", "grow_policy": "Lossguide", "max_leaves": 7},
        classes,
        rows=4000,
        response="Probability",
    )
    numeric("quantiles", {"loss_function": "MultiQuantile:alpha=0.1,0.5,0.9"}, rows=4000)
    numeric("uncertainty", {"loss_function": "RMSEWithUncertainty"}, rows=4000, response="RMSEWithUncertainty")
    for loss in ("Poisson", "Tweedie:variance_power=1.5", "LogLinQuantile"):
        numeric(f"loss_{loss.split(':')[0].lower()}", {"loss_function": loss}, positive, rows=1000, response="Exponent")
    for loss in ("MAE", "Quantile:alpha=0.3", "MAPE", "Lq:q=3", "Huber:delta=1", "Expectile:alpha=0.3", "LogCosh"):
        numeric(f"loss_{loss.split(':')[0].lower()}", {"loss_function": loss}, rows=500)
    numeric("loss_cox", {"loss_function": "Cox"}, positive, rows=500)
    numeric(
        "loss_survivalaft",
        {"loss_function": "SurvivalAft"},
        lambda X: np.column_stack([positive(X), positive(X) + 1]),
        rows=500,
        response="Exponent",
    )
    groups = np.repeat(np.arange(60), 10)
    for loss in ("YetiRank", "PairLogit", "QueryRMSE", "QuerySoftMax", "StochasticRank:metric=NDCG"):
        numeric(f"loss_{loss.split(':')[0].lower()}", {"loss_function": loss}, yes, rows=500, group_id=groups)
    mixed("one_hot", {"one_hot_max_size": 100})
    mixed("ctrs", {**SINGLE, "iterations": 20})
    mixed("ctrs_binary", {**SINGLE, "loss_function": "Logloss", "iterations": 12}, yes, response="Probability")
    mixed("ctrs_multiclass", {**SINGLE, "loss_function": "MultiClass"}, class_words, rows=4000, response="Probability")
    mixed("ctrs_depthwise", {**SINGLE, "grow_policy": "Depthwise"}, rows=4000)
    types = [
        "Borders:TargetBorderCount=3:Prior=0.3",
        "Buckets:TargetBorderCount=3",
        "BinarizedTargetMeanValue",
        "Counter",
    ]
    for kind in types:
        mixed(f"ctr_{kind.split(':')[0].lower()}", {**SINGLE, "simple_ctr": [kind], "iterations": 10}, rows=4000)
    mixed("combined", {"max_ctr_complexity": 3, "iterations": 20})
    mixed(
        "combined_binary",
        {"max_ctr_complexity": 3, "iterations": 30, "loss_function": "Logloss"},
        yes,
        response="Probability",
    )
    mixed(
        "combined_multiclass",
        {"max_ctr_complexity": 2, "loss_function": "MultiClass"},
        classes,
        rows=4000,
        response="Probability",
    )
    mixed("combined_by_node", {"max_ctr_complexity": 3, "iterations": 25}, rows=4000, by_node=True)
    nameless("nameless")
    scaled("scaled")
    hashes()


def version_set():
    tag = "v" + VERSION.replace(".", "_")
    numeric(f"{tag}_regression", {"iterations": 12})
    numeric(f"{tag}_nan_max", {"nan_mode": "Max"}, rows=2000)
    numeric(f"{tag}_lossguide", {"grow_policy": "Lossguide", "max_leaves": 12}, rows=2000)
    numeric(f"{tag}_binary", {"loss_function": "Logloss"}, words, rows=2000, response="Probability")
    numeric(f"{tag}_multiclass", {"loss_function": "MultiClass"}, class_words, rows=2000, response="Probability")
    numeric(f"{tag}_multi_rmse", {"loss_function": "MultiRMSE"}, two, rows=2000)
    numeric(f"{tag}_poisson", {"loss_function": "Poisson"}, positive, rows=1000, response="Exponent")
    mixed(f"{tag}_one_hot", {"one_hot_max_size": 100}, rows=2000)
    mixed(f"{tag}_ctrs", {**SINGLE, "iterations": 12})
    mixed(f"{tag}_combined", {"max_ctr_complexity": 3, "iterations": 12})


if __name__ == "__main__":
    start_over(OUT, VERSION)
    if VERSION == NEWEST:
        full_set()
        refused("refused")
    else:
        version_set()
