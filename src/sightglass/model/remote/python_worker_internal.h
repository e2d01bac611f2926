// The program behind python:module:callable. It speaks the protocol of docs/exec-protocol.md.
#pragma once

namespace sightglass {

inline constexpr const char* python_worker = R"python(
import importlib, json, os, sys, traceback

answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
os.dup2(2, 1)  # what the model's code prints must not mix with the answers
requests = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
if os.getcwd() not in sys.path:
    sys.path.insert(0, os.getcwd())


def number(value):
    return float("nan") if value is None else float(value) if isinstance(value, str) else value


def table(request):
    kinds = request.get("kinds", {})
    columns = {
        name: [number(v) for v in values] if kinds.get(name) == "number" else values
        for name, values in request["columns"].items()
    }
    return pandas.DataFrame(columns) if pandas is not None else columns


def classes_of(function):
    """What a fitted estimator calls the columns of its predict_proba."""
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    if getattr(function, "__name__", "") != "predict_proba":
        return None
    try:
        return list(getattr(function, "__self__", None).classes_)
    except Exception:
        return None


def plain(result):
    names = getattr(result, "columns", None)
    if hasattr(result, "to_numpy"):
        result = result.to_numpy()
    answer = {"predictions": result.tolist() if hasattr(result, "tolist") else [
        list(row) if isinstance(row, (list, tuple)) or hasattr(row, "__iter__") else row for row in result]}
    if names is None and classes is not None and getattr(result, "shape", ())[1:] == (len(classes),):
        names = classes
    if names is not None:
        answer["outputs"] = [str(name) for name in names]
    return answer


def failed(error):
    return {"error": f"{type(error).__name__}: {error}", "detail": traceback.format_exc()}


problem = predict = pandas = classes = None
try:
    module, _, path = sys.argv[1].partition(":")
    predict = importlib.import_module(module)
    for part in path.split("."):
        predict = getattr(predict, part)
    if not callable(predict):
        methods = [name for name in ("predict_proba", "predict") if callable(getattr(predict, name, None))]
        hint = "".join(f"; did you mean python:{sys.argv[1]}.{name}?" for name in methods[:1])
        raise TypeError(f"a {type(predict).__name__} object is not callable{hint}")
    classes = classes_of(predict)
    try:
        import pandas
    except ImportError:
        pandas = None
except BaseException as error:
    problem = failed(error)

for line in requests:
    if problem is None:
        try:
            answer = json.dumps(plain(predict(table(json.loads(line)))), default=float)
        except Exception as error:
            answer = json.dumps(failed(error))
    else:
        answer = json.dumps(problem)
    answers.write(answer + "\n")
    answers.flush()
)python";

}  // namespace sightglass
