"""What people who come from scikit-learn look for in a fitted model: coefficients, importances of features."""

from __future__ import annotations

import json
from typing import Any


class Coefficients:
    """Of models that are sums of terms."""

    @property
    def coef_(self) -> Any:
        """Coefficients, in the units of the features; (columns,) of numbers, (classes or 1, columns) of classes.

        Columns are features, in the order of `feature_names_in_`. A categorical feature has one for each of its levels
        in its place, and a number with a term for missing values one more: `term_names_` has their names.
        """
        matrix = self._coefficients()[1]
        return matrix[0] if self._task == "regression" else matrix

    @property
    def intercept_(self) -> Any:
        """A number of numbers, else an array, one for each class, or one for two classes."""
        import numpy as np

        intercept = np.asarray(self._structure()["intercept"], float)
        return float(intercept[0]) if self._task == "regression" else intercept

    @property
    def term_names_(self) -> Any:
        """Names of the columns of `coef_`: "temp", "season = spring", "temp is missing"."""
        import numpy as np

        return np.asarray(self._coefficients()[0], dtype=object)

    def _model_file(self) -> dict[str, Any]:
        return json.loads(fitted_of(self).file)

    def _structure(self) -> dict[str, Any]:
        return self._model_file()["structure"]

    def _coefficients(self) -> tuple[list[str], Any]:
        import numpy as np

        model = self._model_file()
        known = {feature["name"]: place for place, feature in enumerate(model["features"])}
        weights = {}
        for term in model["structure"]["terms"]:
            where = term.get("conditions", [])
            key = (where[0]["feature"], *where[0].get("levels", ["missing"])) if where else (term["feature"],)
            weights[key] = term["weights"]
        names, columns = [], []

        def add(name: str, key: tuple) -> None:
            names.append(name)
            columns.append(weights.get(key, [0.0] * len(model["structure"]["intercept"])))

        for name in self._columns:
            place = known.get(name, -1)  # one without any value is not in the file
            levels = model["features"][place].get("levels") if place >= 0 else None
            if levels is None:
                add(name, (place,))
            else:
                for code, level in enumerate(levels):
                    add(f"{name} = {level}", (place, code))
            if (place, "missing") in weights:
                add(f"{name} is missing", (place, "missing"))
        return names, np.asarray(columns, float).T


class Importances:
    """Of models that say how much each feature matters."""

    @property
    def feature_importances_(self) -> Any:
        """One for each feature, in the order of `feature_names_in_`; their sum is 1, or 0 where none matters."""
        import numpy as np

        found = dict.fromkeys(self._columns, 0.0)
        for features, importance in self._importances():
            for feature in features:
                found[feature] += importance / len(features)
        values = np.asarray(list(found.values()))
        return values / values.sum() if values.sum() > 0 else values

    def _importances(self) -> list[tuple[list[str], float]]:
        raise NotImplementedError


class TermImportances(Importances):
    """Of rules and shapes: as `explain()` has them, of all outputs; pairs count for both in equal parts."""

    def _importances(self) -> list[tuple[list[str], float]]:
        items = fitted_of(self).result.results
        return [(item["features"], item["importance"]) for item in items if item["type"] == "importance"]


class SplitImportances(Importances):
    """Of a tree: by how much its splits on a feature lower the impurity, as in scikit-learn."""

    def _importances(self) -> list[tuple[list[str], float]]:
        gains = []
        for item in fitted_of(self).result.results:
            nodes = item["nodes"] if item["type"] == "tree" else []
            sizes = [node["count"] * (node.get("impurity") or 0) for node in nodes]
            for node, size in zip(nodes, sizes, strict=True):
                if node.get("split"):
                    gain = size - sum(sizes[child] for child in node["children"])
                    gains.append(([node["split"]["feature"]], max(0.0, gain)))
        return gains


def fitted_of(estimator: Any) -> Any:
    """What it found; before that it has no such attributes."""
    if "_fitted" not in estimator.__dict__:
        raise AttributeError(f"this {type(estimator).__name__} is not fitted yet: call its fit first")
    return estimator._fitted
