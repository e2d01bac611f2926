"""Writes pieces.json: lines of words and of regions by the package lime, and a picture with the regions of both.

"given": samples that sightglass drew, as its model saw them, fitted by lime's own fit: lines must be equal.
"drawn": lime_text's and lime_image's own explanations, as means over seeds with standard errors.

Needs sightglass in .venv (make build), whose samples and superpixels these are, and pip install -r requirements.txt
"""

import base64
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

os.environ["TQDM_DISABLE"] = "1"

import numpy as np  # noqa: E402
from lime.lime_base import LimeBase  # noqa: E402
from lime.lime_image import LimeImageExplainer  # noqa: E402
from lime.lime_text import LimeTextExplainer  # noqa: E402
from sklearn.linear_model import Ridge  # noqa: E402

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), *map(str, (HERE.parents[2] / ".venv" / "lib").glob("python3.*/site-packages"))]

import lime_models as models  # noqa: E402

import sightglass as sg  # noqa: E402

SEEDS, WIDTH = 16, 0.25


def fitted(z, y, counts, terms, forward):
    """lime's own choice of terms and its line; weights stand in for distances."""
    kept = z.mean(axis=1)
    weights = counts * np.sqrt(np.exp(-((1 - np.sqrt(kept)) ** 2) / WIDTH**2))
    base = LimeBase(lambda given: given, random_state=0)
    select = "forward_selection" if forward else "highest_weights"
    intercept, local, score, value = base.explain_instance_with_data(
        z, np.column_stack([1 - y, y]), weights, 1, terms, feature_selection=select, model_regressor=Ridge(alpha=1)
    )
    return {
        "terms": terms,
        "intercept": float(intercept),
        "values": {str(j): float(w) for j, w in sorted(local)},
        "r2": float(score),
        "line": float(value[0]),
    }


def given_words(text):
    seen = []
    sg.Explainer(lambda texts: (seen.append(list(texts)), models.said(texts))[1], [text], threads=1).lime_text(rows=[0])
    words = list(dict.fromkeys(models.words(text)))
    z = np.array([[float(word in models.words(one)) for word in words] for one in seen[-1]])
    # All ways to leave words out: each counts as often as it would be drawn.
    out = (1 - z).sum(axis=1).astype(int)
    ways = np.bincount(out, minlength=len(words) + 1)
    assert len(z) == 2 ** len(words)
    counts = np.where(out > 0, 4999 / (len(words) * ways[out]), 1.0)
    lines = [fitted(z, models.said(seen[-1]), counts, k, k <= 6) for k in (1, 3, 6, len(words) - 1, len(words))]
    return {"text": text, "words": words, "lines": lines}


def given_regions(picture, segments):
    seen = []
    model = lambda batch: (seen.append(batch.copy()), models.looked(batch))[1]  # noqa: E731
    sg.Explainer(model, picture[None], threads=1).lime_image(segments=models.SEGMENTS)
    made = np.concatenate([batch for batch in seen if len(batch) > 1])
    first = [np.argwhere((segments == j) & (picture != 128).all(axis=2))[0] for j in range(int(segments.max()) + 1)]
    z = np.array([[float((one[y, x] == picture[y, x]).all()) for y, x in first] for one in made])
    counts = np.ones(len(z))
    return [fitted(z, models.looked(made), counts, k, k <= 6) for k in (1, 3, 6, 12, int(segments.max()) + 1)]


def over_seeds(explain):
    lines = np.array([explain(seed) for seed in range(SEEDS)])
    return {"mean": lines.mean(axis=0).tolist(), "se": (lines.std(axis=0, ddof=1) / np.sqrt(SEEDS)).tolist()}


def drawn_words(text):
    words = list(dict.fromkeys(models.words(text)))
    both = lambda texts: np.column_stack([1 - models.said(texts), models.said(texts)])  # noqa: E731

    def explain(seed):
        explainer = LimeTextExplainer(random_state=seed, split_expression=r"\W+", feature_selection="none")
        found = explainer.explain_instance(text, both, num_features=len(words), num_samples=5000)
        told = dict(found.as_list())
        return [found.intercept[1], *(told[word] for word in words)]

    return {"text": text, "words": words, **over_seeds(explain)}


def drawn_regions(picture, segments):
    both = lambda batch: np.column_stack([1 - models.looked(batch), models.looked(batch)])  # noqa: E731

    def explain(seed):
        explainer = LimeImageExplainer(random_state=seed, feature_selection="none", verbose=False)
        found = explainer.explain_instance(
            picture,
            both,
            labels=(1,),
            top_labels=None,
            hide_color=128,
            num_samples=1000,
            segmentation_fn=lambda image: segments,
        )
        local = dict(found.local_exp[1])
        return [found.intercept[1], *(local[j] for j in range(segments.max() + 1))]

    return over_seeds(explain)


def write():
    picture = models.picture()
    segments = models.segments_of(sg.Explainer(models.looked, picture[None]).lime_image(segments=models.SEGMENTS))
    golden = {
        "by": {name: version(name) for name in ("lime", "scikit-learn", "numpy")},
        "segments": base64.b64encode(segments.astype(np.uint8).tobytes()).decode(),
        "given": {"words": given_words(models.SHORT), "regions": given_regions(picture, segments)},
        "drawn": {"words": drawn_words(models.LONG), "regions": drawn_regions(picture, segments)},
    }
    (HERE / "pieces.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    write()
