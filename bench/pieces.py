"""LIME over words and over regions of pictures, beside the package lime: what each costs beside the model.

    .bench-venv/bin/python bench/pieces.py [--json FILE]     (sightglass itself comes from .venv)

CPU seconds of one thread (threads of lime's linear algebra that wait would count as work); the model's own are measured
inside and taken off. A row is the median of the repeats.
"""

import argparse
import json
import os
import re
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(path) for path in (ROOT / ".venv" / "lib").glob("python3.*/site-packages")]

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

import sightglass as sg  # noqa: E402

#: What was measured, for --json.
rows_measured = []


class Timed:
    """A model that knows how long it took."""

    def __init__(self, function):
        self.function, self.seconds, self.rows = function, 0.0, 0

    def __call__(self, inputs):
        start = time.process_time()
        answers = self.function(inputs)
        self.seconds += time.process_time() - start
        self.rows += len(answers)
        return answers


def own_seconds(explain, model, repeats):
    own, rows = [], 0
    for _ in range(repeats):
        model.seconds, model.rows = 0.0, 0
        start = time.process_time()
        explain()
        own.append(time.process_time() - start - model.seconds)
        rows = model.rows
    return own, rows


def report(name, ours, theirs):
    (own, rows), (other, other_rows) = ours, theirs
    ratio = statistics.median(other) / statistics.median(own)
    spread = f"{min(own) * 1e3:.1f}–{max(own) * 1e3:.1f}"
    rows_measured.append({"what": name, "ours_ms": [1e3 * each for each in own], "ratio": ratio})
    print(
        f"{name:28} ours {statistics.median(own) * 1e3:8.1f} ms ({spread}; {rows} rows)   "
        f"lime {statistics.median(other) * 1e3:8.1f} ms ({other_rows} rows)   {ratio:6.1f}×",
        flush=True,
    )


def texts(words, repeats):
    from lime.lime_text import LimeTextExplainer

    text = " ".join(f"word{i}" for i in range(words))
    weights = {f"word{i}": (-1) ** i / (i + 1) for i in range(words)}

    def probability(batch):
        scores = np.array([sum(weights.get(word, 0) for word in re.findall(r"\w+", text)) for text in batch])
        return 1 / (1 + np.exp(-scores))

    ours = Timed(lambda frame: probability(frame["text"]))
    explainer = sg.Explainer(ours, pd.DataFrame({"text": [text]}), threads=1)
    explainer.lime_text(rows=[0], samples=10)  # loads what is loaded once
    theirs = Timed(lambda batch: np.column_stack([1 - (p := probability(batch)), p]))
    peer = LimeTextExplainer(random_state=0)
    report(
        f"text, {words} words",
        own_seconds(lambda: explainer.lime_text(rows=[0]), ours, repeats),
        own_seconds(lambda: peer.explain_instance(text, theirs, num_features=10), theirs, max(1, repeats // 2)),
    )


def pictures(side, repeats):
    from lime.lime_image import LimeImageExplainer

    rng = np.random.default_rng(0)
    cells = rng.integers(0, 255, (8, 8, 3))
    picture = np.kron(cells, np.ones((side // 8, side // 8, 1))).astype(np.uint8)

    def part(batch):
        return np.asarray(batch)[:, side // 4 : side // 2, side // 4 : side // 2].mean(axis=(1, 2, 3)) / 255

    ours = Timed(part)
    explainer = sg.Explainer(ours, picture[None], threads=1)
    explainer.lime_image(rows=[0], samples=10)
    theirs = Timed(lambda batch: np.column_stack([1 - (p := part(batch)), p]))
    peer = LimeImageExplainer(random_state=0, verbose=False)
    report(
        f"picture, {side} × {side}",
        own_seconds(lambda: explainer.lime_image(rows=[0]), ours, repeats),
        own_seconds(
            lambda: peer.explain_instance(picture, theirs, top_labels=1, num_samples=1000),
            theirs,
            max(1, repeats // 3),
        ),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    repeats = arguments.repeats
    texts(35, repeats)
    texts(140, repeats)
    pictures(224, max(1, repeats // 2))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows_measured, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
