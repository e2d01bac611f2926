"""The numbers behind caveats, against SciPy and NumPy."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sightglass as sg

#: Raises whatever there is to raise.
EVERYTHING = {"correlation_threshold": 0.0, "extrapolation_threshold": 0.0, "sparse_rows": 10**6}


def first(result, name):
    return next(caveat for caveat in result.caveats if caveat.id == name).evidence


def pair(a, b):
    data = pd.DataFrame({"a": a, "b": b})
    ex = sg.Explainer(lambda X: np.arange(len(X)) * 0.0, data, caveats=EVERYTHING)
    return first(ex.partial_dependence("a", grid=3), "correlated-features")


def columns(seed, rows=400):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=rows)
    number = np.round(common + rng.normal(size=rows), 1)
    number[rng.random(rows) < 0.1] = np.nan
    level = np.where(common + 0.5 * rng.normal(size=rows) > 0, "up", np.where(common > -1, "middle", "down"))
    return rng, common, number, level


@pytest.mark.parametrize("seed", range(5))
def test_spearman_is_that_of_scipy(seed):
    _, common, number, _ = columns(seed)
    evidence = pair(np.round(common, 1), number)
    assert evidence["measure"] == "spearman"
    oracle = stats.spearmanr(np.round(common, 1), number, nan_policy="omit").statistic
    assert evidence["value"] == pytest.approx(abs(oracle), abs=1e-12)
    n = np.isfinite(number).sum()
    lower = np.tanh(np.arctanh(abs(oracle)) - 1.96 * np.sqrt(1.06 / (n - 3)))
    assert evidence["lower"] == pytest.approx(lower, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_correlation_ratio_is_that_of_the_formula(seed):
    _, _, number, level = columns(seed)
    evidence = pair(level, number)
    assert evidence["measure"] == "correlation-ratio"
    keep = np.isfinite(number)
    groups = [number[keep & (level == name)] for name in np.unique(level)]
    n, k = keep.sum(), len(groups)
    within = sum(((group - group.mean()) ** 2).sum() for group in groups)
    total = ((number[keep] - number[keep].mean()) ** 2).sum()
    assert evidence["value"] == pytest.approx(np.sqrt(1 - (within / (n - k)) / (total / (n - 1))), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_cramers_v_is_that_of_bergsma(seed):
    rng, common, _, level = columns(seed)
    other = np.where(common + rng.normal(size=len(common)) > 0.3, "yes", "no").astype(object)
    other[rng.random(len(common)) < 0.1] = None
    evidence = pair(level, other)
    assert evidence["measure"] == "cramers-v"
    table = pd.crosstab(level, pd.Series(other).fillna("missing"))
    n, (r, c) = len(level), table.shape
    chi2 = stats.chi2_contingency(table, correction=False).statistic
    phi2 = max(0, chi2 / n - (r - 1) * (c - 1) / (n - 1))
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    assert evidence["value"] == pytest.approx(np.sqrt(phi2 / least), abs=1e-9)


def test_rows_outside_the_data_are_those_of_dense_loops():
    rng = np.random.default_rng(1)
    a = np.round(rng.normal(size=900), 1)
    data = pd.DataFrame({"a": a, "b": a + 0.3 * rng.normal(size=900), "c": rng.normal(size=900)})
    ex = sg.Explainer(lambda X: X["a"], data)
    curve = ex.partial_dependence("a", grid=20).results[0]

    def cells(column, values):
        deciles = np.quantile(column, np.arange(1, 10) / 10, method="inverted_cdf")
        return np.searchsorted(np.unique(deciles), values)

    own = cells(data["a"], data["a"])
    largest = np.zeros(len(curve["grid"]))
    for name in ("b", "c"):
        other = cells(data[name], data[name])
        for point, value in enumerate(curve["grid"]):
            here = own == cells(data["a"], value)
            share = 0.0
            for cell in np.unique(other):
                expected = here.sum() * (other == cell).sum() / 900
                if expected >= 5 and (here & (other == cell)).sum() < 0.1 * expected:
                    share += (other == cell).mean()
            largest[point] = max(largest[point], share)
    assert largest.max() > 0.3
    assert curve["outside"] == pytest.approx(largest, abs=1e-12)
    assert curve["extrapolated"] == np.flatnonzero(largest > 0.1).tolist()


def test_thresholds_belong_to_the_explainer():
    X = np.random.default_rng(0).normal(size=(100, 2))
    ex = sg.Explainer(lambda X: X[:, 0], X, training_data=True, caveats={"skill_threshold": 0.5})
    options = json.loads(ex.partial_dependence("x0", grid=3).to_json())["options"]
    assert options["skill_threshold"] == 0.5
    assert options["training_data"] is True
    assert options["correlation_threshold"] == 0.6
    with pytest.raises(sg.UsageError, match="correlation_threshold"):
        sg.Explainer(lambda X: X[:, 0], X, caveats={"corelation": 0.5})
    with pytest.raises(sg.UsageError, match="between 0 and 1"):
        sg.Explainer(lambda X: X[:, 0], X, caveats={"correlation_threshold": 5}).ice("x0")


def test_a_model_that_knows_nothing_is_weak():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.normal(size=300)
    weak = sg.Explainer(lambda X: X[:, 0] * 0.1, X, y).partial_dependence("x0", grid=3)
    evidence = first(weak, "weak-model")
    assert evidence["value"] == pytest.approx(1 - ((y - 0.1 * X[:, 0]) ** 2).sum() / ((y - y.mean()) ** 2).sum())
