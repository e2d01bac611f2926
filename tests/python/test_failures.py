"""What goes wrong says so at once, with the right exception, and leaves nothing hanging."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import sightglass as sg

ROOT = Path(__file__).resolve().parents[2]
X = np.random.default_rng(0).normal(size=(500, 3))


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_an_exception_in_predict_is_the_cause(threads):
    def model(data):
        raise LookupError("no such thing")

    with pytest.raises(sg.PredictionError, match="LookupError: no such thing") as caught:
        sg.Explainer(model, X, threads=threads).partial_dependence()
    assert isinstance(caught.value.__cause__, LookupError)
    assert isinstance(caught.value, RuntimeError)
    assert caught.value.__cause__.__traceback__ is not None


def test_an_exception_in_a_later_call():
    calls = []

    def model(data):
        calls.append(len(data))
        if len(calls) > 1:
            raise ValueError("later")
        return data[:, 0]

    with pytest.raises(sg.PredictionError, match="later"):
        sg.Explainer(model, X).ice("x0")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda data: data[:-1, 0] if len(data) > 1 else data[:, 0], "predictions for"),
        (lambda data: np.zeros((len(data), 1 if len(data) == 1 else 2)), "2 columns of predictions"),
        (lambda data: np.full(len(data), np.nan), "predicted NaN"),
        (lambda data: np.full(len(data), np.inf), "predicted infinity"),
        (lambda data: ["yes"] * len(data), "not numbers"),
        (lambda data: None, "not numbers|dimensions"),
        (lambda data: 1.0, "dimensions"),
        (lambda data: np.zeros((len(data), 1, 1)), "3 dimensions"),
        (lambda data: np.zeros(len(data), complex), "not numbers"),
    ],
)
def test_answers_that_cannot_be(answer, message):
    with pytest.raises(sg.PredictionError, match=message):
        sg.Explainer(answer, X).partial_dependence("x0")


def test_wrong_usage():
    ex = sg.Explainer(lambda data: data[:, 0], X)
    with pytest.raises(sg.UsageError, match="did you mean"):
        ex.partial_dependence("x00")
    with pytest.raises(sg.UsageError, match="no feature 7"):
        ex.partial_dependence(7)
    with pytest.raises(ValueError, match="grid_rule"):
        ex.partial_dependence(grid_rule="magic")
    with pytest.raises(sg.UsageError, match="no output"):
        ex.partial_dependence(output="other")
    with pytest.raises(TypeError):
        ex.partial_dependence(no_such_option=1)
    with pytest.raises(sg.UsageError, match="threads"):
        sg.Explainer(lambda data: data, X, threads=0)
    with pytest.raises(sg.UsageError, match="not a model"):
        sg.Explainer(3, X)
    with pytest.raises(sg.ModelError):
        sg.Explainer(ROOT / "examples" / "bike" / "units.json", X)
    with pytest.raises(sg.Error):
        sg.Explainer("no/such/file.json", X)
    with pytest.raises(sg.DataError):
        sg.Explainer(lambda data: data, X[:0]).partial_dependence()


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_ctrl_c_in_a_model_that_hangs(threads):
    def model(data):
        if len(data) > 1:
            time.sleep(60)
        return data[:, 0]

    assert_interrupted(sg.Explainer(model, X, threads=threads).partial_dependence)


def test_ctrl_c_between_calls():
    def model(data):
        np.linalg.svd(np.ones((200, 200)))
        return data[:, 0]

    ex = sg.Explainer(model, np.tile(X, (200, 1)), batch=64)
    assert_interrupted(ex.partial_dependence)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_ctrl_c_in_native_work(threads):
    import pandas as pd

    bike = pd.read_csv(ROOT / "examples" / "bike" / "bike.csv")
    bike = pd.concat([bike] * 40, ignore_index=True)
    ex = sg.Explainer(ROOT / "examples" / "bike" / "model.json", bike, "rentals", threads=threads)
    assert_interrupted(lambda: ex.partial_dependence(grid=1000))


def test_ctrl_c_while_a_file_is_read(tmp_path):
    rows = "".join(f"{i % 97 / 7},{i % 31},word {i % 11}\n" for i in range(100_000))
    with open(tmp_path / "large.csv", "w") as file:
        file.write("x,y,z\n")
        for _ in range(60):
            file.write(rows)
    model = sg.Explainer(ROOT / "examples" / "bike" / "model.json", ROOT / "examples" / "bike" / "bike.csv")
    assert model.engine == "trees"
    assert_interrupted(lambda: sg.Explainer(ROOT / "examples" / "bike" / "model.json", tmp_path / "large.csv"))


@pytest.mark.parametrize("estimator", [sg.RuleFitRegressor, sg.AdditiveRegressor])
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_while_a_model_is_fitted(estimator, threads):
    rows = np.random.default_rng(0).normal(size=(100_000, 20))
    model = estimator(threads=threads)
    assert_interrupted(lambda: model.fit(rows, rows[:, 0] * rows[:, 1] + rows[:, 2]))
    with pytest.raises(sg.UsageError, match="not fitted"):
        model.predict(rows)


def test_ctrl_c_while_a_child_process_hangs():
    ex = sg.Explainer("exec:sleep 1000", X)
    assert_interrupted(ex.partial_dependence)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_in_a_deep_tree(tmp_path, threads):
    import polars as pl

    pl.DataFrame({"x": [1]}).lazy().select(pl.col("x") + 1).collect()  # puts a handler of its own before Python's
    depth = 1000
    (tmp_path / "deep.json").write_text(json.dumps(deep_tree(depth)))
    data = np.random.default_rng(0).uniform(size=(200, depth))
    ex = sg.Explainer(tmp_path / "deep.json", data, threads=threads)
    assert_interrupted(lambda: ex.shap(background="cover"))


def deep_tree(depth):
    """XGBoost's form of a tree in which each split is below the one before, on a feature of its own."""
    nodes = 2 * depth + 1
    inner = range(depth)  # node 2 i splits on feature i: 2 i + 1 is a leaf, 2 i + 2 the next split
    left, right = [-1] * nodes, [-1] * nodes
    parents, covers, features = [2147483647] * nodes, [1.0] * nodes, [0] * nodes
    for i in inner:
        left[2 * i], right[2 * i] = 2 * i + 1, 2 * i + 2
        parents[2 * i + 1] = parents[2 * i + 2] = 2 * i
        covers[2 * i] = float(depth + 1 - i)
        features[2 * i] = i
    tree = {
        "base_weights": [0.0] * nodes, "categories": [], "categories_nodes": [], "categories_segments": [],
        "categories_sizes": [], "default_left": [0] * nodes, "id": 0, "left_children": left,
        "loss_changes": [0.0] * nodes, "parents": parents, "right_children": right,
        "split_conditions": [0.01 if child >= 0 else node / nodes for node, child in enumerate(left)],
        "split_indices": features, "split_type": [0] * nodes, "sum_hessian": covers,
        "tree_param": {"num_deleted": "0", "num_feature": str(depth), "num_nodes": str(nodes), "size_leaf_vector": "1"},
    }  # fmt: skip
    booster = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": "1"},
        "iteration_indptr": [0, 1], "tree_info": [0], "trees": [tree],
    }  # fmt: skip
    parameters = {
        "base_score": "[0E0]", "boost_from_average": "1", "num_class": "0", "num_feature": str(depth), "num_target": "1",
    }  # fmt: skip
    learner = {
        "attributes": {}, "feature_names": [], "feature_types": [],
        "gradient_booster": {"name": "gbtree", "model": booster}, "learner_model_param": parameters,
        "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
    }  # fmt: skip
    return {"version": [3, 2, 0], "learner": learner}


