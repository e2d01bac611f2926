#!/usr/bin/env python3
"""Learners against other tools: same data, same objective, one thread, one run.

    .bench-venv/bin/python bench/learners.py [--only cart,optimal] [--repeats 3]

Ours is timed by build/release/bench/learner_kernels (columns in memory to what was found). Seconds are those of the
processor, so that a busy machine does not matter; a ratio is the peer's least over ours.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "build" / "release" / "bench" / "learner_kernels"


@dataclass
class Row:
    problem: str
    peer: str
    ours: float
    theirs: float | None  # None: the peer is not there
    bar: float
    note: str = ""

    def text(self) -> str:
        if self.theirs is None:
            return f"{self.problem:44} {self.ours:8.3f} s  {self.peer}: not installed"
        ratio = self.theirs / self.ours
        verdict = "ok" if ratio >= self.bar else "BELOW"
        return (
            f"{self.problem:44} {self.ours:8.3f} s  {self.peer:14} {self.theirs:8.3f} s"
            f"  {ratio:6.1f} x (bar {self.bar} x: {verdict})  {self.note}"
        )


def ours(
    learner: str, x: np.ndarray, y: np.ndarray, options: dict, repeats: int, classes: int = 0
) -> tuple[float, dict]:
    """Least seconds, and the learner's detail."""
    with tempfile.TemporaryDirectory() as folder:
        data, target = Path(folder) / "data", Path(folder) / "target"
        np.asfortranarray(x, dtype=float).T.tofile(data)
        np.asarray(y, dtype=float).tofile(target)
        command = [KERNELS, learner, "--data", data, "--target", target, "--rows", len(y), "--columns", x.shape[1]]
        command += ["--classes", classes, "--options", json.dumps(options), "--repeats", repeats, "--threads", 1]
        line = json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout)
    return min(line["cpu_seconds"]), line["detail"]


def least_seconds(body: Callable[[], object], repeats: int) -> tuple[float, object]:
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        found = body()
        seconds.append(time.process_time() - start)
    return min(seconds), found


def cart(repeats: int) -> Iterator[Row]:
    rows, features, depth = 100_000, 20, 6
    random = np.random.default_rng(0)
    x = random.normal(size=(rows, features)).astype(np.float32).astype(float)  # scikit-learn compares float32
    y = 3 * x[:, 0] + 2 * np.sin(3 * x[:, 1]) + 2 * (x[:, 2] > 0) * x[:, 3] + random.normal(size=rows)
    problem = f"tree, {rows} x {features}, depth {depth}"
    seconds, _ = ours("tree", x, y, {"max_depth": depth, "min_leaf_rows": 1}, repeats)
    try:
        from sklearn.tree import DecisionTreeRegressor

        theirs, _ = least_seconds(lambda: DecisionTreeRegressor(max_depth=depth, random_state=0).fit(x, y), repeats)
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
        theirs, _ = least_seconds(lambda: learner.train(table, verbose=0), repeats)
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
    seconds, detail = ours("optimal-tree", x, y, {"max_depth": 3, "max_cuts": 106, "min_leaf_rows": 1}, repeats)
    note = f"mean squared error {detail['objective']:.12g}"
    try:
        from pystreed import STreeDRegressor

        cuts = np.stack([x[:, j] <= k for j, count in enumerate(counts) for k in range(count)], axis=1).astype(int)
        theirs, model = least_seconds(lambda: STreeDRegressor(max_depth=3, cost_complexity=0).fit(cuts, y), repeats)
        note += f", theirs {np.mean((model.predict(cuts) - y) ** 2):.12g}"
    except ImportError:
        theirs = None
    yield Row(f"optimal tree, {rows} x {sum(counts)} cuts, depth 3", "STreeD", seconds, theirs, 1.0, note)


PROBLEMS = {"cart": cart, "optimal": optimal}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PROBLEMS))
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    for name in arguments.only.split(","):
        for row in PROBLEMS[name](arguments.repeats):
            print(row.text(), flush=True)


if __name__ == "__main__":
    main()
