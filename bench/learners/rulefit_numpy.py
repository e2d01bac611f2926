"""RuleFit in plain NumPy, as its paper describes it: what ours is measured against, in the same run.

Small trees are scikit-learn's, grown on 100 + 6 sqrt(n) rows each; rules are columns of a float32 matrix, their products a
matrix product by BLAS; the lasso is coordinate descent on these products (scikit-learn's own), its penalty chosen by 10
folds whose products are differences of those of all rows. Squared error only, no weights, no missing values.
"""

import argparse
import json
import subprocess
import tempfile
import time

import numpy as np
from sklearn.linear_model import _cd_fast
from sklearn.tree import DecisionTreeRegressor


def friedman(rows, held_out, columns=15, seed=7):
    """Curves, a product and two rules of nine columns, with noise; the best that can be had is an R2 of about 0.77."""
    random = np.random.default_rng(seed)
    x = random.random((rows + held_out, columns))
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    y += 4 * ((x[:, 5] > 0.5) & (x[:, 6] < 0.4)) - 3 * ((x[:, 7] > 0.6) & (x[:, 8] > 0.3))
    y += random.normal(0, 1, len(y)) * np.sqrt(0.3 * y.var())
    return x[:rows], y[:rows], x[rows:], y[rows:]


def r2(y, predicted):
    return 1 - np.mean((y - predicted) ** 2) / np.mean((y - y.mean()) ** 2)


class RuleFit:
    def __init__(self, max_rules=2000, mean_leaves=4, learning_rate=0.01, folds=10, seed=0):
        self.max_rules, self.mean_leaves, self.learning_rate = max_rules, mean_leaves, learning_rate
        self.folds, self.seed = folds, seed

    def grow(self, x, y):
        """Rules as lists of (column, bound, above)."""
        random = np.random.default_rng(self.seed)
        sampled = int(min(len(y) / 2, 100 + 6 * np.sqrt(len(y))))
        x32, predicted, rules = x.astype(np.float32), np.full(len(y), y.mean()), []
        while len(rules) < self.max_rules:
            chosen = random.choice(len(y), sampled, replace=False)
            leaves = 2 + int(random.exponential(self.mean_leaves - 2))
            tree = DecisionTreeRegressor(max_leaf_nodes=leaves, min_samples_leaf=10)
            tree.fit(x32[chosen], y[chosen] - predicted[chosen])
            predicted += self.learning_rate * tree.predict(x32)
            nodes = tree.tree_
            paths = {0: []}
            for node in range(nodes.node_count):
                if nodes.children_left[node] < 0:
                    continue
                for child, above in ((nodes.children_left[node], False), (nodes.children_right[node], True)):
                    paths[child] = paths[node] + [(nodes.feature[node], nodes.threshold[node], above)]
                    rules.append(paths[child])
        return rules[: self.max_rules]

    def rule_columns(self, x, rules):
        columns = np.empty((len(x), len(rules)), np.float32, order="F")
        known = {}
        for k, rule in enumerate(rules):
            holds = np.ones(len(x), bool)
            for condition in rule:
                if condition not in known:
                    column, bound, above = condition
                    known[condition] = x[:, column] > bound if above else x[:, column] <= bound
                holds &= known[condition]
            columns[:, k] = holds
        return columns

    def linear_columns(self, x):
        return ((np.clip(x, self.low, self.high) - self.mean) * self.scale).astype(np.float32)

    def fit(self, x, y):
        rules = self.grow(x, y)
        columns = self.rule_columns(x, rules)
        # Rules that hold for the same rows as another, or for the others, go.
        seen, different = set(), []
        for k in range(len(rules)):
            bits = columns[:, k] != 0
            if bits.all() or not bits.any():
                continue
            key = np.packbits(bits ^ bits[0]).tobytes()
            if key not in seen:
                seen.add(key)
                different.append(k)
        self.rules = [rules[k] for k in different]
        self.low, self.high = np.quantile(x, [0.025, 0.975], axis=0)
        kept = np.clip(x, self.low, self.high)
        self.mean, self.scale = kept.mean(0), 0.4 / kept.std(0)
        matrix = np.concatenate([columns[:, different], self.linear_columns(x)], axis=1)

        fold_of = np.random.default_rng(self.seed).permutation(len(y)) % self.folds
        parts = [self.sums(matrix[fold_of == fold], y[fold_of == fold]) for fold in range(self.folds)]
        every = [sum(part[i] for part in parts) for i in range(4)]
        penalties, path, intercepts = self.path(every, None, 1e-5)
        errors = np.zeros(len(penalties))
        for fold in range(self.folds):
            rest = [every[i] - parts[fold][i] for i in range(4)]
            _, coefficients, fold_intercepts = self.path(rest, penalties, 1e-3)
            predicted = matrix[fold_of == fold] @ coefficients.astype(np.float32) + fold_intercepts
            errors += ((y[fold_of == fold][:, None] - predicted) ** 2).sum(0)
        best = errors.argmin()
        self.coefficients, self.intercept = path[:, best], intercepts[best]
        return self

    @staticmethod
    def sums(matrix, y):
        return [
            (matrix.T @ matrix).astype(np.float64),
            matrix.T.astype(np.float64) @ y,
            matrix.sum(0, dtype=np.float64),
            np.array([len(y), y.sum(), y @ y]),
        ]

    @staticmethod
    def path(sums, penalties, tolerance):
        products, with_target, term_sums, (rows, total, square) = sums
        means = term_sums / rows
        centred = products - rows * np.outer(means, means)
        correlations = with_target - means * total
        if penalties is None:
            largest = np.abs(correlations).max() / rows
            penalties = largest * np.logspace(0, -3, 50)
        variance = square / rows - (total / rows) ** 2
        coefficients = gram_path(centred / rows, correlations / rows, variance, penalties, tolerance)
        return penalties, coefficients, total / rows - means @ coefficients

    def predict(self, x):
        matrix = np.concatenate([self.rule_columns(x, self.rules), self.linear_columns(x)], axis=1)
        return matrix @ self.coefficients + self.intercept


