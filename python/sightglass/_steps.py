"""scikit-learn's preparation steps, column by column: which columns each makes of which, and how.

Two kinds of columns flow through the steps. A column of numbers carries the arithmetic of all steps so far, as the engine
computes it (`_core.fold`). A column of levels carries what each level has become so far: there the fitted step itself is
asked, once per level, so that whatever a version of scikit-learn makes of categories is what is taken.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ._live import NotReadable, base_of, refuse_overrides, version_of

ENCODERS = ("OneHotEncoder", "OrdinalEncoder", "TargetEncoder")
SCALERS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")
SELECTORS = (
    "VarianceThreshold",
    "SelectKBest",
    "SelectPercentile",
    "SelectFpr",
    "SelectFdr",
    "SelectFwe",
    "GenericUnivariateSelect",
    "SelectFromModel",
    "RFE",
    "RFECV",
    "SequentialFeatureSelector",
)
ONE_TO_ONE = (*SCALERS, "Binarizer", "PowerTransformer", "QuantileTransformer", "FunctionTransformer")
LEAVES = (*ENCODERS, *ONE_TO_ONE, "SimpleImputer", "MissingIndicator", "KBinsDiscretizer", *SELECTORS)
METHODS = ("transform", "_transform", "get_support", "_get_support_mask")

#: Functions of NumPy that the engine has as well, to the last bit.
FUNCTIONS = "sqrt square absolute sign floor ceil trunc rint".split()
#: Those that ascend, of which it asks NumPy itself: their last digits differ between libraries and processors.
ASCENDING = "log log1p log2 log10 exp expm1 cbrt sinh tanh arcsinh".split()

NAN = math.nan


class Refused:
    """In the place of a value that a step refuses."""


REFUSED = Refused()


class Trace:
    """A column of which only the source is known, and whether its values are still those of the source."""

    def __init__(self, source: int, changed: bool = False, encoded: bool = False) -> None:
        self.source = source
        self.changed = changed
        self.encoded = encoded


class Numbers:
    """Numbers of a source and the steps that they went through."""

    def __init__(self, source: int, narrow: bool, steps: tuple[Any, ...] = ()) -> None:
        self.source = source
        #: Whether they are float32.
        self.narrow = narrow
        self.steps = steps

    def then(self, *steps: Any, narrow: bool = False) -> Numbers:
        return Numbers(self.source, narrow, (*self.steps, *steps))


class Levels:
    """What the levels of a source became, with those that were never seen and missing ones at the end."""

    def __init__(self, source: int, values: list[Any], encoded: bool = False) -> None:
        self.source = source
        self.values = values
        self.encoded = encoded


def step(kind: str, a: float = 0.0, b: float = 0.0, numbers: Any = (), narrow: bool = False) -> list[Any]:
    return [kind, float(a), float(b), [float(number) for number in numbers], bool(narrow)]


class Flow:
    """Sends columns through steps; ``found`` are the categories of the encoders that each source meets as it is."""

    def __init__(self) -> None:
        self.found: dict[int, list[Any]] = {}
        self.path: list[str] = []

    def through(self, transformer: Any, columns: list[Any]) -> list[Any]:
        """The columns that a fitted transformer makes of others."""
        if isinstance(transformer, str) or transformer is None:
            return [] if transformer == "drop" else columns
        if base_of(transformer, "sklearn", ("Pipeline",)) is not None:
            for name, inner in transformer.steps:
                columns = self._named(name, inner, columns)
            return columns
        if base_of(transformer, "sklearn", ("FeatureUnion",)) is not None:
            weights = getattr(transformer, "transformer_weights", None) or {}
            found = []
            for name, inner in transformer.transformer_list:
                if weights.get(name) not in (None, 1):
                    raise NotReadable(f"{self._spot(transformer)} multiplies columns by weights")
                found += self._named(name, inner, columns)
            return found
        if base_of(transformer, "sklearn", ("ColumnTransformer",)) is not None:
            return self._column_transformer(transformer, columns)
        base = base_of(transformer, "sklearn", LEAVES)
        if base is None:
            raise NotReadable(f"what {self._spot(transformer)} does is not known column by column")
        refuse_overrides(transformer, base, METHODS)
        return self._leaf(transformer, base.__name__, columns)

    def _named(self, name: str, inner: Any, columns: list[Any]) -> list[Any]:
        self.path.append(name)
        found = self.through(inner, columns)
        self.path.pop()
        return found

    def _spot(self, transformer: Any) -> str:
        path = ".".join(self.path)
        return f"the step {path} ({type(transformer).__name__})" if path else type(transformer).__name__

    def _column_transformer(self, transformer: Any, columns: list[Any]) -> list[Any]:
        if getattr(transformer, "transformer_weights", None):
            raise NotReadable(f"{self._spot(transformer)} multiplies columns by weights")
        chosen = transformer._transformer_to_input_indices
        outputs: dict[int, Any] = {}
        for name, inner, _ in transformer.transformers_:
            span = transformer.output_indices_.get(name, slice(0, 0))
            made = self._named(name, inner, [columns[int(i)] for i in chosen[name]]) if len(chosen[name]) else []
            if len(made) != span.stop - span.start:
                raise NotReadable(f"{self._spot(transformer)} makes another number of columns than expected of {name}")
            outputs.update(zip(range(span.start, span.stop), made, strict=True))
        return [outputs[i] for i in range(len(outputs))]

    def _leaf(self, transformer: Any, name: str, columns: list[Any]) -> list[Any]:
        width = getattr(transformer, "n_features_in_", len(columns))
        if width != len(columns):
            raise NotReadable(f"{self._spot(transformer)} was fitted on another number of columns")
        origins = _origins(transformer, name, len(columns))
        if name in ENCODERS:
            for column, categories in zip(columns, transformer.categories_, strict=True):
                if isinstance(column, Trace) and not column.changed:
                    self.found.setdefault(column.source, []).extend(categories.tolist())
        evaluated: dict[int, list[Any]] = {}
        made = []
        narrow = all(isinstance(column, Numbers) and column.narrow for column in columns)
        for place, (origin, role) in enumerate(origins):
            column = columns[origin]
            if isinstance(column, Trace):
                keeps = name in SELECTORS or (name == "SimpleImputer" and role == "value")
                encoded = column.encoded or name in ENCODERS
                made.append(Trace(column.source, column.changed or not keeps, encoded))
            elif isinstance(column, Levels):
                if origin not in evaluated:
                    evaluated[origin] = self._evaluate(transformer, columns, origin)
                values = [row if row is REFUSED else row[place] for row in evaluated[origin]]
                made.append(Levels(column.source, values, column.encoded or name in ENCODERS))
            elif name in ENCODERS:
                raise NotReadable(f"{self._spot(transformer)} encodes numbers that another step has made")
            else:
                made.append(_numbers(transformer, name, column, origin, role, narrow, self._spot(transformer)))
        return made

    def _evaluate(self, transformer: Any, columns: list[Any], origin: int) -> list[Any]:
        """What a step makes of each level of a column: rows of its output, or that it refuses."""
        values = columns[origin].values
        fill = [_filler(transformer, column, place) for place, column in enumerate(columns)]
        known = values[:-2]
        rows = _transformed(transformer, fill, origin, known) if known else []
        if rows is None:
            raise NotReadable(f"{self._spot(transformer)} refuses its own categories")
        found = list(rows)
        for value in values[-2:]:
            one = None if value is REFUSED else _transformed(transformer, fill, origin, [value])
            found.append(REFUSED if one is None else one[0])
        return found


def _filler(transformer: Any, column: Any, place: int) -> Any:
    """A value that the step takes, for the columns that are not asked about."""
    categories = getattr(transformer, "categories_", None)
    if categories is not None:
        return categories[place][0]
    if isinstance(column, Levels):
        return column.values[0]
    return 0.0


def _transformed(transformer: Any, fill: list[Any], origin: int, values: list[Any]) -> Any:
    """The step's output for rows that differ in one column; None if it refuses them."""
    import numpy as np

    def is_number(value: Any) -> bool:
        return isinstance(value, (int, float, np.number, np.bool_)) and not isinstance(value, str)

    numeric = all(is_number(value) for value in (*fill, *values))
    matrix = np.empty((len(values), len(fill)), np.float64 if numeric else object)
    matrix[:] = fill
    matrix[:, origin] = values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = transformer.transform(matrix)
        except (ValueError, TypeError):
            return None
    if hasattr(answer, "toarray"):
        answer = answer.toarray()
    return np.asarray(answer)