def assert_interrupted(work, seconds=5):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.perf_counter() - begin < seconds  # a second on a machine that does nothing else
    timer.join()


@pytest.mark.parametrize("threads", [0, -1, 1025, 10**9, 2**31 - 1, 2**40, 1.5])
def test_numbers_of_threads_that_cannot_be(threads):
    with pytest.raises(sg.UsageError, match="threads"):
        sg.Explainer(lambda data: data[:, 0], X, threads=threads)


def test_threads_that_the_system_does_not_give():
    script = """
import resource, numpy as np, sightglass as sg
X = np.random.default_rng(0).uniform(size=(500, 3))
first = sg.Explainer(lambda data: data[:, 0], X, threads=2).ale().to_json()
room = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + 2**30
resource.setrlimit(resource.RLIMIT_AS, (room, room))
for _ in range(3):
    assert sg.Explainer(lambda data: data[:, 0], X, threads=1024).ale().to_json() == first
print("done")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "done\n"), done


def test_ctrl_c_raises_once():
    script = """
import os, signal, threading, time, sightglass as sg, numpy as np
ex = sg.Explainer("exec:sleep 1000", np.zeros((10, 2)))
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    ex.ale()
except KeyboardInterrupt:
    time.sleep(0.3)
    print("once")
signal.signal(signal.SIGINT, lambda *_: print("mine"))
os.kill(os.getpid(), signal.SIGINT)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "once\nmine\n"), done