def gram_path(gram, correlations, target_square, penalties, tolerance):
    """The lasso along its penalties from products alone, each from the solution before."""
    gram, weights, path = np.ascontiguousarray(gram), np.zeros(len(gram)), []
    # Of the outcome only its length is looked at.
    target = np.array([np.sqrt(target_square)])
    for penalty in penalties:
        weights = _cd_fast.enet_coordinate_descent_gram(
            weights.copy(), penalty, 0, gram, correlations, target, 10_000, tolerance, np.random.RandomState(0)
        )[0]
        path.append(weights)
    return np.array(path).T


def time_ours(kernels, x, y, x_held, y_held, settings):
    with tempfile.TemporaryDirectory() as folder:
        command = [
            kernels,
            "rulefit",
            "--rows",
            str(len(y)),
            "--held-rows",
            str(len(y_held)),
            "--columns",
            str(x.shape[1]),
        ]
        for name, array in (("data", x.T), ("target", y), ("held-data", x_held.T), ("held-target", y_held)):
            np.ascontiguousarray(array).tofile(f"{folder}/{name}")
            command += [f"--{name}", f"{folder}/{name}"]
        # The baseline has no honest error either.
        command += ["--repeats", "1", "--options", json.dumps({"honest_folds": 0, **settings})]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(
        json.dumps(
            {
                "tool": "sightglass" + "".join(f" {name}={value}" for name, value in settings.items()),
                "seconds": found["seconds"][0],
                "cpu_seconds": found["cpu_seconds"][0],
                "r2": found["r2"],
                "terms": found["size"],
            }
        ),
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--held-out", type=int, default=5_000)
    parser.add_argument("--kernels", help="path of learner_kernels: times ours as well")
    parser.add_argument(
        "--imodels", action="store_true", help="times imodels with 30 rules as well, against ours with 30"
    )
    options = parser.parse_args()
    x, y, x_held, y_held = friedman(options.rows, options.held_out)
    if options.kernels:
        time_ours(options.kernels, x, y, x_held, y_held, {})
        if options.imodels:
            time_ours(options.kernels, x, y, x_held, y_held, {"rules": 30})
    start, cpu = time.perf_counter(), time.process_time()
    model = RuleFit().fit(x, y)
    found = {
        "tool": "numpy",
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "r2": r2(y_held, model.predict(x_held)),
        "terms": int((model.coefficients != 0).sum()),
    }
    print(json.dumps(found), flush=True)
    if options.imodels:
        from imodels import RuleFitRegressor

        start, cpu = time.perf_counter(), time.process_time()
        other = RuleFitRegressor(max_rules=30, random_state=0).fit(x, y)
        found = {
            "tool": "imodels",
            "seconds": time.perf_counter() - start,
            "cpu_seconds": time.process_time() - cpu,
            "r2": r2(y_held, other.predict(x_held)),
            "terms": 30,
        }
        print(json.dumps(found))


if __name__ == "__main__":
    main()
