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
    row_labels : list[str], optional
        Per row: what it is called in its table.
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
    prediction : array, optional
        Per row: what is predicted for it as it is.
    swing : array, optional
        Per row: the highest value of its curve minus the lowest, missing included.
    predicted : list[str], optional
        Per row: the class that is predicted for it as it is.
    flips : list[Flips], optional
        Where the predicted class changes, along the axis.
    slack_down : array, optional
        Per row: how far a number may fall before the class is another; null: as far as was tried.
    slack_up : array, optional
        Per row: the same of its rise.
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

    class Flips(Fields):
        """Where the predicted class changes, along the axis.

        Attributes
        ----------
        row : int
            0-based.
        value : float, optional
            Of a numeric feature: the class `to` is predicted from here on, `from` below.
        within : float
            How far below the value the change may be; 0: exactly there.
        level : str, optional
            Of a categorical feature: the class `to` is predicted at this level.
        missing : bool, optional
            The class `to` is predicted where the feature has no value.
        from_ : str
        to : str
        """

        row: int
        value: float | None = None
        within: float
        level: str | None = None
        missing: bool | None = None
        from_: str
        to: str

    feature: str
    kind: Literal["numeric", "categorical"]
    unit: str
    ordered: bool
    output: str
    group: str
    derivative: bool
    total_rows: int
    rows: NDArray[np.int64]
    row_labels: list[str] | None = None
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
    prediction: NDArray[np.float64] | None = None
    swing: NDArray[np.float64] | None = None
    predicted: list[str] | None = None
    flips: list[Flips] | None = None
    slack_down: NDArray[np.float64] | None = None
    slack_up: NDArray[np.float64] | None = None


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
    row_labels : list[str], optional
        Per row: what it is called in its table.
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
    row_labels: list[str] | None = None


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


class Tree(Item):
    """A decision tree: a model of its own, or a surrogate.

    Attributes
    ----------
    name : str
        What a picture of it is called; empty: "Decision tree".
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    unit : str
        Of values; empty if unknown.
    classes : list[str], optional
        Of a tree of classes.
    nodes : list[Nodes]
        The root first; a child stands behind its parent.
    proof : Proof, optional
        What is proven about it; none: nothing was.
    details : dict[str, Any]
        How it was grown; free-form.
    """

    type: ClassVar[str] = "tree"

    class Nodes(Fields):
        """The root first; a child stands behind its parent.

        Attributes
        ----------
        split : Split, optional
            Rows that meet it go to the first child; null: a leaf.
        children : array of int
            Places of the two children among the nodes, or none.
        count : float
            (Weighted) rows.
        value : float
            What is predicted there, of this output.
        class_ : str, optional
            Of a tree of classes: the most frequent one.
        shares : array, optional
            Of a tree of classes: that of each class, in the order of classes.
        se : float, optional
        impurity : float, optional
        agreement : float, optional
            Of a surrogate: R², or the share of equal classes, of the rows there.
        stability : float, optional
            Of a split: share of refits on resampled rows in which it came back.
        """

        class Split(Fields):
            """Rows that meet it go to the first child; null: a leaf.

            Attributes
            ----------
            feature : str
            kind : {"numeric", "categorical"}
            above : float, optional
                A bound that itself does not count.
            at_least : float, optional
            below : float, optional
                A bound that itself does not count.
            at_most : float, optional
            levels : list[str], optional
                Of a categorical feature: one of these.
            missing : bool
                Whether a row without a value meets it.
            missing_otherwise : bool, optional
                Of a split: whether rows without a value go where it is not met. False: there were none, or they meet
                it.
            """

            feature: str
            kind: Literal["numeric", "categorical"]
            above: float | None = None
            at_least: float | None = None
            below: float | None = None
            at_most: float | None = None
            levels: list[str] | None = None
            missing: bool
            missing_otherwise: bool | None = None

        split: Split | None = None
        children: NDArray[np.int64]
        count: float
        value: float
        class_: str | None = None
        shares: NDArray[np.float64] | None = None
        se: float | None = None
        impurity: float | None = None
        agreement: float | None = None
        stability: float | None = None

    class Proof(Fields):
        """What is proven about it; none: nothing was.

        Attributes
        ----------
        status : {"none", "optimal", "bounded", "sampled"}
        bound : float, optional
            No solution is better than this.
        among : str
            What was searched: "trees of depth 3 on these cuts".
        explored : int
            Steps of the search.
        """

        status: Literal["none", "optimal", "bounded", "sampled"]
        bound: float | None = None
        among: str
        explored: int

    name: str
    output: str
    group: str
    unit: str
    classes: list[str] | None = None
    nodes: list[Nodes]
    proof: Proof | None = None
    details: dict[str, Any]


