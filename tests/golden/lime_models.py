"""A model of texts and one of pictures, for lime/make_pieces.py and for the test that reads what it wrote."""

import re
import zlib

import numpy as np

SHORT = "good but bad, so good; not at all boring 東 yes"
LONG = " ".join(f"w{i}" for i in range(1, 41))
SEGMENTS = 24


def words(text):
    return re.findall(r"\w+", text)


def weight(word):
    return zlib.crc32(word.encode()) % 1000 / 250 - 2


def said(texts):
    """A probability in which words add up, and some count together only."""
    scores = []
    for text in texts:
        there = set(words(text))
        together = 1.5 * ({"not", "boring"} <= there) - 1.2 * ({"w3", "w5"} <= there)
        scores.append(sum(map(weight, sorted(there))) / (1 + len(there) ** 0.5) + together)
    return 1 / (1 + np.exp(-np.array(scores)))


def picture():
    random = np.random.default_rng(4)
    cells = random.integers(0, 120, (6, 8, 3), dtype=np.uint8)
    return np.kron(cells, np.ones((8, 8, 1), np.uint8))


def looked(batch):
    part = np.asarray(batch, float)[:, 12:30, 20:44].mean(axis=(1, 2)) / 255
    return 1 / (1 + np.exp(-(8 * part[:, 0] - 4 * part[:, 1] * part[:, 2] - 2)))


def segments_of(result):
    marked = result.results[0]
    runs = [run.split("x") for run in marked["segments"].split()]
    flat = np.repeat([int(number) for _, number in runs], [int(count) for count, _ in runs])
    return flat.reshape(marked["height"], marked["width"])