def _origins(transformer: Any, name: str, width: int) -> list[tuple[int, Any]]:
    """For each column that a step makes, the one that it is made of, and what of it."""
    if name == "OneHotEncoder":
        return [(i, k) for i, count in enumerate(transformer._n_features_outs) for k in range(int(count))]
    if name == "TargetEncoder":
        several = len(transformer.classes_) if transformer.target_type_ == "multiclass" else 1
        return [(i, k) for i in range(width) for k in range(several)]
    if name == "SimpleImputer":
        keeps = getattr(transformer, "keep_empty_features", False) or transformer.strategy == "constant"
        kept = [i for i, value in enumerate(transformer.statistics_.tolist()) if keeps or value == value]
        indicator = getattr(transformer, "indicator_", None)
        marked = [] if indicator is None else [int(i) for i in indicator.features_]
        return [*((i, "value") for i in kept), *((i, "missing") for i in marked)]
    if name == "MissingIndicator":
        return [(int(i), "missing") for i in transformer.features_]
    if name == "KBinsDiscretizer" and transformer.encode != "ordinal":
        return [(i, k) for i, count in enumerate(transformer.n_bins_) for k in range(int(count))]
    if name in SELECTORS:
        return [(i, "value") for i, chosen in enumerate(transformer.get_support().tolist()) if chosen]
    return [(i, "value") for i in range(width)]