class Rules(Item):
    """If-then rules, most important first: of a rule model, a surrogate, or a single row.

    Attributes
    ----------
    name : str, optional
        What a picture of them is called.
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    unit : str
        Of effects; empty if unknown.
    effects_add : bool
        Whether effects add up; else an effect is what is predicted where the rule holds.
    row : int, optional
        The row that they explain, counted from 0; null: they are about all.
    row_label : str, optional
        What that row is called in its table.
    perturbation : {"features", "words"}, optional
        What is made up of rows with the conditions held: other features are drawn from the data, or other words left
        out.
    intercept : float, optional
        What is predicted where no rule holds.
    rules : list[Rules]
    details : dict[str, Any]
        How they were found; free-form.
    """

    type: ClassVar[str] = "rules"

    class Rules(Fields):
        """The fields of `rules`.

        Attributes
        ----------
        conditions : list[Conditions]
            All of them hold; none: every row.
        effect : float, optional
            What is added where it holds, or what is predicted there; effects_add says which.
        class_ : str, optional
            What it predicts, where that is a class.
        support : float
            Share of (weighted) rows for which it holds.
        precision : float, optional
            Share of these that it is right about.
        low : float, optional
        high : float, optional
            With low: an interval for the precision.
        perturbed_precision : float, optional
            The precision over rows that were made up with the rule held.
        perturbed_low : float, optional
        perturbed_high : float, optional
            With perturbed_low: an interval for it.
        perturbed_estimator : {"sampled", "exact"}, optional
            Whether these rows were drawn, or are all that there are: then the precision is exact.
        base_rate : float, optional
            Share of all rows that it would be right about.
        tolerance : float, optional
            How far from the effect a prediction may be for the rule to be right.
        certain : bool, optional
            Whether it is proven to be right for every input, whatever the other features.
        minimal : bool, optional
            Of one that is certain: none of its conditions can be left out; whether fewer of other features would do,
            its proof says.
        importance : float, optional
        stability : float, optional
            Share of refits on resampled rows in which it came back.
        proof : Proof, optional
            What is proven about it; none: nothing was.
        range : Range, optional
            What is proven about predictions where it holds; none: nothing was.
        """

        class Conditions(Fields):
            """All of them hold; none: every row.

            Attributes
            ----------
            feature : str
            kind : {"numeric", "categorical"}
            above : float, optional
                A bound that itself does not count.
            at_least : float, optional
            below : float, optional
                A bound that itself does not count.
            at_most : float, optional
            levels : list[str], optional
                Of a categorical feature: one of these.
            missing : bool
                Whether a row without a value meets it.
            missing_otherwise : bool, optional
                Of a split: whether rows without a value go where it is not met. False: there were none, or they meet
                it.
            """

            feature: str
            kind: Literal["numeric", "categorical"]
            above: float | None = None
            at_least: float | None = None
            below: float | None = None
            at_most: float | None = None
            levels: list[str] | None = None
            missing: bool
            missing_otherwise: bool | None = None

        class Proof(Fields):
            """What is proven about it; none: nothing was.

            Attributes
            ----------
            status : {"none", "optimal", "bounded", "sampled"}
            bound : float, optional
                No solution is better than this.
            among : str
                What was searched: "trees of depth 3 on these cuts".
            explored : int
                Steps of the search.
            """

            status: Literal["none", "optimal", "bounded", "sampled"]
            bound: float | None = None
            among: str
            explored: int

        class Range(Fields):
            """What is proven about predictions where it holds; none: nothing was.

            Attributes
            ----------
            low : float
            high : float
                With low: no prediction is outside, proven.
            least : float
                The lowest that was found.
            greatest : float
                The highest that was found.
            at_least : dict[str, Any]
                The input with the lowest, by feature; null = missing.
            at_greatest : dict[str, Any]
                The input with the highest.
            bound : float
                Of the claim that is made about predictions there.
            claims_more : bool
                The claim: at least the bound; else at most.
            status : {"open", "proven", "refuted"}
                Of the claim; refuted by the input found.
            """

            low: float
            high: float
            least: float
            greatest: float
            at_least: dict[str, Any]
            at_greatest: dict[str, Any]
            bound: float
            claims_more: bool
            status: Literal["open", "proven", "refuted"]

        conditions: list[Conditions]
        effect: float | None = None
        class_: str | None = None
        support: float
        precision: float | None = None
        low: float | None = None
        high: float | None = None
        perturbed_precision: float | None = None
        perturbed_low: float | None = None
        perturbed_high: float | None = None
        perturbed_estimator: Literal["sampled", "exact"] | None = None
        base_rate: float | None = None
        tolerance: float | None = None
        certain: bool | None = None
        minimal: bool | None = None
        importance: float | None = None
        stability: float | None = None
        proof: Proof | None = None
        range: Range | None = None

    name: str | None = None
    output: str
    group: str
    unit: str
    effects_add: bool
    row: int | None = None
    row_label: str | None = None
    perturbation: Literal["features", "words"] | None = None
    intercept: float | None = None
    rules: list[Rules]
    details: dict[str, Any]


