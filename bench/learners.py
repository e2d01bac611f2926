#!/usr/bin/env python3
"""Learners against other tools: same data, same objective, one thread (neighbours: all cores too), one run.

    .bench-venv/bin/python bench/learners.py [--only cart,optimal,lasso,logistic,gam,rules,prototypes,neighbors]
                                             [--repeats 5]

Ours is timed by build/release/bench/learner_kernels (columns in memory to what was found). Seconds are those of the
processor, so that a busy machine matters little, and of all cores those of the clock. A row has the least, the median
and the largest of both sides' repeats; its ratio is that of the medians, and lies between the peer's least over our
largest and the peer's largest over our least.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

# One thread for everybody: libraries look at this when they are loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "build" / "release" / "bench" / "learner_kernels"
ADELIE = ROOT / ".bench-venv-adelie" / "bin" / "python"
RESULTS = ROOT / "bench" / "results" / "latest.json"


@dataclass
class Row:
    problem: str
    peer: str
    ours: list[float]  # seconds of every repeat
    theirs: list[float] | None  # None: the peer is not there
    bar: float
    note: str = ""

    def figures(self) -> dict:
        """What a result file keeps."""
        found = {"problem": self.problem, "peer": self.peer, "bar": self.bar, "note": self.note}
        found["ours"] = spread(self.ours)
        found["theirs"] = self.theirs and spread(self.theirs)
        if self.theirs:
            found["ratio"] = found["theirs"]["median"] / found["ours"]["median"]
            found["ratio_low"] = min(self.theirs) / max(self.ours)
            found["ratio_high"] = max(self.theirs) / min(self.ours)
        return found

    def text(self) -> str:
        own = spread_text(self.ours)
        if not self.theirs:
            return f"{self.problem:44} {own}  {self.peer}: not installed"
        figures = self.figures()
        verdict = "ok" if figures["ratio"] >= self.bar else "BELOW"
        ratio = f"{figures['ratio']:.2f} x ({figures['ratio_low']:.2f} to {figures['ratio_high']:.2f})"
        return (
            f"{self.problem:44} {own}  {self.peer:12} {spread_text(self.theirs)}"
            f"  {ratio}, bar {self.bar} x: {verdict}  {self.note}"
        )


def spread(seconds: list[float]) -> dict:
    return {
        "least": min(seconds),
        "median": statistics.median(seconds),
        "largest": max(seconds),
        "repeats": len(seconds),
    }


def spread_text(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.3f} s ({min(seconds):.3f} to {max(seconds):.3f})"


def write_columns(path: Path, values: np.ndarray) -> Path:
    """Column after column."""
    np.asfortranarray(values, dtype=float).T.tofile(path)
    return path


def ours(
    learner: str,
    x: np.ndarray,
    y: np.ndarray,
    options: dict,
    repeats: int,
    classes: int = 0,
    held_out: tuple[np.ndarray, np.ndarray] | None = None,
    path: bool = False,
    threads: int = 1,
) -> tuple[list[float], dict]:
    """Seconds, and what the program said: the learner's detail, R2 of rows held out, fits along its path."""
    with tempfile.TemporaryDirectory() as folder:

        def written(name: str, values: np.ndarray) -> Path:
            return write_columns(Path(folder) / name, values)

        command = [KERNELS, learner, "--data", written("x", x), "--target", written("y", y)]
        command += ["--rows", len(y), "--columns", x.shape[1], "--classes", classes, "--options", json.dumps(options)]
        command += ["--repeats", repeats, "--threads", threads]
        if held_out is not None:
            command += ["--held-data", written("held-x", held_out[0]), "--held-target", written("held-y", held_out[1])]
            command += ["--held-rows", len(held_out[1])]
        if path:
            command += ["--path", Path(folder) / "path"]
        line = json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout)
        if path:
            line["path"] = np.fromfile(Path(folder) / "path").reshape(-1, x.shape[1] + 2)
    return line["seconds" if threads > 1 else "cpu_seconds"], line


def timed(body: Callable[[], object], repeats: int, by_clock: bool = False) -> tuple[list[float], object]:
    now = time.perf_counter if by_clock else time.process_time
    seconds = []
    for _ in range(repeats):
        start = now()
        found = body()
        seconds.append(now() - start)
    return seconds, found


