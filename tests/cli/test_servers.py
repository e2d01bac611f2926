"""Models behind http, served by stand-ins that do as they are told."""

import json
import os
import signal
import ssl
import subprocess
import sys
import time

import pytest
from native_tool import BINARY, MODEL, PREDICTION, ROOT, USAGE, fails, wait_until

sys.path.append(str(ROOT / "tests" / "support"))
from model_servers import PROGRAM, Answer, Mlflow, ModelServer, OpenInference, TfServing

SERVERS = [OpenInference, Mlflow, TfServing]


@pytest.fixture
def table(tmp_path):
    """A table with gaps, and the same model as a program."""
    (tmp_path / "program.py").write_text(PROGRAM)
    lines = ["temp,hour,weather,rentals"]
    for i in range(2500):
        temp = "" if i % 97 == 5 else repr(i * 0.37 % 40 - 10)
        weather = "" if i % 101 == 7 else ["clear", "mist", "rain"][i * 7 % 3]
        lines.append(f"{temp},{i % 24},{weather},{i % 50}")
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")


@pytest.fixture
def ask(sightglass, table):
    def run(method, model, *more, **how):
        url = model.url if isinstance(model, ModelServer) else model
        return sightglass(method, "--model", url, "--data", "table.csv", "--target", "rentals", *more, **how)

    return run


def numbers(run):
    """Everything of a result but what the model is called."""
    assert run.code == 0, run.err
    return {key: value for key, value in run.json.items() if key not in ("model", "options")}


@pytest.mark.parametrize("kind", SERVERS)
def test_numbers_are_those_of_the_same_model_elsewhere(ask, kind):
    with kind() as server:
        there = ask("predict", server, "-f", "csv")
        assert there.code == 0, there.err
        assert there.out == ask("predict", "exec:python3 program.py", "-f", "csv").out and there.out.count("\n") == 2501
        for method in (["pdp", "--features", "temp,weather"], ["ale", "--features", "temp"]):
            there, here = (ask(*method[:1], m, *method[1:], "-f", "json") for m in (server, "exec:python3 program.py"))
            assert numbers(there) == numbers(here), method
        assert all(len(request) < 200_000 for request in server.asked)


@pytest.mark.parametrize("kind", SERVERS)
def test_batches_follow_the_limits_of_the_server(ask, kind):
    with kind(most_rows=70) as server:
        there = ask("predict", server, "-f", "csv")
        assert there.out == ask("predict", "exec:python3 program.py", "-f", "csv").out
        sizes = [len(server.rows(json.loads(request))) for request in server.asked]
        # Halved until they fit, and no more than that.
        assert sum(size > 70 for size in sizes) <= 16
        assert sum(size <= 70 for size in sizes) <= 2500 / 62 + 10


def test_several_are_in_flight_and_the_order_is_that_of_the_rows(ask):
    # Later requests are answered sooner.
    def trick(_, number, __):
        time.sleep(0.05 * (4 - number % 4))

    with Mlflow(trick, most_rows=200) as server:
        there = ask("predict", server, "-f", "csv")
        assert 2 <= server.most_in_flight <= 4
    assert there.out == ask("predict", "exec:python3 program.py", "-f", "csv").out


def test_busy_servers_are_asked_again(ask):
    times = []

    def trick(_, number, __):
        times.append(time.monotonic())
        if number == 0:
            return Answer(b"busy", 503)
        if number == 1:
            return Answer(b"slow down", 429, Retry_After="1")
        if number == 4:
            return Answer({"error": "oops"}, 500)

    with OpenInference(trick) as server:
        there = ask("predict", server, "-f", "csv")
        assert len(server.asked) == 1 + 3 + 3  # the first row, the rows, the tries
    assert there.out == ask("predict", "exec:python3 program.py", "-f", "csv").out
    assert times[1] - times[0] >= 0.25
    assert times[2] - times[1] >= 1


