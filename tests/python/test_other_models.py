"""Models of other libraries are asked as they are: an example each, where the package is installed."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVR

import sightglass as sg

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def data(rng):
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "c"])
    return X, 2 * X.a - X.b


def slopes(ex):
    """How far each feature's mean effect goes up."""
    return {name: np.ptp(frame["mean"]) for name, frame in ex.partial_dependence(grid=5).to_frame().groupby("feature")}


def explains(model, X, y, expected):
    ex = sg.Explainer(model, X, y)
    assert (ex.engine, ex.native) == ("blackbox", False)
    np.testing.assert_allclose(ex.predict(), np.asarray(expected, float).ravel(), rtol=1e-5, atol=1e-6)
    found = slopes(ex)
    assert found["a"] > found["b"] > found["c"]
    return ex


def test_sklearn_support_vectors_and_networks(data):
    X, y = data
    support = SVR().fit(X, y)
    explains(support, X, y, support.predict(X))
    network = MLPClassifier((8,), max_iter=400, random_state=0).fit(X, y > 0)
    assert explains(network, X, y > 0, network.predict_proba(X)[:, 1]).inspect()["model"]["task"] == "binary"


def test_pytorch(data):
    torch = pytest.importorskip("torch")
    X, y = data
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1))
    given = torch.as_tensor(X.to_numpy(np.float32))
    optimizer = torch.optim.Adam(module.parameters(), 0.05)
    wanted = torch.as_tensor(y.to_numpy(np.float32))[:, None]
    for _ in range(150):
        optimizer.zero_grad()
        loss = ((module(given) - wanted) ** 2).mean()
        loss.backward()
        optimizer.step()
    assert module.training
    with torch.inference_mode():
        module.eval()
        expected = module(given).numpy()
        module.train()
    explains(module, X, y, expected)
    assert module.training


def test_keras(data):
    keras = pytest.importorskip("keras")
    X, y = data
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.optimizer.learning_rate = 0.05
    model.fit(X.to_numpy(), y.to_numpy(), epochs=30, verbose=0)
    explains(model, X, y, model.predict(X.to_numpy(), verbose=0))


def test_statsmodels(data):
    sm = pytest.importorskip("statsmodels.api")
    formula = pytest.importorskip("statsmodels.formula.api")
    X, y = data
    explains(sm.OLS(y, X).fit(), X, y, sm.OLS(y, X).fit().predict(X))
    fitted = formula.glm("y ~ a * b + c", X.assign(y=(y > 0).astype(int)), family=sm.families.Binomial()).fit()
    ex = explains(fitted, X, (y > 0).astype(int), fitted.predict(X))
    assert ex.inspect()["model"]["task"] == "binary"


def test_pygam(data):
    pygam = pytest.importorskip("pygam")
    X, y = data
    model = pygam.LinearGAM(pygam.s(0) + pygam.s(1) + pygam.s(2)).fit(X, y)
    explains(model, X, y, model.predict(X))
