"""Texts: what a model in Python is asked, whatever holds the texts, and what its words add."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import sightglass as sg

WEIGHTS = {"good": 2.0, "bad": -3.0, "東": 1.0}
TEXTS = ["good but bad, so good", "nothing to say", "東 good"]


def words(text):
    return set(re.findall(r"\w", text) if "東" in text else []) | set(re.findall(r"\w+", text))


def score(texts):
    return np.array([sum(WEIGHTS.get(word, 0.0) for word in words(text)) for text in texts])


def values(result, row):
    frame = result.to_frame()
    frame = frame[frame["row"] == row] if "row" in frame else frame
    return {piece: value for piece, value in zip(frame["piece"], frame["value"], strict=True)}


@pytest.mark.parametrize("kind", ["object", "str", "category", "numpy", "polars", "pyarrow"])
def test_any_container_of_texts(kind):
    seen = []
    frame = pd.DataFrame({"text": TEXTS})
    if kind in ("str", "category", "object"):
        data = frame.astype({"text": "string" if kind == "str" else kind})
        column = lambda x: x["text"]  # noqa: E731
    elif kind == "numpy":
        data, column = frame.to_numpy(dtype=object), lambda x: x[:, 0]
    elif kind == "polars":
        data, column = pytest.importorskip("polars").DataFrame({"text": TEXTS}), lambda x: x["text"]
    else:
        data, column = pytest.importorskip("pyarrow").table({"text": TEXTS}), lambda x: x["text"].to_pylist()

    def model(x):
        texts = list(column(x))
        seen.extend(texts)
        return score(texts)

    result = sg.Explainer(model, data).lime_text(rows=[0, 2], penalty=0.0)
    assert values(result, 0) == pytest.approx({"good": 2, "but": 0, "bad": -3, "so": 0}, abs=1e-9)
    assert values(result, 2) == pytest.approx({"東": 1, "good": 2}, abs=1e-9)
    assert " but bad, so " in seen
    assert "good but , so good" in seen


def test_other_columns_keep_their_values():
    data = pd.DataFrame({"text": TEXTS, "factor": [3.0, 1.0, 2.0], "kind": ["a", "b", "a"]})
    asked = []

    def model(x):
        asked.append((set(x["factor"]), set(x["kind"])))
        return score(x["text"]) * x["factor"]

    result = sg.Explainer(model, data).lime_text(text_column="text", rows=[0], penalty=0.0)
    assert values(result, 0)["good"] == pytest.approx(6)
    assert asked[-1] == ({3.0}, {"a"})
    with pytest.raises(sg.UsageError, match="which one"):
        sg.Explainer(model, data).lime_text(rows=[0])


def test_words_as_objects_on_pages_and_in_notebooks(tmp_path):
    result = sg.Explainer(lambda x: score(x["text"]), pd.DataFrame({"text": TEXTS})).lime_text(rows=[2])
    (text,) = result.all(sg.shapes.MarkedText)
    assert text.text == "東 good"
    assert [piece.start for piece in text.pieces] == [0, 2]
    bundle = result._repr_mimebundle_()
    drawn = json.dumps(bundle["application/vnd.vegalite.v5+json"], ensure_ascii=False)
    assert '"t": "東"' in drawn
    assert "[+good]" in bundle["text/plain"]
    result.save(tmp_path / "words.html")
    assert "東" in (tmp_path / "words.html").read_text(encoding="utf-8")


def test_a_model_that_fails_midway():
    def model(x):
        if len(x) > 1:
            raise MemoryError("no room")
        return score(x["text"])

    with pytest.raises(sg.PredictionError, match="made-up texts 0 to"):
        sg.Explainer(model, pd.DataFrame({"text": [" ".join(f"w{i}" for i in range(40))]})).lime_text(rows=[0])


def test_the_linear_model_of_a_real_vectorizer():
    """Counts of words and a line: what LIME finds is the line's own coefficient, wherever a word stands once."""
    text = pytest.importorskip("sklearn.feature_extraction.text")
    linear = pytest.importorskip("sklearn.linear_model")
    data = pd.DataFrame(
        {"text": ["a great day", "a sad day", "great fun", "so sad", "fun and games", "a long sad tale"]}
    )
    counts = text.CountVectorizer(binary=True, token_pattern=r"\w+")
    fitted = linear.Ridge().fit(counts.fit_transform(data["text"]), [5, 1, 5, 1, 4, 1])
    explainer = sg.Explainer(lambda x: fitted.predict(counts.transform(x["text"])), data)
    found = values(explainer.lime_text(rows=[5], penalty=0.0), 5)
    for word, value in found.items():
        assert value == pytest.approx(fitted.coef_[counts.vocabulary_[word]], abs=1e-9)


@pytest.mark.parametrize("kind", ["object", "str", "category", "polars", "pyarrow"])
def test_texts_that_become_the_same(kind):
    # Without its first word and with a mask in its place the text is the whole again.
    frame = pd.DataFrame({"text": ["good bad", "else"]})
    if kind == "polars":
        data = pytest.importorskip("polars").DataFrame({"text": ["good bad", "else"]})
    elif kind == "pyarrow":
        data = pytest.importorskip("pyarrow").table({"text": ["good bad", "else"]})
    else:
        data = frame.astype({"text": "string" if kind == "str" else kind})
    seen = []

    def model(x):
        texts = x["text"].to_pylist() if kind == "pyarrow" else list(x["text"])
        seen.append(texts)
        return score(texts)

    result = sg.Explainer(model, data).lime_text(rows=[0], mask="good", penalty=0.0)
    assert seen[-1] == ["good bad", "good bad", "good good", "good good"]
    assert values(result, 0) == pytest.approx({"good": 0.0, "bad": -3.0}, abs=1e-9)


def test_texts_that_a_model_keeps_stay_as_they_are():
    kept = []

    def model(frame):
        kept.append(frame["text"])
        return np.zeros(len(frame))

    text = " ".join(f"w{i}" for i in range(30))
    sg.Explainer(model, pd.DataFrame({"text": [text]})).lime_text(rows=[0], samples=50)
    made = list(kept[-1])
    sg.Explainer(lambda frame: np.zeros(len(frame)), pd.DataFrame({"text": ["x " * 200]})).lime_text(rows=[0])
    assert list(kept[-1]) == made
    assert made[0] == text
    assert all(set(each.split()) <= set(text.split()) for each in made)


def test_anchors_name_the_words_that_decide():
    frame = pd.DataFrame({"text": ["a film that is not boring at all", "boring", "not now"]})
    both = lambda x: np.array([float({"not", "boring"} <= words(text)) for text in x["text"]])  # noqa: E731
    result = sg.Explainer(both, frame).anchors_text(rows=[0], outcome="label")
    (rules,) = result.all(sg.shapes.Rules)
    assert rules.details["words"] == ["not", "boring"]
    assert rules.details["holds"] is True
    (marked,) = result.all(sg.shapes.MarkedText)
    assert [marked.text[piece.start : piece.end] for piece in marked.pieces] == ["not", "boring"]
