"""Words that users bring from scikit-learn, shap, lime and DALEX.

A word that means the same as one of ours is taken for it; of any other it is said what there is here instead. The
registry has further names of options (`grid_resolution`, `n_repeats`), which the command line knows as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from . import _core
from ._errors import UsageError

Given = ParamSpec("Given")
Back = TypeVar("Back")

#: The same under another name, wherever there is such an argument; the command line knows all but the last two.
SAME = {**_core.same_words(), "target": "y", "data": "X"}

#: What says nothing new: it is so anyway.
AS_ALWAYS = {"kind": ("average",), "n_jobs": (-1, None)}

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
    "desired_range": "at_least= and at_most= are its ends",
    "feature_names": "columns of X have names; Explainer(…, feature_names=) are those of a NumPy array",
    "predict_function": "give the function itself as the model",
    "link": "scale='margin' explains before the link function",
    "feature_perturbation": "background= says what absent features are taken from",
}


#: What others call the methods of an explainer.
METHODS_INSTEAD = {
    "shap_values": "shap(X_new) has them, as its .values and .base_values",
    "expected_value": "shap() has it, as its .base_values",
    "explain": "shap(X_new) and lime(X_new) explain rows, report() the model",
    "explain_row_by_row": "shap(X_new) and lime(X_new) explain rows",
    "explain_global": "report() tells everything, permutation_importance() what matters",
    "explain_local": "explain_row(rows=[…]) tells everything of a row, shap(rows=[…]) what each feature adds",
    "explain_instance": "lime(rows=[…]) or lime(X_new) explains rows so",
    "explain_anchor": "anchors(rows=[…]) finds them",
    "model_parts": "permutation_importance() says how much each feature matters",
    "model_performance": "performance() says how well the model predicts",
    "model_profile": "partial_dependence() and ale() are profiles",
    "model_diagnostics": "residuals() shows them",
    "model_surrogate": "surrogate() fits one",
    "predict_parts": "shap(rows=[…]) or shap(X_new) says what each feature adds to a prediction",
    "predict_profile": "ice(rows=[…]) and what_if(rows=[…]) change a row's features",
    "predict_surrogate": "lime(rows=[…]) fits one around a row",
    "predict_proba": "predict() has probabilities; scale='margin' has what is before the link",
    "generate_counterfactuals": "counterfactuals(rows=[…]) finds them",
    "feature_importances_": "permutation_importance() and shap() say how much each feature matters",
    "feature_importance": "permutation_importance() says how much each feature matters",
    "permutation_importances": "permutation_importance() says how much each feature matters",
    "importance": "permutation_importance() says how much each feature matters",
    "variable_importance": "permutation_importance() says how much each feature matters",
    "h_statistic": "interactions() has H² for pairs",
    "summary_plot": "shap().plot() draws it",
    "dependence_plot": "shap().plot() draws values along a feature, partial_dependence(feature) its effect",
    "force_plot": "shap(rows=[…]).plot() draws what adds up to a prediction",
    "waterfall_plot": "shap(rows=[…]).plot() draws it",
    "decision_plot": "shap().plot() draws values of rows",
    "plot": "its methods' results draw themselves: partial_dependence('feature').plot(), report('report.html')",
    "show": "its methods' results show themselves: partial_dependence('feature').show(), report('report.html')",
    "save": "its methods' results are saved: shap().save('shap.json'), report('report.html')",
    "fit": "give the fitted model to Explainer(model, X)",
}

#: And those of a result.
RESULTS_INSTEAD = {
    **dict.fromkeys(
        ("beeswarm", "waterfall", "bar", "force", "scatter", "violin", "heatmap", "decision"),
        "plot() draws it; to_shap() is an Explanation for shap.plots",
    ),
    **dict.fromkeys(
        ("show_in_notebook", "as_pyplot_figure", "as_list"),
        "show() shows it, to_matplotlib() draws it there, to_frame() has the numbers",
    ),
    **dict.fromkeys(("to_pandas", "to_dataframe", "to_df", "as_frame", "result"), "to_frame() has the numbers"),
    **dict.fromkeys(
        ("to_html", "to_png", "to_svg", "savefig", "to_file"), "save('name.html') writes it, also .svg, .png"
    ),
    **dict.fromkeys(("visualize_as_dataframe", "visualize"), "show() shows it, to_frame() has the numbers"),
    "to_csv": "save('name.csv') writes it",
    "to_dict": "results, model, data and options have everything as dicts; to_json() is text",
    "importances_mean": "result['importances_mean'] has it",
    "importances_std": "result['importances_std'] has it",
    "importances": "result['importances'] has it",
    "average": "result['average'] has it",
    "grid_values": "result['grid_values'] has it",
}


def no_such_attribute(owner: Any, name: str, instead: Mapping[str, str]) -> AttributeError:
    """What Python would say, and what there is here instead."""
    hint = f"; {instead[name]}" if name in instead else ""
    return AttributeError(f"'{type(owner).__name__}' object has no attribute '{name}'{hint}", name=name, obj=owner)


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
        owner, _, name = method.__qualname__.rpartition(".")
        said = in_own_words(owner if name == "__init__" else name, known, options, len(given) - 1)
        return method(*given, **said)

    return call


def in_own_words(method: str, known: list[str], options: dict[str, Any], by_place: int) -> dict[str, Any]:
    said = {name: value for name, value in options.items() if name in known}
    for name, value in options.items():
        if name in known:
            continue
        own = SAME.get(name)
        if name in AS_ALWAYS and not callable(value) and value in AS_ALWAYS[name]:
            continue
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
