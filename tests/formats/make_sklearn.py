"""Fits estimators of the installed scikit-learn and records what our reader looks at, and their own predictions.

scikit-learn has no file format but pickle, so NAME.npz holds the attributes of the fitted estimator: a description
in JSON (`record`) and the arrays it names. tests/python/estimator_records.py makes look-alikes from it. Run by
make.sh with each version; each stands for a way of doing things: 1.1 keeps counts in leaves and refuses missing values,
1.3 takes them, 1.5 encodes categories itself, 1.9 is the newest.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor

sys.path.insert(0, str(Path(__file__).parent))
from fixture import make_matrix, make_rows, start_over, write_fixture

FOLDER = Path(__file__).parent / "sklearn"
VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
ROWS = 10_000
SPLITS = 40  # of a feature, at the most: each brings its neighbours into the pool

SCALARS = (
    "criterion",
    "init_",
    "learning_rate",
    "loss",
    "max_samples_",
    "_max_samples",
    "n_classes_",
    "n_features_in_",
    "n_outputs_",
    "n_trees_per_iteration_",
    "strategy",
)
ARRAYS = (
    "_baseline_prediction",
    "_decision_path_lengths",
    "_average_path_length_per_tree",
    "_is_categorical_remapped",
    "binned_left_cat_bitsets",
    "categories_",
    "classes_",
    "estimators_features_",
    "feature_names_in_",
    "is_categorical_",
    "nodes",
    "raw_left_cat_bitsets",
)
OBJECTS = ("_loss", "_preprocessor", "_bin_mapper", "estimators_", "_predictors", "init_", "tree_")


class Recorder:
    """Attributes as JSON, arrays beside it."""

    def __init__(self):
        self.arrays = {}

    def array(self, values):
        values = np.asarray(values)
        if values.dtype.kind in "OU":
            return {"list": [self.plain(item) for item in values.tolist()]}
        name = f"a{len(self.arrays)}"
        self.arrays[name] = values
        return {"array": name}

    def plain(self, value):
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return {"nan": True} if value != value else value
        raise TypeError(f"{type(value)} is not plain")

    def any(self, value):
        """An object, or lists and arrays of them."""
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, (list, tuple)):
            return {"list": [self.any(item) for item in value]}
        if isinstance(value, np.ndarray):
            return {"list": [self.any(item) for item in value], "array_of_objects": True}
        return self.object(value)

    def object(self, model):
        kind = type(model)
        found = {}
        if kind.__name__ == "Tree":
            state = model.__getstate__()
            found = {"nodes": self.array(state["nodes"]), "value": self.array(state["values"])}
            return {"class": f"{kind.__module__}.{kind.__name__}", "attributes": found}
        if kind.__name__ == "ColumnTransformer":
            found["named_transformers_"] = {"dict": {"encoder": self.object(model.named_transformers_["encoder"])}}
        if kind.__name__ == "_BinMapper":
            found["bin_thresholds_"] = {"list": [self.array(values) for values in model.bin_thresholds_]}
        for name in SCALARS:
            value = model.__dict__.get(name)
            if isinstance(value, (str, int, float, np.integer, np.floating)):
                found[name] = value.item() if isinstance(value, np.generic) else value
        for name in ARRAYS:
            value = model.__dict__.get(name)
            if isinstance(value, np.ndarray):
                found[name] = self.array(value)
            elif isinstance(value, (list, tuple)):
                found[name] = {"list": [self.array(item) for item in value]}
            elif value is None and name in model.__dict__:
                found[name] = None
        for name in OBJECTS:
            if name in model.__dict__ and name not in found:
                found[name] = self.any(model.__dict__[name])
        answers = {}
        if hasattr(model, "_support_missing_values"):
            answers["_support_missing_values"] = bool(model._support_missing_values(np.zeros((1, 1), np.float32)))
        if kind.__name__ == "IsolationForest" and hasattr(model, "__sklearn_tags__"):
            answers["allow_nan"] = bool(model.__sklearn_tags__().input_tags.allow_nan)
        if hasattr(model, "_raw_predict_init"):
            start = model._raw_predict_init(np.zeros((1, model.n_features_in_), np.float32))
            answers["_raw_predict_init"] = self.array(start)
        record = {"class": f"{kind.__module__}.{kind.__name__}", "attributes": found}
        return {**record, "answers": answers} if answers else record


def thresholds_of(model, features):
    """The thresholds of each feature, in the columns' order."""
    found = [set() for _ in range(features)]
    if hasattr(model, "_predictors"):
        order = np.arange(features)
        if getattr(model, "_preprocessor", None) is not None:
            marked = np.asarray(model.is_categorical_, bool)
            order = np.concatenate([np.flatnonzero(marked), np.flatnonzero(~marked)])
        for predictor in (p for iteration in model._predictors for p in iteration):
            for node in predictor.nodes:
                if not node["is_leaf"] and not node["is_categorical"]:
                    found[order[node["feature_idx"]]].add(float(node["num_threshold"]))
        return found
    trees = [model] if hasattr(model, "tree_") else list(np.ravel(model.estimators_))
    columns = getattr(model, "estimators_features_", None)
    for number, tree in enumerate(trees):
        grown = tree.tree_
        for feature, threshold in zip(grown.feature, grown.threshold):
            if feature >= 0:
                found[columns[number][feature] if columns is not None else feature].add(float(threshold))
    return found


