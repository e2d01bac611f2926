"""Read an XGBoost JSON model and predict with it in plain Python, without XGBoost.

This is the reading rule that make_golden.py checks against XGBoost itself, bit by bit:

  * numeric split: missing -> the default child; else float32(value) < condition -> left, otherwise right
  * categorical split: missing -> the default child; a listed category -> right, every other one -> left
  * a margin starts at the base score and the leaves are added to it in float32, tree after tree
"""

import json
import math

import numpy as np

F = np.float32


def category_names(entry):
    """One item of cats.enc -> the category values, in code order ([] for a numeric column)."""
    if "offsets" not in entry:
        return list(entry["values"])
    data = bytes(v & 255 for v in entry["values"])  # signed bytes
    ends = entry["offsets"]
    return [data[a:b].decode("utf-8", "replace") for a, b in zip(ends, ends[1:])]


class Tree:
    def __init__(self, t):
        self.left, self.right = t["left_children"], t["right_children"]
        self.feature, self.default_left = t["split_indices"], t["default_left"]
        self.condition = [F(v) for v in t["split_conditions"]]  # at a leaf: its value
        self.listed = {}
        for node, start, size in zip(t["categories_nodes"], t["categories_segments"], t["categories_sizes"]):
            self.listed[node] = set(t["categories"][start : start + size])
        assert {i for i, s in enumerate(t["split_type"]) if s == 1} == set(self.listed)

    def leaf(self, row):
        node = 0
        while self.left[node] != -1:
            value = row[self.feature[node]]
            if np.isnan(value):
                go_left = self.default_left[node]
            elif node in self.listed:
                go_left = int(value) not in self.listed[node]
            else:
                go_left = value < self.condition[node]
            node = self.left[node] if go_left else self.right[node]
        return self.condition[node]


class Model:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            learner = json.load(file)["learner"]
        booster = learner["gradient_booster"]["model"]
        self.names, self.types = learner["feature_names"], learner["feature_types"]
        self.categories = [category_names(e) for e in booster["cats"]["enc"]]
        self.objective = learner["objective"]["name"]
        self.trees = [Tree(t) for t in booster["trees"]]
        self.output = booster["tree_info"]  # which output each tree adds to
        self.base = [F(v) for v in json.loads(learner["learner_model_param"]["base_score"])]
        if self.objective == "binary:logistic":  # stored as a probability; the others as a margin
            # The argument of the logarithm is rounded to float32: -logf(1.0f / p - 1.0f) in C.
            self.base = [F(-math.log(float(F(1) / p - F(1)))) for p in self.base]

    def encode(self, frame):
        """Data frame -> float32 rows, words replaced by their codes; unknown words are an error."""
        columns = []
        for name, kind, known in zip(self.names, self.types, self.categories):
            if kind == "c":
                code = {value: i for i, value in enumerate(known)}
                columns.append([np.nan if isinstance(v, float) else code[v] for v in frame[name].astype(object)])
            else:
                columns.append(frame[name].to_numpy(dtype="float64", na_value=np.nan))
        return np.array(columns, dtype="float64").T.astype("float32")

    def margins(self, frame):
        out = []
        for row in self.encode(frame):
            total = list(self.base)
            for tree, k in zip(self.trees, self.output):
                total[k] = F(total[k] + tree.leaf(row))
            out.append(total)
        return np.array(out, dtype="float32")
