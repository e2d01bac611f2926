"""Write bike_ale.json: accumulated local effects of the bike model by PyALE.

    pip install -r requirements.txt -r requirements_ale.txt
    python make_ale.py

PyALE's own edges are not always the quantiles of Sightglass (they rest on floating point), so it is given the edges:
order statistic ⌈k·n/K⌉, in integers. Levels are given an order, because PyALE approximates the distances behind it;
`order` is its own, for comparison.
"""

from importlib.metadata import version

import numpy as np
import pandas as pd
import xgboost as xgb
from make_golden import EXAMPLES, VERSIONS, bike, write
from PyALE._src import ALE_1D, ALE_2D
from PyALE._src.lib import order_groups


def edges(values, q):
    """Type-1 quantiles at q = 0, 1/K, …, 1."""
    bins = len(q) - 1
    ordered = np.sort(np.asarray(values))
    ranks = [max(1, -(-k * len(ordered) // bins)) - 1 for k in range(bins + 1)]
    return pd.Series(ordered[ranks], index=q)


ALE_1D.quantile_ied = edges
ALE_2D.quantile_ied = edges
VERSIONS["PyALE"] = version("PyALE")

LEVELS = {
    "weather": ["clear", "cloudy/misty", "light rain/snow", "heavy rain/snow"],
    "season": ["summer", "spring", "autumn", "winter"],
    "weekday": ["Saturday", "Sunday", "Friday", "Monday", "Thursday", "Tuesday", "Wednesday"],
}


class Booster:
    """The model with predictions in double: PyALE adds up what it gets in its own type."""

    def __init__(self, path):
        self.model = xgb.XGBRegressor(n_jobs=1, enable_categorical=True)
        self.model.load_model(path)

    def predict(self, X):
        return self.model.predict(X).astype("float64")


def main():
    model = Booster(EXAMPLES / "bike" / "model.json")
    X, _ = bike.load()
    X["hour"] = X["hour"].astype("float64")
    X["humidity"] = X["humidity"].astype("float64")
    curves = []
    for feature, bins in [("temp", 40), ("hour", 40), ("humidity", 40), ("temp", 7)]:
        frame = ALE_1D.aleplot_1D_continuous(X.copy(), model, feature, grid_size=bins, include_CI=False)
        curves.append(
            {
                "feature": feature,
                "bins": bins,
                "grid": frame.index.tolist(),
                "effect": frame["eff"].tolist(),
                "bin_count": frame["size"].tolist()[1:],
            }
        )
    for feature, levels in LEVELS.items():
        ordered = X.copy()
        ordered[feature] = ordered[feature].astype(pd.CategoricalDtype(levels, ordered=True))

        def encode(column, feature=feature):
            return column.astype(pd.CategoricalDtype(bike.LEVELS[feature]))

        frame = ALE_1D.aleplot_1D_categorical(
            ordered, model, feature, encode_fun=encode, predictors=list(X.columns), include_CI=False
        )
        curves.append(
            {
                "feature": feature,
                "grid": frame.index.tolist(),
                "effect": frame["eff"].tolist(),
                "count": frame["size"].tolist(),
                "order": order_groups(X.astype({feature: str}), feature).index.tolist(),
            }
        )
    surfaces = []
    # PyALE needs at least as many bins of the first feature as of the second. The first two have empty cells, none of
    # which is equally near to two others.
    for first, second, bins in [("feels_like", "windspeed", 20), ("humidity", "temp", 10), ("hour", "temp", 10)]:
        frame = ALE_2D.aleplot_2D_continuous(X.copy(), model, [first, second], grid_size=bins)
        surfaces.append(
            {
                "features": [first, second],
                "bins": bins,
                "grid": [frame.index.tolist(), frame.columns.tolist()],
                "effect": frame.to_numpy().tolist(),
            }
        )
    write(
        "bike_ale.json",
        {
            "oracle": "PyALE: 1-D continuous and categorical, 2-D continuous, at the edges and orders given to it",
            "model": "bike/model.json",
            "data": "bike/bike.csv, all rows",
            "rows": len(X),
            "curves": curves,
            "surfaces": surfaces,
        },
    )


if __name__ == "__main__":
    main()