class Terms(Item):
    """The terms of a linear model or of a local line: prediction = link(intercept + sum of coefficient × value).

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    unit : str
        Of the prediction; empty if unknown.
    row : int, optional
        The row that they explain, counted from 0; null: they are about all.
    row_label : str, optional
        What that row is called in its table.
    link : {"identity", "logit", "softmax", "log"}
    intercept : float
    intercept_se : float, optional
    base : float, optional
        With contributions: what an average row has, before the link.
    prediction : float, optional
        Of the row that is explained.
    line : float, optional
        Of a local line, which only comes near the prediction: base + sum of contributions.
    in_sequence : bool, optional
        Terms follow one another, as the splits of a path do.
    terms : list[Terms]
        Largest standardized coefficient first.
    details : dict[str, Any]
        How they were found; free-form.
    """

    type: ClassVar[str] = "terms"

    class Terms(Fields):
        """Largest standardized coefficient first.

        Attributes
        ----------
        features : list[str]
            More than one: their product.
        conditions : list[Conditions], optional
            Of a term that is 1 where they hold, else 0: a level, a rule, a missing value. They stand in place of
            features that they name.
        coefficient : float
            Per unit of the feature.
        standardized : float, optional
            Per standard deviation of the term.
        se : float, optional
        low : float, optional
        high : float, optional
            With low: an interval for the coefficient.
        p_value : float, optional
        stability : float, optional
            Share of refits on resampled rows in which it came back.
        value : float, optional
            What the term is for the row that is explained: a number, or 1 where its conditions hold.
        contribution : float, optional
            What it adds for that row: base + sum of contributions = what the link takes.
        """

        class Conditions(Fields):
            """Of a term that is 1 where they hold, else 0: a level, a rule, a missing value. They stand in place of
            features that they name.

            Attributes
            ----------
            feature : str
            kind : {"numeric", "categorical"}
            above : float, optional
                A bound that itself does not count.
            at_least : float, optional
            below : float, optional
                A bound that itself does not count.
            at_most : float, optional
            levels : list[str], optional
                Of a categorical feature: one of these.
            missing : bool
                Whether a row without a value meets it.
            missing_otherwise : bool, optional
                Of a split: whether rows without a value go where it is not met. False: there were none, or they meet
                it.
            """

            feature: str
            kind: Literal["numeric", "categorical"]
            above: float | None = None
            at_least: float | None = None
            below: float | None = None
            at_most: float | None = None
            levels: list[str] | None = None
            missing: bool
            missing_otherwise: bool | None = None

        features: list[str]
        conditions: list[Conditions] | None = None
        coefficient: float
        standardized: float | None = None
        se: float | None = None
        low: float | None = None
        high: float | None = None
        p_value: float | None = None
        stability: float | None = None
        value: float | None = None
        contribution: float | None = None

    output: str
    group: str
    unit: str
    row: int | None = None
    row_label: str | None = None
    link: Literal["identity", "logit", "softmax", "log"]
    intercept: float
    intercept_se: float | None = None
    base: float | None = None
    prediction: float | None = None
    line: float | None = None
    in_sequence: bool | None = None
    terms: list[Terms]
    details: dict[str, Any]


class Fidelity(Item):
    """How well a surrogate follows the model, by parts of the data.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    surrogate : str
        Which learner: "tree".
    title : str
        Of the learner: "Decision tree".
    size : int
        Leaves, rules or terms.
    size_unit : str
        What the size counts: "leaves".
    measure : str
        "r2", "agreement", "log-loss".
    parts : list[Parts]
    details : dict[str, Any]
        How it was measured; free-form.
    """

    type: ClassVar[str] = "fidelity"

    class Parts(Fields):
        """The fields of `parts`.

        Attributes
        ----------
        rows : {"fitted", "held_out", "region", "made", "data"}
            Those it was fitted to, others, a region of the data; rows made of the data's values, or, where it was
            fitted to such, rows of the data.
        conditions : list[Conditions], optional
            Of a region.
        count : float
            (Weighted) rows.
        fidelity : float
            To the model. R² of a region: 1 - its mean squared difference / the variance over all rows.
        se : float, optional
        low : float, optional
        high : float, optional
            With low: an interval.
        error : float, optional
            Root mean squared difference to the model.
        within : float, optional
            Of a region: R² about its own mean.
        agreement : float, optional
            Of classes: share of rows for which both name the same.
        log_loss : float, optional
            Of classes: cross-entropy to the model's probabilities.
        entropy : float, optional
            Of the model's probabilities: no log-loss is lower.
        model : float, optional
            The same measure of the model, to the truth.
        surrogate : float, optional
            Of the surrogate, to the truth.
        """

        class Conditions(Fields):
            """Of a region.

            Attributes
            ----------
            feature : str
            kind : {"numeric", "categorical"}
            above : float, optional
                A bound that itself does not count.
            at_least : float, optional
            below : float, optional
                A bound that itself does not count.
            at_most : float, optional
            levels : list[str], optional
                Of a categorical feature: one of these.
            missing : bool
                Whether a row without a value meets it.
            missing_otherwise : bool, optional
                Of a split: whether rows without a value go where it is not met. False: there were none, or they meet
                it.
            """

            feature: str
            kind: Literal["numeric", "categorical"]
            above: float | None = None
            at_least: float | None = None
            below: float | None = None
            at_most: float | None = None
            levels: list[str] | None = None
            missing: bool
            missing_otherwise: bool | None = None

        rows: Literal["fitted", "held_out", "region", "made", "data"]
        conditions: list[Conditions] | None = None
        count: float
        fidelity: float
        se: float | None = None
        low: float | None = None
        high: float | None = None
        error: float | None = None
        within: float | None = None
        agreement: float | None = None
        log_loss: float | None = None
        entropy: float | None = None
        model: float | None = None
        surrogate: float | None = None

    output: str
    group: str
    surrogate: str
    title: str
    size: int
    size_unit: str
    measure: str
    parts: list[Parts]
    details: dict[str, Any]


