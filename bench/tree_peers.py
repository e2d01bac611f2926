"""What other tools take for the same quantity: the same model, the same rows, as many threads as they can use.

Each function yields or returns a Peer. One that would take hours is timed on a part of the work and scaled up in
proportion; ``how`` says so, and the scaled number is never called measured.
"""

from __future__ import annotations

import contextlib
import io
import os
import time
import warnings
from dataclasses import dataclass, field

import numpy as np
from tree_models import splits


@dataclass
class Peer:
    name: str
    bar: float | None  # so many times faster ours is to be
    seconds: list[float] = field(default_factory=list)
    scale: float = 1.0  # from what was timed to the whole
    how: str = ""
    error: str = ""
    facts: dict = field(default_factory=dict)

    @property
    def whole(self):
        return [self.scale * seconds for seconds in self.seconds]


def timed(peer, call, repeats=3, limit=20.0):
    """Seconds of each call, no further one after ``limit`` seconds. A peer that fails says why."""
    begin = time.perf_counter()
    result = None
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            while not peer.seconds or (len(peer.seconds) < repeats and time.perf_counter() - begin < limit):
                start = time.perf_counter()
                result = call()
                peer.seconds.append(time.perf_counter() - start)
    except Exception as error:  # a peer may fail in any way; the row says so
        peer.error = f"{type(error).__name__}: {error}"[:200]
    return result


def set_threads(model, threads):
    """Of peers that take a number: the frameworks. Others use one thread."""
    os.environ["OMP_NUM_THREADS"] = str(threads)
    if model.kind != "catboost":  # which is told with each call
        model.fitted.set_params(n_jobs=threads)
    if model.kind == "xgboost":
        model.fitted.get_booster().set_param({"nthread": threads})


def one_thread(peer, threads):
    if threads > 1:
        peer.how = (peer.how + "; " if peer.how else "") + "uses one thread"
    return peer


def predict(model, data, threads, bar):
    set_threads(model, threads)
    fitted = model.fitted
    if model.kind == "xgboost":
        booster, X = fitted.get_booster(), data.X.astype(np.float32)
        peer = Peer("XGBoost inplace_predict", bar)
        result = timed(peer, lambda: booster.inplace_predict(X, validate_features=False), 5)
    elif model.kind == "lightgbm":
        peer = Peer("LightGBM predict", bar)
        result = timed(peer, lambda: fitted.booster_.predict(data.X, num_threads=threads), 5)
    elif model.kind == "catboost":
        X = data.X.astype(np.float32)
        peer = Peer("CatBoost predict", bar)
        result = timed(peer, lambda: fitted.predict(X, thread_count=threads), 5)
    else:
        X = data.X.astype(np.float32)
        peer = Peer("scikit-learn predict", bar)
        result = timed(peer, lambda: fitted.predict(X), 5)
    if result is not None:
        peer.facts["mean"] = float(np.mean(result))
    return peer


def brute_dependence(model, data, threads, bar):
    """scikit-learn: a prediction of all rows for each value of the grid."""
    from sklearn.inspection import partial_dependence

    set_threads(model, threads)
    values = 8
    wanted = splits(model)
    peer = Peer(
        "scikit-learn partial_dependence, brute",
        bar,
        scale=wanted / values,
        how=f"{values} values timed, scaled to {wanted:,} thresholds",
    )
    timed(
        peer,
        lambda: partial_dependence(
            model.fitted, data.frame, ["x0"], grid_resolution=values, method="brute", kind="average"
        ),
        3,
    )
    return peer


def woodelf_dependence(model, data, threads, bar):
    from woodelf.pdp import woodelf_pdp

    few, factor, how = fewer_trees(model)
    peer = Peer("woodelf PDP, all thresholds", bar, scale=factor, how=how)
    timed(peer, lambda: woodelf_pdp(few, data.frame, full_pdp=True, verbose=False), 3)
    return one_thread(peer, threads)


def fewer_trees(model, most=10):
    """woodelf takes long on deep trees: some of a forest's are timed."""
    if model.kind != "forest":
        return model.fitted, 1.0, ""
    import copy

    forest = copy.copy(model.fitted)
    forest.estimators_ = model.fitted.estimators_[:most]
    forest.n_estimators = most
    return forest, model.trees / most, f"{most} trees timed, scaled to {model.trees}"


