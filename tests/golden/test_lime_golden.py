"""Words and regions beside the package lime: its own fit of our samples, and its own explanations.

lime/make_pieces.py made the file; its tabular lines are read by src/sightglass/methods/local/lime.
"""

import base64
import json
from pathlib import Path

import lime_models as models
import numpy as np
import pytest

import sightglass as sg

GOLDEN = json.loads((Path(__file__).resolve().parent / "lime" / "pieces.json").read_text())
SEGMENTS = np.frombuffer(base64.b64decode(GOLDEN["segments"]), np.uint8).reshape(models.picture().shape[:2])


def said_by_words(result, names):
    """The line's start, what each word adds, and the standard errors of these."""
    (marked,) = result.all(sg.shapes.MarkedText)
    found = {marked.text[piece.start : piece.end]: piece for piece in marked.pieces}
    return marked, {j: found[name] for j, name in enumerate(names) if name in found}


@pytest.mark.parametrize("line", GOLDEN["given"]["words"]["lines"], ids=lambda line: str(line["terms"]))
def test_the_line_of_our_texts_is_limes(line):
    golden = GOLDEN["given"]["words"]
    result = sg.Explainer(models.said, [golden["text"]]).lime_text(rows=[0], terms=line["terms"])
    marked, pieces = said_by_words(result, golden["words"])
    assert {str(j): piece.value for j, piece in pieces.items()} == pytest.approx(line["values"], abs=1e-9)
    assert marked.base == pytest.approx(line["intercept"], abs=1e-9)
    assert marked.details["r2"] == pytest.approx(line["r2"], abs=1e-9)
    assert marked.details["local_prediction"] == pytest.approx(line["line"], abs=1e-9)


@pytest.mark.parametrize("line", GOLDEN["given"]["regions"], ids=lambda line: str(line["terms"]))
def test_the_line_of_our_pictures_is_limes(line):
    result = sg.Explainer(models.looked, models.picture()[None]).lime_image(
        segments=models.SEGMENTS, terms=line["terms"]
    )
    assert (models.segments_of(result) == SEGMENTS).all(), "other regions than the file's: make it anew"
    (marked,) = result.all(sg.shapes.MarkedPicture)
    values = {str(j): value for j, value in enumerate(marked.values) if str(j) in line["values"] or value != 0}
    assert values == pytest.approx(line["values"], abs=1e-9)
    assert marked.base == pytest.approx(line["intercept"], abs=1e-9)
    assert marked.details["r2"] == pytest.approx(line["r2"], abs=1e-9)
    assert marked.details["local_prediction"] == pytest.approx(line["line"], abs=1e-9)


def check_drawn(golden, base, values, errors):
    """lime's means over seeds, ours of one: within what both are uncertain by. Of so many values five errors."""
    assert len(values) + 1 == len(golden["mean"])
    apart = np.array(values) - golden["mean"][1:]
    assert np.all(np.abs(apart) < 5 * np.hypot(errors, golden["se"][1:]))
    # As near as they say: neither is the error so large that anything would do.
    assert np.sqrt(np.mean((apart / np.hypot(errors, golden["se"][1:])) ** 2)) == pytest.approx(1, abs=0.6)
    assert base == pytest.approx(golden["mean"][0], abs=0.02)


def test_words_are_explained_as_by_lime_text():
    golden = GOLDEN["drawn"]["words"]
    result = sg.Explainer(models.said, [golden["text"]]).lime_text(rows=[0], terms=0)
    marked, pieces = said_by_words(result, golden["words"])
    assert not marked.details["exact"]
    check_drawn(golden, marked.base, [pieces[j].value for j in sorted(pieces)], [pieces[j].se for j in sorted(pieces)])


def test_regions_are_explained_as_by_lime_image():
    result = sg.Explainer(models.looked, models.picture()[None]).lime_image(segments=models.SEGMENTS)
    (marked,) = result.all(sg.shapes.MarkedPicture)
    check_drawn(GOLDEN["drawn"]["regions"], marked.base, marked.values, np.asarray(marked.se))