class Frontier(Item):
    """Quality against size: surrogates of several kinds and sizes, one model along its penalty, or one learner with
    each of several sizes.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    measure : str
        "r2", "agreement", "log-loss".
    loss : str, optional
        What values are, where they are of the outcome and not fidelity to a model.
    size_name : str
        What sizes count: "leaves, rules or terms".
    points : list[Points]
    details : dict[str, Any]
        Free-form.
    """

    type: ClassVar[str] = "frontier"

    class Points(Fields):
        """The fields of `points`.

        Attributes
        ----------
        learner : str
            Its name: "tree".
        title : str
            Of the learner: "Decision tree".
        size : int
        value : float
            The measure on held-out rows.
        se : float, optional
        low : float, optional
        high : float, optional
            With low: an interval.
        best : bool
            Whether it is on the frontier: no smaller one is better.
        chosen : bool
            The one from which on more size brings little.
        """

        learner: str
        title: str
        size: int
        value: float
        se: float | None = None
        low: float | None = None
        high: float | None = None
        best: bool
        chosen: bool

    output: str
    group: str
    measure: str
    loss: (
        Literal["squared", "absolute", "rmse", "r2", "log-loss", "brier", "auc", "accuracy", "f1", "poisson"] | None
    ) = None
    size_name: str
    points: list[Points]
    details: dict[str, Any]


class PenaltyPath(Item):
    """A sparse model along its penalty: the coefficients, and the cross-validated loss.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    penalties : array
        Descending.
    nonzero : array of int
        How many terms the model has at each penalty.
    terms : list[Terms]
        Those that matter most.
    loss : str
        What cv_mean is: "mean squared error"; empty: not cross-validated.
    cv_mean : array
        Per penalty, or none.
    cv_se : array
    chosen : int, optional
        The place in penalties of the one that the model has.
    minimum : int, optional
        Where the loss is lowest.
    one_se : int, optional
        The largest whose loss is within one standard error of the lowest.
    details : dict[str, Any]
        Free-form.
    """

    type: ClassVar[str] = "penalty_path"

    class Terms(Fields):
        """Those that matter most.

        Attributes
        ----------
        name : str
            "temp", "season = winter".
        coefficients : array
            Standardized, one per penalty.
        """

        name: str
        coefficients: NDArray[np.float64]

    output: str
    group: str
    penalties: NDArray[np.float64]
    nonzero: NDArray[np.int64]
    terms: list[Terms]
    loss: str
    cv_mean: NDArray[np.float64]
    cv_se: NDArray[np.float64]
    chosen: int | None = None
    minimum: int | None = None
    one_se: int | None = None
    details: dict[str, Any]


class Scorecard(Item):
    """How good several explanations are, each by the same qualities.

    Attributes
    ----------
    name : str
        What is compared.
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    measure : str
        Of fidelity and accuracy: "r2", "agreement".
    scores : list[Scores]
    details : dict[str, Any]
        Free-form.
    """

    type: ClassVar[str] = "scorecard"

    class Scores(Fields):
        """The fields of `scores`.

        Attributes
        ----------
        subject : str
            Which explanation: "tree".
        title : str
            Of it: "Decision tree".
        quality : str
            Which quality: "stability".
        value : float
        low : float, optional
        high : float, optional
            With low: an interval.
        note : str, optional
            What there is to say of it.
        """

        subject: str
        title: str
        quality: str
        value: float
        low: float | None = None
        high: float | None = None
        note: str | None = None

    name: str
    output: str
    group: str
    measure: str
    scores: list[Scores]
    details: dict[str, Any]


