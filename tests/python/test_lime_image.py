"""Pictures: arrays to the model, regions with what they add."""

import numpy as np
import pytest

import sightglass as sg


def picture():
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 120, (6, 8, 3), dtype=np.uint8)
    return np.kron(cells, np.ones((10, 10, 1), np.uint8))


@pytest.mark.parametrize("scale", [1, 255])
def test_a_model_that_looks_at_one_rectangle(scale, tmp_path):
    whole = picture() if scale == 1 else picture() / 255.0
    seen = []

    def model(pictures):
        seen.append((pictures.shape[1:], pictures.dtype))
        part = np.abs(pictures[:, 20:40, 30:50].astype(float) - whole[20:40, 30:50]) * scale
        return (part.max(axis=3) < 0.6).mean(axis=(1, 2))

    result = sg.Explainer(model, whole[None]).lime_image(segments=40, hide="grey", penalty=0.0)
    (marked,) = result.all(sg.shapes.MarkedPicture)
    assert seen[-1] == ((60, 80, 3), whole.dtype)
    runs = [run.split("x") for run in marked.segments.split()]
    segments = np.repeat([int(number) for _, number in runs], [int(count) for count, _ in runs]).reshape(60, 80)
    wanted = np.bincount(segments[20:40, 30:50].ravel(), minlength=len(marked.values)) / 400
    assert np.asarray(marked.values) == pytest.approx(wanted, abs=1e-8)
    result.save(tmp_path / "regions.html")
    assert (tmp_path / "regions.html").stat().st_size > 0
    assert "data:image/png;base64," in str(result._repr_mimebundle_())


def test_arrays_that_are_no_pictures():
    with pytest.raises(sg.DataError, match="four dimensions"):
        sg.Explainer(lambda x: x[:, 0, 0, 0], np.zeros((2, 5, 5, 4)))
    with pytest.raises(sg.DataError, match="between 0 and 1"):
        sg.Explainer(lambda x: x[:, 0, 0, 0], np.full((1, 5, 5, 3), 7.0))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float16", "float32", "float64"])
def test_pictures_of_any_type_are_those_that_were_given(dtype):
    whole = picture() if dtype in ("uint8", "int32") else picture() / 255
    whole = whole.astype(dtype)
    kept = []

    def model(pictures):
        kept.append(pictures)
        return pictures[:, 0, 0, 0].astype(float)

    sg.Explainer(model, whole[None]).lime_image(samples=30, segments=12)
    made = kept[-1]
    assert made.dtype == whole.dtype
    assert (made[0] == whole).all()
    grey = np.asarray(128 if whole.dtype.kind != "f" else 128 / 255).astype(dtype)
    assert ((made == whole) | (made == grey)).all()
    assert not (made[1] == whole).all()


COLOURS = {"red": (215, 25, 30), "blue": (25, 40, 220), "green": (20, 190, 40), "yellow": (225, 215, 20)}


def balls(*names):
    """Balls of these colours on grey noise."""
    random = np.random.default_rng(len(names))
    whole = np.repeat(random.integers(90, 160, (64, 96, 1)), 3, axis=2).astype(np.uint8)
    y, x = np.mgrid[:64, :96]
    for name, (top, left) in zip(names, [(20, 24), (44, 70), (18, 72)], strict=False):
        inside = (y - top) ** 2 + (x - left) ** 2 < 15**2
        whole[inside] = np.clip(COLOURS[name] + random.integers(-8, 9, (inside.sum(), 3)), 0, 255)
    return whole


def colours_seen(pictures):
    """How much of each colour there is: red and blue count for the prediction, green against it, yellow not at all."""
    apart = {name: np.abs(pictures.astype(int) - COLOURS[name]).max(axis=3) < 40 for name in COLOURS}
    share = {name: near.mean(axis=(1, 2)) for name, near in apart.items()}
    return 3 * share["red"] + 2 * share["blue"] - 1 * share["green"]