def _numbers(t: Any, name: str, column: Numbers, j: int, role: Any, narrow: bool, spot: str) -> Numbers:
    """A column of numbers behind one more step."""
    if name in SELECTORS:
        return column
    finite = step("refuse_infinite")
    if name in SCALERS:
        return column.then(finite, *_scaled(t, name, j, narrow), narrow=narrow)
    if name in ("SimpleImputer", "MissingIndicator"):
        gap = t.missing_values
        if not isinstance(gap, (int, float)):
            raise NotReadable(f"{spot} takes {gap!r} for missing")
        checks = [finite] if gap != gap else [finite, step("refuse_missing")]
        if role == "missing":
            return column.then(*checks, step("equals", gap))
        fill = float(t.statistics_[j])
        fill = 0.0 if fill != fill else fill
        return column.then(*checks, step("replace", gap, fill, narrow=narrow), narrow=narrow)
    if name == "KBinsDiscretizer":
        bins = step("count_upto", numbers=t.bin_edges_[j][1:-1])
        steps = [finite, step("refuse_missing"), bins]
        return column.then(*steps) if role == "value" else column.then(*steps, step("equals", role))
    if name == "Binarizer":
        return column.then(finite, step("refuse_missing"), step("count_below", numbers=[t.threshold]))
    if name in ("PowerTransformer", "QuantileTransformer"):
        positive = getattr(t, "method", "") == "box-cox"
        return column.then(finite, ["call", Called(t, j, positive, narrow)], narrow=narrow)
    return _function(t, column, spot)


def _scaled(t: Any, name: str, j: int, narrow: bool) -> list[Any]:
    import numpy as np

    def number(value: Any) -> Any:
        # Later versions bring the numbers to the type of the data first.
        major, minor = (int(part) for part in version_of("sklearn").split(".")[:2])
        return np.float32(value) if narrow and name == "StandardScaler" and (major, minor) >= (1, 8) else value

    if name == "StandardScaler":
        steps = [step("subtract", number(t.mean_[j]), narrow=narrow)] if t.with_mean else []
        return [*steps, *([step("divide", number(t.scale_[j]), narrow=narrow)] if t.with_std else [])]
    if name == "MaxAbsScaler":
        steps = [step("divide", t.scale_[j], narrow=narrow)]
        return [*steps, *([step("clip", -1, 1)] if getattr(t, "clip", False) else [])]
    if name == "RobustScaler":
        steps = [step("subtract", t.center_[j], narrow=narrow)] if t.with_centering else []
        return [*steps, *([step("divide", t.scale_[j], narrow=narrow)] if t.with_scaling else [])]
    steps = [step("multiply", t.scale_[j], narrow=narrow), step("add", t.min_[j], narrow=narrow)]
    return [*steps, *([step("clip", *t.feature_range)] if getattr(t, "clip", False) else [])]


def _function(t: Any, column: Numbers, spot: str) -> Numbers:
    import numpy as np

    checks = [step("refuse_infinite"), step("refuse_missing")] if t.validate else []
    if t.func is None:
        return column.then(*checks, narrow=column.narrow)
    known = next((name for name in (*FUNCTIONS, *ASCENDING) if t.func is getattr(np, name)), None)
    if known is None or t.kw_args:
        raise NotReadable(f"{spot} calls a function that is not known here")
    if known in ASCENDING:
        return column.then(*checks, ["call", Called(t.func, None, False, column.narrow)], narrow=column.narrow)
    return column.then(*checks, step(known, narrow=column.narrow), narrow=column.narrow)


class Called:
    """An ascending function of one column that is left to whoever computes it: a fitted step, or NumPy."""

    def __init__(self, function: Any, column: int | None, positive: bool, narrow: bool) -> None:
        self._function = function
        self._column = column
        #: Whether it takes numbers above 0 only.
        self._positive = positive
        self._narrow = narrow

    def __call__(self, numbers: Any) -> Any:
        import numpy as np

        inside = np.where(numbers > 0, numbers, np.nan) if self._positive else numbers
        inside = inside.astype(np.float32 if self._narrow else np.float64)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if self._column is None:
                answer = self._function(inside)
            else:
                matrix = np.ones((len(inside), self._function.n_features_in_), inside.dtype)
                matrix[:, self._column] = inside
                answer = np.asarray(self._function.transform(matrix))[:, self._column]
        return np.asarray(answer, np.float64)


