"""Trees and pruning paths of scikit-learn on data without ties, for learn/decision_tree_test.cpp.

pip install numpy scikit-learn==1.9.1
python tests/golden/learners/make_trees.py
"""

import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

ROWS, FEATURES = 300, 4


def nodes_of(tree):
    """In reading order, with the share of each class or the mean."""
    nodes = []
    for i in range(tree.node_count):
        leaf = tree.children_left[i] < 0
        nodes.append(
            {
                "feature": -1 if leaf else int(tree.feature[i]),
                "threshold": 0.0 if leaf else float(tree.threshold[i]),
                "rows": int(tree.n_node_samples[i]),
                "weight": float(tree.weighted_n_node_samples[i]),
                "impurity": float(tree.impurity[i]),
                "values": [float(v) for v in tree.value[i].ravel()],
            }
        )
    return nodes


def reading_order(tree):
    order, waiting = [], [0]
    while waiting:
        i = waiting.pop()
        order.append(i)
        if tree.children_left[i] >= 0:
            waiting += [tree.children_right[i], tree.children_left[i]]
    return order


def main():
    random = np.random.default_rng(7)
    # Whole numbers below 2^20: exact in float32, which scikit-learn compares, and never closer than its 1e-7.
    x = np.stack([random.permutation(1 << 20)[:ROWS] for _ in range(FEATURES)], axis=1).astype(float)
    scaled = x / (1 << 20)
    y = 3 * scaled[:, 0] + np.sin(7 * scaled[:, 1]) + (scaled[:, 2] > 0.6) * scaled[:, 0] * 2
    y = np.round(y + random.normal(0, 0.3, ROWS), 6)
    classes = np.digitize(y, np.quantile(y, [0.4, 0.75]))
    # Numbers of rows of a class have ties; sums of these weights have none, and are exact.
    weights = random.integers(512, 3072, ROWS) / 1024
    cases = []
    for outcome, criterion in [
        ("y", "variance"),
        ("two", "gini"),
        ("two", "entropy"),
        ("three", "gini"),
        ("three", "entropy"),
    ]:
        for limits in [
            {"max_depth": 4},
            {"max_leaves": 9, "max_depth": 0},
            {"max_depth": 6, "min_leaf_rows": 12, "min_split_rows": 40},
            {"max_depth": 0, "min_decrease": 0.01},
            {"max_depth": 5, "monotone": ["f0=increasing", "f1=decreasing"]},
            {"max_depth": 5, "alpha": 0.01},
        ]:
            # In small nodes two features may part the rows alike, which is a tie.
            limits = {"min_leaf_rows": 5, "min_split_rows": 25} | limits
            monotone = "monotone" in limits
            if monotone and outcome == "three":
                continue
            maker = DecisionTreeRegressor if outcome == "y" else DecisionTreeClassifier
            model = maker(
                criterion="squared_error" if outcome == "y" else criterion,
                max_depth=limits.get("max_depth") or None,
                max_leaf_nodes=limits.get("max_leaves"),
                min_samples_leaf=limits["min_leaf_rows"],
                min_samples_split=limits["min_split_rows"],
                min_impurity_decrease=limits.get("min_decrease", 0.0),
                monotonic_cst=[1, -1, 0, 0] if monotone else None,
                ccp_alpha=limits.get("alpha", 0.0),
                random_state=0,
            )
            target = y if outcome == "y" else np.minimum(classes, 1) if outcome == "two" else classes
            weighted = outcome != "y" or "max_leaves" in limits or "alpha" in limits
            model.fit(x, target, sample_weight=weights if weighted else None)
            tree = model.tree_
            nodes = nodes_of(tree)
            case = {
                "outcome": outcome,
                "criterion": criterion,
                "limits": limits,
                "weighted": weighted,
                "nodes": [nodes[i] for i in reading_order(tree)],
            }
            if limits["max_depth"] == 4:
                path = model.cost_complexity_pruning_path(x, target, sample_weight=weights if weighted else None)
                case["alphas"] = path.ccp_alphas.tolist()
                case["impurities"] = path.impurities.tolist()
            cases.append(case)
    golden = {
        "oracle": f"scikit-learn {sklearn.__version__}",
        "features": x.T.tolist(),
        "y": y.tolist(),
        "two": np.minimum(classes, 1).tolist(),
        "three": classes.tolist(),
        "weights": weights.tolist(),
        "cases": cases,
    }
    Path(__file__).with_name("trees.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")


main()