class Panels(Item):
    """Submodels of at most two features each, whose regions can be drawn.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    structure : {"hierarchical", "covering"}
        A tree of panels, or panels that claim rows one after the other.
    classes : list[str]
    order : list[str], optional
        Covering: the most critical class first; of the first no training row is claimed.
    row : int, optional
        Whose way through the panels is shown; null: panels with all their rows.
    row_label : str, optional
        What that row is called in its table.
    predicted : str, optional
        The class of that row.
    panels : list[Panels]
        In the order in which they are asked; of a tree the root first.
    unclaimed : float
        Covering: share of rows of other classes that no panel claims.
    missed : float
        Covering: (weighted) training rows that are taken for a less critical class than their own.
    tolerated : array of int
        Covering: rows that were left out of what must not be claimed.
    trade_off : list[TradeOff]
        Of safe mode: what is promised against what it costs.
    details : dict[str, Any]
        Free-form.
    """

    type: ClassVar[str] = "panels"

    class Panels(Fields):
        """In the order in which they are asked; of a tree the root first.

        Attributes
        ----------
        number : int, optional
            Its place in the whole tree, where a row's way is shown; null: in this list.
        axes : list[Axes]
            One or two features and the values that the region is known at.
        region : array
            Decision values per grid point of the first feature, of the second.
        threshold : float
            Above it the panel claims a row.
        box : array, optional
            Low and high of each axis; beyond, nothing is claimed.
        claims : str
            The class of its positive side.
        count : float
            (Weighted) training rows that came to it.
        claimed : float
            Those above the threshold.
        wrong : float
            Of these, those of other classes.
        score : float
            Covering: rows that no panel before it claims; tree: share of impurity that it removes.
        decision : float, optional
            Of the row whose way is shown, unless a value is missing.
        below : Below, optional
            Of a tree: where rows go on that are not above the threshold.
        above : Above, optional
            And those above.
        runners_up : list[RunnersUp]
            Features that were nearly chosen instead.
        rows : array of int
            Training rows that are drawn.
        x : array
            Of each of them, along the first feature; categories by their place.
        y : array, optional
            Along the second.
        row_classes : array of int
            Places among the classes.
        row_above : array of int
            1: claimed, or on the positive side.
        """

        class Axes(Fields):
            """One or two features and the values that the region is known at.

            Attributes
            ----------
            feature : str
            kind : {"numeric", "categorical"}
            unit : str
                Empty if unknown.
            ordered : bool
                The levels have an order of their own.
            grid : array or list[str]
            """

            feature: str
            kind: Literal["numeric", "categorical"]
            unit: str
            ordered: bool
            grid: NDArray[np.float64] | list[str]

        class Below(Fields):
            """Of a tree: where rows go on that are not above the threshold.

            Attributes
            ----------
            panel : int, optional
                Its place in the list; null: a leaf.
            class_ : str
                The most frequent one there.
            share : float
                Of that class.
            count : float
                (Weighted) training rows.
            """

            panel: int | None = None
            class_: str
            share: float
            count: float

        class Above(Fields):
            """And those above.

            Attributes
            ----------
            panel : int, optional
                Its place in the list; null: a leaf.
            class_ : str
                The most frequent one there.
            share : float
                Of that class.
            count : float
                (Weighted) training rows.
            """

            panel: int | None = None
            class_: str
            share: float
            count: float

        class RunnersUp(Fields):
            """Features that were nearly chosen instead.

            Attributes
            ----------
            features : list[str]
            score : float
                Covering: what they would have claimed, as a share of what the panel did when it was chosen; of a tree
                as of the panel itself.
            """

            features: list[str]
            score: float

        number: int | None = None
        axes: list[Axes]
        region: NDArray[np.float64]
        threshold: float
        box: NDArray[np.float64] | None = None
        claims: str
        count: float
        claimed: float
        wrong: float
        score: float
        decision: float | None = None
        below: Below | None = None
        above: Above | None = None
        runners_up: list[RunnersUp]
        rows: NDArray[np.int64]
        x: NDArray[np.float64]
        y: NDArray[np.float64] | None = None
        row_classes: NDArray[np.int64]
        row_above: NDArray[np.int64]

    class TradeOff(Fields):
        """Of safe mode: what is promised against what it costs.

        Attributes
        ----------
        promised : float
            A new row of a more critical class is missed at most so often.
        unclaimed : float
            Share of other training rows that are then left unclaimed.
        chosen : bool
            Whether the thresholds are these.
        """

        promised: float
        unclaimed: float
        chosen: bool

    output: str
    group: str
    structure: Literal["hierarchical", "covering"]
    classes: list[str]
    order: list[str] | None = None
    row: int | None = None
    row_label: str | None = None
    predicted: str | None = None
    panels: list[Panels]
    unclaimed: float
    missed: float
    tolerated: NDArray[np.int64]
    trade_off: list[TradeOff]
    details: dict[str, Any]