def without_calls(steps: list[Any], borders: list[float]) -> list[Any]:
    """Steps that decide the same at all ``borders`` (ascending) of their result, with no function left to others.

    Where an ascending chain first reaches a border is found by asking it, by bisection over all doubles.
    """
    import numpy as np

    if all(kind != "call" for kind, *_ in steps):
        return steps
    for kind, *rest in steps:
        falls = kind in ("multiply", "divide") and rest[0] <= 0
        if falls or kind not in ("call", "add", "subtract", "multiply", "divide", "clip", "replace", *REFUSALS):
            raise NotReadable("a function among its steps does not stand between scalings alone")
        if kind == "replace" and rest[0] == rest[0]:
            raise NotReadable("a function among its steps does not stand between scalings alone")
    wanted = np.array([*borders, -math.inf])  # the last one: from where on it is defined
    least, most = _range(steps)
    low, high = np.full(len(wanted), least), np.full(len(wanted), most + 1)
    while (low < high).any():
        middle = np.where(low < high, (low >> 1) + (high >> 1) + (low & high & 1), low)
        reached = _computed(steps, _number_at(np.minimum(middle, most))) >= wanted
        searching = low < high
        low, high = np.where(searching & ~reached, middle + 1, low), np.where(searching & reached, middle, high)
    reachable = low[:-1] <= most
    # What lies before the range goes where its beginning goes.
    found = np.where(low == least, -math.inf, _number_at(low))
    cuts = found[:-1][reachable].tolist()
    images = [float(border) for border, at in zip(borders, reachable.tolist(), strict=True) if at]
    first = float(np.nextafter(borders[0], -math.inf)) if borders else 0.0
    starts = float(found[-1])
    missing = float(_computed(steps, np.array([math.nan]))[0])
    # In ascending order, each value where the chain gets to it; NaN below.
    whole = [(starts, first), *zip(cuts, images, strict=True)]
    kept: dict[float, float] = {}
    for cut, image in whole:
        kept[cut] = max(image, kept.get(cut, image))
    numbers, values = list(kept), list(kept.values())
    refusals = [item for item in steps if item[0] in REFUSALS][:1]
    table = ["look_up", missing, math.nan, [float(i + 1) for i in range(len(values))], False, values]
    return [*refusals, step("count_upto", numbers=numbers), table]


REFUSALS = ("refuse_missing", "refuse_infinite")
_LOWEST = -0x7FF0000000000000  # -infinity among all doubles in ascending order, as whole numbers


def _range(steps: list[Any]) -> tuple[int, int]:
    """Between which doubles, as whole numbers, a chain is asked: fitted steps refuse what overflows in them."""
    import numpy as np

    if not any(item[0] in REFUSALS for item in steps):
        return _LOWEST, -_LOWEST
    for limit in (1e300, 1e150, 1e75, 1e35, 1e15, 1e6):
        try:
            _computed(steps, np.array([-limit, limit]))
        except ValueError:
            continue
        rank = int(np.float64(limit).view(np.int64))
        return -rank, rank
    raise NotReadable("a function among its steps refuses large numbers")


def _number_at(ranks: Any) -> Any:
    import numpy as np

    sizes = np.abs(ranks).astype(np.int64).view(np.float64)
    return np.where(ranks < 0, -sizes, sizes)


def _computed(steps: list[Any], numbers: Any) -> Any:
    import numpy as np

    for kind, *rest in steps:
        with np.errstate(all="ignore"):
            if kind == "call":
                numbers = rest[0](numbers)
                continue
            if kind in REFUSALS:
                continue
            a, b, _, narrow = rest
            if kind == "replace":
                numbers = np.where(np.isnan(numbers), b, numbers)
            elif kind == "clip":
                numbers = np.clip(numbers, a, b)
            else:
                numbers = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}[kind](
                    numbers, a
                )
            if narrow:
                numbers = numbers.astype(np.float32).astype(np.float64)
    return numbers


def is_sparse(transformer: Any) -> bool:
    """Whether a fitted step hands over a sparse matrix."""
    if base_of(transformer, "sklearn", ("Pipeline",)) is not None:
        return is_sparse(transformer.steps[-1][1])
    if base_of(transformer, "sklearn", ("FeatureUnion",)) is not None:
        return any(is_sparse(inner) for _, inner in transformer.transformer_list)
    if base_of(transformer, "sklearn", ("ColumnTransformer",)) is not None:
        return bool(transformer.sparse_output_)
    if base_of(transformer, "sklearn", ("OneHotEncoder",)) is not None:
        return bool(getattr(transformer, "sparse_output", getattr(transformer, "sparse", False)))
    return getattr(transformer, "encode", None) == "onehot"
