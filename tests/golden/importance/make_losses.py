"""Writes losses.json: every loss by scikit-learn, on rows with ties, with and without weights.

pip install -r ../effects/requirements.txt
python make_losses.py
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn import metrics

HERE = Path(__file__).resolve().parent
ROWS = 60


def rounded(values):
    return np.round(values, 3)


def write_cases():
    random = np.random.default_rng(11)
    # Whole and broken weights, some of them zero.
    weights = np.where(np.arange(ROWS) % 7 == 0, 0.0, rounded(random.uniform(0.2, 3, ROWS)))
    numbers = rounded(random.normal(3, 2, ROWS))
    counts = random.poisson(2, ROWS).astype(float)
    positive = rounded(random.uniform(0.1, 5, ROWS))
    two = random.integers(0, 2, ROWS)
    # Two digits: many ties; 0, 0.5 and 1 are where clipping and thresholds decide.
    chance = np.round(np.clip(0.4 * two + random.uniform(0, 0.6, ROWS), 0, 1), 1)
    chance[:6] = [0, 1, 0.5, 0.5, 1, 0]
    # Never the last of four classes in truth, nor predicted the third.
    three = random.integers(0, 3, ROWS)
    raw = random.integers(1, 6, (ROWS, 4)) + 3.0 * np.eye(4)[three] - np.array([0, 0, 0, 0.5])
    raw[:, 2] = np.minimum(raw[:, 2], 1.5)
    chances = raw / raw.sum(axis=1, keepdims=True)
    cases = []

    def add(loss, truth, predictions, of):
        for weighted in (False, True):
            used = weights if weighted else np.ones(ROWS)
            cases.append(
                {
                    "loss": loss,
                    "weighted": weighted,
                    "truth": truth,
                    "predictions": predictions,
                    "value": float(of(used)),
                }
            )

    data = {"numbers": numbers, "counts": counts, "two": two, "three": three}
    data |= {"positive": positive, "chance": chance, "chances": chances}
    for truth in ("numbers", "counts"):
        y, f = data[truth], positive
        add("squared", truth, "positive", lambda w: metrics.mean_squared_error(y, f, sample_weight=w))
        add("absolute", truth, "positive", lambda w: metrics.mean_absolute_error(y, f, sample_weight=w))
        add("rmse", truth, "positive", lambda w: metrics.root_mean_squared_error(y, f, sample_weight=w))
        add("r2", truth, "positive", lambda w: metrics.r2_score(y, f, sample_weight=w))
    add("poisson", "counts", "positive", lambda w: metrics.mean_poisson_deviance(counts, positive, sample_weight=w))
    add("log-loss", "two", "chance", lambda w: metrics.log_loss(two, chance, sample_weight=w))
    add("brier", "two", "chance", lambda w: metrics.brier_score_loss(two, chance, sample_weight=w))
    add("auc", "two", "chance", lambda w: metrics.roc_auc_score(two, chance, sample_weight=w))
    add("accuracy", "two", "chance", lambda w: metrics.accuracy_score(two, chance > 0.5, sample_weight=w))
    add("f1", "two", "chance", lambda w: metrics.f1_score(two, chance > 0.5, sample_weight=w))
    labels, best = [0, 1, 2, 3], chances.argmax(axis=1)
    add("log-loss", "three", "chances", lambda w: metrics.log_loss(three, chances, sample_weight=w, labels=labels))
    add("brier", "three", "chances", lambda w: metrics.brier_score_loss(three, chances, sample_weight=w, labels=labels))
    add("accuracy", "three", "chances", lambda w: metrics.accuracy_score(three, best, sample_weight=w))

    # scikit-learn refuses a class that never occurs, so one class after the other.
    def macro_auc(w):
        return np.mean([metrics.roc_auc_score(three == k, chances[:, k], sample_weight=w) for k in range(3)])

    def macro_f1(w):
        there = w > 0  # a class of weight zero is not there
        return metrics.f1_score(three[there], best[there], sample_weight=w[there], average="macro")

    add("auc", "three", "chances", macro_auc)
    add("f1", "three", "chances", macro_f1)
    content = {
        "oracle": f"scikit-learn {version('scikit-learn')}, numpy {version('numpy')}",
        "weights": weights.tolist(),
        **{name: values.tolist() for name, values in data.items()},
        "cases": cases,
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    (HERE / "losses.json").write_text(text.replace(',"', ',\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_cases()
