import os

# Before anything loads OpenMP: the models of tests are small, and threads that wait for each other on a busy machine
# cost more than all the rest.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402


@pytest.fixture
def rng():
    return np.random.default_rng(42)
