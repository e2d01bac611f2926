import numpy as np


def assert_close(actual, expected, scale=None):
    """Equal to 1e-6 × max(|value|, sd f), the tolerance of every fast path against brute force."""
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    assert actual.shape == expected.shape
    spread = np.std(expected) if scale is None else scale
    worst = np.max(np.abs(actual - expected) / np.maximum(np.abs(expected), spread + 1e-300))
    assert worst <= 1e-6, f"off by {worst:.3g}"
