"""The least error of small trees by STreeD, for learn/optimal_tree_test.cpp.

pip install numpy pystreed==1.4.0
python tests/golden/learners/make_optimal_trees.py
"""

import json
from pathlib import Path

import numpy as np
from pystreed import STreeDClassifier, STreeDRegressor

ROWS, FEATURES, VALUES = 250, 5, 5


def main():
    random = np.random.default_rng(3)
    x = random.integers(0, VALUES, (ROWS, FEATURES))
    y = np.where(x[:, 0] > 2, x[:, 1], 4 - x[:, 2]) + (x[:, 3] == x[:, 4]) + random.normal(0, 0.7, ROWS)
    y = np.round(y, 4)
    classes = np.digitize(y, np.quantile(y, [0.3, 0.7]))
    cuts = np.stack([x[:, f] <= v for f in range(FEATURES) for v in range(VALUES - 1)], axis=1).astype(int)
    cases = []
    for depth, leaves in [(2, 4), (3, 5), (3, 8), (4, 7), (4, 16)]:
        limits = {"max_depth": depth, "max_num_nodes": leaves - 1}
        regressor = STreeDRegressor(cost_complexity=0, **limits).fit(cuts, y)
        classifier = STreeDClassifier("accuracy", cost_complexity=0, **limits).fit(cuts, classes)
        cases.append(
            {
                "depth": depth,
                "leaves": leaves,
                "variance": float(np.mean((regressor.predict(cuts) - y) ** 2)),
                "misclassification": float(np.mean(classifier.predict(cuts) != classes)),
            }
        )
    golden = {
        "oracle": "pystreed 1.4.0",
        "features": x.T.tolist(),
        "y": y.tolist(),
        "classes": classes.tolist(),
        "cases": cases,
    }
    Path(__file__).with_name("optimal_trees.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")


main()
