"""A server of a model by the Open Inference Protocol, version 2, in nothing but the standard library.

Prints the address of its model. Real ones (KServe, Triton, MLServer) are asked in the same way.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = {
    "name": "rentals",
    "versions": ["1"],
    "platform": "a formula",
    "inputs": [
        {"name": "temp", "datatype": "FP64", "shape": [-1, 1]},
        {"name": "weather", "datatype": "BYTES", "shape": [-1, 1]},
    ],
    "outputs": [{"name": "rentals", "datatype": "FP64", "shape": [-1]}],
}


def predict(columns):
    rows = zip(columns["temp"], columns["weather"])
    return [10 + 3 * (temp or 0) - (5 if weather == "rain" else 0) for temp, weather in rows]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        pages = {"/v2": {"name": "example", "version": "1"}, "/v2/models/rentals": MODEL}
        self.answer(pages.get(self.path) or {"error": "there is no " + self.path})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        predictions = predict({tensor["name"]: tensor["data"] for tensor in request["inputs"]})
        output = {"name": "rentals", "datatype": "FP64", "shape": [len(predictions)], "data": predictions}
        self.answer({"model_name": "rentals", "model_version": "1", "outputs": [output]})

    def answer(self, content):
        body = json.dumps(content).encode()
        self.send_response(404 if "error" in content else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)  # 0: any port that is free
    print(f"http://127.0.0.1:{server.server_port}/v2/models/rentals", flush=True)
    server.serve_forever()