def cart(repeats: int) -> Iterator[Row]:
    rows, features, depth = 100_000, 20, 6
    random = np.random.default_rng(0)
    x = random.normal(size=(rows, features)).astype(np.float32).astype(float)  # scikit-learn compares float32
    y = 3 * x[:, 0] + 2 * np.sin(3 * x[:, 1]) + 2 * (x[:, 2] > 0) * x[:, 3] + random.normal(size=rows)
    problem = f"tree, {rows} x {features}, depth {depth}"
    seconds, _ = ours("tree", x, y, {"max_depth": depth, "min_leaf_rows": 1}, repeats)
    try:
        from sklearn.tree import DecisionTreeRegressor

        theirs, _ = timed(lambda: DecisionTreeRegressor(max_depth=depth, random_state=0).fit(x, y), repeats)
    except ImportError:
        theirs = None
    yield Row(problem, "scikit-learn", seconds, theirs, 2.5)
    try:
        import ydf

        columns = {f"f{i}": x[:, i].astype(np.float32) for i in range(features)} | {"y": y.astype(np.float32)}
        learner = ydf.CartLearner(
            label="y",
            task=ydf.Task.REGRESSION,
            max_depth=depth + 1,
            min_examples=1,
            validation_ratio=0.0,
            num_threads=1,
        )
        table = ydf.create_vertical_dataset(columns)  # reading them is not counted
        theirs, _ = timed(lambda: learner.train(table, verbose=0), repeats)
    except ImportError:
        theirs = None
    yield Row(problem, "YDF exact", seconds, theirs, 1.2)


def optimal(repeats: int) -> Iterator[Row]:
    rows = 6_000
    random = np.random.default_rng(1)
    x = random.normal(size=(rows, 12))
    y = 2 * x[:, 0] + 2 * np.sin(3 * x[:, 1]) + 2 * (x[:, 2] > 0) * x[:, 3]
    y = y + 3 * (x[:, 4] > 0.3) * (x[:, 5] < 0.2) + random.normal(size=rows) / 2
    counts = [9] * 10 + [8] * 2  # 106 cuts
    for j, count in enumerate(counts):
        x[:, j] = np.searchsorted(np.quantile(x[:, j], np.arange(1, count + 1) / (count + 1)), x[:, j])
    seconds, line = ours("optimal-tree", x, y, {"max_depth": 3, "max_cuts": 106, "min_leaf_rows": 1}, repeats)
    note = f"mean squared error {line['detail']['objective']:.12g}"
    try:
        from pystreed import STreeDRegressor

        cuts = np.stack([x[:, j] <= k for j, count in enumerate(counts) for k in range(count)], axis=1).astype(int)
        theirs, model = timed(lambda: STreeDRegressor(max_depth=3, cost_complexity=0).fit(cuts, y), repeats)
        note += f", theirs {np.mean((model.predict(cuts) - y) ** 2):.12g}"
    except ImportError:
        theirs = None
    yield Row(f"optimal tree, {rows} x {sum(counts)} cuts, depth 3", "STreeD", seconds, theirs, 1.0, note)


