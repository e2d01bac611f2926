"""Models that explain themselves, as estimators. Do not edit: written by tools/make_python_methods.py from the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._attributes import Coefficients, SplitImportances, TermImportances
from ._estimator import Classifier, Regressor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

__all__ = [
    "AdditiveClassifier",
    "AdditiveRegressor",
    "CoveringPanelsClassifier",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "HierarchicalPanelsClassifier",
    "NearestPrototypeClassifier",
    "NeighborsClassifier",
    "NeighborsRegressor",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "RuleFitClassifier",
    "RuleFitRegressor",
    "SparseLinearClassifier",
    "SparseLinearRegressor",
]


class SparseLinearRegressor(Coefficients, Regressor):
    """Which few features does the outcome depend on, and by how much per unit of each?

    minimise (1 / 2n) ‖y − a − Xβ‖² + λ (α ‖β‖₁ + ½ (1 − α) ‖β‖²), or half the mean deviance in its place.
    When to use it: effects that are about straight lines; few terms that a person can check and add up by hand.
    When not to: bends, thresholds and interactions: a tree, rules or an additive model show these.

    Parameters
    ----------
    family : {"auto", "gaussian", "binomial", "multinomial", "poisson", "gamma"}, optional
        Distribution of the outcome; auto: gaussian for numbers, binomial or multinomial for classes.
    l1_ratio : float, optional
        1: lasso, which sets terms to 0; 0: ridge, which shrinks all; between: elastic net.
    penalty : float, optional
        A fixed penalty λ; 0: the plain model, with standard errors; default: chosen by cross-validation.
    terms : int, optional
        Exactly so many terms, without a penalty on them; default: as many as the penalty leaves.
    choose : {"min", "one-se"}, optional
        Penalty of the smallest cross-validated loss, or the largest one whose loss is within one standard error
        of it.
    folds : int, optional
        Parts of the rows for cross-validation.
    path_length : int, optional
        Penalties to try.
    path_ratio : float, optional
        Smallest penalty, as a share of the one that leaves no term.
    categories : {"one-hot", "grouped"}, optional
        One-hot: each level is a term; grouped: all levels of a feature are one term.
    missing : {"indicator", "refuse"}, optional
        Indicator: a missing number is taken for the mean and has a term of its own; refuse: an error.
    standardize : bool, optional
        Penalise terms by their standard deviation, not by unit.
    seed : int, optional
        Of the division into folds.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    coef_ : array
        Coefficients in the units of the features, in the order of `feature_names_in_`: one for each, or (classes or
        1, columns). A categorical feature has one for each level, a number with missing values one more for these.
    intercept_ : float or array
        One, or one for each class.
    term_names_ : array of str
        What the columns of `coef_` are: "temp", "season = spring", "temp is missing".
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: rows × terms² / 2 once for numbers, whatever the folds; for classes and counts some tens of times as much.
    Friedman, Hastie and Tibshirani 2010, Regularization paths for generalized linear models.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = 10 * (X[:, 0] > 0.5) + X[:, 1]
    >>> model = sg.SparseLinearRegressor().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'sparse-linear'
    """

    _learner = "sparse-linear"

    def __init__(
        self,
        *,
        family: Literal["auto", "gaussian", "binomial", "multinomial", "poisson", "gamma"] = "auto",
        l1_ratio: float = 1,
        penalty: float | None = None,
        terms: int | None = None,
        choose: Literal["min", "one-se"] = "one-se",
        folds: int = 10,
        path_length: int = 100,
        path_ratio: float = 0.001,
        categories: Literal["one-hot", "grouped"] = "one-hot",
        missing: Literal["indicator", "refuse"] = "indicator",
        standardize: bool = True,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.family = family
        self.l1_ratio = l1_ratio
        self.penalty = penalty
        self.terms = terms
        self.choose = choose
        self.folds = folds
        self.path_length = path_length
        self.path_ratio = path_ratio
        self.categories = categories
        self.missing = missing
        self.standardize = standardize
        self.seed = seed
        self.threads = threads


class SparseLinearClassifier(Coefficients, Classifier):
    """Which few features does the outcome depend on, and by how much per unit of each?

    minimise (1 / 2n) ‖y − a − Xβ‖² + λ (α ‖β‖₁ + ½ (1 − α) ‖β‖²), or half the mean deviance in its place.
    When to use it: effects that are about straight lines; few terms that a person can check and add up by hand.
    When not to: bends, thresholds and interactions: a tree, rules or an additive model show these.

    Parameters
    ----------
    family : {"auto", "gaussian", "binomial", "multinomial", "poisson", "gamma"}, optional
        Distribution of the outcome; auto: gaussian for numbers, binomial or multinomial for classes.
    l1_ratio : float, optional
        1: lasso, which sets terms to 0; 0: ridge, which shrinks all; between: elastic net.
    penalty : float, optional
        A fixed penalty λ; 0: the plain model, with standard errors; default: chosen by cross-validation.
    terms : int, optional
        Exactly so many terms, without a penalty on them; default: as many as the penalty leaves.
    choose : {"min", "one-se"}, optional
        Penalty of the smallest cross-validated loss, or the largest one whose loss is within one standard error
        of it.
    folds : int, optional
        Parts of the rows for cross-validation.
    path_length : int, optional
        Penalties to try.
    path_ratio : float, optional
        Smallest penalty, as a share of the one that leaves no term.
    categories : {"one-hot", "grouped"}, optional
        One-hot: each level is a term; grouped: all levels of a feature are one term.
    missing : {"indicator", "refuse"}, optional
        Indicator: a missing number is taken for the mean and has a term of its own; refuse: an error.
    standardize : bool, optional
        Penalise terms by their standard deviation, not by unit.
    seed : int, optional
        Of the division into folds.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    coef_ : array
        Coefficients in the units of the features, in the order of `feature_names_in_`: one for each, or (classes or
        1, columns). A categorical feature has one for each level, a number with missing values one more for these.
    intercept_ : float or array
        One, or one for each class.
    term_names_ : array of str
        What the columns of `coef_` are: "temp", "season = spring", "temp is missing".
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: rows × terms² / 2 once for numbers, whatever the folds; for classes and counts some tens of times as much.
    Friedman, Hastie and Tibshirani 2010, Regularization paths for generalized linear models.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0.5, "high", "low")
    >>> model = sg.SparseLinearClassifier().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'sparse-linear'
    """

    _learner = "sparse-linear"

    def __init__(
        self,
        *,
        family: Literal["auto", "gaussian", "binomial", "multinomial", "poisson", "gamma"] = "auto",
        l1_ratio: float = 1,
        penalty: float | None = None,
        terms: int | None = None,
        choose: Literal["min", "one-se"] = "one-se",
        folds: int = 10,
        path_length: int = 100,
        path_ratio: float = 0.001,
        categories: Literal["one-hot", "grouped"] = "one-hot",
        missing: Literal["indicator", "refuse"] = "indicator",
        standardize: bool = True,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.family = family
        self.l1_ratio = l1_ratio
        self.penalty = penalty
        self.terms = terms
        self.choose = choose
        self.folds = folds
        self.path_length = path_length
        self.path_ratio = path_ratio
        self.categories = categories
        self.missing = missing
        self.standardize = standardize
        self.seed = seed
        self.threads = threads


class DecisionTreeRegressor(SplitImportances, Regressor):
    """Which few questions tell high outcomes from low ones?

    maximise i(t) - w_L/w_t i(t_L) - w_R/w_t i(t_R); a leaf predicts its mean or its class shares.
    When to use it: effects come in steps and depend on one another, and people are to follow each prediction.
    When not to: the outcome changes smoothly or is a sum of many effects: a tree needs many leaves for a line.

    Parameters
    ----------
    criterion : {"auto", "variance", "gini", "entropy"}, optional
        What splits lower: variance of numbers; gini or entropy of classes; auto: variance, or gini.
    max_depth : int, optional
        The most questions about a row; 0 = any number. Not given: 4, or any number with max_leaves.
    max_leaves : int, optional
        The most leaves, of which those that gain most are made first; 0 = any number.
    min_leaf_rows : int, optional
        The fewest rows of a leaf, whatever they weigh.
    min_split_rows : int, optional
        The fewest rows that are split.
    min_decrease : float, optional
        By how much a split must lower the impurity of the whole tree.
    alpha : float, optional
        What a leaf costs, in impurity of the whole tree: branches that gain less are taken back.
    prune : {"none", "cv"}, optional
        Cv: cross-validation chooses alpha.
    rule : {"1se", "min"}, optional
        Of prune: the smallest tree within one standard error of the best (1se), or the best (min).
    folds : int, optional
        Parts of the rows in cross-validation.
    monotone : str or sequence of str, optional
        Numeric features with which predictions only rise or fall: temp=increasing, wind=decreasing.
    seed : int, optional
        Of the folds.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    feature_importances_ : array
        One for each feature, in the order of `feature_names_in_`, of the sum 1:
        by how much splits on it lower the impurity of the training rows, as in scikit-learn.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: rows × features per level.
    Breiman, Friedman, Olshen, Stone 1984, Classification and Regression Trees.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = 10 * (X[:, 0] > 0.5) + X[:, 1]
    >>> model = sg.DecisionTreeRegressor().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'tree'
    """

    _learner = "tree"

    def __init__(
        self,
        *,
        criterion: Literal["auto", "variance", "gini", "entropy"] = "auto",
        max_depth: int | None = None,
        max_leaves: int = 0,
        min_leaf_rows: int = 5,
        min_split_rows: int = 2,
        min_decrease: float = 0,
        alpha: float = 0,
        prune: Literal["none", "cv"] = "none",
        rule: Literal["1se", "min"] = "1se",
        folds: int = 10,
        monotone: str | Sequence[str] | Mapping[str | int, str] | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_leaf_rows = min_leaf_rows
        self.min_split_rows = min_split_rows
        self.min_decrease = min_decrease
        self.alpha = alpha
        self.prune = prune
        self.rule = rule
        self.folds = folds
        self.monotone = monotone
        self.seed = seed
        self.threads = threads


class DecisionTreeClassifier(SplitImportances, Classifier):
    """Which few questions tell high outcomes from low ones?

    maximise i(t) - w_L/w_t i(t_L) - w_R/w_t i(t_R); a leaf predicts its mean or its class shares.
    When to use it: effects come in steps and depend on one another, and people are to follow each prediction.
    When not to: the outcome changes smoothly or is a sum of many effects: a tree needs many leaves for a line.

    Parameters
    ----------
    criterion : {"auto", "variance", "gini", "entropy"}, optional
        What splits lower: variance of numbers; gini or entropy of classes; auto: variance, or gini.
    max_depth : int, optional
        The most questions about a row; 0 = any number. Not given: 4, or any number with max_leaves.
    max_leaves : int, optional
        The most leaves, of which those that gain most are made first; 0 = any number.
    min_leaf_rows : int, optional
        The fewest rows of a leaf, whatever they weigh.
    min_split_rows : int, optional
        The fewest rows that are split.
    min_decrease : float, optional
        By how much a split must lower the impurity of the whole tree.
    alpha : float, optional
        What a leaf costs, in impurity of the whole tree: branches that gain less are taken back.
    prune : {"none", "cv"}, optional
        Cv: cross-validation chooses alpha.
    rule : {"1se", "min"}, optional
        Of prune: the smallest tree within one standard error of the best (1se), or the best (min).
    folds : int, optional
        Parts of the rows in cross-validation.
    monotone : str or sequence of str, optional
        Numeric features with which predictions only rise or fall: temp=increasing, wind=decreasing.
    seed : int, optional
        Of the folds.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    feature_importances_ : array
        One for each feature, in the order of `feature_names_in_`, of the sum 1:
        by how much splits on it lower the impurity of the training rows, as in scikit-learn.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: rows × features per level.
    Breiman, Friedman, Olshen, Stone 1984, Classification and Regression Trees.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0.5, "high", "low")
    >>> model = sg.DecisionTreeClassifier().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'tree'
    """

    _learner = "tree"

    def __init__(
        self,
        *,
        criterion: Literal["auto", "variance", "gini", "entropy"] = "auto",
        max_depth: int | None = None,
        max_leaves: int = 0,
        min_leaf_rows: int = 5,
        min_split_rows: int = 2,
        min_decrease: float = 0,
        alpha: float = 0,
        prune: Literal["none", "cv"] = "none",
        rule: Literal["1se", "min"] = "1se",
        folds: int = 10,
        monotone: str | Sequence[str] | Mapping[str | int, str] | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_leaf_rows = min_leaf_rows
        self.min_split_rows = min_split_rows
        self.min_decrease = min_decrease
        self.alpha = alpha
        self.prune = prune
        self.rule = rule
        self.folds = folds
        self.monotone = monotone
        self.seed = seed
        self.threads = threads


class OptimalTreeRegressor(SplitImportances, Regressor):
    """Which is the best of all small trees?

    minimise Σ_leaves w i(leaf) / w_total + alpha leaves, over all trees on the cuts.
    When to use it: a tree must be small and as good as a small tree can be, or none better must be known to exist.
    When not to: there may be many leaves: greedy trees are nearly as good then, and much faster.

    Parameters
    ----------
    criterion : {"auto", "variance", "gini", "misclassification"}, optional
        What is made as small as can be: variance of numbers; gini or misclassification of classes; auto:
        variance, or gini.
    max_depth : int, optional
        The most questions about a row.
    max_leaves : int, optional
        The most leaves; 0 = as many as the depth allows.
    min_leaf_rows : int, optional
        The fewest rows of a leaf, each by its weight, which is 1 on average; 1: any row is enough.
    alpha : float, optional
        What a leaf costs, in impurity of the whole tree.
    max_cuts : int, optional
        The most questions that are tried.
    max_nodes : int, optional
        With max_depth 4: sets of rows that are solved before the search gives up its proof.
    seconds : float, optional
        With max_depth 4: the same by time, which makes results depend on the machine.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    feature_importances_ : array
        One for each feature, in the order of `feature_names_in_`, of the sum 1:
        by how much splits on it lower the impurity of the training rows, as in scikit-learn.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: cuts × (rows × features² + cuts²); depth 4: × cuts.
    Demirović et al. 2022, MurTree; van der Linden et al. 2023, STreeD.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = 10 * (X[:, 0] > 0.5) + X[:, 1]
    >>> model = sg.OptimalTreeRegressor().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'optimal-tree'
    """

    _learner = "optimal-tree"

    def __init__(
        self,
        *,
        criterion: Literal["auto", "variance", "gini", "misclassification"] = "auto",
        max_depth: int = 3,
        max_leaves: int = 0,
        min_leaf_rows: int = 5,
        alpha: float = 0,
        max_cuts: int = 100,
        max_nodes: int = 100000,
        seconds: float | None = None,
        threads: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_leaf_rows = min_leaf_rows
        self.alpha = alpha
        self.max_cuts = max_cuts
        self.max_nodes = max_nodes
        self.seconds = seconds
        self.threads = threads


class OptimalTreeClassifier(SplitImportances, Classifier):
    """Which is the best of all small trees?

    minimise Σ_leaves w i(leaf) / w_total + alpha leaves, over all trees on the cuts.
    When to use it: a tree must be small and as good as a small tree can be, or none better must be known to exist.
    When not to: there may be many leaves: greedy trees are nearly as good then, and much faster.

    Parameters
    ----------
    criterion : {"auto", "variance", "gini", "misclassification"}, optional
        What is made as small as can be: variance of numbers; gini or misclassification of classes; auto:
        variance, or gini.
    max_depth : int, optional
        The most questions about a row.
    max_leaves : int, optional
        The most leaves; 0 = as many as the depth allows.
    min_leaf_rows : int, optional
        The fewest rows of a leaf, each by its weight, which is 1 on average; 1: any row is enough.
    alpha : float, optional
        What a leaf costs, in impurity of the whole tree.
    max_cuts : int, optional
        The most questions that are tried.
    max_nodes : int, optional
        With max_depth 4: sets of rows that are solved before the search gives up its proof.
    seconds : float, optional
        With max_depth 4: the same by time, which makes results depend on the machine.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    feature_importances_ : array
        One for each feature, in the order of `feature_names_in_`, of the sum 1:
        by how much splits on it lower the impurity of the training rows, as in scikit-learn.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: cuts × (rows × features² + cuts²); depth 4: × cuts.
    Demirović et al. 2022, MurTree; van der Linden et al. 2023, STreeD.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0.5, "high", "low")
    >>> model = sg.OptimalTreeClassifier().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'optimal-tree'
    """

    _learner = "optimal-tree"

    def __init__(
        self,
        *,
        criterion: Literal["auto", "variance", "gini", "misclassification"] = "auto",
        max_depth: int = 3,
        max_leaves: int = 0,
        min_leaf_rows: int = 5,
        alpha: float = 0,
        max_cuts: int = 100,
        max_nodes: int = 100000,
        seconds: float | None = None,
        threads: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_leaf_rows = min_leaf_rows
        self.alpha = alpha
        self.max_cuts = max_cuts
        self.max_nodes = max_nodes
        self.seconds = seconds
        self.threads = threads


class RuleFitRegressor(TermImportances, Regressor):
    """Which rules and straight lines, added up, say most of the outcome?

    F(x) = a_0 + Σ a_k r_k(x) + Σ b_j l_j(x_j), chosen by mean loss + λ (Σ |a_k| + Σ |b_j|).
    When to use it: effects are partly straight lines and partly thresholds that depend on one another.
    When not to: one short list of exclusive cases is wanted: rules overlap, and their effects add up; use a tree.

    Parameters
    ----------
    rules : int, optional
        At most so many rules and linear terms, no two of which say nearly the same, with coefficients found
        anew without a penalty; 0 = as many as predict best.
    linear : bool, optional
        Whether numbers are terms of their own beside the rules.
    choose : {"min", "one-se"}, optional
        The penalty that predicts best (min), or the largest within one standard error of it (one-se).
    max_rules : int, optional
        Rules to generate, from which those that matter are chosen.
    mean_leaves : float, optional
        Leaves of the trees that rules come from, on average: more make longer rules.
    learning_rate : float, optional
        How much of what a tree says is added before the next one.
    folds : int, optional
        Parts of the rows by which the penalty is chosen.
    honest_folds : int, optional
        Parts of the rows for the honest error, for each of which rules are grown anew; 0 = it is not measured.
    seed : int, optional
        Of the rows that trees see, their sizes and the folds.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    feature_importances_ : array
        One for each feature, in the order of `feature_names_in_`, of the sum 1:
        what `explain()` calls its importance, of all outputs together; what features do together counts in equal
        parts.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: trees on 100 + 6√n rows each; rows / 64 per pair of rules looked at; once more for each honest fold.
    Friedman, Popescu 2008, Predictive learning via rule ensembles.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = 10 * (X[:, 0] > 0.5) + X[:, 1]
    >>> model = sg.RuleFitRegressor().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'rulefit'
    """

    _learner = "rulefit"

    def __init__(
        self,
        *,
        rules: int = 0,
        linear: bool = True,
        choose: Literal["min", "one-se"] = "min",
        max_rules: int = 2000,
        mean_leaves: float = 4,
        learning_rate: float = 0.01,
        folds: int = 10,
        honest_folds: int = 5,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.rules = rules
        self.linear = linear
        self.choose = choose
        self.max_rules = max_rules
        self.mean_leaves = mean_leaves
        self.learning_rate = learning_rate
        self.folds = folds
        self.honest_folds = honest_folds
        self.seed = seed
        self.threads = threads


class RuleFitClassifier(TermImportances, Classifier):
    """Which rules and straight lines, added up, say most of the outcome?

    F(x) = a_0 + Σ a_k r_k(x) + Σ b_j l_j(x_j), chosen by mean loss + λ (Σ |a_k| + Σ |b_j|).
    When to use it: effects are partly straight lines and partly thresholds that depend on one another.
    When not to: one short list of exclusive cases is wanted: rules overlap, and their effects add up; use a tree.

    Parameters
    ----------
    rules : int, optional
        At most so many rules and linear terms, no two of which say nearly the same, with coefficients found
        anew without a penalty; 0 = as many as predict best.
    linear : bool, optional
        Whether numbers are terms of their own beside the rules.
    choose : {"min", "one-se"}, optional
        The penalty that predicts best (min), or the largest within one standard error of it (one-se).
    max_rules : int, optional
        Rules to generate, from which those that matter are chosen.
    mean_leaves : float, optional
        Leaves of the trees that rules come from, on average: more make longer rules.
    learning_rate : float, optional
        How much of what a tree says is added before the next one.
    folds : int, optional
        Parts of the rows by which the penalty is chosen.
    honest_folds : int, optional
        Parts of the rows for the honest error, for each of which rules are grown anew; 0 = it is not measured.
    seed : int, optional
        Of the rows that trees see, their sizes and the folds.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    feature_importances_ : array
        One for each feature, in the order of `feature_names_in_`, of the sum 1:
        what `explain()` calls its importance, of all outputs together; what features do together counts in equal
        parts.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: trees on 100 + 6√n rows each; rows / 64 per pair of rules looked at; once more for each honest fold.
    Friedman, Popescu 2008, Predictive learning via rule ensembles.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0.5, "high", "low")
    >>> model = sg.RuleFitClassifier().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'rulefit'
    """

    _learner = "rulefit"

    def __init__(
        self,
        *,
        rules: int = 0,
        linear: bool = True,
        choose: Literal["min", "one-se"] = "min",
        max_rules: int = 2000,
        mean_leaves: float = 4,
        learning_rate: float = 0.01,
        folds: int = 10,
        honest_folds: int = 5,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.rules = rules
        self.linear = linear
        self.choose = choose
        self.max_rules = max_rules
        self.mean_leaves = mean_leaves
        self.learning_rate = learning_rate
        self.folds = folds
        self.honest_folds = honest_folds
        self.seed = seed
        self.threads = threads


class AdditiveRegressor(TermImportances, Regressor):
    """What does each feature do by itself, and which pairs do more together?

    margin(x) = intercept + Σ f_j(x_j) + Σ f_jk(x_j, x_k).
    When to use it: effects are curved, mostly add up, and each is to be seen as a picture.
    When not to: three or more features act together, or one short formula or tree is wanted.

    Parameters
    ----------
    pairs : int, optional
        How many pairs of features may have a term of their own: those that say most together; 0 = none.
    named_pairs : str or sequence of str, optional
        Pairs of features, as tuples or as first:second.
    loss : {"auto", "squared", "poisson", "log-loss"}, optional
        What is lowered: squared error, or poisson deviance of counts; auto: squared of numbers, log-loss of
        classes.
    monotone : str or sequence of str, optional
        Numeric features with which the prediction only rises or falls: temp=increasing, wind=decreasing; they
        are in no pair.
    bags : int, optional
        Fits with other rows held out, which are averaged; their differences are the bands; 1 = no bands.
    rounds : int, optional
        The most rounds of boosting, for single features and then for pairs.
    smoothing_rounds : int, optional
        Rounds before those with the best cuts, in which cuts are drawn at random; more is smoother.
    learning_rate : float, optional
        Share of each step that is taken; smaller is smoother and slower.
    leaves : int, optional
        Leaves of a piece along one feature; not given: 2, which is smoother, or 3 from 10,000 rows on, which is
        faster.
    min_leaf_rows : int, optional
        The fewest rows of a leaf, each by its weight, which is 1 on average; not given: 10, or a tenth of fewer
        than 100 rows, at least 3.
    validation : float, optional
        Share of the rows of each bag that is held out and decides when to stop; 0 = none: all rounds are done,
        once.
    early_stopping : int, optional
        Stop after so many rounds without a lower loss of held-out rows.
    bins : int, optional
        The most bins of a feature, one of them for missing values.
    pair_bins : int, optional
        The most bins of a feature in a pair, one of them for missing values.
    seed : int, optional
        Of the rows that bags hold out.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    feature_importances_ : array
        One for each feature, in the order of `feature_names_in_`, of the sum 1:
        what `explain()` calls its importance, of all outputs together; what features do together counts in equal
        parts.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: bags × rounds × features passes over the rows.
    Lou, Caruana, Gehrke, Hooker 2013, Accurate intelligible models with pairwise interactions; Lengerich et al.
    2020, Purifying interaction effects with the functional ANOVA.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = 10 * (X[:, 0] > 0.5) + X[:, 1]
    >>> model = sg.AdditiveRegressor().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'gam'
    """

    _learner = "gam"

    def __init__(
        self,
        *,
        pairs: int = 10,
        named_pairs: str | Sequence[str | tuple[str | int, str | int]] | None = None,
        loss: Literal["auto", "squared", "poisson", "log-loss"] = "auto",
        monotone: str | Sequence[str] | Mapping[str | int, str] | None = None,
        bags: int = 8,
        rounds: int = 2000,
        smoothing_rounds: int = 200,
        learning_rate: float = 0.1,
        leaves: int | None = None,
        min_leaf_rows: int | None = None,
        validation: float = 0.15,
        early_stopping: int = 50,
        bins: int = 256,
        pair_bins: int = 32,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.pairs = pairs
        self.named_pairs = named_pairs
        self.loss = loss
        self.monotone = monotone
        self.bags = bags
        self.rounds = rounds
        self.smoothing_rounds = smoothing_rounds
        self.learning_rate = learning_rate
        self.leaves = leaves
        self.min_leaf_rows = min_leaf_rows
        self.validation = validation
        self.early_stopping = early_stopping
        self.bins = bins
        self.pair_bins = pair_bins
        self.seed = seed
        self.threads = threads


class AdditiveClassifier(TermImportances, Classifier):
    """What does each feature do by itself, and which pairs do more together?

    margin(x) = intercept + Σ f_j(x_j) + Σ f_jk(x_j, x_k).
    When to use it: effects are curved, mostly add up, and each is to be seen as a picture.
    When not to: three or more features act together, or one short formula or tree is wanted.

    Parameters
    ----------
    pairs : int, optional
        How many pairs of features may have a term of their own: those that say most together; 0 = none.
    named_pairs : str or sequence of str, optional
        Pairs of features, as tuples or as first:second.
    loss : {"auto", "squared", "poisson", "log-loss"}, optional
        What is lowered: squared error, or poisson deviance of counts; auto: squared of numbers, log-loss of
        classes.
    monotone : str or sequence of str, optional
        Numeric features with which the prediction only rises or falls: temp=increasing, wind=decreasing; they
        are in no pair.
    bags : int, optional
        Fits with other rows held out, which are averaged; their differences are the bands; 1 = no bands.
    rounds : int, optional
        The most rounds of boosting, for single features and then for pairs.
    smoothing_rounds : int, optional
        Rounds before those with the best cuts, in which cuts are drawn at random; more is smoother.
    learning_rate : float, optional
        Share of each step that is taken; smaller is smoother and slower.
    leaves : int, optional
        Leaves of a piece along one feature; not given: 2, which is smoother, or 3 from 10,000 rows on, which is
        faster.
    min_leaf_rows : int, optional
        The fewest rows of a leaf, each by its weight, which is 1 on average; not given: 10, or a tenth of fewer
        than 100 rows, at least 3.
    validation : float, optional
        Share of the rows of each bag that is held out and decides when to stop; 0 = none: all rounds are done,
        once.
    early_stopping : int, optional
        Stop after so many rounds without a lower loss of held-out rows.
    bins : int, optional
        The most bins of a feature, one of them for missing values.
    pair_bins : int, optional
        The most bins of a feature in a pair, one of them for missing values.
    seed : int, optional
        Of the rows that bags hold out.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    feature_importances_ : array
        One for each feature, in the order of `feature_names_in_`, of the sum 1:
        what `explain()` calls its importance, of all outputs together; what features do together counts in equal
        parts.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: bags × rounds × features passes over the rows.
    Lou, Caruana, Gehrke, Hooker 2013, Accurate intelligible models with pairwise interactions; Lengerich et al.
    2020, Purifying interaction effects with the functional ANOVA.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0.5, "high", "low")
    >>> model = sg.AdditiveClassifier().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'gam'
    """

    _learner = "gam"

    def __init__(
        self,
        *,
        pairs: int = 10,
        named_pairs: str | Sequence[str | tuple[str | int, str | int]] | None = None,
        loss: Literal["auto", "squared", "poisson", "log-loss"] = "auto",
        monotone: str | Sequence[str] | Mapping[str | int, str] | None = None,
        bags: int = 8,
        rounds: int = 2000,
        smoothing_rounds: int = 200,
        learning_rate: float = 0.1,
        leaves: int | None = None,
        min_leaf_rows: int | None = None,
        validation: float = 0.15,
        early_stopping: int = 50,
        bins: int = 256,
        pair_bins: int = 32,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.pairs = pairs
        self.named_pairs = named_pairs
        self.loss = loss
        self.monotone = monotone
        self.bags = bags
        self.rounds = rounds
        self.smoothing_rounds = smoothing_rounds
        self.learning_rate = learning_rate
        self.leaves = leaves
        self.min_leaf_rows = min_leaf_rows
        self.validation = validation
        self.early_stopping = early_stopping
        self.bins = bins
        self.pair_bins = pair_bins
        self.seed = seed
        self.threads = threads


class HierarchicalPanelsClassifier(Classifier):
    """Which pictures of two features, asked one after the other, tell the classes apart?

    rows part by the sign of d_j(x), a support vector machine on two features; a leaf predicts its class shares.
    When to use it: borders between classes are curved or oblique, and people are to see every one of them.
    When not to: a decision needs many features at once, or is to be said in words: use a tree or rules.

    Parameters
    ----------
    max_depth : int, optional
        The most panels on a row's way.
    min_rows : int, optional
        The fewest rows that are parted.
    min_gain : float, optional
        Share of impurity that a panel must remove in cross-validation.
    folds : int, optional
        Parts of the rows in cross-validation.
    dimensions : int, optional
        The most features of a panel.
    kernel : {"both", "linear", "rbf"}, optional
        Shape of a panel's border: linear, a straight line; rbf, any curve; both: whichever does better.
    cost : float, optional
        C of the support vector machines: the larger, the closer panels follow single rows.
    veto : str or sequence of str, optional
        Panels that must not be used: pairs of features as first:second, or one feature by itself.
    max_subsets : int, optional
        The most features and pairs of features that are tried; of more, those that part the classes best in
        cells of equally many rows. 0 = all.
    search_rows : int, optional
        Rows on which subsets are ranked before the ten best are fitted; 0 = all.
    fit_rows : int, optional
        The most rows on which a panel is trained; thresholds and counts are always of all rows. 0 = all.
    seed : int, optional
        Of rows that are drawn.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: pairs of features × kernels × a support vector machine, for each panel.
    Nusser, Otte, Hauptmann 2008, Interpretable ensembles of local models for safety-related applications.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0.5, "high", "low")
    >>> model = sg.HierarchicalPanelsClassifier().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'hierarchical-2d'
    """

    _learner = "hierarchical-2d"

    def __init__(
        self,
        *,
        max_depth: int = 3,
        min_rows: int = 10,
        min_gain: float = 0.05,
        folds: int = 5,
        dimensions: int = 2,
        kernel: Literal["both", "linear", "rbf"] = "both",
        cost: float = 1,
        veto: str | Sequence[str] | None = None,
        max_subsets: int = 3000,
        search_rows: int = 1000,
        fit_rows: int = 5000,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.min_rows = min_rows
        self.min_gain = min_gain
        self.folds = folds
        self.dimensions = dimensions
        self.kernel = kernel
        self.cost = cost
        self.veto = veto
        self.max_subsets = max_subsets
        self.search_rows = search_rows
        self.fit_rows = fit_rows
        self.seed = seed
        self.threads = threads


class CoveringPanelsClassifier(Classifier):
    """Which few pictures of two features claim the other class, and never the one that must not be missed?

    other class where any d_j(x) > t_j, t_j = max(0, max over preferred training rows of d_j).
    When to use it: one class must not be missed, people are to check every decision by eye, and classes part in few
    features.
    When not to: classes overlap everywhere: most rows of the other class stay unclaimed; use a tree or an additive
    model.

    Parameters
    ----------
    prefer : str, optional
        The class of which no training row is taken for another; default: the rarest.
    order : str or sequence of str, optional
        Classes by what it costs to miss them, the costliest first; default: the preferred one, then by
        frequency, the rarest first.
    one_vs_rest : bool, optional
        Panels of each class against all others, which may contradict each other: of several claims that for the
        most critical class wins, and who is claimed by none is of the most critical class.
    max_models : int, optional
        The most panels for each class.
    min_gain : float, optional
        Share of a class that a panel must newly claim.
    tolerate : int, optional
        Rows of more critical classes that may be left out per class where that gains more than it costs, as if
        wrongly labelled; they are listed.
    safe : bool, optional
        Keep rows of critical classes apart and raise thresholds until new ones are missed as rarely as
        allowed_misses says.
    allowed_misses : int, optional
        Of safe: k, by which a new critical row is missed with a chance of at most k / (rows kept apart + 1).
    calibration_share : float, optional
        Of safe: share of the critical rows that are kept apart.
    holdout_share : float, optional
        Share of rows held out from a second ensemble, by which errors on new rows are measured; 0 = none.
    preference : float, optional
        What a critical row costs on the wrong side while a panel is trained, against another one.
    dimensions : int, optional
        The most features of a panel.
    kernel : {"both", "linear", "rbf"}, optional
        Shape of a panel's border: linear, a straight line; rbf, any curve; both: whichever does better.
    cost : float, optional
        C of the support vector machines: the larger, the closer panels follow single rows.
    veto : str or sequence of str, optional
        Panels that must not be used: pairs of features as first:second, or one feature by itself.
    max_subsets : int, optional
        The most features and pairs of features that are tried; of more, those that part the classes best in
        cells of equally many rows. 0 = all.
    search_rows : int, optional
        Rows on which subsets are ranked before the ten best are fitted; 0 = all.
    fit_rows : int, optional
        The most rows on which a panel is trained; thresholds and counts are always of all rows. 0 = all.
    seed : int, optional
        Of rows that are drawn.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: pairs of features × kernels × a support vector machine, for each panel; once more for the rows held out.
    Nusser, Otte, Hauptmann, Kruse 2009, Learning verifiable ensembles for classification problems with high safety
    requirements.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0.5, "high", "low")
    >>> model = sg.CoveringPanelsClassifier().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'covering-2d'
    """

    _learner = "covering-2d"
    _class_options = ("prefer", "order")

    def __init__(
        self,
        *,
        prefer: Any = "",
        order: Any = None,
        one_vs_rest: bool = False,
        max_models: int = 8,
        min_gain: float = 0.02,
        tolerate: int = 0,
        safe: bool = False,
        allowed_misses: int = 1,
        calibration_share: float = 0.3,
        holdout_share: float = 0.3,
        preference: float = 10,
        dimensions: int = 2,
        kernel: Literal["both", "linear", "rbf"] = "both",
        cost: float = 1,
        veto: str | Sequence[str] | None = None,
        max_subsets: int = 3000,
        search_rows: int = 1000,
        fit_rows: int = 5000,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.prefer = prefer
        self.order = order
        self.one_vs_rest = one_vs_rest
        self.max_models = max_models
        self.min_gain = min_gain
        self.tolerate = tolerate
        self.safe = safe
        self.allowed_misses = allowed_misses
        self.calibration_share = calibration_share
        self.holdout_share = holdout_share
        self.preference = preference
        self.dimensions = dimensions
        self.kernel = kernel
        self.cost = cost
        self.veto = veto
        self.max_subsets = max_subsets
        self.search_rows = search_rows
        self.fit_rows = fit_rows
        self.seed = seed
        self.threads = threads


class NeighborsRegressor(Regressor):
    """Which known rows are most like this one, and what came of them?

    f(x) = mean outcome of the k rows with the least Gower distance to x.
    When to use it: people think in cases, and a few features say what is alike.
    When not to: many features, most of which do not matter: all of them count alike in what is near.

    Parameters
    ----------
    neighbors : int, optional
        How many of them; 0 = as many as predict best, each row by the others.
    most : int, optional
        Neighbours at the most where the best number is looked for.
    seed : int, optional
        Of the rows that are predicted by the others.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: rows × features per prediction.
    Cover & Hart 1967, Nearest neighbor pattern classification; Gower 1971.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = 10 * (X[:, 0] > 0.5) + X[:, 1]
    >>> model = sg.NeighborsRegressor().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'knn'
    """

    _learner = "knn"

    def __init__(
        self,
        *,
        neighbors: int = 0,
        most: int = 50,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.neighbors = neighbors
        self.most = most
        self.seed = seed
        self.threads = threads


class NeighborsClassifier(Classifier):
    """Which known rows are most like this one, and what came of them?

    f(x) = mean outcome of the k rows with the least Gower distance to x.
    When to use it: people think in cases, and a few features say what is alike.
    When not to: many features, most of which do not matter: all of them count alike in what is near.

    Parameters
    ----------
    neighbors : int, optional
        How many of them; 0 = as many as predict best, each row by the others.
    most : int, optional
        Neighbours at the most where the best number is looked for.
    seed : int, optional
        Of the rows that are predicted by the others.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: rows × features per prediction.
    Cover & Hart 1967, Nearest neighbor pattern classification; Gower 1971.

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0.5, "high", "low")
    >>> model = sg.NeighborsClassifier().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'knn'
    """

    _learner = "knn"

    def __init__(
        self,
        *,
        neighbors: int = 0,
        most: int = 50,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.neighbors = neighbors
        self.most = most
        self.seed = seed
        self.threads = threads


class NearestPrototypeClassifier(Classifier):
    """Which of a few typical rows is this one most like?

    class of argmin_z d(x, z) over prototypes z of each class, chosen to minimise MMD².
    When to use it: classes are best explained by examples, and a few of them stand for all.
    When not to: classes differ in few of many features, or their rows lie among one another.

    Parameters
    ----------
    prototypes : int, optional
        Of all classes together, divided among them as equally as can be.
    gamma : float, optional
        Γ of the kernel exp(−γ d²) by which they are found; default: 1 / (2 median²) of the distances.
    seed : int, optional
        Of the rows whose distances are looked at.
    threads : int, optional
        Threads to work with; as many as the machine has if not given. The model is the same for any number.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Their names, where the data that it was fitted on had names.

    Notes
    -----
    Cost: half the pairs of rows of each class.
    Kim, Khanna & Koyejo 2016, Examples are not enough, learn to criticize!

    Examples
    --------
    >>> import numpy as np
    >>> import sightglass as sg
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0.5, "high", "low")
    >>> model = sg.NearestPrototypeClassifier().fit(X, y)
    >>> model.predict(X[:5]).shape
    (5,)
    >>> model.explain().method
    'nearest-prototype'
    """

    _learner = "nearest-prototype"

    def __init__(
        self,
        *,
        prototypes: int = 30,
        gamma: float | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.prototypes = prototypes
        self.gamma = gamma
        self.seed = seed
        self.threads = threads


#: The estimator of a kind of `sightglass fit` for numbers and for classes.
ESTIMATORS: dict[tuple[str, str], type[Regressor | Classifier]] = {
    ("sparse-linear", "regressor"): SparseLinearRegressor,
    ("sparse-linear", "classifier"): SparseLinearClassifier,
    ("tree", "regressor"): DecisionTreeRegressor,
    ("tree", "classifier"): DecisionTreeClassifier,
    ("optimal-tree", "regressor"): OptimalTreeRegressor,
    ("optimal-tree", "classifier"): OptimalTreeClassifier,
    ("rulefit", "regressor"): RuleFitRegressor,
    ("rulefit", "classifier"): RuleFitClassifier,
    ("gam", "regressor"): AdditiveRegressor,
    ("gam", "classifier"): AdditiveClassifier,
    ("hierarchical-2d", "classifier"): HierarchicalPanelsClassifier,
    ("covering-2d", "classifier"): CoveringPanelsClassifier,
    ("knn", "regressor"): NeighborsRegressor,
    ("knn", "classifier"): NeighborsClassifier,
    ("nearest-prototype", "classifier"): NearestPrototypeClassifier,
}

#: Other names of kinds.
ALIASES: dict[str, str] = {
    "lasso": "sparse-linear",
    "cart": "tree",
    "optimal_tree": "optimal-tree",
    "ebm": "gam",
    "nearest-neighbors": "knn",
}
