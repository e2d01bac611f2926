"""Makes small ONNX files of trees, by skl2onnx, onnxmltools and by hand, and onnxruntime's own answers for 10,000 hard rows.

Run by make.sh, for each version in an environment of its own. What is kept are answers, not margins: onnxruntime has no others.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import onnxruntime
import skl2onnx
from fixture import make_rows, splitmix64, start_over, write_fixture
from onnx import TensorProto, helper, numpy_helper

warnings.filterwarnings("ignore")
FOLDER = Path(__file__).parent / "onnx"
ROWS = 10000
VERSION = f"skl2onnx {skl2onnx.__version__}, onnxruntime {onnxruntime.__version__}"
MARK = "new" if tuple(int(part) for part in skl2onnx.__version__.split(".")[:2]) >= (1, 19) else "old"


plain_attribute = helper.make_attribute


def make_attribute(key, value, *more, **options):
    """skl2onnx gives truth values for whole numbers, which newer versions of onnx refuse."""
    if isinstance(value, (list, np.ndarray)) and any(isinstance(item, (bool, np.bool_)) for item in value):
        value = [int(item) for item in value]
    return plain_attribute(key, value, *more, **options)


helper.make_attribute = make_attribute


def training(rows=400, features=5, seed=7, missing=False):
    numbers = splitmix64(np.arange(rows * features, dtype=np.uint64) + np.uint64(seed * 1000003))
    x = (numbers >> np.uint64(40)).astype(np.float64).reshape(rows, features) / 2**24 * 20 - 10
    x[:, 3] = np.round(x[:, 3])
    x[:, 4] = np.round(np.abs(x[:, 4]) / 2)
    score = x[:, 0] + np.where(x[:, 1] > 2, x[:, 2], -x[:, 2]) + 0.3 * x[:, 3] * (x[:, 4] > 2)
    x = x.astype(np.float32)
    if missing:
        x[(splitmix64(np.arange(x.size, dtype=np.uint64)) % np.uint64(9) == 0).reshape(x.shape)] = np.nan
    return x, score


def thresholds(model, features):
    """What each column is compared with."""
    found = [set() for _ in range(features)]
    for node in model.graph.node:
        values = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        columns = values.get("nodes_featureids", [])
        splits = values.get("nodes_values", values.get("nodes_values_as_tensor", values.get("nodes_splits", [])))
        if isinstance(splits, TensorProto):
            splits = numpy_helper.to_array(splits)
        for column, split in zip(columns, splits, strict=False):
            if column < features and np.isfinite(split):
                found[column].add(float(split))
        members = values.get("membership_values")
        for split in [] if members is None else numpy_helper.to_array(members):
            if np.isfinite(split):
                found[features - 1].add(float(split))
    return [sorted(values) for values in found]


def pools(model, features, missing=True, categories=()):
    """Values on thresholds and beside them, as float32 and as double; missing, infinite, far away, zero."""
    result = []
    for column, splits in enumerate(thresholds(model, features)):
        if column in categories:
            pool = sorted({*splits, *range(-2, 12), 100.0})
        else:
            pool = []
            for split in splits[:: max(1, len(splits) // 40)]:
                near = np.float32(split)
                pool += [float(near), float(np.nextafter(near, np.float32(np.inf)))]
                pool += [float(np.nextafter(near, np.float32(-np.inf))), float(np.nextafter(float(near), np.inf))]
            pool += [-1e30, 1e30, 0.0, -0.0, 1.5, -3.25, 7.0, float("inf"), float("-inf")]
        result.append(pool + ([float("nan")] * max(1, len(pool) // 9) if missing else []))
    return result


def answers(model, inputs, rows):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    found = session.run(None, inputs)
    scores = found[-1]
    if isinstance(scores, list):  # ZipMap: a dictionary for each row
        scores = np.array([list(row.values()) for row in scores], dtype=np.float32)
    scores = np.asarray(scores)
    return scores.reshape(rows, -1)


def write(
    name,
    model,
    features=5,
    *,
    dtype=np.float32,
    tolerance=0,
    why=None,
    missing=True,
    categories=(),
    classes=0,
    exact=True,
):
    """classes: 2, and only the second is kept. exact: whether the exact engine takes it."""
    name = f"{name}_{MARK}"
    kept = pools(model, features, missing, categories)
    matrix = np.column_stack(make_rows(ROWS, kept)).astype(dtype)
    scores = answers(model, {model.graph.input[0].name: matrix}, ROWS)
    if classes == 2 and scores.shape[1] == 2:
        scores = scores[:, 1:]
    (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())
    write_fixture(
        FOLDER,
        name,
        framework="onnx",
        version=VERSION,
        columns=[(f"c{i}", "number", pool) for i, pool in enumerate(kept)],
        rows=ROWS,
        margin=scores,
        tolerance=tolerance,
        why=why,
        exact=exact,
        opsets={one.domain or "ai.onnx": one.version for one in model.opset_import},
    )


LINK = {"tolerance": 1e-6, "why": "the exponential function differs between libraries"}


def from_sklearn():
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import DoubleTensorType
    from sklearn import ensemble, tree

    x, y = training()
    two = (y > 0).astype(int)
    three = np.array(["low", "mid", "high"])[np.digitize(y, [-4, 5])]

    def convert(model, target, **options):
        model.fit(x, target)
        return to_onnx(model, x[:1], **options)

    def no_map(model):
        return {id(model): {"zipmap": False}}

    write("tree", convert(tree.DecisionTreeRegressor(max_depth=5, random_state=1), y))
    forest = ensemble.RandomForestRegressor(12, max_depth=5, random_state=1)
    write("forest", convert(forest, y))
    many = ensemble.RandomForestRegressor(8, max_depth=4, random_state=2)
    write("forest_targets", convert(many, np.column_stack([y, -y, y * 2])))
    write("extra", convert(ensemble.ExtraTreesRegressor(10, max_depth=6, random_state=3), y))
    binary = ensemble.RandomForestClassifier(12, max_depth=4, random_state=1)
    write("forest_binary", convert(binary, two), classes=2)
    classes = ensemble.RandomForestClassifier(9, max_depth=4, random_state=1)
    write("forest_classes", convert(classes, three))
    classes = ensemble.RandomForestClassifier(9, max_depth=4, random_state=1)
    write("forest_classes_tensor", convert(classes, three, options=no_map(classes)))
    write("boosting", convert(ensemble.GradientBoostingRegressor(n_estimators=20, random_state=1), y))
    write(
        "boosting_binary",
        convert(ensemble.GradientBoostingClassifier(n_estimators=15, random_state=1), two),
        classes=2,
        **LINK,
    )
    boosted = ensemble.GradientBoostingClassifier(n_estimators=8, random_state=1)
    write("boosting_classes", convert(boosted, three), **LINK)
    gaps, y_gaps = training(missing=True)
    for name, model, target in (
        ("histogram", ensemble.HistGradientBoostingRegressor(max_iter=15, random_state=1), y_gaps),
        (
            "histogram_binary",
            ensemble.HistGradientBoostingClassifier(max_iter=12, random_state=1),
            (y_gaps > 0).astype(int),
        ),
    ):
        model.fit(gaps, target)
        write(name, to_onnx(model, gaps[:1]), classes=2, **(LINK if "binary" in name else {}))
    double = ensemble.RandomForestRegressor(10, max_depth=5, random_state=1).fit(x.astype(np.float64), y)
    converted = to_onnx(double, initial_types=[("X", DoubleTensorType([None, 5]))])
    # skl2onnx says that the answers are double; onnxruntime makes float of them.
    converted.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    if all(node.domain in ("", "ai.onnx.ml") and node.op_type != "Cast" for node in converted.graph.node):
        write("forest_double", converted, dtype=np.float64)


def from_boosters():
    import lightgbm
    import onnxmltools
    import xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType

    kinds = [("X", FloatTensorType([None, 5]))]
    x, y = training(missing=True)
    two = (y > 0).astype(int)
    three = np.digitize(y, [-4, 5])

    def of_xgboost(model, target):
        return onnxmltools.convert_xgboost(model.fit(x, target), initial_types=kinds, target_opset=15)

    few = {"n_estimators": 12, "max_depth": 4, "random_state": 1}
    write("xgboost", of_xgboost(xgboost.XGBRegressor(**few), y))
    write("xgboost_binary", of_xgboost(xgboost.XGBClassifier(**few), two), classes=2, **LINK)
    write("xgboost_classes", of_xgboost(xgboost.XGBClassifier(**few), three), **LINK)

    def of_lightgbm(model, target, **options):
        return onnxmltools.convert_lightgbm(model.fit(x, target, **options), initial_types=kinds, target_opset=15)

    few |= {"verbosity": -1, "num_leaves": 12}
    write("lightgbm", of_lightgbm(lightgbm.LGBMRegressor(**few), y))
    write("lightgbm_binary", of_lightgbm(lightgbm.LGBMClassifier(**few), two), classes=2, **LINK)
    write("lightgbm_classes", of_lightgbm(lightgbm.LGBMClassifier(**few), three), **LINK)


def write_columns(name, model, kept, *, classes=0, **options):
    """For a model that takes a tensor for each column; ``kept``: what is in them, by name."""
    name = f"{name}_{MARK}"
    inputs = {}
    for (column, pool), values in zip(kept.items(), make_rows(ROWS, list(kept.values())), strict=True):
        if any(isinstance(value, str) for value in pool):
            inputs[column] = np.array([["" if value is None else value] for value in values], dtype=object)
        else:
            inputs[column] = np.array(values, np.float32).reshape(-1, 1)
    asked = [value.name for value in model.graph.input]
    scores = answers(model, {column: inputs[column] for column in asked}, ROWS)
    if classes == 2 and scores.shape[1] == 2:
        scores = scores[:, 1:]
    (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())
    columns = [(c, "text" if inputs[c].dtype == object else "number", pool) for c, pool in kept.items()]
    write_fixture(
        FOLDER, name, framework="onnx", version=VERSION, columns=columns, rows=ROWS, margin=scores, exact=True, **options
    )  # fmt: skip


def from_pipelines():
    """Steps before the trees, which are folded into the splits."""
    import pandas as pd
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType
    from sklearn import compose, ensemble, impute, pipeline, preprocessing

    x, y = training()
    frame = pd.DataFrame(x[:, :3], columns=["wind", "temp", "rain"])
    frame["season"] = np.array(["winter", "spring", "summer", "fall"])[(np.abs(x[:, 3]).astype(int)) % 4]
    frame["day"] = np.array(["mon", "tue", "sun"])[x[:, 4].astype(int) % 3]
    target = y + (frame["season"] == "summer") * 4 + (frame["day"] == "sun") * 2
    near = [float(v) for v in np.sort(x[:60, 0])]
    kept = {
        "wind": [*near, 0.0, -1e30, 1e30, float("nan"), float("inf"), float("-inf"), 0.1, -0.1],
        "temp": [*near[::2], 2.0, float("nan"), -7.125],
        "rain": [*near[1::2], 3.0, -3.0, 1e-30],
        "season": ["winter", "spring", "summer", "fall", "monsoon", None, "Winter"],
        "day": ["mon", "tue", "sun", "sat", None],
    }
    types = [
        (name, StringTensorType([None, 1]) if name in ("season", "day") else FloatTensorType([None, 1]))
        for name in kept
    ]
    gaps = frame.copy()
    gaps.loc[::7, "wind"] = np.nan
    filled = pipeline.make_pipeline(impute.SimpleImputer(), preprocessing.StandardScaler())
    hot = preprocessing.OneHotEncoder(handle_unknown="ignore")
    ordinal = preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    mixed = compose.make_column_transformer(
        (hot, ["season", "day"]), (filled, ["wind", "temp"]), ("passthrough", ["rain"])
    )
    model = pipeline.make_pipeline(mixed, ensemble.RandomForestRegressor(10, max_depth=5, random_state=1))
    write_columns("pipeline_one_hot", to_onnx(model.fit(gaps, target), initial_types=types), kept)
    model = pipeline.make_pipeline(mixed, ensemble.GradientBoostingClassifier(n_estimators=12, random_state=1))
    write_columns("pipeline_binary", to_onnx(model.fit(gaps, target > 2), initial_types=types), kept, classes=2, **LINK)
    ranges = compose.make_column_transformer(
        (ordinal, ["season", "day"]), (preprocessing.MinMaxScaler(), ["wind", "rain"]), ("passthrough", ["temp"])
    )
    model = pipeline.make_pipeline(ranges, ensemble.ExtraTreesRegressor(8, max_depth=6, random_state=1))
    write_columns("pipeline_ordinal", to_onnx(model.fit(frame, target), initial_types=types), kept)
    parts = compose.make_column_transformer(
        (preprocessing.StandardScaler(), [0, 1]),
        (preprocessing.RobustScaler(), [2]),
        (preprocessing.Binarizer(threshold=0.2), [3]),
    )
    model = pipeline.make_pipeline(parts, ensemble.RandomForestRegressor(8, max_depth=5, random_state=1)).fit(x, y)
    matrix = {
        f"c{i}": [float(v) for v in np.sort(x[:80, i])] + [0.2, float("nan"), 1e30, float("-inf")] for i in range(5)
    }
    matrix["c3"] = [value for value in matrix["c3"] if value == value]  # Binarizer refuses missing values
    matrix["c3"] += [float(np.float32(0.2)), float(np.nextafter(np.float32(0.2), np.float32(1)))]
    rows = np.column_stack(make_rows(ROWS, list(matrix.values()))).astype(np.float32)
    converted = to_onnx(model, x[:1])
    (FOLDER / f"pipeline_matrix_{MARK}.onnx").write_bytes(converted.SerializeToString())
    write_fixture(
        FOLDER, f"pipeline_matrix_{MARK}", framework="onnx", version=VERSION, rows=ROWS, exact=True,
        columns=[(name, "number", pool) for name, pool in matrix.items()], margin=answers(converted, {"X": rows}, ROWS),
    )  # fmt: skip


def tree_three(op, modes, values, *, missing=None, leaves=4, targets=1, seed=0, trees=3, **attributes):
    """Complete trees of depth 2, split by columns 0, 1, 2 in the given modes."""
    lists = {
        key: []
        for key in ("treeids", "nodeids", "featureids", "truenodeids", "falsenodeids", "values", "modes", "tracks")
    }
    weights = {key: [] for key in ("treeids", "nodeids", "ids", "weights")}
    for index in range(trees):
        for node in range(7):
            leaf = node >= 3
            row = (
                index,
                node,
                0 if leaf else (node + index) % 3,
                0 if leaf else 2 * node + 1,
                0 if leaf else 2 * node + 2,
            )
            for key, value in zip(
                ("treeids", "nodeids", "featureids", "truenodeids", "falsenodeids"), row, strict=True
            ):
                lists[key].append(value)
            lists["values"].append(0.0 if leaf else float(values[(node + index) % len(values)]))
            lists["modes"].append("LEAF" if leaf else modes[(node + 2 * index) % len(modes)])
            lists["tracks"].append(0 if leaf or not missing else (node + index) % 2)
            for target in attributes.get("of", range(targets)) if leaf else ():
                weights["treeids"].append(index)
                weights["nodeids"].append(node)
                weights["ids"].append(target)
                number = int(splitmix64(np.array([seed * 100 + index * 31 + node * 7 + target], np.uint64))[0] % 2001)
                weights["weights"].append((number if attributes.get("positive") else number - 1000) / 777)
    kind = "class" if op == "TreeEnsembleClassifier" else "target"
    given = {f"nodes_{key}": lists[key] for key in list(lists)[:7]}
    if missing is not None:
        given["nodes_missing_value_tracks_true"] = lists["tracks"]
    given |= {f"{kind}_{key}": weights[key] for key in weights}
    if kind == "target":
        given["n_targets"] = targets
    given |= {key: value for key, value in attributes.items() if key not in ("of", "positive") and value != []}
    outputs = ["label", "scores"] if kind == "class" else ["scores"]
    return helper.make_node(op, ["X"], outputs, domain="ai.onnx.ml", **given)


def graph(node, width, columns=3, kind=TensorProto.FLOAT, ml=3, label=TensorProto.INT64, out=TensorProto.FLOAT):
    outputs = [helper.make_tensor_value_info("scores", out, [None, width])]
    if len(node.output) == 2:
        outputs.insert(0, helper.make_tensor_value_info("label", label, [None]))
    made = helper.make_graph([node], "trees", [helper.make_tensor_value_info("X", kind, [None, columns])], outputs)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", ml)]
    return helper.make_model(made, opset_imports=opsets, ir_version=8)


def by_hand():
    orders = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"]
    values = [0.5, -1.25, 3.0, 0.0, 7.5]
    for mode in orders:
        write(
            f"hand_{mode[7:].lower()}", graph(tree_three("TreeEnsembleRegressor", [mode], values, missing=True), 1), 3
        )
    write("hand_modes", graph(tree_three("TreeEnsembleRegressor", orders, values, missing=True, trees=8), 1), 3)
    write("hand_modes_no_missing", graph(tree_three("TreeEnsembleRegressor", orders, values, trees=8), 1), 3)
    categories = [1.0, 2.0, 3.0, 5.0]
    for missing in (None, True):
        name = "hand_equal" + ("" if missing else "_no_missing")
        equal = tree_three("TreeEnsembleRegressor", ["BRANCH_EQ", "BRANCH_NEQ"], categories, missing=missing, trees=5)
        write(name, graph(equal, 1), 3, categories=(0, 1, 2))
    average = tree_three("TreeEnsembleRegressor", orders, values, trees=4, aggregate_function="AVERAGE")
    write("hand_average", graph(average, 1), 3)
    based = tree_three("TreeEnsembleRegressor", orders, values, trees=5, targets=3, base_values=[0.3, -2.7, 11.1])
    write("hand_base", graph(based, 3), 3)
    for transform in ("LOGISTIC", "SOFTMAX"):
        one = tree_three("TreeEnsembleRegressor", orders, values, base_values=[0.7], post_transform=transform)
        write(f"hand_{transform.lower()}_one", graph(one, 1), 3)
        three = tree_three("TreeEnsembleRegressor", orders, values, targets=3, post_transform=transform)
        write(f"hand_{transform.lower()}", graph(three, 3), 3, **LINK)
    binary = {"of": [0], "targets": 2, "classlabels_int64s": [3, 8]}
    for transform in ("NONE", "LOGISTIC", "SOFTMAX"):
        for positive in (False, True):
            for base in ([], [-0.4]):
                made = tree_three(
                    "TreeEnsembleClassifier",
                    orders,
                    values,
                    positive=positive,
                    base_values=base,
                    post_transform=transform,
                    **binary,
                )
                name = f"hand_binary_{transform.lower()}{'_positive' * positive}{'_base' * bool(base)}"
                doubtful = transform == "LOGISTIC" and positive
                write(
                    name, graph(made, 2), 3, classes=2, exact=not doubtful, **(LINK if transform == "LOGISTIC" else {})
                )
        both = tree_three(
            "TreeEnsembleClassifier",
            orders,
            values,
            targets=2,
            classlabels_strings=["no", "yes"],
            post_transform=transform,
        )
        write(
            f"hand_both_{transform.lower()}",
            graph(both, 2, label=TensorProto.STRING),
            3,
            classes=2,
            **(LINK if transform != "NONE" else {}),
        )
        classes = tree_three(
            "TreeEnsembleClassifier",
            orders,
            values,
            targets=3,
            classlabels_strings=["a", "b", "c"],
            base_values=[0.5, 0.0, -1.0],
            post_transform=transform,
        )
        write(
            f"hand_classes_{transform.lower()}",
            graph(classes, 3, label=TensorProto.STRING),
            3,
            **(LINK if transform != "NONE" else {}),
        )
    write(
        "hand_double",
        graph(tree_three("TreeEnsembleRegressor", orders, values, trees=6), 1, kind=TensorProto.DOUBLE),
        3,
        dtype=np.float64,
    )
    # onnxruntime takes whole numbers for classifiers only.
    whole = tree_three("TreeEnsembleClassifier", orders, [0.5, 3.0, -2.0, 7.5], targets=3, classlabels_int64s=[0, 1, 2])
    write_whole("hand_whole", graph(whole, 3, kind=TensorProto.INT64))


def write_whole(name, model):
    kept = [list(range(-9, 12)) for _ in range(3)]
    matrix = np.column_stack(make_rows(ROWS, kept)).astype(np.int64)
    (FOLDER / f"{name}_{MARK}.onnx").write_bytes(model.SerializeToString())
    write_fixture(
        FOLDER, f"{name}_{MARK}", framework="onnx", version=VERSION, rows=ROWS,
        columns=[(f"c{i}", "number", pool) for i, pool in enumerate(kept)], exact=True, margin=answers(model, {"X": matrix}, ROWS),
    )  # fmt: skip


def five(kind, modes, splits, members=(), columns=3, **attributes):
    """Two trees of ai.onnx.ml 5: of three nodes and four leaves each, and one that is a single leaf."""
    array = np.dtype(kind)

    def tensor(name, values, dtype=array):
        return numpy_helper.from_array(np.asarray(values, dtype), name)

    count = len(modes)
    half = count // 2
    truth, falsehood, true_leaf, false_leaf = [], [], [], []
    leaf = 0
    for node in range(count):
        first = node - node % half
        for into, leafs, child in (
            (truth, true_leaf, 2 * (node % half) + 1),
            (falsehood, false_leaf, 2 * (node % half) + 2),
        ):
            inside = child < half
            into.append(first + child if inside else leaf)
            leafs.append(0 if inside else 1)
            leaf += 0 if inside else 1
    # A tree of one leaf.
    roots = [0, half, count]
    for into, value in ((truth, leaf), (falsehood, leaf), (true_leaf, 1), (false_leaf, 1)):
        into.append(value)
    leaf += 1
    targets = attributes.get("n_targets", 1)
    weights = [(int(splitmix64(np.array([i], np.uint64))[0] % 2001) - 1000) / 777 for i in range(leaf)]
    return helper.make_node(
        "TreeEnsemble",
        ["X"],
        ["scores"],
        domain="ai.onnx.ml",
        tree_roots=roots,
        nodes_featureids=[(node % columns) for node in range(count)] + [0],
        nodes_modes=tensor("modes", [*modes, 0], np.uint8),
        nodes_splits=tensor("splits", [*splits, 0]),
        nodes_truenodeids=truth,
        nodes_falsenodeids=falsehood,
        nodes_trueleafs=true_leaf,
        nodes_falseleafs=false_leaf,
        nodes_missing_value_tracks_true=[node % 2 for node in range(count)] + [0],
        leaf_targetids=[i % targets for i in range(leaf)],
        leaf_weights=tensor("weights", weights),
        **({"membership_values": tensor("members", members)} if members else {}),
        **({"n_targets": 1} | attributes),
    )


def of_opset_five():
    for name, kind, out in (("five", np.float32, TensorProto.FLOAT), ("five_double", np.float64, TensorProto.DOUBLE)):
        made = five(kind, [0, 1, 2, 3, 0, 1], [0.5, -1.25, 3.0, 0.0, 7.5, 2.0])
        write(name, graph(made, 1, kind=out, ml=5, out=out), 3, dtype=kind)
    nan = float("nan")
    members = five(np.float32, [0, 1, 6, 3, 2, 6], [0.5, 1.0, 0.0, 1.0, 7.5, 0.0], [1, 3, 7, nan, 2, 3, 40, nan])
    write("five_members", graph(members, 1, ml=5), 3, categories=(2,))
    several = five(np.float32, [0, 1, 2, 3, 0, 1], [0.5, -1.25, 3.0, 0.0, 7.5, 2.0], n_targets=3, post_transform=1)
    write("five_softmax", graph(several, 3, ml=5), 3, exact=False, **LINK)


if __name__ == "__main__":
    start_over(FOLDER, VERSION)
    from_sklearn()
    from_boosters()
    from_pipelines()
    by_hand()
    if MARK == "new":
        of_opset_five()
    for path in sorted(FOLDER.glob(f"*_{MARK}.expected.json")):
        assert json.loads(path.read_text())["rows"] == ROWS