def linear_data(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Correlated columns, standardised; a tenth of them matters."""
    random = np.random.default_rng(2)
    x = random.normal(size=(rows, columns)) + 0.5 * random.normal(size=(rows, 1))
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    return x, x[:, : columns // 10] @ random.normal(size=columns // 10)


def largest_difference(loss: Callable[[np.ndarray], float], x: np.ndarray, path: np.ndarray, theirs: np.ndarray) -> str:
    """Of the objectives of both at each penalty, as a share of the null deviance; a path has rows of penalty, intercept,
    coefficients, theirs of intercept, coefficients."""
    null = loss(np.full(len(x), path[0, 1]))

    def objective(penalty: float, fit: np.ndarray) -> float:
        return loss(fit[0] + x @ fit[1:]) + penalty * np.abs(fit[1:]).sum()

    gaps = [(objective(own[0], fit) - objective(own[0], own[1:])) / null for own, fit in zip(path, theirs, strict=True)]
    return f"objectives, theirs - ours, of the null deviance: {min(gaps):.1e} to {max(gaps):.1e}"


def lasso(repeats: int) -> Iterator[Row]:
    rows, columns, penalties = 50_000, 100, 100
    x, signal = linear_data(rows, columns)
    y = signal + np.random.default_rng(3).normal(size=rows) * signal.std()
    path, line = ours("sparse-linear", x, y, {"terms": 0, "path_length": penalties}, repeats, path=True)
    crossed, _ = ours("sparse-linear", x, y, {"path_length": penalties, "folds": 10}, repeats)
    theirs = crossed_theirs = None
    note = "ours standardises, theirs is given it"
    try:
        from sklearn.linear_model import LassoCV, lasso_path

        f, centred = np.asfortranarray(x), y - y.mean()
        told = {"alphas": line["path"][:, 0], "precompute": True, "tol": 1e-8, "copy_X": False}
        theirs, found = timed(lambda: lasso_path(f, centred, **told), repeats)
        fits = np.column_stack([np.full(penalties, y.mean()), found[1].T])
        note += "; " + largest_difference(lambda eta: np.mean((y - eta) ** 2) / 2, x, line["path"], fits)
        told = {"eps": 1e-3, "alphas": penalties, "precompute": True, "cv": 10, "n_jobs": 1, "tol": 1e-8}
        crossed_theirs, _ = timed(lambda: LassoCV(**told).fit(f, y), min(repeats, 3))
    except ImportError:
        pass
    size = f"{rows} x {columns}, {penalties} penalties"
    yield Row(f"lasso path, {size}", "scikit-learn", path, theirs, 1.0, note)
    yield Row(f"lasso, 10 folds, {size}", "scikit-learn", crossed, crossed_theirs, 3.0)


def logistic(repeats: int) -> Iterator[Row]:
    rows, columns, penalties = 50_000, 100, 100
    x, signal = linear_data(rows, columns)
    y = (np.random.default_rng(4).random(rows) < 1 / (1 + np.exp(-signal))).astype(float)
    own, line = ours("sparse-linear", x, y, {"terms": 0, "path_length": penalties}, repeats, classes=2, path=True)
    size = f"{rows} x {columns}, {penalties} penalties"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_columns(folder / "x", x)
        write_columns(folder / "y", y)
        line["path"][:, 0].tofile(folder / "penalties")
        theirs, note = None, ""
        if ADELIE.exists():
            command = [ADELIE, ROOT / "bench" / "learners" / "adelie_path.py", folder, rows, columns, repeats]
            if (printed := answer(command)) is not None:
                theirs = json.loads(printed)["cpu_seconds"]
                fits = np.fromfile(folder / "coefficients").reshape(-1, columns + 1)

                def log_loss(eta: np.ndarray) -> float:
                    return float(np.mean(np.logaddexp(0, eta) - y * eta))

                note = largest_difference(log_loss, x, line["path"], fits)
        yield Row(f"logistic path, {size}", "adelie", own, theirs, 1.0, note)
        few = min(repeats, 3)
        own, _ = ours("sparse-linear", x, y, {"path_length": penalties, "folds": 10}, few, classes=2)
        theirs = None
        if shutil.which("Rscript"):
            command = ["Rscript", ROOT / "bench" / "learners" / "cv_glmnet.R", folder, rows, columns, penalties, few]
            if (printed := answer(command)) is not None:
                theirs = [float(seconds) for seconds in printed.split()]
        yield Row(f"logistic, 10 folds, {size}", "cv.glmnet", own, theirs, 1.5)


def answer(command: list) -> str | None:
    """What a peer's own program prints; None where it is not there."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def additive(repeats: int) -> Iterator[Row]:
    rows, held_out, columns, bags = 50_000, 10_000, 20, 2
    random = np.random.default_rng(5)
    x = random.uniform(-1, 1, size=(rows + held_out, columns))
    y = sum(np.sin((1 + j % 4) * x[:, j]) for j in range(columns)) + sum(2 * x[:, j] * x[:, j + 10] for j in range(10))
    y = y + random.normal(size=len(y)) * np.sqrt(y.var() * 0.19)
    for pairs in (0, 10):
        options = {"bags": bags, "pairs": pairs}
        seconds, line = ours("gam", x[:rows], y[:rows], options, 1, held_out=(x[rows:], y[rows:]))
        note = f"R2 {line['r2']:.4f}"
        theirs = None
        try:
            from interpret.glassbox import ExplainableBoostingRegressor

            model = ExplainableBoostingRegressor(outer_bags=bags, interactions=pairs, n_jobs=1, random_state=0)
            theirs, _ = timed(lambda: model.fit(x[:rows], y[:rows]), 1)  # noqa: B023
            error = np.mean((model.predict(x[rows:]) - y[rows:]) ** 2)
            note += f", theirs {1 - error / y[rows:].var():.4f}"
        except ImportError:
            pass
        yield Row(f"gam, {rows} x {columns}, {bags} bags, {pairs} pairs", "interpret", seconds, theirs, 5.0, note)


def rules(repeats: int) -> Iterator[Row]:
    command = [sys.executable, ROOT / "bench" / "learners" / "rulefit_numpy.py", "--kernels", KERNELS]
    if importlib.util.find_spec("imodels"):
        command.append("--imodels")
    printed = subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout
    found = [json.loads(line) for line in printed.splitlines()]
    mine = [each for each in found if each["tool"].startswith("sightglass")]
    for peer, own, bar in (("numpy", mine[0], 8.0), ("imodels", mine[-1], 25.0)):
        theirs = next((each for each in found if each["tool"] == peer), None)
        note = f"R2 {own['r2']:.3f}" + (f", theirs {theirs['r2']:.3f}" if theirs else "")
        size = "30 rules" if peer == "imodels" else "2000 rules grown"
        yield Row(
            f"rulefit, 20000 x 15, {size}", peer, [own["cpu_seconds"]], theirs and [theirs["cpu_seconds"]], bar, note
        )


def panels(repeats: int) -> Iterator[Row]:
    """The search over all pairs for one panel: every kernel on every pair, the ten best again."""
    try:
        from sklearn.datasets import load_breast_cancer
        from sklearn.svm import SVC
    except ImportError:
        return
    data = load_breast_cancer()
    x, y = data.data, data.target
    options = {"max_models": 1, "holdout_share": 0, "prefer": "0"}
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    kernels = [{"kernel": "linear"}, *({"gamma": 1 / (2 * (1.6 * width) ** 2)} for width in (1, 0.5, 0.25))]
    pairs = [(a, b) for a in range(x.shape[1]) for b in range(a)]

    def fit_pair(a: int, b: int) -> None:
        pair = z[:, [a, b]]
        for kernel in kernels:
            SVC(class_weight={0: 10, 1: 1}, **kernel).fit(pair, y).decision_function(pair)

    def loop() -> None:
        for a, b in pairs:
            fit_pair(a, b)

    problem = "panels, 435 pairs x 4 kernels, 569 rows"
    alone, _ = ours("covering-2d", x, y, options, repeats, classes=2)
    theirs, _ = timed(loop, 2)
    note = "processor seconds, one thread each; ours tries 30 single features besides, and fits the ten best again"
    yield Row(problem, "scikit-learn", alone, theirs, 1.5, note)

    # By the clock, in turns, so that whatever else runs slows all of them alike.
    from joblib import Parallel, delayed

    def clocked(body: Callable[[], object]) -> float:
        start = time.perf_counter()
        body()
        return time.perf_counter() - start

    two, one_thread, jobs = [], [], []
    with Parallel(n_jobs=2, batch_size=30) as parallel:
        parallel(delayed(abs)(i) for i in range(4))  # the workers are there
        for _ in range(max(2, repeats // 2)):
            two += ours("covering-2d", x, y, options, 1, classes=2, threads=2)[1]["seconds"]
            one_thread.append(clocked(loop))
            jobs.append(clocked(lambda: parallel(delayed(fit_pair)(a, b) for a, b in pairs)))
    yield Row(f"{problem}, 2 threads", "sklearn loop", two, one_thread, 3.0, "by the clock; their loop on one thread")
    yield Row(f"{problem}, 2 threads", "joblib on 2", two, jobs, 1.5, "by the clock; the same loop in 2 processes")


def kernel_by_products(x: np.ndarray, gamma: float) -> np.ndarray:
    squares = (x**2).sum(axis=1)
    return np.exp(-gamma * np.maximum(squares[:, None] + squares[None, :] - 2 * x @ x.T, 0))


def kernel_by_differences(x: np.ndarray, gamma: float) -> np.ndarray:
    distances = np.zeros((len(x), len(x)))
    for column in x.T:
        distances += (column[:, None] - column[None, :]) ** 2
    return np.exp(-gamma * distances)


def mmd_critic_numpy(kernel: np.ndarray, prototypes: int, criticisms: int) -> tuple[list[int], list[int]]:
    """The same greedy algorithm with the matrix of all pairs."""
    mean = kernel.mean(axis=1)
    chosen: list[int] = []
    near = np.zeros(len(mean))
    for m in range(1, prototypes + 1):
        score = 2 * mean / m - (2 * near + 1) / m**2
        score[chosen] = -np.inf
        chosen.append(int(np.argmax(score)))
        near += kernel[:, chosen[-1]]
    witness = np.abs(mean - near / prototypes)
    against: list[int] = []
    factor = np.zeros((len(mean), 0))
    for _ in range(criticisms):
        left = np.maximum(1 - (factor**2).sum(axis=1), 1e-300)
        score = witness + np.log(left)
        score[chosen + against] = -np.inf
        best = int(np.argmax(score))
        against.append(best)
        column = (kernel[:, best] - factor @ factor[best]) / np.sqrt(left[best])
        factor = np.column_stack([factor, column])
    return chosen, against


def prototypes(repeats: int) -> Iterator[Row]:
    rows, columns = 5_000, 20
    random = np.random.default_rng(6)
    x = random.normal(size=(rows, columns)) + 2 * random.integers(0, 3, size=(rows, 1))
    seconds, line = ours("prototypes", x, np.zeros(rows), {}, repeats)
    detail = line["detail"]
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    gamma = 1 / (2 * detail["median"] ** 2)
    for kernel in (kernel_by_differences, kernel_by_products):
        theirs, found = timed(lambda: mmd_critic_numpy(kernel(scaled, gamma), 30, 10), repeats)  # noqa: B023
        same = found == (detail["prototypes"], detail["criticisms"])
        peer = "numpy, " + kernel.__name__.removeprefix("kernel_by_")
        note = "theirs of one width, ours of three" if same else "OTHER ROWS"
        yield Row(f"prototypes, {rows} x {columns}, 30 + 10", peer, seconds, theirs, 30.0, note)
    times = 20
    x = random.normal(size=(times * rows, columns)) + 2 * random.integers(0, 3, size=(times * rows, 1))
    seconds, _ = ours("prototypes", x, np.zeros(times * rows), {}, min(repeats, 3))
    theirs = [each * times**2 for each in theirs]
    note = f"theirs of {rows} rows, times {times**2}: the matrix would have 80 GB"
    yield Row(f"prototypes, {times * rows} x {columns}, 30 + 10", peer, seconds, theirs, 2.0, note)


def neighbors(repeats: int) -> Iterator[Row]:
    rows, asked, k = 100_000, 10_000, 10
    for columns in (5, 20):
        random = np.random.default_rng(7)
        x, queries = random.normal(size=(rows, columns)), random.normal(size=(asked, columns))
        for threads in dict.fromkeys((1, os.cpu_count() or 1)):
            seconds, line = ours(
                "neighbors", x, x[:, 0], {}, repeats, held_out=(queries, queries[:, 0]), threads=threads
            )
            theirs, note = None, ""
            try:
                theirs, note = nearest_sklearn(x, queries, k, threads, repeats, np.array(line["detail"]))
            except ImportError:
                pass
            problem = f"neighbours, {rows} x {columns}, {asked} queries" + (f", {threads} cores" if threads > 1 else "")
            yield Row(problem, "scikit-learn", seconds, theirs, 1.0, note)


def nearest_sklearn(
    x: np.ndarray, queries: np.ndarray, k: int, threads: int, repeats: int, first_found: np.ndarray
) -> tuple[list[float], str]:
    """The fastest of its exact searches, and what each takes."""
    from sklearn.neighbors import NearestNeighbors
    from threadpoolctl import threadpool_limits

    best, note = None, ""
    # The same distance: columns in units of their range, city-block; and squares, for which theirs is fastest.
    span = np.ptp(x, axis=0)
    for algorithm, metric in (("kd_tree", "manhattan"), ("brute", "manhattan"), ("brute", "euclidean")):
        model = NearestNeighbors(n_neighbors=k, algorithm=algorithm, metric=metric, n_jobs=threads).fit(x / span)
        part = 20 if algorithm == "kd_tree" and x.shape[1] > 8 else 1  # it looks at nearly all rows, in minutes
        asked = queries[: len(queries) // part] / span
        with threadpool_limits(limits=threads, user_api="openmp"):
            each, found = timed(lambda: model.kneighbors(asked), repeats, by_clock=threads > 1)  # noqa: B023
        each = [part * seconds for seconds in each]
        note += f"{algorithm} {metric} {min(each):.2f} s{' (scaled)' if part > 1 else ''}, "
        best = each if best is None else min(best, each, key=min)
        if metric == "manhattan" and not np.array_equal(found[1][: len(first_found)], first_found):
            note += "OTHER ROWS, "
    return best, note.rstrip(", ")


PROBLEMS = {
    "cart": cart,
    "optimal": optimal,
    "lasso": lasso,
    "logistic": logistic,
    "gam": additive,
    "rules": rules,
    "panels": panels,
    "prototypes": prototypes,
    "neighbors": neighbors,
}


def add_to_results(rows: list[dict]) -> None:
    """Beside the rows of other measurements; those of an earlier run are replaced one by one."""
    if not RESULTS.exists():
        return
    results = json.loads(RESULTS.read_text())
    kept = [
        row
        for row in results.get("learners", [])
        if (row["problem"], row["peer"]) not in {(r["problem"], r["peer"]) for r in rows}
    ]
    results["learners"] = kept + rows
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PROBLEMS))
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.only.split(","):
        for row in PROBLEMS[name](arguments.repeats):
            print(row.text(), flush=True)
            rows.append(row.figures())
    add_to_results(rows)


if __name__ == "__main__":
    main()
