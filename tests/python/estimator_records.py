"""Look-alikes of fitted scikit-learn estimators, made from what tests/formats/make_sklearn.py recorded.

They have the attributes that were recorded, classes called as scikit-learn's, and nothing else: whoever asks one of
them to predict gets an error. So the reader is tested with versions that are not installed.
"""

import json
from types import SimpleNamespace

import numpy as np

FIELDS = {"children_left": "left_child", "children_right": "right_child"}


def load_estimator(path):
    with np.load(path, allow_pickle=False) as arrays:
        return Maker(arrays).value(json.loads(str(arrays["record"])))


def refuse(*_):
    raise AssertionError("a look-alike was asked to predict")


class Maker:
    def __init__(self, arrays):
        self.arrays = arrays

    def value(self, recorded):
        if not isinstance(recorded, dict):
            return recorded
        if "class" in recorded:
            return self.instance(recorded)
        if "array" in recorded:
            return self.arrays[recorded["array"]]
        if "nan" in recorded:
            return float("nan")
        if "dict" in recorded:
            return {key: self.value(item) for key, item in recorded["dict"].items()}
        items = [self.value(item) for item in recorded["list"]]
        if recorded.get("array_of_objects"):
            if isinstance(items[0], np.ndarray):
                return np.stack(items)
            array = np.empty(len(items), object)
            array[:] = items
            return array
        plain = all(item is None or isinstance(item, (str, float)) for item in items)
        return np.array(items, object) if plain else items

    def instance(self, recorded):
        module, name = recorded["class"].rsplit(".", 1)
        methods = {"__module__": module, **self.answers(recorded.get("answers", {}))}
        if name.endswith(("Classifier", "Regressor", "Forest")):
            methods["score_samples" if name == "IsolationForest" else "predict"] = refuse
            if name.endswith("Classifier"):
                methods["predict_proba"] = refuse
        made = type(name, (), methods)()
        for key, item in recorded["attributes"].items():
            setattr(made, key, self.value(item))
        if name == "Tree":
            for field in made.nodes.dtype.names:
                setattr(made, {new: old for old, new in FIELDS.items()}.get(field, field), made.nodes[field])
        return made

    def answers(self, recorded):
        methods = {}
        if "_support_missing_values" in recorded:
            methods["_support_missing_values"] = lambda self, X, yes=recorded["_support_missing_values"]: yes
        if "allow_nan" in recorded:
            tags = SimpleNamespace(input_tags=SimpleNamespace(allow_nan=recorded["allow_nan"]))
            methods["__sklearn_tags__"] = lambda self: tags
        if "_raw_predict_init" in recorded:
            start = self.value(recorded["_raw_predict_init"])
            methods["_raw_predict_init"] = lambda self, X: start
        return methods