def test_picked_pictures_show_all_kinds_of_regions_that_count(tmp_path):
    shown = [("red",), ("yellow",), ("red", "blue"), ("blue",), ("green", "yellow"), ("red",), ("yellow", "blue")]
    explainer = sg.Explainer(colours_seen, np.array([balls(*names) for names in shown]))
    result = explainer.lime_image(explain=0, pick=2, segments=40, samples=300)
    (picked,) = result.all(sg.shapes.Examples)
    assert [shown[example.row] for example in picked.rows] == [("red", "blue"), ("green", "yellow")]
    marked = result.all(sg.shapes.MarkedPicture)
    assert [picture.row for picture in marked] == [2, 4]
    # The kinds are what the balls are, and those of a colour that does not count are not among them.
    told = [entry.feature for example in picked.rows for entry in example.attributions]
    assert {name.split()[0] for name in told[:1]} == {"red"}
    assert not any("yellow" in name or "grey" in name for name in told)
    assert len(marked[0].details["kinds"]) == len(marked[0].values)
    assert picked.details["candidates"] == 7
    result.save(tmp_path / "picked.html")
    (one,) = explainer.lime_image(explain=0, pick=1, segments=40, samples=300).all(sg.shapes.Examples)
    assert one.rows[0].row == 2
    assert one.details["uncovered_terms"] > 0
    assert picked.details["coverage"] > one.details["coverage"]


def test_the_pick_is_the_greedy_one():
    """Pictures of cells of few colours: regions are of a kind if they have the colour, and the rest is counting."""
    colours = np.array([[215, 25, 30], [25, 40, 220], [20, 190, 40], [225, 215, 20], [30, 30, 30], [240, 240, 240]])
    weights = np.array([3.0, 2.0, -1.0, 0.7, 0.0, -0.4])
    random = np.random.default_rng(5)
    cells = np.array([random.choice(random.permutation(6)[:2], (3, 4)) for _ in range(8)])
    pictures = np.kron(colours[cells], np.ones((1, 12, 12, 1))).astype(np.uint8)

    def model(batch):
        near = np.abs(batch[..., None, :].astype(int) - colours).max(axis=-1) == 0
        return near.mean(axis=(1, 2)) @ weights

    explainer = sg.Explainer(model, pictures)
    told = {"segments": 12, "samples": 150, "penalty": 0.0}
    (picked,) = explainer.lime_image(explain=0, pick=3, **told).all(sg.shapes.Examples)
    adds = np.zeros((len(pictures), len(colours)))
    for row, picture in enumerate(pictures):
        (marked,) = explainer.lime_image(rows=[row], **told).all(sg.shapes.MarkedPicture)
        regions = np.repeat(*np.array([run.split("x") for run in marked.segments.split()], int).T[::-1])
        values, errors = np.asarray(marked.values), np.asarray(marked.se)
        clear = np.abs(values) > np.maximum(2 * errors, 0.01 * np.abs(values).max())
        for region, value in enumerate(values * clear):
            (colour,) = np.unique(picture.reshape(-1, 3)[regions == region], axis=0)
            adds[row, (colours == colour).all(axis=1).argmax()] += value
    importance = np.sqrt(np.abs(adds).sum(axis=0))
    covered, chosen = np.zeros(len(colours), bool), []
    for _ in range(3):
        gains = [importance[~covered & (row != 0)].sum() for row in adds]
        chosen.append((int(np.argmax(gains)), max(gains) / importance.sum()))
        covered |= adds[chosen[-1][0]] != 0
    assert [example.row for example in picked.rows] == [row for row, gain in chosen if gain > 0]
    assert [example.score for example in picked.rows] == pytest.approx([gain for _, gain in chosen if gain > 0])


def test_lime_of_pictures_is_that_of_their_regions():
    explainer = sg.Explainer(colours_seen, balls("red")[None])
    found = explainer.lime(num_samples=100)
    assert found.method == "lime-image"
    assert found.to_json() == explainer.lime_image(samples=100).to_json()
    assert explainer.lime(image_column="image", num_samples=100).results[0]["details"]["samples"] == 100
    with pytest.raises(sg.UsageError, match="lime-image, which does not have the option bins"):
        explainer.lime(bins="none")