class Examples(Item):
    """Rows of the data that say something: prototypes, criticisms, neighbours, picked explanations.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    role : str
    of_row : int, optional
        Whose neighbours they are; null: of none.
    of_row_label : str, optional
        What that row is called in its table.
    measure : str
        What score is: "witness", "distance".
    objective : str
        What objective is: "mmd2".
    features : list[str]
        In the order of the data.
    rows : list[Rows]
        In the order in which they were chosen.
    map : Map, optional
        The rows in two dimensions; null: there is none.
    details : dict[str, Any]
        How they were found; free-form.
    """

    type: ClassVar[str] = "examples"

    class Rows(Fields):
        """In the order in which they were chosen.

        Attributes
        ----------
        row : int
            Of the data, counted from 0.
        row_label : str, optional
            What that row is called in its table.
        data : dict[str, Any]
            Own values by feature: numbers or levels; null = missing.
        class_ : str, optional
            Outcome, where that is a class.
        target : float, optional
            Outcome, where that is a number.
        predicted : str, optional
            Where the model predicts classes: the most likely one.
        prediction : float, optional
            The number; of classes that of the most likely one, or of the class that details.prediction_of names.
        other_predicted : str, optional
            The same of another model, which details.models names.
        other_prediction : float, optional
            The number; of classes that of its own most likely one.
        error : float, optional
            Prediction minus target; of classes 1 where the prediction is wrong, else 0.
        score : float, optional
            What makes it special; measure says what that is.
        objective : float, optional
            Reached with this row and those before it.
        stands_for : float, optional
            (Weighted) rows to which it is the nearest of these; of a neighbour: with how many rows it votes.
        accuracy : float, optional
            Share of rows that have the class of the nearest of these rows so far.
        x : float, optional
        y : float, optional
            With x: its place on the map.
        special : list[Special], optional
            Values that are farthest from the middle, oddest first; of a neighbour: those that differ from of_row, most
            first.
        attributions : list[Attributions], optional
            What features add to the prediction, largest first.
        """

        class Special(Fields):
            """Values that are farthest from the middle, oddest first; of a neighbour: those that differ from of_row,
            most first.

            Attributes
            ----------
            feature : str
            deviation : float, optional
                From the mean, in standard deviations.
            share : float, optional
                Of rows with the same level, or without a value as this one.
            difference : float, optional
                From the value of of_row, as a share of the range; another level: 1.
            """

            feature: str
            deviation: float | None = None
            share: float | None = None
            difference: float | None = None

        class Attributions(Fields):
            """What features add to the prediction, largest first.

            Attributes
            ----------
            feature : str
            value : float
                What it adds to the prediction.
            """

            feature: str
            value: float

        row: int
        row_label: str | None = None
        data: dict[str, Any]
        class_: str | None = None
        target: float | None = None
        predicted: str | None = None
        prediction: float | None = None
        other_predicted: str | None = None
        other_prediction: float | None = None
        error: float | None = None
        score: float | None = None
        objective: float | None = None
        stands_for: float | None = None
        accuracy: float | None = None
        x: float | None = None
        y: float | None = None
        special: list[Special] | None = None
        attributions: list[Attributions] | None = None

    class Map(Fields):
        """The rows in two dimensions; null: there is none.

        Attributes
        ----------
        axes : list[str]
            What x and y are.
        shown : float, optional
            Share of the variance of all features that these show.
        x : array
            Of rows in the background.
        y : array
        classes : list[str], optional
            Of these rows.
        """

        axes: list[str]
        shown: float | None = None
        x: NDArray[np.float64]
        y: NDArray[np.float64]
        classes: list[str] | None = None

    output: str
    group: str
    role: str
    of_row: int | None = None
    of_row_label: str | None = None
    measure: str
    objective: str
    features: list[str]
    rows: list[Rows]
    map: Map | None = None
    details: dict[str, Any]


