"""Coefficients of linear models by scikit-learn and statsmodels, for learn/sparse_linear_test.cpp.

python tests/golden/make_linear.py      # scikit-learn 1.9.1, statsmodels 0.15.0
"""

import json
import pathlib
import warnings

import numpy as np
import statsmodels.api as sm
from sklearn.linear_model import ElasticNet, GammaRegressor, Lasso, LogisticRegression, PoissonRegressor

warnings.filterwarnings("ignore")
random = np.random.default_rng(11)
n = 150
shared = random.normal(size=n)
a = np.round(random.normal(size=n) * 3 + 100, 2)
b = np.round(shared, 3)
c = np.round(0.8 * shared + 0.6 * random.normal(size=n), 3)
d = np.round(random.exponential(2, size=n), 1)
d[random.uniform(size=n) < 0.15] = np.nan
season = random.choice(4, size=n, p=[0.4, 0.3, 0.2, 0.1])
weights = random.integers(1, 4, size=n)
eta = 0.2 * (a - 100) - 0.5 * b + 0.3 * np.nan_to_num(d, nan=4.0) + np.array([0, 0.8, -0.4, 0])[season] - 0.5
number = np.round(eta + random.normal(size=n), 3)
two = (random.uniform(size=n) < 1 / (1 + np.exp(-eta))).astype(int)
three = np.argmax(np.c_[eta, -0.5 * eta + 0.3 * c, 0 * eta] + random.gumbel(size=(n, 3)), 1)
count = random.poisson(np.exp(0.4 * eta))
amount = np.round(np.exp(0.4 * eta) * random.gamma(2, 0.5, size=n) + 0.01, 3)
outcomes = {"number": number, "two": two, "three": three, "count": count, "amount": amount}

levels = ["autumn", "spring", "summer", "winter"]


def design(weighted, first_level=True):
    """Columns as the learner makes them: names, values as they are, and where a missing number is taken for the mean."""
    w = weights if weighted else np.ones(n)
    missing = np.isnan(d)
    mean = np.average(d[~missing], weights=w[~missing])
    columns = {"a": a, "b": b, "c": c, "d": np.where(missing, mean, d), "d is missing": missing.astype(float)}
    for code, level in enumerate(levels):
        if first_level or code > 0:
            columns[f"season = {level}"] = (season == code).astype(float)
    return list(columns), np.column_stack(list(columns.values()))


def case(name, target, options, fit, weighted=False, standardize=True):
    plain = options.get("penalty") == 0
    names, x = design(weighted, first_level=not plain)
    w = weights.astype(float) if weighted else np.ones(n)
    mean = np.average(x, axis=0, weights=w)
    scale = (
        np.sqrt(np.average((x - mean) ** 2, axis=0, weights=w)) if standardize and not plain else np.ones(x.shape[1])
    )
    shift = np.zeros(x.shape[1]) if plain else mean
    found = fit((x - shift) / scale, outcomes[target], w)
    coefficients = np.atleast_2d(found[0]) / scale
    intercepts = np.atleast_1d(found[1]) - coefficients @ shift
    # Coefficients of classes are those relative to their mean.
    if target == "three":
        intercepts = intercepts - intercepts.mean()
    made = {
        "name": name,
        "target": target,
        "weighted": weighted,
        "options": {**options, "standardize": standardize},
        "terms": names,
        "coefficients": coefficients.tolist(),
        "intercepts": intercepts.tolist(),
    }
    if len(found) > 2:
        made.update(found[2])
    return made


def net(penalty, l1_ratio):
    model = Lasso(penalty) if l1_ratio == 1 else ElasticNet(alpha=penalty, l1_ratio=l1_ratio)
    model.set_params(tol=1e-15, max_iter=1_000_000)

    def fit(x, y, w):
        model.fit(x, y, sample_weight=w)
        return model.coef_, model.intercept_

    return fit


def logistic(penalty, l1_ratio):
    def fit(x, y, w):
        model = LogisticRegression(
            l1_ratio=l1_ratio, C=1 / (w.sum() * penalty), solver="saga", tol=1e-13, max_iter=200_000
        ).fit(x, y, sample_weight=w)
        return model.coef_, model.intercept_

    return fit


def ridge(model):
    def fit(x, y, w):
        model.fit(x, y, sample_weight=w)
        return model.coef_, model.intercept_

    return fit


