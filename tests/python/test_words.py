"""Words that users bring from other libraries."""

import inspect
import re

import numpy as np
import pytest
from sightglass._words import INSTEAD, METHODS_INSTEAD, RESULTS_INSTEAD, SAME

import sightglass as sg


@pytest.fixture(scope="module")
def explainer():
    X = np.random.default_rng(4).normal(size=(200, 3))
    return sg.Explainer(lambda data: data[:, 0] + data[:, 1] ** 2, X, X[:, 0] + X[:, 1] ** 2)


def same(one, other):
    assert one.results == other.results


def test_scoring_names_losses(explainer):
    for scoring, own in [
        ("mae", "absolute"),
        ("neg_mean_absolute_error", "absolute"),
        ("neg_root_mean_squared_error", "rmse"),
        (["r2", "mse"], ["r2", "squared"]),
    ]:
        same(
            explainer.permutation_importance(scoring=scoring, n_repeats=2, random_state=3),
            explainer.permutation_importance(losses=own, repeats=2, seed=3),
        )
    with pytest.raises(sg.UsageError, match="cannot be of type function"):
        explainer.permutation_importance(scoring=lambda model, X, y: 0)
    with pytest.raises(sg.UsageError, match="there is no loss max_error"):
        explainer.permutation_importance(scoring="max_error")


def test_classes_and_their_losses():
    X = np.random.default_rng(4).normal(size=(200, 2))
    ex = sg.Explainer(lambda data: 1 / (1 + np.exp(-data[:, 0])), X, target=X[:, 0] > 0, class_names=["no", "yes"])
    same(ex.performance(scoring=["roc_auc", "neg_log_loss"]), ex.performance(losses=["auc", "log-loss"]))


def test_words_with_another_name(explainer):
    same(explainer.partial_dependence(feature="x0"), explainer.pdp("x0"))
    same(explainer.shap(row=[3]), explainer.shap(rows=[3]))
    with pytest.raises(sg.UsageError, match="feature and features mean the same"):
        explainer.ice("x0", feature="x1")
    with pytest.raises(sg.UsageError, match="losses is given twice"):
        explainer.permutation_importance(losses="rmse", scoring="mae")


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda ex: ex.partial_dependence("x0", kind="individual"), r"ice\(\)"),
        (lambda ex: ex.permutation_importance(n_jobs=2), r"Explainer\(…, n_jobs=\)"),
        (lambda ex: ex.shap(nsamples=100), "predictions="),
        (lambda ex: ex.shap(check_additivity=False), "always add up"),
        (lambda ex: ex.ice("x0", ax=None), "to_matplotlib"),
        (lambda ex: ex.ice("x0", gird=3), r"did you mean grid\?"),
        (lambda ex: ex.ice("x0", centered=True), r"did you mean center\?"),
        (lambda ex: ex.report(budge="3s"), r"did you mean budget\?"),
        (lambda ex: ex.ice("x0", zzzzzz=3), "it has features, .*grid"),
        (lambda ex: sg.Explainer(None, np.zeros((3, 2)), thread=1), "Explainer has no argument thread"),
        (lambda ex: ex(np.zeros((1, 3))), r"shap\(X_new\)"),
        (lambda ex: sg.Explainer(None, np.zeros((3, 2)), thread=1), r"did you mean threads\?"),
    ],
)
def test_what_there_is_instead_is_said(explainer, call, hint):
    with pytest.raises(sg.UsageError, match=hint) as caught:
        call(explainer)
    assert isinstance(caught.value, TypeError)  # as Python itself would say it


def test_signatures_stay(explainer):
    for name in explainer.methods:
        signature = inspect.signature(getattr(explainer, name))
        assert "out" in signature.parameters
        assert getattr(explainer, name).__doc__
        # No method has both words for the same.
        for word in set(SAME) & set(signature.parameters):
            assert SAME[word] not in signature.parameters, (name, word)
    known = set(inspect.signature(sg.Explainer).parameters)
    for hint in INSTEAD.values():
        for word in re.findall(r"Explainer\(…, (\w+)=\)", hint):
            assert word in known


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("shap_values", "shap(X_new)"),
        ("model_parts", "permutation_importance()"),
        ("model_performance", "performance()"),
        ("model_profile", "partial_dependence()"),
        ("predict_parts", "shap(rows"),
        ("explain_instance", "lime("),
        ("summary_plot", "plot()"),
        ("h_statistic", "interactions()"),
        ("plot", "report("),
    ],
)
def test_methods_of_others_are_named_in_our_words(explainer, name, hint):
    with pytest.raises(AttributeError) as caught:
        getattr(explainer, name)
    assert f"'Explainer' object has no attribute '{name}'; " in str(caught.value) and hint in str(caught.value)
    assert not hasattr(explainer, name)


def test_hints_name_what_there_is(explainer):
    result = explainer.partial_dependence("x0")
    for instead, owner in ((METHODS_INSTEAD, explainer), (RESULTS_INSTEAD, result)):
        for name, hint in instead.items():
            assert not hasattr(owner, name), name
            for called in re.findall(r"(?<![.\w])(\w+)\(", hint):
                assert hasattr(explainer, called) or hasattr(result, called) or called == "Explainer", hint
    with pytest.raises(AttributeError, match=r"beeswarm'; plot\(\) draws it"):
        result.beeswarm()


def test_words_that_say_what_is_so_anyway(explainer):
    same(explainer.partial_dependence("x0", kind="average"), explainer.partial_dependence("x0"))
    same(explainer.permutation_importance(n_jobs=-1), explainer.permutation_importance())
    with pytest.raises(sg.UsageError, match=r"ice\(\)"):
        explainer.partial_dependence("x0", kind="both")


def test_columns_of_an_array_can_be_named():
    X = np.random.default_rng(4).normal(size=(200, 2))
    ex = sg.Explainer(lambda data: data[:, 0] - data[:, 1], X, feature_names=["left", "right"])
    assert ex.features == ["left", "right"]
    assert [curve["feature"] for curve in ex.partial_dependence(["right"]).results] == ["right"]
    assert ex.predict(X[:3]).tolist() == (X[:3, 0] - X[:3, 1]).tolist()
    assert len(ex.shap(X[:2]).values) == 2
    import pandas as pd

    with pytest.raises(sg.UsageError, match="others than those of X"):
        sg.Explainer(lambda data: data, pd.DataFrame(X, columns=["a", "b"]), feature_names=["b", "a"])


def three_classes():
    from sklearn.ensemble import RandomForestClassifier

    X = np.random.default_rng(4).normal(size=(200, 3))
    y = np.array(["ash", "elm", "oak"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0)]
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    return sg.Explainer(model, X, y)


def test_a_class_can_be_named_by_its_place():
    ex = three_classes()
    same(ex.partial_dependence("x0", output=1), ex.partial_dependence("x0", output="elm"))
    with pytest.raises(sg.UsageError, match="no output 3"):
        ex.partial_dependence("x0", output=3)
    same(ex.counterfactuals(rows=[0], desired_class="oak"), ex.counterfactuals(rows=[0], want="oak"))


def test_scores_of_several_classes():
    ex = three_classes()
    same(ex.performance(scoring="f1_macro"), ex.performance(losses="f1"))