class Counterfactuals(Item):
    """Changes of one row with which the model says something else.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    row : int
        Of the data, counted from 0.
    row_label : str, optional
        What that row is called in its table.
    data : dict[str, Any]
        Own values by feature: numbers or levels; null = missing.
    prediction : float
        Of the row as it is; of classes the wanted one's.
    predicted : str, optional
        The row's most likely class.
    wanted : Wanted
        The outcome that was asked for: class, or at_least and at_most.
    status : {"found", "already", "unreachable", "not_found"}
        found; already: the row has the outcome as it is; unreachable: proven that no change reaches it; not_found: none
        was found; the ladder has what is proven.
    changes : list[Changes]
        Fewest features first, then cheapest.
    ladder : list[Ladder]
        What is known of changes of one feature, of two, and so on.
    proof : Proof, optional
        What is proven about it; none: nothing was.
    details : dict[str, Any]
        How they were found; free-form.
    """

    type: ClassVar[str] = "counterfactuals"

    class Wanted(Fields):
        """The outcome that was asked for: class, or at_least and at_most.

        Attributes
        ----------
        class_ : str, optional
            Is to be the most likely one.
        at_least : float, optional
            The prediction is to be this or more.
        at_most : float, optional
            The prediction is to be this or less.
        """

        class_: str | None = None
        at_least: float | None = None
        at_most: float | None = None

    class Changes(Fields):
        """Fewest features first, then cheapest.

        Attributes
        ----------
        values : dict[str, Any]
            Only what changes, by feature: numbers or levels.
        costs : dict[str, Any]
            What each of them adds to the cost.
        prediction : float
            With these values.
        predicted : str, optional
            The most likely class with these values.
        cost : float
            Of a number its change as a share of the median absolute deviation (of the range where that is 0), of
            another level 1; summed up.
        distance_to_data : float, optional
            Gower's, to the nearest row with the wanted outcome.
        nearest_row : int, optional
            That row; null: there is none.
        other_model : OtherModel, optional
            What a second model says of these values.
        proof : Proof, optional
            What is proven about it; none: nothing was.
        """

        class OtherModel(Fields):
            """What a second model says of these values.

            Attributes
            ----------
            prediction : float
            predicted : str, optional
                The most likely class.
            kept : bool
                Whether it is what was wanted.
            """

            prediction: float
            predicted: str | None = None
            kept: bool

        class Proof(Fields):
            """What is proven about it; none: nothing was.

            Attributes
            ----------
            status : {"none", "optimal", "bounded", "sampled"}
            bound : float, optional
                No solution is better than this.
            among : str
                What was searched: "trees of depth 3 on these cuts".
            explored : int
                Steps of the search.
            """

            status: Literal["none", "optimal", "bounded", "sampled"]
            bound: float | None = None
            among: str
            explored: int

        values: dict[str, Any]
        costs: dict[str, Any]
        prediction: float
        predicted: str | None = None
        cost: float
        distance_to_data: float | None = None
        nearest_row: int | None = None
        other_model: OtherModel | None = None
        proof: Proof | None = None

    class Ladder(Fields):
        """What is known of changes of one feature, of two, and so on.

        Attributes
        ----------
        features : int
            How many change.
        status : {"reached", "unreachable", "not_found"}
            unreachable: proven; not_found: within the limit of the search.
        bound : float, optional
            Proven: no change of so many features costs less, of sets of features in which no smaller set reaches what
            is wanted.
        """

        features: int
        status: Literal["reached", "unreachable", "not_found"]
        bound: float | None = None

    class Proof(Fields):
        """What is proven about it; none: nothing was.

        Attributes
        ----------
        status : {"none", "optimal", "bounded", "sampled"}
        bound : float, optional
            No solution is better than this.
        among : str
            What was searched: "trees of depth 3 on these cuts".
        explored : int
            Steps of the search.
        """

        status: Literal["none", "optimal", "bounded", "sampled"]
        bound: float | None = None
        among: str
        explored: int

    output: str
    group: str
    row: int
    row_label: str | None = None
    data: dict[str, Any]
    prediction: float
    predicted: str | None = None
    wanted: Wanted
    status: Literal["found", "already", "unreachable", "not_found"]
    changes: list[Changes]
    ladder: list[Ladder]
    proof: Proof | None = None
    details: dict[str, Any]


class WidthSweep(Item):
    """A local line over the widths of its kernel: what it says from very near the row to all of the data.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    row : int, optional
        The row that is explained, counted from 0.
    row_label : str, optional
        What that row is called in its table.
    widths : array
        Ascending.
    chosen : int, optional
        The place in widths of the one that the line has.
    terms : list[Terms]
        As the line has them.
    r2 : array
        Of the line on made-up rows, per width; null: too few count.
    locality : array
        Share of the weight near the row, per width.
    details : dict[str, Any]
        Free-form.
    """

    type: ClassVar[str] = "width_sweep"

    class Terms(Fields):
        """As the line has them.

        Attributes
        ----------
        name : str
            "temp", "season = winter".
        coefficients : array
            One per width; null: too few samples count there.
        """

        name: str
        coefficients: NDArray[np.float64]

    output: str
    group: str
    row: int | None = None
    row_label: str | None = None
    widths: NDArray[np.float64]
    chosen: int | None = None
    terms: list[Terms]
    r2: NDArray[np.float64]
    locality: NDArray[np.float64]
    details: dict[str, Any]


