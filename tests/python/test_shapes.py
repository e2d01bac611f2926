"""Items of results as objects."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import sightglass as sg
from sightglass import _core, _items

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = sorted((ROOT / "tests" / "golden" / "results").glob("*.json"))


def test_every_shape_has_its_class():
    described = _core.shape_types()
    assert "curve" in described
    for shape, about in described.items():
        known = getattr(sg.shapes, _items.class_name(shape))
        assert known.type == shape
        assert set(known.__annotations__) - {"type"} == {field["name"] for field in about["fields"]}


def number(written):
    """As Python has it; the JSON's words for what is not finite are Python's as well."""
    if isinstance(written, list):
        return [number(one) for one in written]
    return math.nan if written is None else float(written)


def same(found, written):
    """Whether a field is what the JSON says of it."""
    if isinstance(written, dict):
        fields = found if isinstance(found, dict) else vars(found)
        return fields.keys() == written.keys() and all(same(fields[name], value) for name, value in written.items())
    if isinstance(found, np.ndarray):
        return np.array_equal(found, np.array(number(written)).reshape(found.shape), equal_nan=True)
    if isinstance(written, list):
        return len(found) == len(written) and all(map(same, found, written))
    if isinstance(found, float):
        return np.array_equal(found, number(written), equal_nan=True)
    return found == written


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_items_are_those_of_the_json(path):
    result = sg.load(path)
    items = result.all()
    assert [item.type for item in items] == [item["type"] for item in result.results]
    for item, written in zip(items, result.results):
        for name, value in written.items():
            if name == "attributions":
                assert item.rows.tolist() == [row["row"] for row in value]
                assert same(item.predictions, [row["prediction"] for row in value])
                assert same(item.values, [list(row["values"].values()) for row in value])
            else:
                assert same(getattr(item, name), value), (name, value, getattr(item, name))


def test_arrays():
    result = sg.load(ROOT / "tests" / "golden" / "results" / "ale.json")
    curve = result.all(sg.shapes.Curve)[0]
    assert curve.effect.dtype == np.float64 and curve.mean is None and curve.effect.shape == curve.grid.shape
    assert curve.distribution.counts.sum() > 0
    assert repr(curve).startswith("Curve(feature='")
    surface = result.all(sg.shapes.Surface)[0]
    assert surface.effect.shape == tuple(map(len, surface.grid))
    assert len(result.all(sg.shapes.Curve)) + len(result.all(sg.shapes.Surface)) == len(result.all())


def test_shapes_of_a_newer_version():
    content = json.loads(GOLDEN[0].read_text())
    content["results"].append({"type": "marked_tree", "output": "y", "depth": 3, "weights": [0.5, 2]})
    result = sg.Result(_core.Result.from_json(json.dumps(content), "newer"))
    item = result.all()[-1]
    assert type(item) is _items.UnknownItem and item.type == "marked_tree"
    assert item.depth == 3 and item.weights.tolist() == [0.5, 2]


def test_an_explanation_is_found_once():
    X = np.random.default_rng(0).uniform(size=(20, 2))
    result = sg.Explainer(lambda data: data[:, 0] * data[:, 1], X).shap(rows=[0, 3])
    assert result.explanation is result.explanation and result.values is result.explanation.values
    np.testing.assert_allclose(result.values.sum(axis=1) + result.base_values, result.explanation.predictions)
    assert result.all(sg.shapes.Attributions)[0].values is result.values


def test_items_of_other_versions_are_attributes_whatever_their_names(tmp_path):
    item = {"type": "zz", "output": "", "group": "", "__class__": 5, "__dict__": 3, "height": 7}
    path = tmp_path / "r.json"
    path.write_text(
        json.dumps({"schema": "sightglass.result/1", "method": "new", "results": [item, {"type": "a\0b"}]}),
        encoding="utf-8",
    )
    first, second = sg.load(path).all()
    assert isinstance(first, sg.shapes.Item) and first.type == "zz" and first.height == 7
    assert second.type == "a\0b"
