"""Models behind http in Python: the same as on the command line, by an address."""

import _thread
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sightglass as sg

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
from model_servers import Answer, Mlflow, OpenInference, TfServing, predicted


@pytest.fixture
def X():
    random = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "temp": random.normal(size=300),
            "hour": random.integers(0, 24, 300),
            "weather": random.choice(["rain", "mist", "clear"], 300),
        }
    )
    table.loc[5, "temp"] = np.nan
    return table


def truth(X):
    return [predicted(*row) for row in zip(X["temp"], X["hour"], X["weather"], strict=True)]


@pytest.mark.parametrize("kind", [OpenInference, Mlflow, TfServing])
def test_an_address_is_a_model(X, kind):
    with kind() as server:
        ex = sg.Explainer(server.url, X)
        assert ex.engine == "blackbox" and not ex.native
        assert "a server" in repr(ex)
        np.testing.assert_array_equal(ex.predict(), truth(X))
        result = ex.partial_dependence("hour")
        assert result.to_frame(library="dict")["mean"] == pytest.approx(
            [np.mean(truth(X.assign(hour=hour))) for hour in result.to_frame(library="dict")["value"]]
        )
        assert ex.inspect()["model"]["detail"]["address"].startswith(server.origin)


def test_the_same_options(X):
    with Mlflow(most_rows=10) as server:
        with pytest.raises(sg.PredictionError, match="the budget of 7 requests is used up.*max_requests"):
            sg.Explainer(server.url, X, max_requests=7).predict()
    with Mlflow(delay=5) as server, pytest.raises(sg.PredictionError, match="within 0.2 seconds.*timeout"):
        sg.Explainer(server.url, X, timeout=0.2).predict()
    with Mlflow(lambda *_: Answer({"predictions": [{"a": 1, "b": 2}]})) as server:
        ex = sg.Explainer(server.url, X.head(1), server_output="b", protocol="mlflow")
        assert ex.predict() == [2]
    with pytest.raises(sg.UsageError, match="is one of oip"):
        sg.Explainer("http://127.0.0.1:1", X, protocol="soap")
    with pytest.raises(sg.UsageError, match="about a server"):
        sg.Explainer(lambda X: X["temp"], X, max_requests=5)
    with pytest.raises(sg.UsageError, match="user and password") as refused:
        sg.Explainer("http://me:hush@127.0.0.1/invocations", X)
    assert "hush" not in str(refused.value)


def test_interrupt(X):
    with Mlflow(delay=60) as server:
        ex = sg.Explainer(server.url, X)
        threading.Timer(0.5, _thread.interrupt_main).start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            ex.predict()
        assert time.monotonic() - began < 2


def test_two_explainers_on_two_threads(X):
    with OpenInference(delay=0.01) as server:
        explainers = [sg.Explainer(server.url, X) for _ in range(2)]
        found = {}

        def work(number):
            found[number] = explainers[number].predict()

        threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        for number in range(2):
            np.testing.assert_array_equal(found[number], truth(X))
