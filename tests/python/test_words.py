"""Words that users bring from other libraries."""

import inspect
import re

import numpy as np
import pytest
from sightglass._words import INSTEAD, SAME

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
        (lambda ex: sg.Explainer(None, np.zeros((3, 2)), feature_names=["a", "b"]), "columns of X have names"),
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
