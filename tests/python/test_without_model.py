"""An explainer without a model: for methods that look at the data alone; the others say what they lack."""

import pytest

import sightglass as sg

np = pytest.importorskip("numpy")


@pytest.fixture
def explainer():
    X = np.random.default_rng(0).uniform(size=(40, 3))
    return sg.Explainer(None, X, y=X[:, 0])


def test_features_are_the_columns_of_the_data(explainer):
    assert explainer.features == ["x0", "x1", "x2"]
    assert repr(explainer) == "<sightglass.Explainer: no model, 40 rows, 3 features>"
    assert explainer.engine == "" and explainer.native


@pytest.mark.parametrize("method", ["ale", "permutation_importance", "compare", "report", "inspect", "predict"])
def test_what_explains_a_model_says_that_it_needs_one(explainer, method):
    with pytest.raises(sg.UsageError, match="model, and there is none.*give one"):
        getattr(explainer, method)()


@pytest.mark.parametrize("about_model", [{"classes": ["a", "b"]}, {"rounds": 3}, {"native": False}])
def test_what_is_about_a_model_is_refused(about_model):
    with pytest.raises(sg.UsageError, match="about a model, and there is none"):
        sg.Explainer(None, np.zeros((3, 2)), **about_model)


def test_the_catalogue_says_what_methods_take():
    import json

    inputs = {entry["name"]: entry["inputs"] for entry in json.loads(sg._core.catalogue())["methods"]}
    assert inputs["partial-dependence"] == {"model": "required", "target": "optional"}
    assert inputs["performance"] == {"model": "required", "target": "required"}
