"""The shapes that items of results have, a class for each: `result.all(sightglass.shapes.Curve)`.

Do not edit: written by tools/make_python_methods.py from the engine's own description of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ._items import Fields, Item

if TYPE_CHECKING:
    from typing import Literal

    import numpy as np
    from numpy.typing import NDArray


class Curve(Item):
    """A function of one feature with its uncertainty. Accumulated local effects (measure "effect") have effect, se,
    edges, bin_count and slope in place of mean, sd, se_level and se_shape.

    Attributes
    ----------
    feature : str
    kind : {"numeric", "categorical"}
    unit : str
        Empty if unknown.
    ordered : bool
        The levels have an order of their own.
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    series : str
        What drew it, where one chart shows several methods, or empty.
    measure : {"mean", "effect", "loss"}
        What the heights are.
    estimand : str
        What the curve estimates.
    loss : str, optional
        Which one, where the heights are losses.
    grid : array or list[str]
    mean : array, optional
    sd : array, optional
        Over rows.
    se_level : array, optional
        Standard error of the curve's height.
    se_shape : array, optional
        Standard error of its shape.
    effect : array, optional
        Differences to the average effect.
    se : array, optional
        Standard error of the effect.
    edges : array, optional
        Edges of the bins: the grid of a numeric feature.
    bin_count : array, optional
        (Weighted) rows between two edges, or of two neighbouring levels: one fewer than the grid.
    slope : array, optional
        Of the effect between two edges: one fewer than the grid.
    count : array
        (Weighted) rows near each grid point.
    missing : Missing, optional
        The effect where the feature is missing.
    distribution : Distribution
        How the feature is distributed in the data.
    verdict : {"constant", "linear", "monotone", "complex"}, optional
        Numeric features: the shape of the curve.
    heterogeneity : float, optional
        0: every row's curve has this shape; 1: none has.
    sparse : array of int
        Grid points with too few rows nearby.
    extrapolated : array of int
        Grid points at which too many rows are evaluated at combinations that the data do not contain.
    outside : array
        That share of rows, per grid point.
    """

    type: ClassVar[str] = "curve"

    class Missing(Fields):
        """The effect where the feature is missing.

        Attributes
        ----------
        mean : float
        sd : float, optional
        se_level : float, optional
        se_shape : float, optional
        count : float
        """

        mean: float
        sd: float | None = None
        se_level: float | None = None
        se_shape: float | None = None
        count: float

    class Distribution(Fields):
        """How the feature is distributed in the data.

        Attributes
        ----------
        edges : array
            Numeric features: edges of a histogram, one more than counts.
        counts : array
            (Weighted) rows per bin or level.
        rug : array
            Numeric features: deciles.
        missing : float
            (Weighted) rows without a value.
        """

        edges: NDArray[np.float64]
        counts: NDArray[np.float64]
        rug: NDArray[np.float64]
        missing: float

    feature: str
    kind: Literal["numeric", "categorical"]
    unit: str
    ordered: bool
    output: str
    group: str
    series: str
    measure: Literal["mean", "effect", "loss"]
    estimand: str
    loss: (
        Literal["squared", "absolute", "rmse", "r2", "log-loss", "brier", "auc", "accuracy", "f1", "poisson"] | None
    ) = None
    grid: NDArray[np.float64] | list[str]
    mean: NDArray[np.float64] | None = None
    sd: NDArray[np.float64] | None = None
    se_level: NDArray[np.float64] | None = None
    se_shape: NDArray[np.float64] | None = None
    effect: NDArray[np.float64] | None = None
    se: NDArray[np.float64] | None = None
    edges: NDArray[np.float64] | None = None
    bin_count: NDArray[np.float64] | None = None
    slope: NDArray[np.float64] | None = None
    count: NDArray[np.float64]
    missing: Missing | None = None
    distribution: Distribution
    verdict: Literal["constant", "linear", "monotone", "complex"] | None = None
    heterogeneity: float | None = None
    sparse: NDArray[np.int64]
    extrapolated: NDArray[np.int64]
    outside: NDArray[np.float64]


class Curves(Item):
    """One function of one feature per row.

    Attributes
    ----------
    feature : str
    kind : {"numeric", "categorical"}
    unit : str
        Empty if unknown.
    ordered : bool
        The levels have an order of their own.
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    derivative : bool
        Values are slopes, the grid is the middles of its steps.
    total_rows : int
        How many rows there were to choose from.
    rows : array of int
        0-based.
    grid : array or list[str]
    values : array
        Per row, per grid point.
    missing : array
        Per row, or empty: the value where the feature is missing.
    own : Any
        Per row, or empty: its own value or level.
    anchor : Any
        Centred curves: the grid value or level at which each is 0.
    mean : array
        Over all rows, not only those kept.
    sd : array
        Of derivatives, over all rows.
    bands : list[Bands]
        Quantiles over all rows, by ascending level.
    distribution : Distribution
        How the feature is distributed in the data.
    heterogeneity : float, optional
        0: every row's curve has the mean's shape; 1: none has.
    """

    type: ClassVar[str] = "curves"

    class Bands(Fields):
        """Quantiles over all rows, by ascending level.

        Attributes
        ----------
        level : float
        values : array
        """

        level: float
        values: NDArray[np.float64]

    class Distribution(Fields):
        """How the feature is distributed in the data.

        Attributes
        ----------
        edges : array
            Numeric features: edges of a histogram, one more than counts.
        counts : array
            (Weighted) rows per bin or level.
        rug : array
            Numeric features: deciles.
        missing : float
            (Weighted) rows without a value.
        """

        edges: NDArray[np.float64]
        counts: NDArray[np.float64]
        rug: NDArray[np.float64]
        missing: float

    feature: str
    kind: Literal["numeric", "categorical"]
    unit: str
    ordered: bool
    output: str
    group: str
    derivative: bool
    total_rows: int
    rows: NDArray[np.int64]
    grid: NDArray[np.float64] | list[str]
    values: NDArray[np.float64]
    missing: NDArray[np.float64]
    own: Any
    anchor: Any
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    bands: list[Bands]
    distribution: Distribution
    heterogeneity: float | None = None


class Surface(Item):
    """A function of two features; pairs are in the order of features.

    Attributes
    ----------
    features : Any
    kinds : Any
    units : Any
    ordered : Any
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    measure : {"mean", "effect", "loss"}
        What the heights are.
    estimand : str
        What the surface estimates.
    grid : Any
    mean : array, optional
        Per grid point of the first feature, of the second.
    effect : array, optional
        The same for measure "effect".
    count : array
        (Weighted) rows nearest to each cell, or empty; of effects: rows between a grid point and the next in both
        directions, one fewer each way.
    empty : Any
        Cells without rows, as pairs of indices.
    """

    type: ClassVar[str] = "surface"

    features: Any
    kinds: Any
    units: Any
    ordered: Any
    output: str
    group: str
    measure: Literal["mean", "effect", "loss"]
    estimand: str
    grid: Any
    mean: NDArray[np.float64] | None = None
    effect: NDArray[np.float64] | None = None
    count: NDArray[np.float64]
    empty: Any


class Importance(Item):
    """How much a feature matters; entries of one measure, output and group are a ranking.

    Attributes
    ----------
    feature : str
        How the entry is called.
    features : list[str]
        The features it stands for.
    output : str
        Empty: all outputs together.
    group : str
        The rows that it was computed from, or empty for all.
    measure : str
        In words.
    measured : Measured
        The same as data.
    importance : float
    se : float, optional
    sd : float, optional
    low : float, optional
    high : float, optional
    details : dict[str, Any]
        What else was measured; free-form.
    """

    type: ClassVar[str] = "importance"

    class Measured(Fields):
        """The same as data.

        Attributes
        ----------
        kind : str
            What was done to measure it.
        loss : str, optional
            Whose change it is, or null.
        change : {"increase", "decrease", "ratio"}, optional
            Of the loss, or null.
        over_rows : bool
            Of partial dependence: over the rows rather than over the grid.
        """

        kind: str
        loss: (
            Literal["squared", "absolute", "rmse", "r2", "log-loss", "brier", "auc", "accuracy", "f1", "poisson"] | None
        ) = None
        change: Literal["increase", "decrease", "ratio"] | None = None
        over_rows: bool

    feature: str
    features: list[str]
    output: str
    group: str
    measure: str
    measured: Measured
    importance: float
    se: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    details: dict[str, Any]


class Interaction(Item):
    """How much of the effect of some features is not the sum of what fewer do; of one feature: with all others
    together.

    Attributes
    ----------
    features : list[str]
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    h2 : float
    h : float
    strength : float
        In units of the prediction.
    se : float, optional
        Of h2, over samples.
    details : dict[str, Any]
        What else was measured; free-form.
    """

    type: ClassVar[str] = "interaction"

    features: list[str]
    output: str
    group: str
    h2: float
    h: float
    strength: float
    se: float | None = None
    details: dict[str, Any]


class Attributions(Item):
    """What each feature adds to the predictions of single rows: base + sum of the values = prediction.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    base : float
        What is predicted on average.
    total_rows : int
        How many rows there were to choose from.
    details : dict[str, Any]
        How the values were computed; free-form.
    features : list[Features]
    rows : array of int
        Rows of the data, counted from 0.
    predictions : array
        Per row.
    values : array
        Rows × features: what each feature adds.
    se : array, optional
        Standard errors of the values; none if they are exact.
    data : array
        Rows × features: numbers, or positions of levels; nan = missing.
    interactions : array, optional
        Rows × features × features, half of what a pair adds on each side of the diagonal; none if not asked for.
    """

    type: ClassVar[str] = "attributions"

    class Features(Fields):
        """The fields of `features`.

        Attributes
        ----------
        feature : str
        kind : {"numeric", "categorical"}
        unit : str
            Empty if unknown.
        ordered : bool
            The levels have an order of their own.
        levels : list[str], optional
            Of a categorical feature.
        """

        feature: str
        kind: Literal["numeric", "categorical"]
        unit: str
        ordered: bool
        levels: list[str] | None = None

    output: str
    group: str
    base: float
    total_rows: int
    details: dict[str, Any]
    features: list[Features]
    rows: NDArray[np.int64]
    predictions: NDArray[np.float64]
    values: NDArray[np.float64]
    se: NDArray[np.float64] | None = None
    data: NDArray[np.float64]
    interactions: NDArray[np.float64] | None = None


class Figure(Item):
    """A number about the model as a whole, or about one feature.

    Attributes
    ----------
    name : str
        In words.
    id : str
        What it is.
    loss : str, optional
        By which it is measured, or null.
    feature : str
        That it is about; empty: all.
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    value : float
    se : float, optional
    meaning : str
        How to read it, in a sentence.
    """

    type: ClassVar[str] = "figure"

    name: str
    id: str
    loss: (
        Literal["squared", "absolute", "rmse", "r2", "log-loss", "brier", "auc", "accuracy", "f1", "poisson"] | None
    ) = None
    feature: str
    output: str
    group: str
    value: float
    se: float | None = None
    meaning: str
