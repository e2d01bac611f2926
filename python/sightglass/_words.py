"""Words that users bring from scikit-learn, shap, lime and DALEX.

A word that means the same as one of ours is taken for it; of any other it is said what there is here instead. The
registry has further names of options (`grid_resolution`, `n_repeats`), which the command line knows as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from ._errors import UsageError

Given = ParamSpec("Given")
Back = TypeVar("Back")

#: The same under another name, wherever there is such an argument.
SAME = {
    "metric": "losses",
    "metrics": "losses",
    "loss": "losses",
    "feature": "features",
    "class_names": "classes",
    "output_names": "classes",
    "target_class": "output",
    "row": "rows",
    "target": "y",
}

#: What others call something that is said in another way here.
INSTEAD = {
    "kind": "ice() has the curves of single rows, partial_dependence() their average",
    "method": "engine='trees' or engine='blackbox' says how it is computed",
    "n_jobs": "Explainer(…, n_jobs=) sets it for all methods",
    "threads": "Explainer(…, threads=) sets it for all methods",
    "sample_weight": "Explainer(…, sample_weight=) sets it for all methods",
    "weights": "Explainer(…, weights=) sets it for all methods",
    "classes": "Explainer(…, classes=) names them; output= chooses one",
    "labels": "output= chooses a class, Explainer(…, classes=) names them",
    "target": "output= chooses a class; Explainer(…, y=) has the true outcomes",
    "ax": "the result's to_matplotlib(ax=…) draws it",
    "percentiles": "grid_rule='sklearn' lays the grid between the 5th and 95th percentile",
    "max_samples": "sample= is how many rows, drawn at random",
    "subsample": "explain= is how many rows, rows= which",
    "nsamples": "predictions= is how many predictions it may take",
    "nperm": "permutations= is how many",
    "max_evals": "predictions= is how many predictions it may take",
    "check_additivity": "values always add up to the prediction",
    "background_data": "Explainer(model, X) has it",
    "data": "Explainer(model, X) has the data",
    "X": "Explainer(model, X) has the data",
    "feature_names": "columns of X have names; a NumPy array's are x0, x1, …",
    "predict_function": "give the function itself as the model",
    "link": "scale='margin' explains before the link function",
    "feature_perturbation": "background= says what absent features are taken from",
}


class UnknownWordError(UsageError, TypeError):
    """An argument that a method does not have."""


def own_words(method: Callable[Given, Back]) -> Callable[Given, Back]:
    """The method, with other libraries' words for its arguments."""
    code = method.__code__
    known = list(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount])

    @functools.wraps(method)
    def call(*given: Given.args, **options: Given.kwargs) -> Back:
        if all(name in known for name in options):
            return method(*given, **options)
        said = in_own_words(method.__qualname__.rpartition(".")[2], known, options, len(given) - 1)
        return method(*given, **said)

    return call


def in_own_words(method: str, known: list[str], options: dict[str, Any], by_place: int) -> dict[str, Any]:
    said = {name: value for name, value in options.items() if name in known}
    for name, value in options.items():
        if name in known:
            continue
        own = SAME.get(name)
        if own is None or own not in known:
            raise UnknownWordError(f"{method} has no argument {name}", advice(name, known))
        if own in said or own in known[:by_place]:
            raise UnknownWordError(f"{method}: {name} and {own} mean the same", "give one of them")
        said[own] = value
    return said


def advice(name: str, known: list[str]) -> str:
    import difflib

    if name in INSTEAD:
        return INSTEAD[name]
    begins = [word for word in known if word.startswith(name) or name.startswith(word)]
    near = begins or difflib.get_close_matches(name, known, 1, 0.6)
    return f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}"