class MarkedText(Item):
    """A text with what its pieces add to the prediction.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    row : int, optional
        Of the data, counted from 0; null: of none.
    row_label : str, optional
        What that row is called in its table.
    text : str
    base : float, optional
        What the values are added to.
    prediction : float
        Of the model, for the whole text.
    pieces : list[Pieces]
        In the order of the text, none within another.
    details : dict[str, Any]
        How they were found; free-form.
    """

    type: ClassVar[str] = "marked_text"

    class Pieces(Fields):
        """In the order of the text, none within another.

        Attributes
        ----------
        start : int
            In Unicode code points.
        end : int
            Behind the last one.
        value : float
            What it adds to the prediction.
        se : float, optional
        together : int
            Places with the same number were left out together: the value is that of all, once.
        """

        start: int
        end: int
        value: float
        se: float | None = None
        together: int

    output: str
    group: str
    row: int | None = None
    row_label: str | None = None
    text: str
    base: float | None = None
    prediction: float
    pieces: list[Pieces]
    details: dict[str, Any]


class MarkedPicture(Item):
    """A picture with what its segments add to the prediction.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    row : int, optional
        Of the data, counted from 0; null: of none.
    row_label : str, optional
        What that row is called in its table.
    width : int
    height : int
    picture : str
        PNG in base64; empty where the picture may not leave.
    segments : str
        A number per pixel, row by row, as runs: "12x0 5x1 …".
    values : array
        Per segment; 0 of those that the explanation leaves out.
    se : array
        Standard errors; none where nothing was random.
    base : float, optional
        What the values are added to.
    prediction : float
        Of the model, for the whole picture.
    details : dict[str, Any]
        How they were found; free-form.
    """

    type: ClassVar[str] = "marked_picture"

    output: str
    group: str
    row: int | None = None
    row_label: str | None = None
    width: int
    height: int
    picture: str
    segments: str
    values: NDArray[np.float64]
    se: NDArray[np.float64]
    base: float | None = None
    prediction: float
    details: dict[str, Any]


class Confusion(Item):
    """Which classes a model takes for which.

    Attributes
    ----------
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    classes : list[str]
    count : array
        (Weighted) rows, by the true class and then by the predicted one.
    threshold : float, optional
        Of two classes: from this prediction on the second is predicted.
    """

    type: ClassVar[str] = "confusion"

    output: str
    group: str
    classes: list[str]
    count: NDArray[np.float64]
    threshold: float | None = None


class Diagram(Item):
    """Numbers against numbers: ROC and precision-recall curves, calibration, costs of thresholds, residuals.

    Attributes
    ----------
    name : str
        Of the picture.
    kind : str
        What it shows.
    output : str
        The model's output or class.
    group : str
        The rows that it was computed from, or empty for all.
    x : X
    y : Y
    series : list[Series]
    figures : list[Figures]
        Numbers that belong to the picture.
    meaning : str
        How to read it.
    """

    type: ClassVar[str] = "diagram"

    class X(Fields):
        """The fields of `x`.

        Attributes
        ----------
        name : str
            In words.
        unit : str
        share : bool
            Whether numbers are from 0 to 1.
        levels : list[str]
            If there are any, numbers are places among these.
        """

        name: str
        unit: str
        share: bool
        levels: list[str]

    class Y(Fields):
        """The fields of `y`.

        Attributes
        ----------
        name : str
            In words.
        unit : str
        share : bool
            Whether numbers are from 0 to 1.
        levels : list[str]
            If there are any, numbers are places among these.
        """

        name: str
        unit: str
        share: bool
        levels: list[str]

    class Series(Fields):
        """The fields of `series`.

        Attributes
        ----------
        name : str
        mark : str
            How points are drawn: joined by lines, as steps whose height is that of their right end, as dots of single
            rows, as dots with intervals, as a thin line to compare with, or as a ring.
        x : array
        y : array
        low : array
        high : array
            With low: a 95 % interval of y.
        threshold : array
            From this prediction on a row is taken for the class.
        count : array
            (Weighted) rows.
        rows : array of int
            Of the data, where points are rows.
        """

        name: str
        mark: Literal["line", "steps", "rows", "means", "reference", "ring"]
        x: NDArray[np.float64]
        y: NDArray[np.float64]
        low: NDArray[np.float64]
        high: NDArray[np.float64]
        threshold: NDArray[np.float64]
        count: NDArray[np.float64]
        rows: NDArray[np.int64]

    class Figures(Fields):
        """Numbers that belong to the picture.

        Attributes
        ----------
        name : str
        value : float
        low : float, optional
        high : float, optional
            With low: a 95 % interval.
        """

        name: str
        value: float
        low: float | None = None
        high: float | None = None

    name: str
    kind: str
    output: str
    group: str
    x: X
    y: Y
    series: list[Series]
    figures: list[Figures]
    meaning: str
