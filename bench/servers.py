"""What asking a server costs beside the server's own work: MLServer with a model of XGBoost, 1,000 rows in a request.

.venv/bin/python bench/servers.py [--json FILE] [--quick]
"""

import argparse
import http.client
import json
import os
import resource
import signal
import socket
import statistics
import subprocess
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import xgboost as xgb

import sightglass as sg

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / ".venv-servers" / "bin"
ROWS, COLUMNS, TRAIN = 40_000, 12, 10_000


def data():
    random = np.random.default_rng(1)
    X = random.normal(size=(ROWS, COLUMNS))
    return X, X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.1 * random.normal(size=ROWS)


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


class MlServer:
    def __init__(self, folder, name="bench"):
        self.folder, self.port = folder, free_port()
        ports = {"http_port": self.port, "grpc_port": free_port(), "metrics_port": free_port()}
        # In the server's own process: what it takes is then all its own.
        settings = {"host": "127.0.0.1", "parallel_workers": 0, "debug": False, **ports}
        (folder / "settings.json").write_text(json.dumps(settings))
        model = {"name": name, "implementation": "mlserver_xgboost.XGBoostModel", "parameters": {"uri": "./model.json"}}
        (folder / "model-settings.json").write_text(json.dumps(model))
        self.path = f"/v2/models/{name}"
        self.address = f"http://127.0.0.1:{self.port}{self.path}"

    def __enter__(self):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        command = [PLACE / "mlserver", "start", "."]
        self.process = subprocess.Popen(command, cwd=self.folder, start_new_session=True, **quiet)
        for _ in range(300):
            try:
                urllib.request.urlopen(self.address + "/ready", timeout=5)
                return self
            except OSError:
                time.sleep(0.3)
        raise RuntimeError("MLServer does not start")

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(timeout=30)


def recorded(X):
    """The requests that are sent about these rows."""
    bodies = []

    class Recorder(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, content):
            body = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.answer({"name": "recorder", "versions": [], "inputs": [], "outputs": []})

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            bodies.append(body)
            rows = json.loads(body)["inputs"][0]["shape"][0]
            self.answer({"outputs": [{"name": "y", "shape": [rows], "datatype": "FP64", "data": [0.0] * rows}]})

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sg.Explainer(f"http://127.0.0.1:{server.server_port}/v2/models/recorder", X).predict()
    server.shutdown()
    return [body for body in bodies if len(body) > 10_000]


def replay(server, bodies):
    """Seconds of each request, sent one after the other by a client that does nothing else."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    times = []
    for body in bodies:
        start = time.perf_counter()
        connection.request("POST", server.path + "/infer", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        answer.read()
        times.append(time.perf_counter() - start)
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    subprocess.run([ROOT / "tools" / "servers_env.sh"], check=True)
    X, y = data()
    if given.quick:
        X, y = X[:TRAIN], y[:TRAIN]
    with TemporaryDirectory() as folder:
        model = xgb.XGBRegressor(n_estimators=300, max_depth=6, n_jobs=2).fit(X[:TRAIN], y[:TRAIN])
        # As the columns of a matrix are called here.
        model.get_booster().feature_names = [f"x{k}" for k in range(COLUMNS)]
        model.save_model(Path(folder) / "model.json")
        bodies = recorded(X)
        with MlServer(Path(folder)) as server:
            explainer = sg.Explainer(server.address, X)
            expected = sg.Explainer(str(Path(folder) / "model.json"), X).predict()
            shares, walls, server_times = [], [], []
            explainer.predict()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for _ in range(2 if given.quick else 5):
                alone = replay(server, bodies)
                wall, own = time.perf_counter(), time.process_time()
                found = explainer.predict()
                own, wall = time.process_time() - own, time.perf_counter() - wall
                assert np.allclose(found, expected, rtol=1e-5, atol=1e-5)
                server_times += alone
                shares.append(own / sum(alone))
                walls.append(wall / sum(alone))
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    per_request = 1000 * statistics.median(server_times)
    rows = [
        {
            "name": f"asking MLServer about 1,000 rows: our work beside its own ({per_request:.1f} ms)",
            "unit": "%",
            "value": 100 * statistics.median(shares),
            "limit": 10,
            "spread": [100 * min(shares), 100 * max(shares)],
        },
        {
            "name": "the same by the clock, four in flight, beside one after the other",
            "unit": "%",
            "value": 100 * statistics.median(walls),
            "limit": 110,
            "spread": [100 * min(walls), 100 * max(walls)],
        },
        {
            "name": f"memory beyond the first of several predictions of {len(X):,} rows by a server",
            "unit": "MB",
            "value": grown,
            "limit": 16,
            "spread": None,
        },
    ]
    if given.json:
        given.json.write_text(json.dumps(rows))
    for row in rows:
        print(f"{row['name']:<84} {row['value']:8.2f} {row['unit']} (limit {row['limit']})")


if __name__ == "__main__":
    main()