def statsmodels(make):
    def fit(x, y, w):
        fitted = make(sm.add_constant(x), y, w)
        interval = fitted.conf_int()
        return (
            fitted.params[1:],
            fitted.params[0],
            {
                "intercept_se": float(fitted.bse[0]),
                "se": fitted.bse[1:].tolist(),
                "p_values": fitted.pvalues[1:].tolist(),
                "low": interval[1:, 0].tolist(),
                "high": interval[1:, 1].tolist(),
            },
        )

    return fit


def multinomial(x, y, w):
    """Relative to the mean over classes in the place of the first class; its covariance follows."""
    fitted = sm.MNLogit(y, sm.add_constant(x)).fit(disp=0, method="newton", tol=1e-14, maxiter=100)
    size = x.shape[1] + 1
    parameters = np.r_[np.zeros((1, size)), fitted.params.T]
    covariance = np.zeros((3 * size, 3 * size))
    covariance[size:, size:] = fitted.cov_params()
    centred = np.kron(np.eye(3) - 1 / 3, np.eye(size))
    parameters = (centred @ parameters.ravel()).reshape(3, size)
    se = np.sqrt(np.diag(centred @ covariance @ centred.T)).reshape(3, size)
    return parameters[:, 1:], parameters[:, 0], {"se_by_class": se[:, 1:].tolist()}


tight = {"tol": 1e-12, "max_iter": 100_000, "solver": "newton-cholesky"}
cases = [
    case("lasso", "number", {"penalty": 0.1}, net(0.1, 1)),
    case("lasso, small penalty", "number", {"penalty": 0.005}, net(0.005, 1)),
    case("lasso as it is", "number", {"penalty": 0.05}, net(0.05, 1), standardize=False),
    case("elastic net", "number", {"penalty": 0.1, "l1_ratio": 0.5}, net(0.1, 0.5)),
    case("weighted elastic net", "number", {"penalty": 0.1, "l1_ratio": 0.5}, net(0.1, 0.5), weighted=True),
    case("logistic lasso", "two", {"penalty": 0.02}, logistic(0.02, 1)),
    case(
        "weighted logistic elastic net", "two", {"penalty": 0.02, "l1_ratio": 0.5}, logistic(0.02, 0.5), weighted=True
    ),
    case("softmax lasso", "three", {"penalty": 0.02}, logistic(0.02, 1)),
    case(
        "Poisson ridge",
        "count",
        {"family": "poisson", "penalty": 0.1, "l1_ratio": 0},
        ridge(PoissonRegressor(alpha=0.1, **tight)),
    ),
    case(
        "gamma ridge",
        "amount",
        {"family": "gamma", "penalty": 0.1, "l1_ratio": 0},
        ridge(GammaRegressor(alpha=0.1, **tight)),
        weighted=True,
    ),
    case("least squares", "number", {"penalty": 0}, statsmodels(lambda x, y, w: sm.OLS(y, x).fit())),
    case(
        "logistic",
        "two",
        {"penalty": 0},
        statsmodels(lambda x, y, w: sm.GLM(y, x, family=sm.families.Binomial(), freq_weights=w).fit(tol=1e-14)),
        weighted=True,
    ),
    case("softmax", "three", {"penalty": 0}, multinomial),
    case(
        "Poisson",
        "count",
        {"family": "poisson", "penalty": 0},
        statsmodels(lambda x, y, w: sm.GLM(y, x, family=sm.families.Poisson()).fit(tol=1e-14)),
    ),
    case(
        "gamma",
        "amount",
        {"family": "gamma", "penalty": 0},
        statsmodels(
            lambda x, y, w: sm.GLM(y, x, family=sm.families.Gamma(sm.families.links.Log()), freq_weights=w).fit(
                tol=1e-14
            )
        ),
        weighted=True,
    ),
]
made = {
    "features": {"a": a.tolist(), "b": b.tolist(), "c": c.tolist(), "d": [None if np.isnan(x) else x for x in d]},
    "season": season.tolist(),
    "levels": levels,
    "weights": weights.tolist(),
    "outcomes": {name: values.tolist() for name, values in outcomes.items()},
    "cases": cases,
}
path = pathlib.Path(__file__).parent / "learners" / "sparse_linear.json"
path.write_text(json.dumps(made) + "\n")
