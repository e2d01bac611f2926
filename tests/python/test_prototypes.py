"""Prototypes of data sets that everybody knows: they cover the classes, and criticisms are the odd ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sightglass as sg

datasets = pytest.importorskip("sklearn.datasets")


def table(name: str) -> tuple[pd.DataFrame, pd.Series]:
    bunch = getattr(datasets, f"load_{name}")(as_frame=True)
    return bunch.data, bunch.target.map(lambda code: f"class {bunch.target_names[code]}")


def chosen(name: str, prototypes: int, criticisms: int, **options) -> tuple[pd.DataFrame, np.ndarray, pd.Series]:
    x, y = table(name)
    result = sg.Explainer(None, x, y, scale="response").prototypes(
        prototypes=prototypes, criticisms=criticisms, **options
    )
    frame = result.to_frame()
    frame = frame[frame["role"].notna()]
    spread = x.std(ddof=0)
    scaled = ((x - x.mean()) / spread.where(spread > 0, 1)).to_numpy()
    return frame, scaled, y


def rows(frame: pd.DataFrame, role: str) -> list[int]:
    return frame.loc[frame["role"] == role, "row"].astype(int).tolist()


# As many prototypes as classes do not suffice: they are chosen without looking at the classes.
@pytest.mark.parametrize(("name", "count"), [("iris", 6), ("wine", 6), ("digits", 15)])
def test_prototypes_cover_every_class(name, count):
    frame, _, y = chosen(name, count, 0)
    assert set(y.iloc[rows(frame, "prototype")]) == set(y)
    assert (np.diff(frame["objective"]) < 0).all()


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_per_class_as_many_as_classes_cover_them(name):
    frame, _, y = chosen(name, 3, 0, per_class=True)
    assert len(rows(frame, "prototype")) == 3
    assert set(y.iloc[rows(frame, "prototype")]) == set(y)


@pytest.mark.parametrize(("name", "count"), [("iris", 9), ("wine", 9), ("digits", 30)])
def test_accuracy_is_that_of_the_nearest_so_far(name, count):
    frame, scaled, y = chosen(name, count, 0)
    picked, classes = rows(frame, "prototype"), y.to_numpy()
    squares = ((scaled[:, None, :] - scaled[None, picked, :]) ** 2).sum(axis=-1)
    expected = [(classes[picked][squares[:, :m].argmin(axis=1)] == classes).mean() for m in range(1, count + 1)]
    np.testing.assert_allclose(frame["accuracy"], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
def test_criticisms_are_the_odd_ones(name):
    frame, scaled, _ = chosen(name, 15, 10)
    prototypes, criticisms = rows(frame, "prototype"), rows(frame, "criticism")
    distance = np.sqrt(((scaled[:, None, :] - scaled[None, prototypes, :]) ** 2).sum(axis=-1)).min(axis=1)
    # The first lies in the midst of many rows; those that follow are far from all prototypes.
    assert np.median(distance[criticisms]) > np.quantile(distance, 0.8)
    assert not set(prototypes) & set(criticisms)


def test_choices_are_those_of_the_dense_formula():
    x, _ = table("wine")
    result = sg.Explainer(None, x).prototypes(prototypes=20, criticisms=8, gamma=0.03)
    frame = result.to_frame()
    frame = frame[frame["role"].notna()]
    scaled = ((x - x.mean()) / x.std(ddof=0)).to_numpy()
    kernel = np.exp(-0.03 * ((scaled[:, None, :] - scaled[None, :, :]) ** 2).sum(axis=-1))
    mean, picked, reached = kernel.mean(axis=1), [], []

    def mmd2(some: list[int]) -> float:
        return kernel[np.ix_(some, some)].mean() - 2 * mean[some].mean() + kernel.mean()

    for _ in range(20):
        scores = [np.inf if i in picked else mmd2([*picked, i]) for i in range(len(x))]
        picked.append(int(np.argmin(scores)))
        reached.append(min(scores))
    assert rows(frame, "prototype") == picked
    np.testing.assert_allclose(frame.loc[frame["role"] == "prototype", "objective"], reached, rtol=0, atol=1e-9)

    witness, against = np.abs(mean - kernel[:, picked].mean(axis=1)), []
    for _ in range(8):
        scores = np.full(len(x), -np.inf)
        for i in set(range(len(x))) - set(picked) - set(against):
            some = [*against, i]
            scores[i] = witness[some].sum() + np.linalg.slogdet(kernel[np.ix_(some, some)])[1]
        against.append(int(np.argmax(scores)))
    assert rows(frame, "criticism") == against
