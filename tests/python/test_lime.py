"""Local lines from Python, and columns of noise."""

import numpy as np
import pandas as pd
import pytest

import sightglass as sg

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(400, 3))


def model(rows):
    return 2 * rows[:, 0] - 3 * rows[:, 1] + 1


def test_a_linear_model_is_its_own_line():
    result = sg.Explainer(model, X).lime(rows=[5], bins="none", penalty=0)
    (terms,) = result.all(sg.shapes.Terms)
    found = {term.features[0]: term.coefficient for term in terms.terms}
    assert found["x0"] == pytest.approx(2)
    assert found["x1"] == pytest.approx(-3)
    assert terms.line == pytest.approx(terms.prediction)
    assert terms.details["r2"] == pytest.approx(1)
    (sweep,) = result.all(sg.shapes.WidthSweep)
    assert sweep.row == 5
    assert len(sweep.widths) == 8


def test_rows_that_show_the_model():
    result = sg.Explainer(model, X).lime(pick=2, explain=30, samples=500, terms=2)
    (picked,) = result.all(sg.shapes.Examples)
    assert picked.role == "picked"
    assert len(picked.rows) == 2
    assert 0 < picked.details["coverage"] <= 1


@pytest.mark.parametrize("make", [np.asarray, lambda rows: pd.DataFrame(rows, columns=["a", "b", "c"])])
def test_noise_is_added_behind(make):
    rows = make(X)
    more = sg.add_noise(rows, 2, seed=1)
    assert type(more) is type(rows)
    assert more.shape == (400, 5)
    assert rows.shape == (400, 3)
    noise = np.asarray(more)[:, 3:]
    assert abs(noise.mean()) < 0.2
    assert 0.8 < noise.std() < 1.2
    np.testing.assert_array_equal(np.asarray(sg.add_noise(rows, 2, seed=1))[:, 3:], noise)
    if isinstance(rows, pd.DataFrame):
        assert list(more.columns) == ["a", "b", "c", "noise_1", "noise_2"]
        with pytest.raises(sg.UsageError, match="noise_1"):
            sg.add_noise(more)


def test_noise_of_other_frames():
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    frame = polars.DataFrame({"a": [1, 2, 3]})
    assert sg.add_noise(frame, 1).columns == ["a", "noise_1"]
    assert sg.add_noise(pyarrow.table({"a": [1, 2, 3]}), 1).column_names == ["a", "noise_1"]
    with pytest.raises(sg.UsageError, match="list"):
        sg.add_noise([[1, 2]])


def test_a_model_that_rests_on_noise_is_found():
    sklearn = pytest.importorskip("sklearn.ensemble")
    truth = X[:, 0] + 0.3 * RANDOM.normal(size=400) > 0
    rows = pd.DataFrame(X, columns=["a", "b", "c"])
    noisy = sg.add_noise(rows, 6)
    names = [name for name in noisy.columns if name.startswith("noise")]
    few, many = noisy.head(30), noisy
    # Learned from too few rows, trees split by chance.
    loose = sklearn.RandomForestClassifier(5, max_features=1, random_state=0).fit(few, truth[:30])
    sound = sklearn.RandomForestClassifier(50, max_features=None, min_samples_leaf=10, random_state=0).fit(many, truth)
    shares = []
    for each in (loose, sound):
        result = sg.Explainer(each, noisy).lime(noisy=names, explain=200)
        (figure,) = [item for item in result.all(sg.shapes.Figure) if item.id == "untrustworthy-share"]
        shares.append(figure.value)
    assert shares[0] > shares[1]
