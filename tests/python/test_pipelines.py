"""Pipelines of scikit-learn: what is folded into trees, or read as terms, equals what the pipeline itself says."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    ElasticNet,
    GammaRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    SGDClassifier,
    SGDRegressor,
    TweedieRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor
from xgboost import XGBClassifier, XGBRegressor

import sightglass as sg
from sightglass import _core

pytestmark = pytest.mark.filterwarnings("ignore")

SEASONS = ["fall", "rare", "spring", "summer", "winter"]


def training(rows=1200, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "temp": rng.normal(15, 8, rows),
            "hum": rng.integers(0, 100, rows),
            "wind": np.abs(rng.normal(0, 10, rows)),
            "season": rng.choice(SEASONS, rows, p=[0.3, 0.02, 0.28, 0.2, 0.2]),
            "month": rng.integers(1, 13, rows),
            "working": rng.random(rows) < 0.7,
            "note": rng.choice(["a", "b"], rows),
        }
    )
    X.loc[rng.random(rows) < 0.05, "wind"] = np.nan
    y = X.temp * 2 + X.hum / 10 + (X.season == "summer") * 10 + np.sin(X.month) * 5 + X.wind.fillna(0) * 0.3
    return X, y + rng.normal(0, 1, rows)


def scaled_and_encoded(**encoder):
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["temp", "hum", "wind"]),
            ("levels", OneHotEncoder(handle_unknown="ignore", **encoder), ["season", "month"]),
            ("rest", "passthrough", ["working"]),
        ]
    )


def binned_and_numbered():
    return ColumnTransformer(
        [
            ("bins", KBinsDiscretizer(5), ["temp", "hum"]),
            (
                "numbered",
                OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2),
                ["season"],
            ),
            ("target", TargetEncoder(random_state=0), ["month"]),
            ("filled", SimpleImputer(add_indicator=True), ["wind"]),
            ("gone", "drop", ["note"]),
        ]
    )


def bent():
    levels = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="none"),
        OneHotEncoder(min_frequency=60, handle_unknown="infrequent_if_exist", drop="first", sparse_output=False),
    )
    return ColumnTransformer(
        [
            ("power", PowerTransformer(), ["temp"]),
            ("log", FunctionTransformer(np.log1p), ["wind"]),
            ("unit", MinMaxScaler(clip=True), ["hum"]),
            ("levels", levels, ["season"]),
        ],
        remainder="drop",
    ).set_output(transform="pandas")


def united():
    numbers = FeatureUnion(
        [
            ("robust", RobustScaler()),
            ("high", Binarizer(threshold=15)),
            ("spread", QuantileTransformer(n_quantiles=50)),
            ("nested", make_pipeline(MaxAbsScaler(), FunctionTransformer(np.square))),
        ]
    )
    return make_column_transformer(
        (numbers, ["temp", "hum"]),
        (OneHotEncoder(drop="if_binary", handle_unknown="ignore"), ["season", "note"]),
        sparse_threshold=1.0,
    )


TREES = {
    "forest": make_pipeline(scaled_and_encoded(), RandomForestRegressor(8, random_state=0)),
    "xgboost": make_pipeline(scaled_and_encoded(), XGBRegressor(n_estimators=20)),
    "xgboost sparse": make_pipeline(united(), XGBRegressor(n_estimators=20)),
    "lightgbm": make_pipeline(binned_and_numbered(), LGBMRegressor(n_estimators=20, verbose=-1)),
    "lightgbm sparse": make_pipeline(united(), LGBMRegressor(n_estimators=20, verbose=-1)),
    "histogram": make_pipeline(bent(), HistGradientBoostingRegressor(max_iter=20)),
    "boosting": make_pipeline(binned_and_numbered(), GradientBoostingRegressor(n_estimators=10)),
    "few columns": make_pipeline(united(), SelectKBest(f_regression, k=8), DecisionTreeRegressor(max_depth=7)),
    "search": GridSearchCV(
        make_pipeline(scaled_and_encoded(), DecisionTreeRegressor()), {"decisiontreeregressor__max_depth": [3, 6]}, cv=2
    ),
}
CLASSIFIERS = {
    "forest of classes": make_pipeline(scaled_and_encoded(), RandomForestClassifier(8, random_state=0)),
    "xgboost of classes": make_pipeline(united(), XGBClassifier(n_estimators=8)),
    "lightgbm of classes": make_pipeline(scaled_and_encoded(), LGBMClassifier(n_estimators=8, verbose=-1)),
    "logistic": make_pipeline(scaled_and_encoded(), LogisticRegression(max_iter=200)),
}
LINEAR = {
    "least squares": make_pipeline(scaled_and_encoded(), LinearRegression()),
    "ridge": make_pipeline(scaled_and_encoded(drop="first"), Ridge()),
    "lasso": make_pipeline(scaled_and_encoded(), Lasso(0.1)),
    "elastic net": make_pipeline(scaled_and_encoded(), ElasticNet(0.1)),
    "gradient descent": make_pipeline(scaled_and_encoded(), SGDRegressor(random_state=0)),
}


def hard_rows(ex, rows=10_000, seed=1):
    """Rows of the data with values where trees change their mind and beside, missing values, and levels never seen."""
    rng = np.random.default_rng(seed)
    X, _ = training(rows, seed)
    X["hum"] = X.hum.astype(float)
    for name in ("temp", "hum", "wind"):
        borders = _core.breakpoints(ex._model, ex._model.features.index(name)) if name in ex._model.features else []
        values = [v for b in borders for v in (b, np.nextafter(b, -np.inf), np.nextafter(b, np.inf))]
        values = [v for v in values if np.isfinite(v)] + [0.0, -0.0, 1e-300, -0.5, 1e6]
        chosen = rng.random(rows) < 0.5
        X.loc[chosen, name] = rng.choice(values, chosen.sum())
    return X


def with_gaps(X, names, seed=2):
    rng = np.random.default_rng(seed)
    X = X.copy()
    for name in names:
        X.loc[rng.random(len(X)) < 0.1, name] = np.nan
    return X


#: Columns in which each pipeline takes missing values and levels never seen.
TAKES = {
    "binned_and_numbered": (["wind", "season"], ["season"]),
    "bent": (["temp", "hum", "season"], ["season"]),
    "united": (["season"], ["season", "note"]),
    "scaled_and_encoded": (["temp", "hum", "wind", "season"], ["season"]),
}
STEPS = {"lightgbm": "binned_and_numbered", "boosting": "binned_and_numbered", "histogram": "bent"} | dict.fromkeys(
    ("xgboost sparse", "lightgbm sparse", "few columns", "xgboost of classes"), "united"
)


@pytest.mark.parametrize("name", [*TREES, *CLASSIFIERS, *LINEAR])
def test_predicts_as_the_pipeline_on_hard_rows(name):
    X, y = training()
    if name in CLASSIFIERS:
        model = CLASSIFIERS[name].fit(X, np.digitize(y, [30, 45]) if "xgb" in name else (y > 40).astype(int))
        ask = model.predict_proba
    else:
        model = {**TREES, **LINEAR}[name].fit(X, y)
        ask = model.predict
    ex = sg.Explainer(model, X)
    assert ex.native, ex.notes
    assert (ex.engine == "trees") == (name in TREES or (name in CLASSIFIERS and name != "logistic"))
    hard = hard_rows(ex)
    gaps, unseen = TAKES[STEPS.get(name, "scaled_and_encoded")]
    for column in unseen:
        hard.loc[np.random.default_rng(3).random(len(hard)) < 0.1, column] = "never seen"
    hard = with_gaps(hard, gaps)
    expected = ask(hard)
    expected = expected[:, 1] if expected.ndim == 2 and expected.shape[1] == 2 else expected
    # Not by `ex.predict(hard)`, which would look at the pipeline's own predictions for these rows first.
    table = sg._containers.read_container(hard, None).table
    table = ex._model.with_categories(table, "")
    names, found = _core.predict(ex._model, table, "", "response", "framework", 4096, 2)
    assert np.abs(found.squeeze() - expected).max() <= 1e-6 * max(1, np.abs(expected).max())


@pytest.mark.parametrize(
    "loss", [PoissonRegressor(), GammaRegressor(), TweedieRegressor(power=1.5), TweedieRegressor()]
)
def test_generalized_linear_models_have_their_links(loss):
    X, y = training()
    positive = np.exp(y / 40)
    model = make_pipeline(scaled_and_encoded(), loss).fit(X, positive)
    ex = sg.Explainer(model, X, positive)
    assert ex.native
    np.testing.assert_allclose(ex.predict(), model.predict(X), rtol=1e-9)
    linear = ex.predict(scale="margin")
    np.testing.assert_allclose(
        linear if type(loss) is TweedieRegressor and loss.power == 0 else np.exp(linear), model.predict(X), rtol=1e-9
    )


def test_linear_models_alone_are_read(rng):
    X = rng.normal(size=(500, 3))
    y = X @ [1.0, -2.0, 0.5] + 3
    model = LinearRegression().fit(X, y)
    ex = sg.Explainer(model, X, y)
    assert ex.native
    assert ex.notes == []
    assert ex.inspect()["model"]["detail"]["estimator"] == "LinearRegression"
    frame = ex.intrinsic(rows=[0]).to_frame()
    assert len(frame) > 0
    np.testing.assert_allclose(ex.predict(), model.predict(X), rtol=1e-12)
    for classifier in (LogisticRegression(), SGDClassifier(loss="log_loss", random_state=0)):
        classifier.fit(X, (y > 3).astype(int))
        ex = sg.Explainer(classifier, X)
        assert ex.native
        np.testing.assert_allclose(ex.predict(), classifier.predict_proba(X)[:, 1], rtol=1e-9, atol=1e-12)
    several = LogisticRegression().fit(X, np.digitize(y, [2, 4]))
    ex = sg.Explainer(several, X)
    assert ex.native
    np.testing.assert_allclose(ex.predict(), several.predict_proba(X), rtol=1e-9, atol=1e-12)
    apart = SGDClassifier(loss="log_loss", random_state=0).fit(X, np.digitize(y, [2, 4]))
    ex = sg.Explainer(apart, X)
    assert not ex.native
    assert "one model for each class" in ex.notes[0]
    with pytest.raises(sg.Error, match="NaN"):
        sg.Explainer(model, X).predict(np.full((1, 3), np.nan))


#: Methods and small options, of which both ways must say the same.
METHODS = {
    "partial_dependence": {"features": ["temp", "season"]},
    "ice": {"features": ["hum", "season"]},
    "ale": {"features": ["temp", "season"]},
    "m_plot": {"features": ["temp"]},
    "regional_effects": {"features": ["temp"]},
    "interactions": {"features": ["temp", "season", "hum"]},
    "decomposition": {},
    "permutation_importance": {},
    "model_reliance": {},
    "pd_importance": {"features": ["temp", "season"]},
    "shap": {"rows": [0, 5]},
    "lime": {"rows": [3]},
    "anchors": {"rows": [3], "exact_rows": 0},
    "what_if": {"rows": [0], "features": ["temp", "season"]},
    "counterfactuals": {"rows": [2], "at_least": 60.0},
    "prototypes": {},
    "surrogate": {"kind": "tree"},
    "performance": {},
    "residuals": {},
}


#: Whose answers from trees are exact where those of a model that is asked are drawn.
DRAWN = ("model_reliance", "shap", "lime", "anchors", "counterfactuals", "prototypes", "surrogate")


@pytest.mark.parametrize("method", METHODS)
def test_methods_say_the_same_of_folded_and_asked_pipelines(method):
    X, y = training(400)
    X = X[["temp", "hum", "wind", "season"]]
    steps = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["temp", "hum", "wind"]), (OneHotEncoder(), ["season"])
    )
    model = make_pipeline(steps, RandomForestRegressor(5, max_depth=5, random_state=0)).fit(X, y)
    results = []
    for native in (True, False):
        ex = sg.Explainer(model, X, y, native=native)
        assert ex.native == native
        options = METHODS[method] | ({"engine": "blackbox"} if native and method in DRAWN else {})
        results.append(getattr(ex, method)(**options).to_frame(library="pandas"))
    folded, asked = results
    assert list(folded.columns) == list(asked.columns)
    assert len(folded) == len(asked)
    for column in folded:
        if folded[column].dtype.kind == "f":
            a, b = folded[column].to_numpy(float), asked[column].to_numpy(float)
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6 * np.nanstd(b) + 1e-9, err_msg=column)
        else:
            assert folded[column].astype(str).tolist() == asked[column].astype(str).tolist()


def test_what_prevents_folding_is_named():
    X, y = training(300)
    X = X[["temp", "hum"]]
    forest = RandomForestRegressor(3)

    class Own(StandardScaler):
        def transform(self, X):
            return X

    both = make_column_transformer((OneHotEncoder(), ["hum"]), ("passthrough", ["hum", "temp"]))
    for model, why in (
        (make_pipeline(StandardScaler(), PCA(), forest), "the step pca (PCA)"),
        (make_pipeline(FunctionTransformer(lambda X: X * 2), forest), "calls a function that is not known here"),
        (make_pipeline(StandardScaler(), SVR()), "the engine does not read SVR"),
        (make_pipeline(Own(), forest), "has its own transform"),
        (make_pipeline(both, forest), "hum is encoded as categories, and reaches the model as it is as well"),
    ):
        ex = sg.Explainer(model.fit(X, y), X)
        assert not ex.native
        assert any(why in note for note in ex.notes), ex.notes
        engine = ex.inspect()["engine"]
        assert (engine["name"], engine["native"]) == ("blackbox", False)
        assert why in engine["why"][0]
        np.testing.assert_array_equal(ex.predict(), model.predict(X))


def test_a_pipeline_that_was_misread_is_asked(monkeypatch):
    X, y = training(300)
    X = X[["temp", "hum"]]
    model = make_pipeline(StandardScaler(), RandomForestRegressor(3, random_state=0)).fit(X, y)
    monkeypatch.setattr(model[-1].estimators_[0], "predict", lambda *_, **__: np.zeros(len(X)))
    ex = sg.Explainer(model, X)
    assert not ex.native
    model = make_pipeline(StandardScaler(), RandomForestRegressor(3, random_state=0)).fit(X, y)
    monkeypatch.setattr(type(model[0]), "transform", lambda self, X: np.zeros((len(X), 2)))
    ex = sg.Explainer(model, X)
    assert not ex.native
    assert any("not those of its steps and trees" in note for note in ex.notes)


def test_what_the_steps_refuse_is_refused():
    X, y = training(300)
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["season"]), (StandardScaler(), ["temp"])),
        GradientBoostingRegressor(n_estimators=5),
    ).fit(X, y)
    ex = sg.Explainer(model, X, y)
    assert ex.native
    for column, value in (("season", "never seen"), ("temp", np.nan), ("temp", np.inf)):
        one = X.iloc[:1].assign(**{column: value})
        with pytest.raises(ValueError):
            model.predict(one)
        with pytest.raises(sg.DataError, match="which this model refuses"):
            ex.shap(one)


@pytest.mark.parametrize("gap", [None, np.nan])
@pytest.mark.parametrize("in_training", [True, False])
def test_missing_levels_are_what_the_container_calls_them(gap, in_training):
    X, y = training(400)
    X = X[["temp", "season"]].astype({"season": object})
    if in_training:
        X.loc[::7, "season"] = gap
    levels = make_pipeline(SimpleImputer(missing_values=gap, strategy="most_frequent"), OneHotEncoder())
    model = make_pipeline(
        make_column_transformer((levels, ["season"]), ("passthrough", ["temp"])), DecisionTreeRegressor()
    ).fit(X, y)
    ex = sg.Explainer(model, X, y)
    assert ex.engine == "trees", ex.notes
    new = X.iloc[:20].copy()
    new.loc[:, "season"] = gap
    if in_training or gap is not None:
        ex.shap(new)
    np.testing.assert_array_equal(ex.predict(new), model.predict(new))


def test_other_containers_and_inspect():
    X, y = training(400)
    X = X[["temp", "hum", "season"]]
    steps = make_column_transformer((StandardScaler(), ["temp", "hum"]), (OneHotEncoder(), ["season"]))
    model = make_pipeline(steps, RandomForestRegressor(4, random_state=0)).fit(X, y)
    ex = sg.Explainer(model, X, y)
    detail = ex.inspect()["model"]["detail"]
    assert detail["estimator"] == "RandomForestRegressor"
    assert detail["steps"] == ["columntransformer: ColumnTransformer"]
    assert ex.inspect()["engine"] == {"name": "trees", "native": True, "why": []}
    assert ex.features == ["temp", "hum", "season"]
    numbers = X[["temp", "hum"]].to_numpy()
    plain = make_pipeline(StandardScaler(), RandomForestRegressor(4, random_state=0)).fit(numbers, y)
    for data in (numbers, numbers.astype(np.float32)):
        ex = sg.Explainer(plain, data)
        assert ex.engine == "trees", ex.notes
        np.testing.assert_array_equal(ex.predict(), plain.predict(data))
    assert sklearn.__version__
