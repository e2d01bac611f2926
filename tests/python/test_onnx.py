"""ONNX in Python: live models and sessions, and everything that onnxruntime runs, against onnxruntime itself."""

import os
import subprocess
import sys

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn import compose, ensemble, linear_model, neural_network, pipeline, preprocessing, svm

import sightglass as sg

ROWS = 10000


@pytest.fixture(scope="module")
def data():
    generator = np.random.default_rng(3)
    x = generator.normal(size=(ROWS, 4)).astype(np.float32)
    return x, x[:, 0] + np.abs(x[:, 1]) * (x[:, 2] > 0)


def asked(model, inputs):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, inputs)


@pytest.mark.parametrize("kind", ["svr", "mlp", "linear"])
def test_what_is_no_tree_is_run(data, kind, tmp_path):
    x, y = data
    made = {
        "svr": svm.SVR(),
        "mlp": neural_network.MLPRegressor(hidden_layer_sizes=(8,), max_iter=40, random_state=1),
        "linear": linear_model.LinearRegression(),
    }[kind]
    model = to_onnx(made.fit(x[:300], y[:300]), x[:1])
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    wanted = asked(model, {model.graph.input[0].name: x})[0].ravel()
    for given in (
        str(path),
        model,
        onnxruntime.InferenceSession(str(path)),
        onnxruntime.InferenceSession(path.read_bytes()),
    ):
        explainer = sg.Explainer(given, pd.DataFrame(x, columns=list("abcd")))
        found = explainer.predict()
        np.testing.assert_allclose(np.asarray(found).ravel(), wanted, rtol=0, atol=2e-6)


@pytest.mark.parametrize("zipmap", [True, False])
@pytest.mark.parametrize("names", [["no", "yes"], ["low", "mid", "high"]])
def test_classes_have_their_names(data, zipmap, names):
    x, y = data
    codes = np.digitize(y, np.quantile(y, np.arange(1, len(names)) / len(names)))
    made = linear_model.LogisticRegression().fit(x, np.array(names)[codes])
    model = to_onnx(made, x[:1], options={id(made): {"zipmap": zipmap}})
    wanted = made.predict_proba(x)
    explainer = sg.Explainer(model, pd.DataFrame(x, columns=list("abcd")))
    found = np.asarray(explainer.predict()).reshape(ROWS, -1)
    np.testing.assert_allclose(found, wanted[:, 1:] if len(names) == 2 else wanted, rtol=0, atol=2e-6)
    told = {item["output"] for item in explainer.pdp("a").results}
    assert told == set(made.classes_[1:] if len(names) == 2 else made.classes_)


def test_texts_are_categories(data):
    x, y = data
    frame = pd.DataFrame({"wind": x[:, 0], "season": np.array(["w", "s", "f"])[np.arange(ROWS) % 3]})
    steps = compose.make_column_transformer(
        (preprocessing.OneHotEncoder(), ["season"]), (preprocessing.StandardScaler(), ["wind"])
    )
    types = [("wind", FloatTensorType([None, 1])), ("season", StringTensorType([None, 1]))]
    for made in (linear_model.LinearRegression(), ensemble.RandomForestRegressor(5, max_depth=4, random_state=1)):
        model = to_onnx(pipeline.make_pipeline(steps, made).fit(frame, y), initial_types=types)
        inputs = {"wind": frame[["wind"]].to_numpy(), "season": frame[["season"]].to_numpy(dtype=object)}
        explainer = sg.Explainer(model, frame)
        np.testing.assert_allclose(
            np.asarray(explainer.predict()).ravel(), asked(model, inputs)[0].ravel(), rtol=0, atol=2e-6
        )
        assert explainer.engine == ("trees" if isinstance(made, ensemble.RandomForestRegressor) else "blackbox")


def test_folded_steps_explain_as_asked_ones_do(data):
    """The trees behind a scaler in the graph's own inputs, by the exact engine and by asking."""
    x, y = data
    frame = pd.DataFrame(x[:60], columns=list("abcd"))
    made = pipeline.make_pipeline(
        preprocessing.StandardScaler(), ensemble.RandomForestRegressor(6, max_depth=4, random_state=1)
    )
    model = to_onnx(made.fit(x, y), x[:1])
    explainer = sg.Explainer(model, frame)
    assert explainer.engine == "trees"
    session = onnxruntime.InferenceSession(model.SerializeToString())
    live = sg.Explainer(lambda rows: session.run(None, {"X": np.asarray(rows, np.float32)})[0].ravel(), frame)
    exact = explainer.pdp("a").results[0]
    brute = live.pdp("a").results[0]
    np.testing.assert_allclose(exact["mean"], brute["mean"], rtol=0, atol=1e-5)
    np.testing.assert_allclose(
        explainer.shap(rows=[0, 1, 2]).values, live.shap(rows=[0, 1, 2]).values, rtol=0, atol=1e-5
    )


def test_a_session_without_its_model_is_asked(data, monkeypatch):
    x, y = data
    model = to_onnx(svm.SVR().fit(x[:200], y[:200]), x[:1])
    session = onnxruntime.InferenceSession(model.SerializeToString())
    monkeypatch.setattr(session, "_model_bytes", None)
    explainer = sg.Explainer(session, pd.DataFrame(x, columns=list("abcd")))
    np.testing.assert_allclose(
        np.asarray(explainer.predict()).ravel(), session.run(None, {"X": x})[0].ravel(), atol=2e-6
    )


def test_without_onnxruntime_it_says_how_to_install_it(data, tmp_path):
    x, y = data
    path = tmp_path / "model.onnx"
    path.write_bytes(to_onnx(svm.SVR().fit(x[:200], y[:200]), x[:1]).SerializeToString())
    code = "import sys, sightglass as sg, numpy as np\nsg.Explainer(sys.argv[1], np.zeros((3, 4)))"
    found = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        env=os.environ | {"SIGHTGLASS_ONNXRUNTIME": "/nowhere/libonnxruntime.so"},
    )
    assert found.returncode == 1
    assert "ModelError" in found.stderr and "pip install onnxruntime" in found.stderr
