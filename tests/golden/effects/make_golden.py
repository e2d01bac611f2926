"""Write the reference numbers in this folder.

    pip install -r requirements.txt
    python make_golden.py

Every file names its oracle and the versions of the packages that made it.
README.md in this folder describes the fields.
"""

import importlib.util
import json
import platform
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import xgboost as xgb
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[2] / "examples"
sys.path.insert(0, str(HERE))
from walk_model import Model  # noqa: E402

VERSIONS = {name: version(name) for name in ["xgboost-cpu", "scikit-learn", "numpy", "scipy", "pandas"]}
VERSIONS["python"] = platform.python_version()


def script(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bike = script(EXAMPLES / "bike" / "train.py", "bike_train")
penguins = script(EXAMPLES / "penguins" / "train.py", "penguins_train")


def short(values):
    """float32 array -> nested lists of Python floats with the fewest digits that read back exactly."""
    values = np.asarray(values, dtype="float32")
    flat = [float(str(v)) for v in values.ravel()]
    assert np.array_equal(np.array(flat, dtype="float32"), values.ravel())
    return np.array(flat, dtype="float64").reshape(values.shape).tolist()


def write(name, content):
    path = HERE / name
    text = json.dumps({**content, "versions": VERSIONS}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    path.write_text(text.replace(',"', ',\n"') + "\n", encoding="utf-8")
    print(name, path.stat().st_size, "bytes")


def margins(model, X):
    return model.get_booster().predict(xgb.DMatrix(X, enable_categorical=True, nthread=1), output_margin=True)


# ---------------------------------------------------------------- predictions


def predictions(name, path, model, X, respond):
    margin, response = margins(model, X), respond(X)
    walked = Model(path).margins(X).reshape(margin.shape)
    assert np.array_equal(walked, margin), name  # the rule in walk_model.py is exact
    content = {
        "oracle": "xgboost predict: margin is output_margin=True, response is predict or predict_proba",
        "model": f"{path.parent.name}/{path.name}",
        "rows": len(X),
        "margin": short(margin),
    }
    if np.array_equal(margin, response):
        content["response"] = "identical to margin"
    else:
        content["response"] = short(response)
    write(f"{name}_predictions.json", content)


# ---------------------------------------------------------------- partial dependence


def own_loop(respond, X, features, axes):
    """Responses of every row at every grid point: (rows, points) or (rows, points, classes)."""
    points = np.array(np.meshgrid(*[range(len(a)) for a in axes], indexing="ij")).reshape(len(axes), -1).T
    columns = []
    for point in points:
        changed = X.copy()
        for feature, axis, i in zip(features, axes, point):
            if isinstance(X[feature].dtype, pd.CategoricalDtype):
                changed[feature] = pd.Categorical([axis[i]] * len(X), categories=X[feature].cat.categories)
            else:
                changed[feature] = np.full(len(X), axis[i], dtype=X[feature].dtype)
        columns.append(respond(changed))
    return np.stack(columns, axis=1)


def dependence(model, X, grid, respond, method, keep):
    """One case: sklearn's result, compared with the plain loop above."""
    features = list(grid)
    axes = list(grid.values())
    shape = [len(a) for a in axes]
    loop = own_loop(respond, X, features, axes)
    if loop.ndim == 2:
        loop = loop[:, :, None]
    loop = np.moveaxis(loop, 2, 0).reshape(loop.shape[2], len(X), *shape)  # target, row, grid ...

    # scikit-learn refuses to do this on integer columns. XGBoost reads the column as float32 either way.
    as_float = X.astype({f: "float64" for f in features if X[f].dtype.kind == "i"})
    result = partial_dependence(
        model, as_float, features, custom_values=grid, method="brute", kind="both", response_method=method
    )
    individual = result["individual"]
    assert individual.shape == loop.shape, (individual.shape, loop.shape)
    assert np.array_equal(individual, loop), features

    average = individual.astype("float64").mean(axis=1)
    # With several classes numpy adds the float32 column row by row, which costs up to 5e-6 here.
    assert np.allclose(average, result["average"], rtol=1e-5, atol=0)
    case = {
        "features": features,
        "grid": [list(map(lambda v: v if isinstance(v, str) else float(v), a)) for a in axes],
        "average": average.tolist(),
        "average_sklearn": short(result["average"]),
        "individual_rows": keep,
        "individual": short(individual[:, keep]),
    }
    if loop.shape[0] == 1:
        for key in ["average", "average_sklearn", "individual"]:
            case[key] = case[key][0]
    return case


PD_NOTE = {
    "oracle": "sklearn.inspection.partial_dependence(method='brute', kind='both') with custom_values; "
    "the individual values are bit-identical to an own loop over xgboost predict",
    "average_is": "mean in double of the float32 responses of all rows",
    "average_sklearn_is": "what scikit-learn returns: the same mean, but added up in float32",
}


def bike_files():
    path = EXAMPLES / "bike" / "model.json"
    X, _ = bike.load()
    model = xgb.XGBRegressor(n_jobs=1, enable_categorical=True)
    model.load_model(path)
    predictions("bike", path, model, X, model.predict)

    keep = list(range(0, len(X), len(X) // 19))[:20]
    grids = [
        {"temp": [-8, -5, -2, 0.5, 3, 6.25, 9, 12, 15, 18.75, 22, 25, 29, 33, 39]},
        {"hour": list(range(24))},
        {"weather": bike.LEVELS["weather"]},
        {"weekday": bike.LEVELS["weekday"]},
        {"temp": [-5, 5, 15, 25, 35], "hour": [0, 4, 8, 12, 17, 21]},
        {"workingday": bike.LEVELS["workingday"], "hour": [3, 8, 13, 18]},
    ]
    cases = []
    for grid in grids:
        grid = {f: np.array(v, dtype=object if isinstance(v[0], str) else float) for f, v in grid.items()}
        cases.append(dependence(model, X, grid, model.predict, "auto", keep))
    write(
        "bike_pd.json",
        {
            **PD_NOTE,
            "model": "bike/model.json",
            "data": "bike/bike.csv, all rows",
            "rows": len(X),
            "response": "predict",
            "cases": cases,
        },
    )


def penguin_files():
    mass = np.array([2700, 3200, 3550, 3700, 4050, 4400, 4750, 5200, 5700, 6300], dtype=float)
    bill = np.array([32, 36.5, 39.1, 41.1, 43, 45.5, 48, 50.8, 55, 59.6], dtype=float)
    words = {k: np.array(v, dtype=object) for k, v in penguins.LEVELS.items()}
    grids = {
        "sex": [
            {"body_mass": mass},
            {"bill_length": bill},
            {"species": words["species"]},
            {"island": words["island"]},
            {"body_mass": mass[::2], "bill_length": bill[::2]},
        ],
        "species": [
            {"flipper_length": np.array([172, 185, 192.5, 197, 203, 206, 210, 217, 231], dtype=float)},
            {"bill_length": bill},
            {"island": words["island"]},
            {"bill_length": bill[::2], "body_mass": mass[::3]},
        ],
    }
    for target, cases in grids.items():
        path = EXAMPLES / "penguins" / f"{target}.json"
        X, _ = penguins.load(target)
        model = xgb.XGBClassifier(n_jobs=1, enable_categorical=True)
        model.load_model(path)

        def respond(frame):
            p = model.predict_proba(frame)
            return p[:, 1] if target == "sex" else p

        predictions(target, path, model, X, respond)
        # The grid scikit-learn picks by itself when values are missing.
        own = partial_dependence(model, X, ["body_mass"], method="brute", grid_resolution=20)["grid_values"][0]
        assert np.isfinite(own).all()
        cases = cases + [{"body_mass": own}]
        missing = np.flatnonzero(X.isna().any(axis=1)).tolist()
        keep = sorted(missing + list(range(0, len(X), len(X) // 17))[: 20 - len(missing)])
        write(
            f"{target}_pd.json",
            {
                **PD_NOTE,
                "model": f"penguins/{target}.json",
                "data": "penguins/penguins.csv, all rows, also those with missing values",
                "rows": len(X),
                "rows_with_missing_features": missing,
                "response": "predict_proba",
                "classes": penguins.CLASSES[target],
                "targets": ["female"] if target == "sex" else penguins.CLASSES[target],
                "last_case": "the grid is scikit-learn's own: grid_resolution 20, percentiles (0.05, 0.95)",
                "cases": [dependence(model, X, g, respond, "predict_proba", keep) for g in cases],
            },
        )


# ---------------------------------------------------------------- missing values everywhere


def edge_files():
    """A small model trained with gaps, so that missing words and numbers go both ways; month is a category
    with integer values."""
    X, y = bike.load()
    X = X[["season", "month", "weekday", "hour", "temp", "humidity"]].copy()
    rng = np.random.default_rng(7)
    X["month"] = X["month"].astype("int64").astype("category")
    X["hour"] = X["hour"].astype("float64")
    # Gaps are more common when many bikes are out, so the default direction matters.
    for column in X.columns:
        X.loc[rng.random(len(X)) < np.where(y > 250, 0.3, 0.05), column] = np.nan
    model = xgb.XGBRegressor(
        n_estimators=25, max_depth=4, learning_rate=0.3, enable_categorical=True, n_jobs=1, random_state=7
    )
    model.fit(X, y)
    path = HERE / "edge_model.json"
    model.save_model(path)
    rows = X.iloc[:: len(X) // 249].head(250).reset_index(drop=True)
    rows.loc[0, :] = np.nan  # one row with nothing known
    text = rows.copy()
    text["month"] = text["month"].astype("Int64")
    for column in ["hour", "humidity"]:
        text[column] = text[column].astype("Int64")
    text.to_csv(HERE / "edge_rows.csv", index=False, lineterminator="\n")
    predictions("edge", path, model, rows, model.predict)
    sides = {
        (t.default_left[n], n in t.listed) for t in Model(path).trees for n in range(len(t.left)) if t.left[n] != -1
    }
    assert len(sides) == 4, sides  # both directions, for numbers and for categories


# ---------------------------------------------------------------- models that are not XGBoost


def tree_arrays(tree):
    return {
        "left": tree.children_left.tolist(),
        "right": tree.children_right.tolist(),
        "feature": tree.feature.tolist(),
        "threshold": tree.threshold.tolist(),
        "value": tree.value[:, 0, 0].tolist(),
    }


def sklearn_file():
    X, y = bike.load()
    names = [c for c in X.columns if c not in bike.LEVELS]
    X = X[names].astype("float64")

    linear = LinearRegression().fit(X, y)
    boosting = GradientBoostingRegressor(n_estimators=30, max_depth=3, random_state=1).fit(X, y)
    mlp = make_pipeline(
        StandardScaler(),
        MLPRegressor(hidden_layer_sizes=(12,), activation="tanh", learning_rate_init=0.02, random_state=1),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # any fitted network will do here
        mlp.fit(X, y)
    scaler, net = mlp[0], mlp[1]

    parameters = {
        "linear": {
            "rule": "intercept + sum(coef * x)",
            "intercept": float(linear.intercept_),
            "coef": linear.coef_.tolist(),
        },
        "gradient_boosting": {
            "rule": "init + learning_rate * sum of tree values; float32(x) <= threshold goes left; leaves have left = -1",
            "init": float(boosting.init_.constant_[0, 0]),
            "learning_rate": boosting.learning_rate,
            "trees": [tree_arrays(e.tree_) for e in boosting.estimators_[:, 0]],
        },
        "mlp": {
            "rule": "z = (x - mean) / scale; h = tanh(z W1 + b1); prediction = h W2 + b2; W1[input][hidden]",
            "mean": scaler.mean_.tolist(),
            "scale": scaler.scale_.tolist(),
            "W1": net.coefs_[0].tolist(),
            "b1": net.intercepts_[0].tolist(),
            "W2": net.coefs_[1][:, 0].tolist(),
            "b2": float(net.intercepts_[1][0]),
        },
    }

    models = {}
    for name, model in [("linear", linear), ("gradient_boosting", boosting), ("mlp", mlp)]:
        cases = []
        for features in [[n] for n in names] + [["temp", "humidity"]]:
            resolution = 20 if len(features) == 1 else 6
            result = partial_dependence(model, X, features, method="brute", grid_resolution=resolution)
            cases.append(
                {
                    "features": features,
                    "grid_resolution": resolution,
                    "grid": [np.asarray(g, dtype=float).tolist() for g in result["grid_values"]],
                    "average": np.asarray(result["average"][0], dtype=float).tolist(),
                }
            )
        first = X.iloc[:20]
        models[name] = {
            "r2_on_its_training_rows": round(model.score(X, y), 4),
            "parameters": parameters[name],
            "predictions_of_first_20_rows": model.predict(first).tolist(),
            "cases": cases,
        }

    write(
        "sklearn_grid.json",
        {
            "oracle": "sklearn.inspection.partial_dependence(method='brute', kind='average')",
            "data": "bike/bike.csv, all rows, numeric columns as float64",
            "rows": len(X),
            "features": names,
            "grid_rule": "percentiles (0.05, 0.95); if the column has fewer distinct values than grid_resolution, "
            "the grid is those values; else it is linspace between the two quantiles "
            "scipy.stats.mstats.mquantiles(alphap=0.4, betap=0.4)",
            "models": models,
        },
    )


if __name__ == "__main__":
    bike_files()
    penguin_files()
    edge_files()
    sklearn_file()
    print("all files", sum(p.stat().st_size for p in HERE.iterdir() if p.is_file()), "bytes")