def pool_of(rng, thresholds, values, missing, infinite, as_float32):
    pool = list(rng.choice(values, 30))
    splits = sorted(thresholds)
    if len(splits) > SPLITS:
        splits = [splits[i] for i in rng.choice(len(splits), SPLITS, replace=False)]
    for t in splits:
        if not np.isfinite(t):
            continue
        near = np.float32(t)
        pool += [t, np.nextafter(t, -np.inf), np.nextafter(t, np.inf), float(near)]
        pool += [float(np.nextafter(near, np.float32(-np.inf))), float(np.nextafter(near, np.float32(np.inf)))]
    pool += [0.0, -0.0, 1e-36, 1e-35, -1e-35, 2.0**24 + 1, 2.0**31 + 1, float(2**53 + 1), 1e38, -1e38]
    if missing:
        pool += [np.nan] * 12
    if infinite:
        pool += [np.inf, -np.inf]
    if infinite and not as_float32:
        pool += [1e39, -1e300]
    return [float(value) for value in pool]


def training_data(rng, missing, categories):
    rows = 600
    X = np.column_stack(
        [
            rng.normal(size=rows),
            rng.uniform(-1, 1, rows),
            rng.integers(2**24, 2**24 + 40, rows),
            rng.integers(0, 12, rows),
        ]
    ).astype(float)
    signal = X[:, 0] * X[:, 1] + 0.1 * (X[:, 2] - 2**24 - 20) + np.isin(X[:, 3], [1, 4, 7, 11])
    if missing:
        for feature in (0, 1) if categories else (0, 1, 3):
            X[rng.random(rows) < 0.1, feature] = np.nan
    return X, signal + 0.2 * rng.normal(size=rows)


def record(name, model, *, target, missing=False, infinite=False, categories=False, weights=False, named=False):
    rng = np.random.default_rng(sum(map(ord, name)))
    X, signal = training_data(rng, missing, categories)
    y = {
        "regression": lambda: signal,
        "count": lambda: np.floor(np.exp(signal / 2)),
        "positive": lambda: np.exp(signal / 2),
        "binary": lambda: np.where(signal > 0.3, "yes", "no"),
        "three": lambda: np.digitize(signal, [-0.5, 0.8]) * 10,
        "two targets": lambda: np.column_stack([signal, X[:, 2] - 2**24]),
        "none": lambda: None,
    }[target]()
    histogram = hasattr(model, "max_bins")
    texts = np.array([f"level {i}" for i in range(12)])
    data = pd.DataFrame(X, columns=["x", "y y", "größe", "code"]) if named else X
    if categories == "text":
        data["code"] = pd.Categorical(texts[X[:, 3].astype(int)], categories=texts[::-1])
        data = data[["code", "x", "größe", "y y"]] if name.endswith("moved") else data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kwargs = {"sample_weight": rng.uniform(0.1, 3, len(X))} if weights else {}
        model.fit(data, y, **kwargs) if y is not None else model.fit(data)
    width = data.shape[1]
    names = list(data.columns) if named else [f"x{i}" for i in range(width)]
    source = {"x": 0, "y y": 1, "größe": 2, "code": 3}
    thresholds = thresholds_of(model, width)
    columns = []
    for j, column in enumerate(names):
        values = X[:, source[column] if named else j]
        if column == "code" and categories == "text":
            columns.append((column, "text", [*texts, "never seen", *([None] * 3)]))
            continue
        pool = pool_of(rng, thresholds[j], values, missing, infinite, not histogram)
        if categories and j == 3:
            pool = [*range(12), 17.0, 200.0, np.nan]
        columns.append((column, "float64", pool))
    pools = [pool for _, _, pool in columns]
    if categories == "text":
        rows = pd.DataFrame(dict(zip(names, make_rows(ROWS, pools))))
        rows["code"] = rows["code"].astype("category")
    else:
        rows = make_matrix(ROWS, pools)
        rows = pd.DataFrame(rows, columns=names) if named else rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        margin, response, extra = answers(model, rows)
    recorder = Recorder()
    described = json.dumps(recorder.object(model))
    full = f"v{sklearn.__version__.replace('.', '_')}_{name}"
    np.savez_compressed(FOLDER / f"{full}.npz", record=np.array(described), **recorder.arrays)
    write_fixture(
        FOLDER,
        full,
        framework="scikit-learn",
        version=sklearn.__version__,
        columns=columns,
        rows=ROWS,
        margin=np.asarray(margin, dtype=float),
        response=response,
        response_tolerance=2e-15,
        **extra,
    )


