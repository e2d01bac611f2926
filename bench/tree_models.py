"""Rows and models for trees.py, made from seeds and kept under build/bench."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "bench"
#: Rows that models learn from.
TRAIN = 20_000


@dataclass(frozen=True)
class Data:
    """Standard normal columns; four of them matter. Files: float64, row after row."""

    rows: int
    columns: int

    def __str__(self):
        return f"{self.rows:,} × {self.columns}"

    @cached_property
    def files(self):
        matrix = FOLDER / f"rows-{self.rows}x{self.columns}.f64"
        target = FOLDER / f"target-{self.rows}x{self.columns}.f64"
        if not matrix.exists() or not target.exists():
            FOLDER.mkdir(parents=True, exist_ok=True)
            random = np.random.default_rng(1)
            # In pieces: ten million rows need not be in memory twice.
            with open(matrix, "wb") as rows, open(target, "wb") as truth:
                for first in range(0, self.rows, 1_000_000):
                    X = random.normal(size=(min(1_000_000, self.rows - first), self.columns))
                    noise = 0.1 * random.normal(size=len(X))
                    (X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + np.abs(X[:, 3]) + noise).tofile(truth)
                    X.tofile(rows)
        return matrix, target

    @cached_property
    def X(self):
        return np.fromfile(self.files[0]).reshape(self.rows, self.columns)

    @cached_property
    def y(self):
        return np.fromfile(self.files[1])

    @cached_property
    def frame(self):
        import pandas as pd

        return pd.DataFrame(self.X, columns=self.names)

    @property
    def names(self):
        return [f"x{column}" for column in range(self.columns)]


@dataclass(frozen=True)
class Trees:
    """A model of a framework: the living one for peers, a file for the kernel program."""

    kind: str  # xgboost, lightgbm, catboost, forest
    columns: int
    trees: int

    def __str__(self):
        shape = {"xgboost": "XGBoost {}×6", "lightgbm": "LightGBM {}×63 leaves", "forest": "forest {}×12"}
        shape["catboost"] = "CatBoost {}×6"
        return shape[self.kind].format(self.trees)

    @property
    def file(self):
        # Written when it is fitted.
        return self._path(self.kind) if self.fitted is not None else None

    def _path(self, kind):
        ending = {"xgboost": "json", "lightgbm": "txt", "catboost": "cbm", "forest": "forest"}[kind]
        return FOLDER / f"{self.kind}-{self.trees}-{self.columns}.{ending}"

    @cached_property
    def fitted(self):
        import joblib

        path = FOLDER / f"{self.kind}-{self.trees}-{self.columns}.joblib"
        if path.exists() and self._path(self.kind).exists():
            return joblib.load(path)
        data = Data(50_000, self.columns)
        model = self._fit(data.frame[:TRAIN], data.y[:TRAIN])
        joblib.dump(model, path)
        return model

    def _fit(self, X, y):
        if self.kind == "xgboost":
            import xgboost

            model = xgboost.XGBRegressor(n_estimators=self.trees, max_depth=6, learning_rate=0.1, n_jobs=2).fit(X, y)
            model.get_booster().save_model(self._path(self.kind))
        elif self.kind == "lightgbm":
            import lightgbm

            model = lightgbm.LGBMRegressor(n_estimators=self.trees, num_leaves=63, n_jobs=2, verbose=-1).fit(X, y)
            model.booster_.save_model(self._path(self.kind))
        elif self.kind == "catboost":
            import catboost

            shape = {"iterations": self.trees, "depth": 6, "learning_rate": 0.1, "random_seed": 1}
            model = catboost.CatBoostRegressor(**shape, thread_count=2, verbose=0, allow_writing_files=False).fit(X, y)
            model.save_model(str(self._path(self.kind)))
        else:
            from sklearn.ensemble import RandomForestRegressor

            model = RandomForestRegressor(self.trees, max_depth=12, n_jobs=2, random_state=1).fit(X, y)
            self._write_forest(model)
        return model

    def _write_forest(self, model):
        """The arrays as bench_data.cpp reads them: the same thresholds, leaves and covers."""
        with open(self._path(self.kind), "wb") as file:
            np.array([self.columns, self.trees], dtype=np.int64).tofile(file)
            for estimator in model.estimators_:
                tree = estimator.tree_
                np.array([tree.node_count], dtype=np.int64).tofile(file)
                for array in (tree.children_left, tree.children_right, tree.feature):
                    np.ascontiguousarray(array, dtype=np.int64).tofile(file)
                for array in (tree.threshold, tree.weighted_n_node_samples, tree.value[:, 0, 0]):
                    np.ascontiguousarray(array, dtype=np.float64).tofile(file)


def splits(model):
    """Distinct split points over all features: what partial dependence at all thresholds has to visit."""
    if model.kind == "forest":
        points = set()
        for estimator in model.fitted.estimators_:
            tree = estimator.tree_
            inner = tree.children_left >= 0
            points.update(zip(tree.feature[inner].tolist(), tree.threshold[inner].tolist()))
        return len(points)
    if model.kind == "catboost":
        # Borders that no tree asks for are not in the model.
        return sum(len(borders) for borders in model.fitted.get_borders().values())
    if model.kind == "lightgbm":
        points = set()

        def walk(node):
            if "split_feature" in node:
                points.add((node["split_feature"], node["threshold"]))
                walk(node["left_child"])
                walk(node["right_child"])

        for tree in model.fitted.booster_.dump_model()["tree_info"]:
            walk(tree["tree_structure"])
        return len(points)
    content = json.loads(model.file.read_text())
    points = set()
    for tree in content["learner"]["gradient_booster"]["model"]["trees"]:
        for left, feature, threshold in zip(tree["left_children"], tree["split_indices"], tree["split_conditions"]):
            if left >= 0:
                points.add((feature, threshold))
    return len(points)
