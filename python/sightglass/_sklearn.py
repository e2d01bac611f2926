"""scikit-learn's trees, taken from the attributes of fitted estimators so that the engine predicts as they do.

What each estimator computes, and how far that is the same in all versions:

- A tree compares float32 rows with float64 thresholds. Versions before 1.3 refuse missing values; later ones send
  them where the node says, if the estimator takes them at all, which it is asked itself.
- A forest adds its trees in their order and divides by their number. Before 1.4 the leaves of classifiers are
  normalised at prediction, since 1.4 they are taken as they are.
- Gradient boosting starts from a constant, which the estimator is asked for: its arithmetic differs by version.
- Histogram gradient boosting compares float64, and since 1.4 puts categorical columns first, as codes of an
  OrdinalEncoder. Categories go by value here, in all versions.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

from . import _core
from ._errors import DataError
from ._live import NotReadable, base_of, refuse_overrides, version_of

TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")
FORESTS = ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor")
BOOSTED = ("GradientBoostingClassifier", "GradientBoostingRegressor")
HISTOGRAM = ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
ISOLATION = "IsolationForest"
ESTIMATORS = (*TREES, *FORESTS, *BOOSTED, *HISTOGRAM, ISOLATION)

#: What a subclass may not change if we are to know what it predicts.
METHODS = (
    "predict",
    "predict_proba",
    "decision_function",
    "score_samples",
    "_score_samples",
    "_compute_chunked_score_samples",
    "_compute_score_samples",
    "_predict_iterations",
    "_preprocess_X",
    "_raw_predict",
    "_raw_predict_init",
    "_validate_X_predict",
)

#: The link of each loss and its scale, by the names of all versions.
LINKS = {
    **dict.fromkeys(
        (
            "HalfSquaredError",
            "AbsoluteError",
            "HuberLoss",
            "PinballLoss",
            "LeastSquaresError",
            "LeastAbsoluteError",
            "HuberLossFunction",
            "QuantileLossFunction",
        ),
        ("identity", 1.0),
    ),
    **dict.fromkeys(("HalfPoissonLoss", "HalfGammaLoss"), ("exponential", 1.0)),
    **dict.fromkeys(("HalfBinomialLoss", "BinomialDeviance"), ("logistic", 1.0)),
    **dict.fromkeys(("HalfMultinomialLoss", "MultinomialDeviance"), ("softmax", 1.0)),
    "ExponentialLoss": ("logistic", 2.0),
}

#: The dummy estimators' strategies that answer the same for every row.
CONSTANT_STRATEGIES = {
    "DummyRegressor": ("mean", "median", "quantile", "constant"),
    "DummyClassifier": ("prior", "most_frequent", "constant"),
}


def estimator_name(model: Any) -> str:
    """The class of scikit-learn that a model is or extends, if it is one with trees; else empty."""
    base = base_of(model, "sklearn", ESTIMATORS)
    return "" if base is None else base.__name__


def is_unfitted(model: Any) -> bool:
    """Whether an estimator says that it was not fitted, in scikit-learn's own way: by a method, which LightGBM's,
    XGBoost's and pipelines have, or by attributes that end in an underscore, which fitting leaves behind.
    """
    if not callable(getattr(model, "fit", None)):
        return False
    says = getattr(model, "__sklearn_is_fitted__", None)
    if callable(says):
        return not says()
    if not type(model).__module__.startswith("sklearn."):
        return False
    return not any(name.endswith("_") and not name.startswith("__") for name in vars(model))


def read_estimator(model: Any, columns: list[str], version: str | None = None, classes: list[str] | None = None) -> Any:
    """The model as the engine has it. ``columns`` stand for the features of one that was fitted without names,
    ``classes`` for the names of its classes, if they are to be called otherwise.

    Raises NotReadable if it is not understood; then it must be asked itself.
    """
    base = base_of(model, "sklearn", ESTIMATORS)
    if base is None:
        raise NotReadable(f"{type(model).__name__} is no tree model")
    refuse_overrides(model, base, METHODS)
    version = version_of("sklearn") if version is None else version
    if not _before(version, (2, 0)):
        raise NotReadable(f"scikit-learn {version} may keep its trees in another way than the versions known here")
    reader = _Reader(model, base.__name__, columns, version, classes or [])
    if base.__name__ in TREES:
        reader.single_tree()
    elif base.__name__ in FORESTS:
        reader.forest()
    elif base.__name__ in BOOSTED:
        reader.boosted()
    elif base.__name__ in HISTOGRAM:
        reader.histogram()
    else:
        reader.isolation_forest()
    return reader.finish()


class _Reader:
    """Collects what the engine's ensemble needs; each kind of estimator has a method that fills it."""

    def __init__(self, model: Any, name: str, columns: list[str], version: str, classes: list[str]) -> None:
        import numpy as np

        self.np = np
        self.model = model
        self.version = version
        self.classes: list[str] = []
        if name.endswith("Classifier"):
            self.classes = classes or self._class_names()
        self.width = int(model.n_features_in_)
        self.levels: list[dict[str, Any] | None] = [None] * self.width
        names = getattr(model, "feature_names_in_", None)
        self.features = columns if names is None else [str(item) for item in names]
        if len(self.features) != self.width:
            raise DataError(
                f"the model was fitted on {self.width} columns without names, X has {len(self.features)} "
                "besides target and weights",
                "give exactly the columns that it was fitted on, in their order",
            )
        self.builder: Any = None
        self.about: dict[str, Any] = {
            "where": type(model).__name__,
            "format": "scikit-learn",
            "version": version,
            "objective": "",
            "task": ("multiclass" if len(self.classes) > 2 else "binary") if self.classes else "regression",
            "comparison": "float32_less_equal",
            "link": "identity",
            "scale": 1.0,
            "divisor": 1.0,
            "refuses_missing": True,
            "refuses_infinite": True,
            "notes": [],
            "detail": {"estimator": name},
        }

    def finish(self) -> Any:
        return self.builder.finish({**self.about, "features": self.features, "levels": self.levels})

    def single_tree(self) -> None:
        self._outputs(1)
        self._objective(self.model.criterion)
        self.about["refuses_missing"] = not _takes_missing(self.model)
        self._add_averaged(self.model)

    def forest(self) -> None:
        trees = list(self.model.estimators_)
        self._outputs(len(trees))
        self._objective(self.model.criterion)
        self.about["refuses_missing"] = not _takes_missing(trees[0])
        for tree in trees:
            self._check_tree(tree)
            self._add_averaged(tree)

    def boosted(self) -> None:
        stages = self.model.estimators_
        self._link()
        init = self.model.init_
        if not isinstance(init, str):
            dummy = base_of(init, "sklearn", tuple(CONSTANT_STRATEGIES))
            if dummy is None:
                raise NotReadable(f"it starts from the predictions of another model ({type(init).__name__})")
            refuse_overrides(init, dummy, METHODS)
            if init.strategy not in CONSTANT_STRATEGIES[dummy.__name__]:
                raise NotReadable(f"it starts from random predictions (strategy {init.strategy})")
        # One row of zeros: what the estimator starts from is the same for every row.
        start = self.model._raw_predict_init(self.np.zeros((1, self.width), self.np.float32))
        self._start(self.np.asarray(start, self.np.float64).ravel(), stages.shape[1])
        for stage in stages:
            for output, tree in enumerate(stage):
                self._check_tree(tree)
                values = self.model.learning_rate * tree.tree_.value[:, 0, 0]
                self._add(tree.tree_, values, output)

    def histogram(self) -> None:
        np, model = self.np, self.model
        self.about.update(comparison="float64_less_equal", refuses_missing=False, refuses_infinite=False)
        self._link()
        start = np.asarray(model._baseline_prediction)
        if start.dtype != np.float64:
            raise NotReadable(f"it adds up in {start.dtype}")
        self._start(start.ravel(), model.n_trees_per_iteration_)
        order, known = self._categories()
        for iteration in model._predictors:
            for output, predictor in enumerate(iteration):
                self._add_histogram_tree(predictor, order, known, output)

    def isolation_forest(self) -> None:
        np, model = self.np, self.model
        trees = list(model.estimators_)
        rows = model._max_samples if hasattr(model, "_max_samples") else model.max_samples_
        divisor = len(trees) * float(_average_path_length(np, np.array([rows]))[0])
        if not divisor > 0:
            raise NotReadable("its trees were grown on single rows")
        tags = getattr(model, "__sklearn_tags__", None)
        takes_all = tags is not None and bool(tags().input_tags.allow_nan)
        self.about.update(
            objective="isolation",
            link="negative_power",
            divisor=divisor,
            refuses_missing=not takes_all,
            refuses_infinite=not takes_all,
            outputs=["score_samples"],
            base=[0.0],
            notes=["IsolationForest: explained is score_samples; the lower, the more abnormal"],
        )
        self.builder = _core.TreeBuilder(1, False)
        depths = getattr(model, "_decision_path_lengths", None)
        remaining = getattr(model, "_average_path_length_per_tree", None)
        for i, (tree, features) in enumerate(zip(trees, model.estimators_features_, strict=True)):
            self._check_tree(tree)
            grown = tree.tree_
            depth = _node_depths(np, grown) if depths is None else depths[i]
            beyond = _average_path_length(np, grown.n_node_samples) if remaining is None else remaining[i]
            self._add(grown, depth + beyond - 1.0, 0, np.asarray(features))

    # What the estimators share.

    def _class_names(self) -> list[str]:
        model = self.model
        if getattr(model, "n_outputs_", 1) != 1 or isinstance(model.classes_, list):
            raise NotReadable("it predicts classes of several outputs")
        names = [str(label) for label in model.classes_]
        if len(names) < 2:
            raise NotReadable("it knows a single class")
        if len(set(names)) < len(names):
            raise NotReadable("two of its classes are called the same")
        return names

    def _objective(self, criterion: Any) -> None:
        self.about["objective"] = criterion if isinstance(criterion, str) else type(criterion).__name__

    def _outputs(self, divisor: int) -> None:
        """Outputs of trees that are averaged."""
        if self.classes:
            outputs = self.classes[1:] if len(self.classes) == 2 else self.classes
        else:
            width = int(self.model.n_outputs_)
            outputs = ["prediction"] if width == 1 else [f"output{k}" for k in range(width)]
        self.about.update(outputs=outputs, divisor=float(divisor), base=[0.0] * len(outputs))
        self.builder = _core.TreeBuilder(len(outputs), len(outputs) > 1)

    def _link(self) -> None:
        """The link of a boosted model and what its loss is called."""
        loss = self.model._loss
        link = LINKS.get(type(loss).__name__)
        if link is None:
            raise NotReadable(f"the loss {type(loss).__name__} is not known here")
        self.about.update(link=link[0], scale=link[1])
        self._objective(self.model.loss)

    def _start(self, start: Any, width: int) -> None:
        """Outputs of a boosted model and where its sums start."""
        outputs = self.classes or ["prediction"]
        if len(outputs) == 2:
            outputs = outputs[1:]
        if len(outputs) != width or len(start) != width:
            raise NotReadable(f"it has {width} trees in a round for {len(outputs)} outputs")
        self.about.update(outputs=outputs, base=[float(value) for value in start])
        self.builder = _core.TreeBuilder(width, False)

    def _check_tree(self, tree: Any) -> None:
        base = base_of(tree, "sklearn", TREES)
        if base is None:
            raise NotReadable(f"it holds a {type(tree).__name__}")
        refuse_overrides(tree, base, METHODS)

    def _add_averaged(self, tree: Any) -> None:
        grown = tree.tree_
        if not self.classes:
            values = grown.value[:, :, 0]
            self._add(grown, values if values.shape[1] > 1 else values[:, 0], 0)
            return
        shares = grown.value[:, 0, : len(self.classes)]
        if _before(self.version, (1, 4)):
            total = shares.sum(axis=1)[:, self.np.newaxis]
            total[total == 0.0] = 1.0
            shares = shares / total
        self._add(grown, shares[:, 1] if len(self.classes) == 2 else shares, 0)

    def _add(self, grown: Any, values: Any, output: int, columns: Any = None) -> None:
        """One tree; ``columns``, if given, are the features that its own numbers of features stand for."""
        np = self.np
        feature = grown.feature
        if columns is not None:
            feature = np.where(feature >= 0, columns[np.maximum(feature, 0)], -1)
        missing = getattr(grown, "missing_go_to_left", None)
        self.builder.add(
            np.asarray(grown.children_left, np.int64),
            np.asarray(grown.children_right, np.int64),
            np.asarray(feature, np.int64),
            np.asarray(grown.threshold, np.float64),
            None if missing is None else np.asarray(missing, bool),
            None,
            np.asarray(grown.weighted_n_node_samples, np.float64),
            np.asarray(values, np.float64),
            output,
        )

    # Histogram gradient boosting.

    def _categories(self) -> tuple[Any, dict[int, Any]]:
        """The feature behind each of the model's columns, and for each categorical column the codes of its levels."""
        np, model = self.np, self.model
        categorical = getattr(model, "is_categorical_", None)
        if categorical is None:
            return np.arange(self.width), {}
        categorical = np.asarray(categorical, bool)
        marked = np.flatnonzero(categorical)
        if getattr(model, "_preprocessor", None) is None:
            # Before 1.4: the categories are the numbers in the data.
            found = [np.asarray(model._bin_mapper.bin_thresholds_[feature]).astype(np.int64) for feature in marked]
            order = np.arange(self.width)
            known = {int(feature): codes for feature, codes in zip(marked, found, strict=True)}
        else:
            found = [_without_nan(values) for values in model._preprocessor.named_transformers_["encoder"].categories_]
            order = np.concatenate([marked, np.flatnonzero(~categorical)])
            remapped = np.flatnonzero(model._is_categorical_remapped)
            if not np.array_equal(remapped, np.arange(len(marked))):
                raise NotReadable("its categorical columns do not come first")
            known = {column: np.arange(len(values)) for column, values in enumerate(found)}
        for feature, values in zip(marked, found, strict=True):
            self.levels[feature] = {
                "names": _level_names(self.features[feature], values),
                "numbers": all(isinstance(v, Real) and not isinstance(v, bool) for v in values.tolist()),
            }
        return order, known

    def _add_histogram_tree(self, predictor: Any, order: Any, known: dict[int, Any], output: int) -> None:
        np, nodes = self.np, predictor.nodes
        leaf = nodes["is_leaf"] != 0
        sets = None
        by_category = (nodes["is_categorical"] != 0) & ~leaf if known else np.zeros(len(nodes), bool)
        if by_category.any():
            sets = np.full(len(nodes), -1, np.int64)
            for column in np.unique(nodes["feature_idx"][by_category]):
                of_column = np.flatnonzero(by_category & (nodes["feature_idx"] == column))
                rows = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][of_column]]
                first = self.builder.add_categories(_bit_words(np, rows, known[int(column)]))
                sets[of_column] = first + np.arange(len(of_column))
        self.builder.add(
            np.where(leaf, -1, nodes["left"].astype(np.int64)),
            np.where(leaf, -1, nodes["right"].astype(np.int64)),
            np.where(leaf, -1, order[np.where(leaf, 0, nodes["feature_idx"]).astype(np.int64)]).astype(np.int64),
            np.asarray(nodes["num_threshold"], np.float64),
            nodes["missing_go_to_left"] != 0,
            sets,
            np.asarray(nodes["count"], np.float64),
            np.asarray(nodes["value"], np.float64),
            output,
        )