def answers(model, rows):
    """The margin, the response if that is something else, and how exact the margin is."""
    if isinstance(model, IsolationForest):
        scores = model.score_samples(rows)
        why = "scikit-learn shows only -2^-margin"
        return -np.log2(-scores), scores, {"tolerance": 1e-14, "why": why}
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(rows)
        shares = shares[:, 1] if shares.shape[1] == 2 else shares
        if hasattr(model, "decision_function"):
            return model.decision_function(rows), shares, {}
        return shares, None, {}
    if hasattr(model, "_raw_predict") and hasattr(model, "_predictors"):
        return model._raw_predict(rows), model.predict(rows), {}
    return model.predict(rows), None, {}


def cases():
    nan = VERSION >= (1, 3)  # trees with the best splitter take missing values
    late = VERSION >= (1, 6)  # random splits and isolation forests, too
    yield (
        "tree_regression",
        DecisionTreeRegressor(max_leaf_nodes=40, random_state=0),
        {
            "target": "regression",
            "missing": nan,
        },
    )
    yield (
        "tree_binary",
        DecisionTreeClassifier(max_leaf_nodes=20, random_state=0),
        {
            "target": "binary",
            "missing": nan,
            "weights": True,
            "named": True,
        },
    )
    forest = {"n_estimators": 7, "max_leaf_nodes": 16, "random_state": 0, "n_jobs": 1}
    yield (
        "forest_regression",
        RandomForestRegressor(**forest),
        {
            "target": "regression",
            "missing": VERSION >= (1, 4),
            "named": True,
        },
    )
    yield "forest_binary", RandomForestClassifier(**forest), {"target": "binary"}
    yield "forest_multiclass", RandomForestClassifier(class_weight="balanced_subsample", **forest), {"target": "three"}
    yield "extra_trees_targets", ExtraTreesRegressor(**forest), {"target": "two targets", "missing": late}
    yield "extra_trees_binary", ExtraTreesClassifier(**forest), {"target": "binary"}
    yield "extra_tree", ExtraTreeRegressor(max_leaf_nodes=30, random_state=0), {"target": "regression"}
    boosted = {"n_estimators": 8, "max_depth": 3, "random_state": 0}
    yield "boosting_regression", GradientBoostingRegressor(**boosted), {"target": "regression"}
    yield "boosting_huber", GradientBoostingRegressor(loss="huber", subsample=0.7, **boosted), {"target": "regression"}
    yield (
        "boosting_zero",
        GradientBoostingRegressor(init="zero", loss="quantile", alpha=0.3, **boosted),
        {"target": "regression"},
    )
    yield "boosting_binary", GradientBoostingClassifier(**boosted), {"target": "binary", "named": True}
    yield "boosting_exponential", GradientBoostingClassifier(loss="exponential", **boosted), {"target": "binary"}
    yield "boosting_multiclass", GradientBoostingClassifier(**{**boosted, "n_estimators": 4}), {"target": "three"}
    both = {"missing": True, "infinite": True}
    histogram = {"max_iter": 8, "max_leaf_nodes": 10, "random_state": 0}
    yield "histogram_regression", HistGradientBoostingRegressor(**histogram), {"target": "regression", **both}
    yield "histogram_poisson", HistGradientBoostingRegressor(loss="poisson", **histogram), {"target": "count", **both}
    if VERSION >= (1, 3):
        gamma = HistGradientBoostingRegressor(loss="gamma", **histogram)
        yield "histogram_gamma", gamma, {"target": "positive", **both}
    yield "histogram_binary", HistGradientBoostingClassifier(**histogram), {"target": "binary", "named": True, **both}
    multiclass = HistGradientBoostingClassifier(categorical_features=[3], **{**histogram, "max_iter": 4})
    yield "histogram_codes", multiclass, {"target": "three", "categories": "codes", **both}
    if VERSION >= (1, 4):
        text = {"target": "regression", "categories": "text", "named": True, **both}
        words = HistGradientBoostingRegressor(categorical_features="from_dtype", **histogram)
        yield "histogram_text", words, text
        moved = HistGradientBoostingClassifier(categorical_features=["code"], **histogram)
        yield "histogram_text_moved", moved, {**text, "target": "binary"}
    isolation = {"n_estimators": 12, "max_samples": 64, "random_state": 0}
    open_wide = {"target": "none", "missing": late, "infinite": late}
    yield "isolation", IsolationForest(**isolation), open_wide
    yield "isolation_subset", IsolationForest(max_features=0.5, **isolation), open_wide


#: Of old versions, the models that are something else there; of any other version all.
CHOSEN = {
    "1.1.3": "tree_binary forest_regression forest_multiclass boosting_regression boosting_binary boosting_exponential "
    "boosting_multiclass histogram_regression histogram_poisson histogram_binary histogram_codes isolation "
    "isolation_subset",
    "1.3.2": "tree_binary forest_binary boosting_huber",
    "1.5.2": "tree_regression tree_binary forest_binary boosting_multiclass histogram_text histogram_text_moved isolation",
}


def main():
    wanted = CHOSEN.get(sklearn.__version__, "").split()
    start_over(FOLDER, sklearn.__version__)
    for name, model, options in cases():
        if not wanted or name in wanted:
            record(name, model, **options)


if __name__ == "__main__":
    main()
