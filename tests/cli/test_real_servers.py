"""MLServer and MLflow as anybody runs them, on loopback; the numbers are those of the model's file.

They are installed into .venv-servers once (tools/servers_env.sh, about a minute and 1 GB). SIGHTGLASS_REAL_SERVERS=0 leaves these
tests out.
"""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request

import pytest
from native_tool import PREDICTION, ROOT, fails

PLACE = ROOT / ".venv-servers" / "bin"
COLUMNS = ["temp", "hour", "humidity", "windspeed"]
NUMBERS = "SELECT temp, hour, humidity, windspeed, rentals FROM data LIMIT 3000"

pytestmark = pytest.mark.skipif(os.environ.get("SIGHTGLASS_REAL_SERVERS") == "0", reason="SIGHTGLASS_REAL_SERVERS=0")

MODELS = """
import pandas, xgboost, joblib, mlflow.sklearn, mlflow.xgboost
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

bike = pandas.read_csv({table!r})
X = bike[{columns!r}]
trees = xgboost.XGBRegressor(n_estimators=50, max_depth=5, n_jobs=1).fit(X, bike["rentals"])
trees.save_model("model.json")
mlflow.xgboost.save_model(trees.get_booster(), "mlflow-trees")
busy = bike["rentals"] > 200
forest = RandomForestClassifier(20, max_depth=4, random_state=0, n_jobs=1).fit(X, busy)
joblib.dump(forest, "forest.joblib")
# Text in, text prepared by the server.
seasons = make_pipeline(
    make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["season", "weather"]), remainder="passthrough"), Ridge()
)
inputs = bike[["season", "weather", "temp"]]
seasons.fit(inputs, bike["rentals"])
joblib.dump(seasons, "seasons.joblib")
mlflow.sklearn.save_model(seasons, "mlflow-seasons", skops_trusted_types=None, serialization_format="cloudpickle")
part = inputs.head(500)
pandas.Series(seasons.predict(part)).to_csv("seasons.csv", index=False)
pandas.Series(forest.predict_proba(X.head(500))[:, 1]).to_csv("forest.csv", index=False)
"""


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    subprocess.run([ROOT / "tools" / "servers_env.sh"], check=True, timeout=1200)
    folder = tmp_path_factory.mktemp("served")
    script = MODELS.format(table=str(ROOT / "examples" / "bike" / "bike.csv"), columns=COLUMNS)
    done = subprocess.run([PLACE / "python", "-c", script], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


def serve(command, folder, page, name):
    """A server and all that it starts, until the end of the tests."""
    log = (folder / f"{name}.log").open("w")
    env = os.environ | {"PATH": f"{PLACE}:{os.environ['PATH']}", "MLFLOW_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}
    process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env=env, start_new_session=True)
    try:
        for _ in range(600):
            assert process.poll() is None, (folder / f"{name}.log").read_text()[-3000:]
            try:
                with urllib.request.urlopen(page, timeout=5) as answer:
                    if answer.status == 200:
                        break
            except OSError:
                time.sleep(0.3)
        else:
            pytest.fail((folder / f"{name}.log").read_text()[-3000:])
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def mlserver(folder):
    http, grpc, metrics = free_port(), free_port(), free_port()
    settings = {
        "host": "127.0.0.1",
        "http_port": http,
        "grpc_port": grpc,
        "metrics_port": metrics,
        "parallel_workers": 0,
    }
    models = {
        "trees": {"implementation": "mlserver_xgboost.XGBoostModel", "parameters": {"uri": str(folder / "model.json"), "version": "v1"}},
        "forest": {"implementation": "mlserver_sklearn.SKLearnModel", "parameters": {"uri": str(folder / "forest.joblib")}},
        "seasons": {"implementation": "mlserver_sklearn.SKLearnModel", "parameters": {"uri": str(folder / "seasons.joblib")}},
        # The same trees, which say what they take.
        "declared": {
            "implementation": "mlserver_xgboost.XGBoostModel",
            "parameters": {"uri": str(folder / "model.json")},
            "inputs": [{"name": name, "datatype": "FP64", "shape": [-1, 1]} for name in COLUMNS],
            "outputs": [{"name": "predict", "datatype": "FP32", "shape": [-1, 1]}],
        },
    }  # fmt: skip
    (folder / "models").mkdir()
    (folder / "models" / "settings.json").write_text(json.dumps(settings))
    for name, model in models.items():
        (folder / "models" / name).mkdir()
        (folder / "models" / name / "model-settings.json").write_text(json.dumps({"name": name, **model}))
    address = f"http://127.0.0.1:{http}"
    for _ in serve([PLACE / "mlserver", "start", "models"], folder, f"{address}/v2/models/declared/ready", "mlserver"):
        yield address


@pytest.fixture(scope="module")
def mlflow(folder):
    def start(model):
        port = free_port()
        command = [
            PLACE / "mlflow",
            "models",
            "serve",
            "-m",
            model,
            "--env-manager",
            "local",
            "-h",
            "127.0.0.1",
            "--port",
            str(port),
        ]
        address = f"http://127.0.0.1:{port}"
        return address, serve(command, folder, f"{address}/ping", model)

    started = {model: start(model) for model in ("mlflow-trees", "mlflow-seasons")}
    for _, server in started.values():
        next(server)
    yield {model: address for model, (address, _) in started.items()}
    for _, server in started.values():
        next(server, None)


@pytest.fixture
def ask(sightglass, folder):
    def run(method, model, *more, query=NUMBERS):
        data = ROOT / "examples" / "bike" / "bike.csv"
        return sightglass(method, "--model", model, "--data", data, "--query", query, "--target", "rentals", *more)

    return run


def numbers(run):
    """Every number of a result, in order."""
    assert run.code == 0, run.err

    def inside(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return [number for item in value for number in inside(item)]
        return [value] if isinstance(value, float) else []

    return inside(run.json["results"])


def predictions(run):
    assert run.code == 0, run.err
    return [float(line.split(",")[-1]) for line in run.out.splitlines()[1:]]


METHODS = [
    ["pdp", "--features", "temp,hour"],
    ["ale", "--features", "temp"],
    ["shap", "--rows", "3"],
    ["pfi", "--repeats", "1", "--sample", "500"],
]


@pytest.mark.parametrize("place", ["mlserver trees", "mlserver declared", "mlflow"])
def test_numbers_are_those_of_the_file(ask, folder, mlserver, mlflow, place):
    model = f"{mlflow['mlflow-trees']}/invocations" if place == "mlflow" else f"{mlserver}/v2/models/{place.split()[1]}"
    there = predictions(ask("predict", model, "-f", "csv"))
    here = predictions(ask("predict", folder / "model.json", "-f", "csv"))
    assert len(there) == 3000
    # float32 numbers, as XGBoost predicts them.
    assert max(abs(a - b) for a, b in zip(there, here, strict=True)) <= 1e-5 * max(map(abs, here))
    for method in METHODS:
        of_server = numbers(ask(method[0], model, *method[1:], "-f", "json"))
        of_file = numbers(ask(method[0], folder / "model.json", *method[1:], "--engine", "blackbox", "-f", "json"))
        assert len(of_server) == len(of_file) > 3, method
        assert all(abs(a - b) <= 1e-4 * max(1, abs(b)) for a, b in zip(of_server, of_file, strict=True)), method


def test_missing_values_and_words_of_real_servers(ask, sightglass, folder, mlserver, mlflow, tmp_path):
    (tmp_path / "gaps.csv").write_text("temp,hour,humidity,windspeed\n,3,50,10\n5.5,,,\n1,2,3,4\n")
    rows = [sightglass("predict", "--model", model, "--data", "gaps.csv", "-f", "csv")
            for model in (folder / "model.json", f"{mlserver}/v2/models/trees", f"{mlserver}/v2/models/declared",
                          f"{mlflow['mlflow-trees']}/invocations")]  # fmt: skip
    for run in rows[1:]:
        assert predictions(run) == pytest.approx(predictions(rows[0]), rel=1e-6)
    (tmp_path / "wrong.csv").write_text("temp,our\n1,2\n")
    fails(
        sightglass("predict", "--model", f"{mlserver}/v2/models/trees", "--data", "wrong.csv"),
        PREDICTION,
        "POST /v2/models/trees/infer (1 row)",
        "500",
    )
    fails(
        sightglass("predict", "--model", f"{mlserver}/v2/models/declared", "--data", "wrong.csv"),
        3,
        "hour (nearest: our)",
    )


def test_classifiers_and_text(ask, folder, mlserver, mlflow):
    few = "SELECT temp, hour, humidity, windspeed, rentals FROM data LIMIT 500"
    model = f"{mlserver}/v2/models/forest"
    run = ask("predict", model, "--server-output", "predict_proba", "--classes", "quiet,busy", "-f", "csv", query=few)
    assert run.out.splitlines()[0].endswith("prediction_quiet,prediction_busy")
    expected = [float(line) for line in (folder / "forest.csv").read_text().split()[1:]]
    assert predictions(run) == pytest.approx(expected, abs=1e-12)
    text = "SELECT season, weather, temp, rentals FROM data LIMIT 500"
    expected = [float(line) for line in (folder / "seasons.csv").read_text().split()[1:]]
    for model in (f"{mlserver}/v2/models/seasons", mlflow["mlflow-seasons"]):
        assert predictions(ask("predict", model, "-f", "csv", query=text)) == pytest.approx(expected, rel=1e-9)


def test_inspect_and_report(ask, mlserver, mlflow, tmp_path):
    model = ask("inspect", f"{mlserver}/v2/models/declared", "-f", "json").json["model"]
    assert model["detail"]["server"].startswith("mlserver 1.") and model["detail"]["inputs"].startswith(
        "temp FP64 [-1, 1]"
    )
    assert ask("inspect", mlflow["mlflow-trees"], "-f", "json").json["model"]["detail"]["server"] == "mlflow 3.17.2"
    few = "SELECT temp, hour, humidity, windspeed, rentals FROM data LIMIT 400"
    address = f"{mlserver}/v2/models/trees"
    assert ask("pdp", address, "--features", "temp", query=few).json["model"]["file"] == address
    run = ask("report", address, "--budget", "20s", "-o", "report.html", query=few)
    assert run.code == 0, run.err
    assert (tmp_path / "report.html").stat().st_size > 100_000


def test_a_server_that_is_stopped_in_the_middle(folder, ask, tmp_path):
    """Last, and with a server of its own."""
    port = free_port()
    command = [
        PLACE / "mlflow",
        "models",
        "serve",
        "-m",
        "mlflow-trees",
        "--env-manager",
        "local",
        "-h",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    address = f"http://127.0.0.1:{port}"
    server = serve(command, folder, f"{address}/ping", "stopped")
    next(server)
    assert ask("predict", address, "-f", "csv").code == 0
    next(server, None)
    run = ask("predict", address, "-o", "out.csv")
    assert run.code == 4 and "nobody answers at this address" in run.err
    assert not (tmp_path / "out.csv").exists()
