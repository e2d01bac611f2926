"""Reading and predicting: the engine against each framework, same model, same rows, one thread, in turns.

.venv/bin/python bench/models.py [--json FILE]
"""

import argparse
import json
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import lightgbm as lgb
import numpy as np
import onnxruntime
import xgboost as xgb
from skl2onnx import to_onnx
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from threadpoolctl import threadpool_limits

import sightglass as sg

ROWS, COLUMNS, TRAIN = 50_000, 12, 20_000


def data():
    random = np.random.default_rng(1)
    X = random.normal(size=(ROWS, COLUMNS))
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + np.abs(X[:, 3]) + 0.1 * random.normal(size=ROWS)
    return X, y


def in_turns(ours, theirs, repeats=7):
    """Seconds of both, one after the other, so that a busy machine hurts both alike."""
    times = []
    for _ in range(repeats):
        pair = []
        for call in (ours, theirs):
            start = time.perf_counter()
            call()
            pair.append(time.perf_counter() - start)
        times.append(pair)
    ratios = [b / a for a, b in times]
    return {
        "ours_ms": 1000 * statistics.median(a for a, _ in times),
        "theirs_ms": 1000 * statistics.median(b for _, b in times),
        "ratio": statistics.median(ratios),
        "spread": [min(ratios), max(ratios)],
    }


def predictions():
    X, y = data()
    booster = xgb.train(
        {"max_depth": 6, "nthread": 2, "eta": 0.1, "tree_method": "hist"}, xgb.DMatrix(X[:TRAIN], y[:TRAIN]), 300
    )
    booster.set_param({"nthread": 1})
    light = lgb.LGBMRegressor(n_estimators=300, num_leaves=63, n_jobs=2, verbose=-1).fit(X[:TRAIN], y[:TRAIN])
    forest = RandomForestRegressor(200, max_depth=12, n_jobs=2, random_state=1).fit(X[:TRAIN], y[:TRAIN])
    forest.n_jobs = 1
    histogram = HistGradientBoostingRegressor(max_iter=300).fit(X[:TRAIN], y[:TRAIN])
    for name, model, predict in [
        ("XGBoost, 300 trees of depth 6", booster, lambda: booster.inplace_predict(X)),
        ("LightGBM, 300 trees of 63 leaves", light, lambda: light.predict(X, num_threads=1)),
        ("RandomForest, 200 trees of depth 12", forest, lambda: forest.predict(X)),
        ("HistGradientBoosting, 300 trees", histogram, lambda: histogram.predict(X)),
    ]:
        explainer = sg.Explainer(model, X, threads=1)
        assert explainer.native, explainer.notes
        with threadpool_limits(1):
            assert np.allclose(explainer.predict(), predict(), rtol=1e-6)
            yield f"predict {ROWS:,} rows: {name}", in_turns(explainer.predict, predict)


def onnx_session(source):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(source, options)


def onnx_trees(folder):
    """Whole calls: rows in, predictions out."""
    X, y = data()
    X = X.astype(np.float32)
    for name, model in [
        ("RandomForest, 200 trees of depth 12", RandomForestRegressor(200, max_depth=12, n_jobs=2, random_state=1)),
        (
            "GradientBoosting, 100 trees of depth 6",
            GradientBoostingRegressor(n_estimators=100, max_depth=6, subsample=0.3),
        ),
    ]:
        converted = to_onnx(model.fit(X[:TRAIN], y[:TRAIN]), X[:1])
        path = str(folder / "model.onnx")
        Path(path).write_bytes(converted.SerializeToString())
        session = onnx_session(path)
        explainer = sg.Explainer(path, X, threads=1)
        assert explainer.engine == "trees"
        theirs = lambda session=session: session.run(None, {"X": X})[0]  # noqa: E731
        assert np.array_equal(np.asarray(explainer.predict(), np.float32).ravel(), theirs().ravel())
        yield f"predict {ROWS:,} rows: ONNX, {name}", in_turns(explainer.predict, theirs)
        megabytes = Path(path).stat().st_size / 2**20
        yield (
            f"read an ONNX file of {megabytes:.1f} MB: {name}",
            in_turns(lambda path=path: sg.Explainer(path, X[:2]), lambda path=path: onnx_session(path), 5),
        )


def loading(folder):
    X, y = data()
    booster = xgb.train({"max_depth": 8, "nthread": 2, "tree_method": "hist"}, xgb.DMatrix(X, y), 500)
    light = lgb.train({"num_leaves": 255, "verbose": -1, "num_threads": 2}, lgb.Dataset(X, y), 500)
    few = X[:2]
    for ending in ("json", "ubj"):
        path = str(folder / f"model.{ending}")
        booster.save_model(path)
        megabytes = Path(path).stat().st_size / 2**20
        yield (
            f"read an XGBoost {ending} file of {megabytes:.0f} MB",
            in_turns(lambda path=path: sg.Explainer(path, few), lambda path=path: xgb.Booster(model_file=path), 5),
        )
    path = str(folder / "model.txt")
    light.save_model(path)
    megabytes = Path(path).stat().st_size / 2**20
    yield (
        f"read a LightGBM file of {megabytes:.0f} MB",
        in_turns(lambda: sg.Explainer(path, few), lambda: lgb.Booster(model_file=path), 5),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        results = dict([*predictions(), *onnx_trees(Path(folder)), *loading(Path(folder))])
    if given.json:
        given.json.write_text(json.dumps(results))
    for name, row in results.items():
        low, high = row["spread"]
        print(
            f"{name:<56} {row['ours_ms']:8.1f} ms, theirs {row['theirs_ms']:8.1f} ms: {row['ratio']:.2f} × [{low:.2f} … {high:.2f}]"
        )


if __name__ == "__main__":
    main()