def _takes_missing(tree: Any) -> bool:
    """Whether a tree predicts rows with missing values; it is asked itself, the rule changes with the version."""
    import numpy as np

    ask = getattr(tree, "_support_missing_values", None)
    return ask is not None and bool(ask(np.zeros((1, 1), np.float32)))


def _before(version: str, wanted: tuple[int, int]) -> bool:
    major, minor = (version.split(".") + ["0", "0"])[:2]
    return major.isdigit() and minor.isdigit() and (int(major), int(minor)) < wanted


def _node_depths(np: Any, grown: Any) -> Any:
    """Nodes from the root to each node, both counted."""
    left, right = grown.children_left, grown.children_right
    depths = np.zeros(len(left), np.int64)
    nodes = np.zeros(1, np.int64)
    for depth in range(1, len(left) + 1):
        depths[nodes] = depth
        nodes = np.concatenate([left[nodes], right[nodes]])
        nodes = nodes[nodes >= 0]
        if not len(nodes):
            break
        if len(nodes) > len(left):
            raise NotReadable("its trees are not trees")
    return depths


def _average_path_length(np: Any, rows: Any) -> Any:
    """The mean depth at which a search among so many random rows ends, which stands for the tree not grown."""
    rows = np.asarray(rows)
    lengths = np.zeros(rows.shape)
    lengths[rows == 2] = 1.0
    more = rows[rows > 2]
    lengths[rows > 2] = 2.0 * (np.log(more - 1.0) + np.euler_gamma) - 2.0 * (more - 1.0) / more
    return lengths


def _without_nan(values: Any) -> Any:
    # The encoder puts NaN last if the training data had gaps.
    last = values[-1] if len(values) else None
    return values[:-1] if isinstance(last, float) and last != last else values


def _level_names(feature: str, values: Any) -> list[str]:
    for value in values.tolist():
        if not isinstance(value, (str, Real)):
            raise NotReadable(f"a category of {feature} is a {type(value).__name__}")
    names = [str(value) for value in values.tolist()]
    if len(set(names)) < len(names):
        raise NotReadable(f"two categories of {feature} are called the same")
    return names


def _bit_words(np: Any, rows: Any, codes: Any) -> Any:
    """Bit sets over codes (rows of uint32) as bit sets over the positions of these codes, in words of 64 bits."""
    bits = np.unpackbits(np.ascontiguousarray(rows, "<u4").view(np.uint8), axis=1, bitorder="little")[:, codes]
    width = max(64, -(-bits.shape[1] // 64) * 64)
    padded = np.zeros((len(bits), width), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)
