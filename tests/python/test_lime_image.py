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