def test_connections_that_break_are_tried_again(ask):
    def trick(handler, number, _):
        if number not in (1, 2):
            return None
        if number == 2:  # half of an answer
            handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"predictions": [1,')
        handler.close_connection = True
        return True

    with Mlflow(trick) as server:
        there = ask("predict", server, "-f", "csv")
    assert there.out == ask("predict", "exec:python3 program.py", "-f", "csv").out


def endless(handler, *_):
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b"1," * 100_000)


def endless_headers(handler, *_):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X-More: " + b"x" * 1000 + b"\r\n")


def cut_off(handler, *_):
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"predictions": [1,')
    handler.close_connection = True
    return True


def closed(handler, *_):
    handler.close_connection = True
    return True


def of(answer):
    return lambda *_: answer


def for_each_row(text):
    return lambda _, __, request: Answer(
        b'{"predictions": [' + b",".join([text] * len(json.loads(request)["dataframe_split"]["data"])) + b"]}"
    )


#: What it does, what is said.
MISBEHAVIOUR = {
    "wrong number of rows": (
        of(Answer({"predictions": [1, 2, 3]})),
        ["predictions has more items than the request has rows, 1"],
    ),
    "no rows": (of(Answer({"predictions": []})), ["predictions has 0 items for 1 rows"]),
    "no predictions": (of(Answer({"something": [1]})), ["lacks predictions"]),
    "not an object": (of(Answer([1])), ["should be an object"]),
    "truncated JSON": (of(Answer(b'{"predictions": [1')), ["not valid JSON, cut off or damaged"]),
    "no JSON": (of(Answer(b"<html>hello</html>")), ["not valid JSON", "docs/servers.md"]),
    "NaN as text": (of(Answer({"predictions": ["NaN"]})), ["predictions[0] is not a number"]),
    "NaN": (for_each_row(b"NaN"), ["the model predicted NaN for row 0"]),
    "null": (for_each_row(b"null"), ["the model predicted NaN for row 0"]),
    "nothing in a row": (of(Answer({"predictions": [[]]})), ["has no number"]),
    "nested deeply": (of(Answer(b'{"predictions": ' + b"[" * 5000 + b"]" * 5000 + b"}")), ["nested too deeply"]),
    "endless body": (endless, ["answers with more than", "bytes", "the address of the model"]),
    "endless headers": (endless_headers, ["bytes of headers"]),
    "cut off": (cut_off, ["its answer is cut off (asked 5 times)"]),
    "closed": (closed, ["the connection broke off", "asked 5 times"]),
    "no permission": (
        of(Answer({"message": "who are you?"}, 401)),
        ["does not let us in: 401 Unauthorized: who are you?", "SIGHTGLASS_TOKEN"],
    ),
    "bad request": (
        of(Answer({"error_code": "BAD", "message": "no column humidity"}, 400)),
        ["answers 400 Bad Request: no column humidity"],
    ),
    "server error": (
        of(Answer({"error": "division by zero"}, 500)),
        ["answers 500 Internal Server Error: division by zero (asked 5 times)"],
    ),
    "not implemented": (of(Answer(b"", 501)), ["501 Not Implemented"]),
    "always busy": (of(Answer(b"", 503)), ["503 Service Unavailable (asked 5 times)"]),
    "comes back tomorrow": (of(Answer(b"", 429, Retry_After="86400")), ["is asked too often"]),
    "redirect": (
        of(Answer(b"", 307, Location="http://user:secret@elsewhere.example/x?token=secret")),
        ["sends us elsewhere (307): http://elsewhere.example/x", "redirects are not followed"],
    ),
}


@pytest.mark.parametrize("name", MISBEHAVIOUR)
def test_misbehaviour_is_named(ask, name, tmp_path):
    trick, words = MISBEHAVIOUR[name]
    with Mlflow(trick) as server:
        run = ask("pdp", server, "--features", "temp", "-o", "out.json")
        fails(run, PREDICTION, *words)
        if "predicted" not in words[0]:
            assert f"{server.origin}: POST /invocations (1 row)" in run.err
        assert "secret" not in run.err
    assert not (tmp_path / "out.json").exists()


def tensor(data, shape, name="rentals", datatype="FP64"):
    return {"name": name, "datatype": datatype, "shape": shape, "data": data}


OPEN_INFERENCE_ANSWERS = {
    "wrong shape": ([tensor([1], [2])], ["outputs[0].shape begins with 2 where 1 rows were asked about"]),
    "shape and data": ([tensor([1], [1, 3])], ["outputs[0].shape says 3 numbers, the data have 1"]),
    "huge shape": ([tensor([1], [1, 1 << 39, 1 << 39])], ["is of more numbers than any answer has"]),
    "text": ([tensor(["yes"], [1], datatype="BYTES")], ["the output rentals is text", "--server-output"]),
    "NaN as text": ([tensor(["NaN"], [1])], ["outputs[0].data[0] is not a number"]),
    "no outputs": ([], ["outputs is empty"]),
    "several": (
        [tensor([1], [1]), tensor([1], [1], "other")],
        ["the model has several outputs: rentals, other", "--server-output"],
    ),
    "no name": ([{"data": [1]}], ["lacks name"]),
}


@pytest.mark.parametrize("name", OPEN_INFERENCE_ANSWERS)
def test_answers_of_open_inference_are_checked(ask, name):
    outputs, words = OPEN_INFERENCE_ANSWERS[name]
    with OpenInference(of(Answer({"model_name": "weather", "outputs": outputs}))) as server:
        fails(ask("pdp", server, "--features", "temp"), PREDICTION, *words)


def test_outputs_are_found_by_name(ask):
    def trick(_, number, request):
        rows = json.loads(request)["inputs"][0]["shape"][0]
        outputs = [tensor([k + 0.5] * rows, [rows], name) for k, name in enumerate(("high", "low", "spare"))]
        if number % 2:
            outputs.reverse()
        return Answer({"outputs": outputs})

    declared = [{"name": n, "datatype": "FP64", "shape": [-1]} for n in ("low", "high", "spare")]
    with OpenInference(trick, outputs=declared) as server:
        fails(ask("predict", server), MODEL, "several outputs: low, high, spare", "--server-output")
        run = ask("predict", server, "--server-output", "low,high", "-f", "csv")
        assert run.code == 0, run.err
        lines = run.out.splitlines()
        assert lines[0].endswith("prediction_low,prediction_high"), lines[0]
        assert set(lines[1:]) == {"1.5,0.5"}, lines[1]
        assert json.loads(server.asked[0])["outputs"] == [{"name": "low"}, {"name": "high"}]
        fails(ask("predict", server, "--server-output", "wide"), USAGE, "no output wide", "low, high, spare")


def test_rows_may_be_objects_and_classes_have_names(ask):
    def named(_, number, request):
        rows = len(json.loads(request)["dataframe_split"]["data"])
        row = {"no": 0.25, "yes": 0.75} if number % 2 else {"yes": 0.75, "no": 0.25}
        return Answer({"predictions": [row] * rows})

    with Mlflow(named) as server:
        run = ask("predict", server, "-f", "csv")
        assert run.out.splitlines()[0].endswith("prediction_no,prediction_yes"), run.err
        assert set(run.out.splitlines()[1:]) == {"0.25,0.75"}
        one = ask("predict", server, "--server-output", "no", "--classes", "yes,no", "-f", "csv")
        assert set(one.out.splitlines()[1:]) == {"0.25"}, one.err

    def listed(_, __, request):
        return Answer({"predictions": [[0.25, 0.75]] * len(json.loads(request)["dataframe_split"]["data"])})

    with Mlflow(listed) as server:
        run = ask("predict", server, "--classes", "no,yes", "-f", "csv")
        assert run.out.splitlines()[0].endswith("prediction_no,prediction_yes"), run.err
        fails(ask("predict", server, "--classes", "a,b,c"), USAGE, "3 class names")


def test_a_server_that_changes_its_model_is_found_out(ask):
    def trick(_, number, request):
        rows = json.loads(request)["inputs"][0]["shape"][0]
        return Answer({"model_version": "3" if number < 2 else "4", "outputs": [tensor([1.0] * rows, [rows])]})

    with OpenInference(trick) as server:
        fails(ask("predict", server), PREDICTION, "model_version is 4, and was 3 before")


def test_what_is_sent(ask, sightglass, tmp_path):
    (tmp_path / "kinds.csv").write_text(
        "temp,hour,open,weather,day,moment\n"
        "1.5,3,true,rain,2021-05-03,2021-05-03 14:00:05\n"
        ",4,false,,2021-05-04,2021-05-03 14:00:06\n"
        "2,,,mist,,\n"
    )
    seen = []

    def trick(_, __, request):
        seen.append(json.loads(request))
        rows = 1 if len(seen) == 1 else 3
        return Answer({"outputs": [tensor([1.0] * rows, [rows])], "predictions": [1.0] * rows})

    with OpenInference(trick, declared=False) as server:
        run = sightglass("predict", "--model", server.url, "--data", "kinds.csv")
        assert run.code == 0, run.err
    inputs = {each["name"]: each for each in seen[1]["inputs"]}
    assert {name: each["datatype"] for name, each in inputs.items()} == {
        "temp": "FP64", "hour": "FP64", "open": "FP64", "weather": "BYTES", "day": "BYTES", "moment": "BYTES",
    }  # fmt: skip
    assert inputs["temp"]["data"] == [1.5, None, 2.0] and inputs["temp"]["shape"] == [3, 1]
    assert inputs["hour"]["data"] == [3, 4, None]
    assert inputs["weather"]["data"] == ["rain", None, "mist"]
    assert inputs["day"]["data"] == ["2021-05-03", "2021-05-04", None]
    assert inputs["moment"]["data"] == ["2021-05-03T14:00:05", "2021-05-03T14:00:06", None]
    # Of the first row alone the types are those of its values.
    assert {each["name"]: each["datatype"] for each in seen[0]["inputs"]}["hour"] == "INT64"
    assert {each["name"]: each["datatype"] for each in seen[0]["inputs"]}["open"] == "BOOL"
    seen.clear()
    with Mlflow(trick) as server:
        assert sightglass("predict", "--model", server.url, "--data", "kinds.csv").code == 0
    frame = seen[1]["dataframe_split"]
    assert frame["columns"] == ["temp", "hour", "open", "weather", "day", "moment"]
    assert frame["data"][0] == [1.5, 3, True, "rain", "2021-05-03", "2021-05-03T14:00:05"]
    assert frame["data"][1][:4] == [None, 4, False, None]


def test_a_matrix_and_columns_that_do_not_fit(sightglass, tmp_path):
    (tmp_path / "two.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "three.csv").write_text("a,b,c\n1,2,3\n")
    (tmp_path / "text.csv").write_text("a,b\n1,warm\n")
    (tmp_path / "infinite.csv").write_text("a,b\n1,Infinity\n")
    with OpenInference(matrix=True) as server:
        run = sightglass("predict", "--model", server.url, "--data", "two.csv", "-f", "csv")
        assert run.code == 0, run.err
        assert json.loads(server.asked[-1])["inputs"] == [
            {"name": "input-0", "shape": [2, 2], "datatype": "FP32", "data": [1, 2, 3, 4]}
        ]
        fails(
            sightglass("predict", "--model", server.url, "--data", "three.csv"),
            3,
            "matrix of 2 columns, the data have 3",
        )
        fails(
            sightglass("predict", "--model", server.url, "--data", "text.csv"),
            3,
            "column b holds text (warm) where the server takes FP32",
        )
        fails(
            sightglass("predict", "--model", server.url, "--data", "infinite.csv"),
            3,
            "column b holds an infinite number",
        )
    with OpenInference() as server:
        fails(
            sightglass("predict", "--model", server.url, "--data", "two.csv"),
            3,
            "lack what the server takes: weather, temp, hour",
        )


def test_whole_numbers_stay_whole(ask):
    with OpenInference(whole_hours=True) as server:
        run = ask("pdp", server, "--features", "hour")
        assert run.code == 0, run.err
        fails(
            ask("pdp", server, "--features", "hour", "--grid-rule", "values", "--values", "1.5,2.5"),
            PREDICTION,
            "whole numbers for hour",
            "1.5",
        )


@pytest.mark.parametrize(
    "kind, address",
    [(OpenInference, ""), (OpenInference, "/"), (OpenInference, "/v2"), (OpenInference, "/v2/models/weather/infer"), (Mlflow, ""),
     (TfServing, "/v1/models/weather:predict")],
)  # fmt: skip
def test_addresses_are_recognised(ask, kind, address):
    with kind() as server:
        run = ask("predict", server.origin + address, "-f", "csv")
        assert run.code == 0, run.err
        assert run.out == ask("predict", "exec:python3 program.py", "-f", "csv").out


def test_inspect_says_what_is_there(ask):
    with OpenInference() as server:
        run = ask("inspect", server, "-f", "json")
        assert run.code == 0, run.err
        model = run.json["model"]
        assert model["format"] == "open-inference" and model["version"] == "3"
        assert model["detail"]["server"] == "stand-in 0.1" and model["detail"]["model"] == "weather"
        assert model["detail"]["inputs"] == "weather BYTES [-1, 1]; temp FP64 [-1, 1]; hour FP64 [-1, 1]"
        assert "does not apply" in model["detail"]["exact_engine"]
        assert [feature["name"] for feature in model["features"]] == ["weather", "temp", "hour"]
        assert "exact_engine" in ask("inspect", server, "-f", "table").out
        fails(ask("pdp", server, "--features", "temp", "--engine", "trees"), USAGE, "trees")
    with TfServing() as server:
        model = ask("inspect", server, "-f", "json").json["model"]
        assert model["format"] == "tf-serving" and model["version"] == "7"
        assert "temp DT_FLOAT [-1, 1]" in model["detail"]["inputs"]


def test_the_budget_of_requests_is_kept(ask):
    with Mlflow(most_rows=300) as server:
        fails(
            ask("predict", server, "--max-requests", "5"),
            PREDICTION,
            "the budget of 5 requests is used up",
            "--max-requests",
        )
        assert len(server.headers) == 5


def test_slow_servers_are_given_up(ask):
    with Mlflow(delay=30) as server:
        began = time.monotonic()
        run = ask("predict", server, "--timeout", "0.5")
        fails(run, PREDICTION, "gave no answer within 0.5 seconds (asked 2 times)", "--timeout")
        assert time.monotonic() - began < 10


def test_a_token_goes_to_the_server_and_nowhere_else(ask, tmp_path):
    token = "abc-SECRET-123"
    how = {"env": os.environ | {"SIGHTGLASS_TOKEN": token}}
    with Mlflow() as server:
        run = ask("report", server, "--budget", "5s", "-o", "page.html", **how)
        assert run.code == 0, run.err
        assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {token}"}
        assert ask("pdp", server, "--features", "temp", "-o", "out.json", **how).code == 0
    assert token not in (tmp_path / "page.html").read_text() + (tmp_path / "out.json").read_text() + run.err + run.out
    # Nor if the server gives it back.
    with Mlflow(of(Answer({"message": f"Bearer {token} is not known"}, 403))) as server:
        run = ask("predict", server, "--verbose", **how)
        assert run.code == PREDICTION and token not in run.err and "Bearer … is not known" in run.err
    named = [{"name": name, "datatype": "FP64", "shape": [-1]} for name in (token, "z")]
    with OpenInference(outputs=named) as server:
        run = ask("predict", server, **how)
        assert run.code != 0 and token not in run.err and "several outputs: …, z" in run.err
    fails(ask("predict", "http://models.example/invocations", **how), USAGE, "a token is not sent over http")
    how["env"]["SIGHTGLASS_TOKEN"] = "two words\n"
    fails(ask("predict", "http://127.0.0.1:9/invocations", **how), USAGE, "SIGHTGLASS_TOKEN")


@pytest.mark.parametrize(
    "address, words",
    [
        ("http://me:hush@127.0.0.1/invocations", "user and password"),
        ("http://me:hu/sh@127.0.0.1/invocations", "user and password"),
        ("http://127.0.0.1/invocations?key=hush", "leave ? and # out"),
        ("http://", "names no host"),
        ("http://127.0.0.1:port/x", "the port is no number"),
        ("http://127.0.0.1/a b", "blanks"),
    ],
)
def test_addresses_that_are_refused(ask, address, words):
    run = ask("predict", address)
    fails(run, USAGE, words)
    assert "hush" not in run.err and "hu/sh" not in run.err


def test_nobody_there(ask):
    fails(
        ask("predict", "http://127.0.0.1:1/v2/models/x"),
        MODEL,
        "http://127.0.0.1:1: GET /v2/models/x",
        "nobody answers",
        "is the server running",
    )
    fails(ask("predict", "http://no-such-host.invalid/v2/models/x"), MODEL, "the host is not found")
    with OpenInference() as server:
        fails(
            ask("predict", server.origin + "/v2/models/other"),
            MODEL,
            "404 Not Found",
            "with the name of a model that is there",
        )
        fails(ask("predict", server, "--protocol", "soap"), USAGE, "--protocol", "oip")
        fails(ask("predict", server, "--rounds", "3"), USAGE, "rounds")
    with ModelServer() as server:
        fails(ask("predict", server), MODEL, "no server of models is recognised", "/invocations", "--protocol")
    fails(ask("predict", "exec:python3 program.py", "--max-requests", "5"), USAGE, "are about a server")


def test_no_proxy_of_the_environment_is_used(ask):
    env = os.environ | {
        "http_proxy": "http://127.0.0.1:1",
        "HTTP_PROXY": "http://127.0.0.1:1",
        "ALL_PROXY": "http://127.0.0.1:1",
    }
    with Mlflow() as server:
        assert ask("predict", server, env=env).code == 0
        # Which is for other machines.
        env["SIGHTGLASS_PROXY"] = "http://127.0.0.1:1"
        assert ask("predict", server, env=env).code == 0
    fails(ask("predict", "http://models.example/invocations", env=env), MODEL, "nobody answers")


def test_certificates_are_checked(ask, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with Mlflow(context=context) as server:
        fails(ask("predict", server), MODEL, "no safe connection", "SIGHTGLASS_CA_FILE")
        trusting = {"env": os.environ | {"SIGHTGLASS_CA_FILE": str(certificate)}}
        # Trusted, but for another host.
        fails(ask("predict", server, **trusting), MODEL, "no safe connection")
        run = ask("predict", f"https://localhost:{server.port}/invocations", "-f", "csv", **trusting)
        assert run.code == 0, run.err
        assert run.out == ask("predict", "exec:python3 program.py", "-f", "csv").out


def test_without_libcurl_it_says_what_to_do(ask):
    env = os.environ | {"SIGHTGLASS_LIBCURL": "/nowhere/libcurl.so.4"}
    fails(
        ask("predict", "http://127.0.0.1:1/invocations", env=env),
        MODEL,
        "libcurl",
        "apt install libcurl4",
        "SIGHTGLASS_LIBCURL",
    )


@pytest.mark.parametrize("moment", ["slow", "waiting"])
def test_interrupt_within_a_second(table, tmp_path, moment):
    trick = of(Answer(b"", 503, Retry_After="60")) if moment == "waiting" else None
    with Mlflow(trick, delay=30 if moment == "slow" else 0) as server:
        process = subprocess.Popen(
            [BINARY, "pdp", "--model", server.url, "--data", "table.csv", "--features", "temp", "-o", "out.json"],
            cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_until(lambda: server.asked, process)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        assert process.wait(timeout=10) == 130
        assert time.monotonic() - began < 1
        assert "nothing was written" in process.stderr.read()
    assert not (tmp_path / "out.json").exists()


def test_a_server_that_dies_leaves_nothing_half_written(ask, tmp_path):
    def trick(handler, number, _):
        return closed(handler) if number >= 2 else None

    with Mlflow(trick, most_rows=100) as server:
        fails(ask("predict", server, "-o", "out.csv"), PREDICTION, "the connection broke off")
    assert not list(tmp_path.glob("out*"))
