"""Small servers of models on loopback, one for each protocol, which behave as they should or as they are told."""

import json
import math
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def predicted(temp, hour, weather):
    """The model of all of them; a missing value counts for something of its own."""
    warm = 1.5 if temp is None or math.isnan(temp) else math.sin(temp) * 3
    late = 0.25 if hour is None or math.isnan(hour) else hour * 0.125
    return warm + late - {"rain": 5, "mist": 2, None: 1, "": 1}.get(weather, 0)


#: The same as a program for exec:, whose results are the truth.
PROGRAM = """
import json, math, sys
for line in sys.stdin:
    c = json.loads(line)["columns"]
    out = []
    for temp, hour, weather in zip(c["temp"], c["hour"], c["weather"]):
        warm = 1.5 if temp is None else math.sin(temp) * 3
        late = 0.25 if hour is None else hour * 0.125
        out.append(warm + late - {"rain": 5, "mist": 2, None: 1}.get(weather, 0))
    print(json.dumps({"predictions": out}), flush=True)
"""


class Answer:
    """What a server sends: a status, a body (a dict becomes JSON) and headers."""

    def __init__(self, body=b"", status=200, **headers):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class ModelServer:
    """Use as a context; `url` is what --model takes. `trick(handler, number, request)` may answer the request of that number
    (from 0, predictions only) itself: by an Answer, or by True if it has written to the handler; None: as usual."""

    protocol = ""
    place = ""

    def __init__(self, trick=None, most_rows=None, delay=0.0, context=None):
        self.trick, self.most_rows, self.delay = trick, most_rows, delay
        self.asked = []  # what was asked for predictions, in the order in which it came
        self.headers = []  # of every request
        self.in_flight = self.most_in_flight = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def do_GET(self):
                outer.headers.append(dict(self.headers))
                self.send(outer.page(self.path))

            def do_POST(self):
                outer.headers.append(dict(self.headers))
                text = self.rfile.read(int(self.headers["Content-Length"]))
                with outer._lock:
                    number = len(outer.asked)
                    outer.asked.append(text)
                    outer.in_flight += 1
                    outer.most_in_flight = max(outer.in_flight, outer.most_in_flight)
                try:
                    time.sleep(outer.delay)
                    answer = outer.trick and outer.trick(self, number, text)
                    if answer is True:
                        return
                    self.send(answer or outer.answered(self.path, json.loads(text)))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
                finally:
                    with outer._lock:
                        outer.in_flight -= 1

            def send(self, answer):
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(answer.body)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.scheme = "http"
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self.scheme = "https"
        self.port = self._server.server_address[1]

    def __enter__(self):
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @property
    def origin(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def url(self):
        return self.origin + self.place

    def answered(self, path, request):
        rows = self.rows(request)
        if self.most_rows is not None and len(rows) > self.most_rows:
            return self.too_large(len(rows))
        return self.answer([predicted(*row) for row in rows])

    def too_large(self, _):
        return Answer({"error": "too large"}, 413)

    def page(self, path):
        return Answer({"error": f"there is no {path}"}, 404)


class OpenInference(ModelServer):
    """A tensor for each column; `declared`: the server says so itself, as Triton does."""

    place = "/v2/models/weather"

    def __init__(self, *args, declared=True, outputs=None, matrix=False, whole_hours=False, **more):
        super().__init__(*args, **more)
        self.outputs = outputs or [{"name": "rentals", "datatype": "FP64", "shape": [-1]}]
        hours = "INT64" if whole_hours else "FP64"
        # In another order than the data.
        types = {"weather": "BYTES", "temp": "FP64", "hour": hours}
        self.inputs = [{"name": n, "datatype": t, "shape": [-1, 1]} for n, t in types.items()] if declared else []
        if matrix:
            self.inputs = [{"name": "input-0", "datatype": "FP32", "shape": [-1, 2]}]

    def page(self, path):
        if path == "/v2":
            return Answer({"name": "stand-in", "version": "0.1", "extensions": []})
        if path == self.place:
            facts = {"name": "weather", "versions": ["3"], "platform": "formula", "inputs": self.inputs}
            return Answer(facts | {"outputs": self.outputs})
        return super().page(path)

    def answered(self, path, request):
        if path == "/v2/repository/index":
            self.asked.pop()
            return Answer([{"name": "weather", "state": "READY"}])
        return super().answered(path, request)

    def rows(self, request):
        tensors = {tensor["name"]: tensor for tensor in request["inputs"]}
        for tensor in tensors.values():
            assert math.prod(tensor["shape"]) == len(tensor["data"]), tensor["shape"]
        if "input-0" in tensors:
            data = tensors["input-0"]["data"]
            return [(data[i], data[i + 1], "clear") for i in range(0, len(data), 2)]
        return list(zip(*(tensors[name]["data"] for name in ("temp", "hour", "weather")), strict=True))

    def answer(self, predictions):
        outputs = [{"name": "rentals", "datatype": "FP64", "shape": [len(predictions)], "data": predictions}]
        return Answer({"model_name": "weather", "model_version": "3", "outputs": outputs})


class Mlflow(ModelServer):
    place = "/invocations"

    def page(self, path):
        if path == "/ping":
            return Answer(b"\n")
        return Answer(b"3.0.0") if path == "/version" else super().page(path)

    def rows(self, request):
        columns = request["dataframe_split"]["columns"]
        places = [columns.index(name) for name in ("temp", "hour", "weather")]
        return [tuple(row[k] for k in places) for row in request["dataframe_split"]["data"]]

    def answer(self, predictions):
        return Answer({"predictions": predictions})


class TfServing(ModelServer):
    place = "/v1/models/weather"

    def page(self, path):
        if path != self.place + "/metadata":
            return super().page(path)

        def tensor(dtype):
            return {"dtype": dtype, "tensor_shape": {"dim": [{"size": "-1"}, {"size": "1"}], "unknown_rank": False}}

        inputs = {"temp": tensor("DT_FLOAT"), "hour": tensor("DT_DOUBLE"), "weather": tensor("DT_STRING")}
        signature = {"inputs": inputs, "outputs": {"rentals": tensor("DT_FLOAT")}}
        return Answer(
            {
                "model_spec": {"name": "weather", "version": "7"},
                "metadata": {"signature_def": {"signature_def": {"serving_default": signature}}},
            }
        )

    def rows(self, request):
        return [(row["temp"], row["hour"], row["weather"]) for row in request["instances"]]

    def too_large(self, rows):
        return Answer({"error": f"Task size {rows} is larger than maximum input batch size {self.most_rows}"}, 400)

    def answer(self, predictions):
        return Answer({"predictions": [[value] for value in predictions]})
