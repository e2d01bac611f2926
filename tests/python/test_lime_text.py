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


def test_lime_and_anchors_of_a_column_of_texts():
    explainer = sg.Explainer(lambda x: score(x["text"]), pd.DataFrame({"text": TEXTS}))
    by_lime = explainer.lime(text_column="text", rows=[0], num_samples=100)
    assert by_lime.method == "lime-text"
    assert by_lime.to_json() == explainer.lime_text(rows=[0], text_column="text", samples=100).to_json()
    by_anchors = explainer.anchors(text_column="text", rows=[0])
    assert by_anchors.method == "anchors-text"
    assert by_anchors.to_json() == explainer.anchors_text(text_column="text", rows=[0]).to_json()


def vectorizing_pipeline():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    linear = pytest.importorskip("sklearn.linear_model")
    pipeline = pytest.importorskip("sklearn.pipeline")
    model = pipeline.make_pipeline(text.TfidfVectorizer(), linear.LogisticRegression(C=100))
    return model.fit(["a great day", "so sad", "great fun", "a sad day"], ["good", "bad", "good", "bad"])


@pytest.mark.parametrize(
    "kind", ["list", "tuple", "array", "objects", "series", "category", "polars", "frame", "matrix", "polars frame"]
)
def test_a_pipeline_that_begins_with_a_vectorizer(kind):
    texts = ["a great day", "so sad", "great and sad"]
    makers = {
        "list": list,
        "tuple": tuple,
        "array": np.array,
        "objects": lambda x: np.array(x, object),
        "series": lambda x: pd.Series(x, name="review"),
        "category": lambda x: pd.Series(x).astype("category"),
        "polars": lambda x: pytest.importorskip("polars").Series("review", x),
        "frame": lambda x: pd.DataFrame({"review": x}),
        "matrix": lambda x: pd.DataFrame({"review": x}).to_numpy(),
        "polars frame": lambda x: pytest.importorskip("polars").DataFrame({"review": x}),
    }
    model = vectorizing_pipeline()
    explainer = sg.Explainer(model, makers[kind](texts))
    assert explainer.predict() == pytest.approx(model.predict_proba(texts)[:, 1])
    result = explainer.lime_text(rows=[0])
    assert result.results[0]["output"] == "good"
    found = values(result, 0)
    assert found["great"] > 0.3 > abs(found["day"])
    # The function of it is asked in the same way.
    by_function = sg.Explainer(model.decision_function, makers[kind](texts)).lime_text(rows=[0])
    assert values(by_function, 0)["great"] > 1


def test_a_pipeline_of_texts_takes_no_other_column():
    with pytest.raises(sg.UsageError, match="reads one text per row, and X has 2 columns"):
        sg.Explainer(vectorizing_pipeline(), pd.DataFrame({"review": TEXTS, "stars": [1, 2, 3]}))
    with pytest.raises(sg.UsageError, match="cannot be"):
        sg.Explainer(vectorizing_pipeline(), [1.0, 2.0])


def test_masks_are_not_cut_to_the_length_of_the_texts():
    seen = []
    ex = sg.Explainer(lambda x: (seen.extend(x[:, 0]), np.zeros(len(x)))[1], np.array([["ab"], ["b"]]))
    ex.lime_text(rows=[0], mask="longer")
    assert "longer" in seen


def test_picked_texts_cover_the_words_that_count():
    texts = ["good day", "nothing at all", "bad day", "good and bad", "day by day", "a 東"]
    explainer = sg.Explainer(lambda x: score(x["text"]), pd.DataFrame({"text": texts}))
    result = explainer.lime_text(explain=0, pick=3, penalty=0.0)
    (picked,) = result.all(sg.shapes.Examples)
    # By hand: only good (2, twice), bad (-3, twice) and 東 (1) add anything.
    weight = {"good": np.sqrt(4), "bad": np.sqrt(6), "東": 1.0}
    total = sum(weight.values())
    assert [example.row for example in picked.rows] == [3, 5]
    assert picked.rows[0].score == pytest.approx((weight["good"] + weight["bad"]) / total)
    assert picked.rows[1].objective == pytest.approx(1)
    assert picked.rows[0].data == {"text": "good and bad"}
    assert [text.row for text in result.all(sg.shapes.MarkedText)] == [3, 5]
    assert [item["value"] for item in result.results if item["type"] == "figure"] == pytest.approx([1])


def test_texts_that_are_odd():
    explain = lambda texts, **told: sg.Explainer(lambda x: score(list(x)), texts).lime_text(**told)  # noqa: E731
    with pytest.raises(sg.DataError, match="rows 0, 1: there is no word"):
        explain(["", "... !"], explain=0)
    result = explain(["", "good", "?!"], explain=0)
    assert [item["row"] for item in result.results] == [1]
    assert "no-words" in [caveat.id for caveat in result.caveats]
    with pytest.raises(sg.Error):
        explain(["good \udcff bad"], rows=[0])


def test_a_model_that_answers_no_number_is_named():
    nothing = lambda x: np.where([len(text) < 8 for text in x], np.nan, 1.0)  # noqa: E731
    with pytest.raises(sg.PredictionError, match="row 0"):
        sg.Explainer(nothing, ["good but bad, so good"]).lime_text(rows=[0])