def test_exit_in_a_model_passes():
    def model(data):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        sg.Explainer(model, X).partial_dependence()


def test_other_python_threads_run_meanwhile():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    big = np.tile(X, (400, 1))
    sg.Explainer(lambda data: data[:, 0], big, threads=2).partial_dependence("x0")
    stop.set()
    thread.join()
    assert ticks


def test_runs_on_several_python_threads():
    ex = sg.Explainer(lambda data: data[:, 0] * data[:, 1], X, threads=2)
    alone = ex.partial_dependence().to_json()
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(ex.partial_dependence().to_json())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [alone] * 4


def test_a_model_may_explain_another():
    def model(data):
        inner = sg.Explainer(lambda inner_data: inner_data[:, 0], X[:50], threads=2).partial_dependence("x0", grid=3)
        return data[:, 0] + inner["average"].sum() * 0

    assert sg.Explainer(model, X, threads=2).partial_dependence("x0", grid=3).results[0]["verdict"] == "linear"


def test_the_same_bytes_for_any_number_of_threads():
    def model(data):
        return np.column_stack([np.sin(data[:, 0] * data[:, 1]), data.sum(axis=1)])

    big = np.tile(X, (30, 1))
    answers = {
        sg.Explainer(model, big, threads=threads).partial_dependence().to_json() for threads in (1, 2, 3, 8, None)
    }
    assert len(answers) == 1


def in_child(queue):
    ex = sg.Explainer(lambda data: data[:, 0] * data[:, 1], X, threads=4)
    queue.put(ex.partial_dependence().to_json())


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_after_fork(method):
    ex = sg.Explainer(lambda data: data[:, 0] * data[:, 1], X, threads=4)
    mine = ex.partial_dependence().to_json()
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=120) == mine
    child.join(60)
    assert child.exitcode == 0
    assert ex.partial_dependence().to_json() == mine


def test_joblib_workers():
    from joblib import Parallel, delayed
    from sklearn.linear_model import LinearRegression

    model = LinearRegression().fit(X, X[:, 0])
    sg.Explainer(model, X, threads=2).partial_dependence("x0")
    answers = Parallel(n_jobs=2)(delayed(explain_in_worker)(model, name) for name in ("x0", "x1"))
    assert answers == [explain_in_worker(model, name) for name in ("x0", "x1")]


def explain_in_worker(model, name):
    return sg.Explainer(model, X, threads=2).partial_dependence(name).to_json()


def test_nothing_is_left_behind_at_exit():
    script = (
        "import numpy as np, sightglass as sg\n"
        "X = np.random.default_rng(0).normal(size=(1000, 2))\n"
        "ex = sg.Explainer(lambda data: data[:, 0], X, threads=4)\n"
        "r = ex.partial_dependence()\n"
        "print(r.method)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr, done.returncode) == ("partial-dependence\n", "", 0)


def test_text_that_is_no_unicode():
    X = np.ones((5, 2))

    def fails(X):
        raise ValueError("bad \ud800 text")

    with pytest.raises(sg.PredictionError, match=r"ValueError: bad \\ud800 text"):
        sg.Explainer(fails, X).predict()
    with pytest.raises(sg.Error):
        sg.Explainer(lambda X: X[:, 0], X, np.array(["a", "\ud800", "b", "c", "d"], dtype=object))


def test_a_report_looks_at_its_place_first(tmp_path):
    def model(data):
        raise AssertionError("asked")

    ex = sg.Explainer(model, X)
    for path in (tmp_path / "missing" / "r.html", "/proc/r.html", "/proc/results"):
        with pytest.raises(sg.OutputError):
            ex.report(path)
    with pytest.raises(sg.UsageError, match="format"):
        ex.report(tmp_path / "r.docx")
    data = tmp_path / "data.html"
    data.write_bytes((ROOT / "examples" / "bike" / "bike.csv").read_bytes())
    with pytest.raises(sg.UsageError, match="replace an input"):
        sg.Explainer(ROOT / "examples" / "bike" / "model.json", data).report(data)
    assert [path.name for path in tmp_path.iterdir()] == ["data.html"]


@pytest.mark.parametrize("name", ["lines.jsonl", "array.json"])
def test_json_that_would_end_the_process(tmp_path, name):
    deep = '{"x":' + "[" * 60_000 + "]" * 60_000 + "}"
    (tmp_path / name).write_text(deep if name == "lines.jsonl" else f"[{deep}]")
    with pytest.raises(sg.DataError, match="nested more than 128 deep"):
        sg.Explainer(ROOT / "examples" / "bike" / "model.json", tmp_path / name)