def woodelf_shapley(model, data, threads, bar, cover):
    from woodelf import WoodelfExplainer

    few, factor, how = fewer_trees(model, 2)
    peer = Peer("woodelf" + (", path-dependent" if cover else ""), bar, scale=factor, how=how)

    def explain():
        explainer = WoodelfExplainer(few) if cover else WoodelfExplainer(few, data.frame)
        return explainer.shap_values(data.frame, verbose=False)

    result = timed(peer, explain, 3)
    if result is not None and factor == 1:
        peer.facts["mean_absolute"] = np.abs(result).mean(axis=0).tolist()
    return one_thread(peer, threads)


def shap_interventional(model, data, threads, bar, rows=100, background=100):
    """shap's cost is rows × background rows × trees."""
    import shap

    peer = Peer(
        "shap, interventional",
        bar,
        scale=(data.rows / rows) * (data.rows / background),
        how=f"{rows} rows against {background} timed, scaled to {data.rows:,} × {data.rows:,}",
    )
    X = data.X if model.kind != "xgboost" else data.frame
    explainer = shap.TreeExplainer(model.fitted, X[:background], feature_perturbation="interventional")
    timed(peer, lambda: explainer.shap_values(X[:rows], check_additivity=False), 3)
    return one_thread(peer, threads)


def framework_contributions(model, data, threads, bar, rows=500):
    """pred_contribs of XGBoost, pred_contrib of LightGBM, ShapValues of CatBoost."""
    set_threads(model, threads)
    rows = min(rows, data.rows)
    if model.kind == "xgboost":
        import xgboost

        peer = Peer("XGBoost pred_contribs", bar)
        some = xgboost.DMatrix(data.frame[:rows])
        booster = model.fitted.get_booster()
        result = timed(peer, lambda: booster.predict(some, pred_contribs=True), 3)
    elif model.kind == "lightgbm":
        peer = Peer("LightGBM pred_contrib", bar)
        booster = model.fitted.booster_
        result = timed(peer, lambda: booster.predict(data.X[:rows], pred_contrib=True, num_threads=threads), 3)
    elif model.kind == "catboost":
        import catboost

        peer = Peer("CatBoost ShapValues", bar)
        some = catboost.Pool(data.frame[:rows])
        call = {"type": "ShapValues", "thread_count": threads}
        result = timed(peer, lambda: model.fitted.get_feature_importance(some, **call), 3)
    else:
        return None
    del result
    peer.scale, peer.how = data.rows / rows, f"{rows} rows timed, scaled to {data.rows:,}"
    return peer


def shap_cover(model, data, threads, bar):
    """Of boosters shap asks the framework itself."""
    import shap

    set_threads(model, threads)
    rows = min(20 if model.kind == "forest" else 200, data.rows)
    peer = Peer("shap, path-dependent", bar, scale=data.rows / rows, how=f"{rows} rows timed, scaled to {data.rows:,}")
    explainer = shap.TreeExplainer(model.fitted, feature_perturbation="tree_path_dependent")
    X = data.frame[:rows] if model.kind == "xgboost" else data.X[:rows]
    timed(peer, lambda: explainer.shap_values(X, check_additivity=False), 3)
    if model.kind != "forest":
        peer.how += "; it asks the framework"
        return peer
    return one_thread(peer, threads)


def pyale(model, data, threads, bar):
    import logging

    from PyALE import ale

    logging.getLogger("PyALE").setLevel(logging.ERROR)
    set_threads(model, threads)
    peer = Peer("PyALE, 40 bins", bar)

    def explain():
        for name in data.names:
            ale(data.frame, model.fitted, [name], feature_type="continuous", grid_size=40, include_CI=False, plot=False)

    timed(peer, explain, 3)
    return peer


def permutation_importance(model, data, threads, bar):
    from sklearn.inspection import permutation_importance

    set_threads(model, threads)
    peer = Peer("scikit-learn permutation_importance, 10 repeats", bar, scale=10, how="1 repeat timed, scaled to 10")
    timed(
        peer,
        lambda: permutation_importance(
            model.fitted, data.frame, data.y, scoring="neg_mean_squared_error", n_repeats=1, random_state=0
        ),
        3,
    )
    return peer
