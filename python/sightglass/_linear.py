"""scikit-learn's linear models: their weights, and the link from what they add up to what they predict."""

from __future__ import annotations

from typing import Any

from ._live import NotReadable, base_of, refuse_overrides

#: Whose predict is X @ coef_ + intercept_.
PLAIN = (
    "LinearRegression Ridge RidgeCV Lasso LassoCV LassoLars LassoLarsCV LassoLarsIC ElasticNet ElasticNetCV Lars LarsCV "
    "OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV BayesianRidge ARDRegression HuberRegressor QuantileRegressor "
    "TheilSenRegressor SGDRegressor LinearSVR PassiveAggressiveRegressor"
).split()
GENERALIZED = ("PoissonRegressor", "GammaRegressor", "TweedieRegressor")
CLASSIFIERS = ("LogisticRegression", "LogisticRegressionCV", "SGDClassifier")
ESTIMATORS = (*PLAIN, *GENERALIZED, *CLASSIFIERS)
METHODS = ("predict", "predict_proba", "decision_function", "_decision_function", "_linear_predictor")


def linear_name(model: Any) -> str:
    """The linear model of scikit-learn that a model is or extends; else empty."""
    base = base_of(model, "sklearn", ESTIMATORS)
    return "" if base is None else base.__name__


class LinearParts:
    """A linear model as matrices: ``weights`` has a row per output."""

    def __init__(self, model: Any, classes: list[str]) -> None:
        import numpy as np

        base = base_of(model, "sklearn", ESTIMATORS)
        if base is None:
            raise NotReadable(f"{type(model).__name__} is no linear model")
        refuse_overrides(model, base, METHODS)
        if hasattr(model.coef_, "toarray"):
            raise NotReadable("its weights are sparse")
        self.weights = np.atleast_2d(np.asarray(model.coef_, np.float64))
        outputs = len(self.weights)
        self.intercept = np.broadcast_to(np.asarray(model.intercept_, np.float64).ravel(), (outputs,)).copy()
        self.other_class = ""
        self.link, self.task, self.objective = "identity", "regression", base.__name__
        if base.__name__ in CLASSIFIERS:
            self._classify(model, base.__name__, classes or [str(label) for label in model.classes_])
            return
        if base.__name__ in GENERALIZED:
            self.link = _generalized_link(model)
        self.outputs = ["prediction"] if outputs == 1 else [f"output{k}" for k in range(outputs)]

    def _classify(self, model: Any, name: str, classes: list[str]) -> None:
        if name == "SGDClassifier" and model.loss not in ("log_loss", "log"):
            raise NotReadable(f"its probabilities do not follow from its sums alone (loss {model.loss})")
        if len(set(classes)) < len(classes):
            raise NotReadable("two of its classes are called the same")
        if len(classes) == 2 and len(self.weights) == 1:
            self.link, self.task = "logistic", "binary"
            self.outputs, self.other_class = classes[1:], classes[0]
            if getattr(model, "multi_class", None) == "multinomial":
                raise NotReadable("it is multinomial with two classes")
            return
        apart = getattr(model, "multi_class", "auto") == "ovr" or getattr(model, "solver", "") == "liblinear"
        if name == "SGDClassifier" or apart or len(classes) != len(self.weights):
            raise NotReadable("it has one model for each class, whose probabilities are made to add up to 1")
        self.link, self.task, self.outputs = "softmax", "multiclass", classes


def _generalized_link(model: Any) -> str:
    link = getattr(model, "link", "auto")
    if link == "auto":
        power = {"PoissonRegressor": 1, "GammaRegressor": 2}.get(type(model).__name__, getattr(model, "power", 1))
        return "identity" if power <= 0 else "exponential"
    return {"log": "exponential", "identity": "identity"}[link]
