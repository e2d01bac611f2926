"""Writes lines.json: lines by the package lime.

"given": its own fit to samples that are in the file, so that ours to the same samples must be equal.
"drawn": its explanations from many samples that it draws itself, as means over seeds with standard errors.

pip install -r ../effects/requirements.txt -r requirements.txt
python make_lines.py
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from lime.lime_base import LimeBase
from lime.lime_tabular import LimeTabularExplainer

HERE = Path(__file__).resolve().parent


def model(X):
    return np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] - 0.5 * X[:, 2] + 0.3 * np.abs(X[:, 3])


def kernel(width):
    return lambda distances: np.sqrt(np.exp(-(distances**2) / width**2))


def given(random):
    cases = []
    for binary in (True, False):
        p = 6
        z = (
            (random.uniform(size=(300, p)) < 0.35).astype(float)
            if binary
            else np.round(random.normal(size=(300, p)), 4)
        )
        if binary:
            z[0] = 1
        y = np.round(
            z @ np.array([2, -1.5, 1, 0.6, -0.3, 0.1]) + z[:, 0] * z[:, 1] + 0.3 * random.normal(size=300) + 5, 4
        )
        distances = np.sqrt(((z - z[0]) ** 2).sum(axis=1))
        width = 0.75 * np.sqrt(p)
        base = LimeBase(kernel(width), random_state=0)
        for select, name in (
            ("forward_selection", "forward"),
            ("highest_weights", "weights"),
            ("lasso_path", "lasso-path"),
        ):
            for terms in (1, 2, 3, 4, 6):
                intercept, local, score, value = base.explain_instance_with_data(
                    z, y[:, None], distances, 0, terms, feature_selection=select
                )
                cases.append(
                    {
                        "binary": binary,
                        "select": name,
                        "terms": terms,
                        "intercept": float(intercept),
                        "coefficients": {str(j): float(w) for j, w in sorted(local)},
                        "r2": float(score),
                        "line": float(value[0]),
                    }
                )
        yield {"binary": binary, "width": width, "z": z.tolist(), "y": y.tolist(), "lines": cases}
        cases = []


def drawn(random):
    X = np.round(random.normal(size=(400, 4)), 4)
    X[:, 3] = np.round(X[:, 3])  # ties
    row, seeds = 7, 24
    found = []
    for discretize, around in ((True, False), (False, False), (False, True)):
        lines = []
        for seed in range(seeds):
            explainer = LimeTabularExplainer(
                X,
                mode="regression",
                feature_names=["x0", "x1", "x2", "x3"],
                discretize_continuous=discretize,
                feature_selection="none",
                sample_around_instance=around,
                random_state=seed,
            )
            explanation = explainer.explain_instance(X[row], model, num_features=4, num_samples=20000)
            local = dict(explanation.local_exp[1])  # 0 has the same, turned round
            lines.append([explanation.intercept[1], *(local[j] for j in range(4))])
        lines = np.array(lines)
        found.append(
            {
                "bins": "quartiles" if discretize else "none",
                "around": "row" if around else "data",
                "row": row,
                "mean": lines.mean(axis=0).tolist(),
                "se": (lines.std(axis=0, ddof=1) / np.sqrt(seeds)).tolist(),
            }
        )
    return {"X": X.tolist(), "lines": found}


def write():
    random = np.random.default_rng(3)
    golden = {
        "by": {name: version(name) for name in ("lime", "scikit-learn", "numpy")},
        "given": list(given(random)),
        "drawn": drawn(random),
    }
    (HERE / "lines.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    write()
