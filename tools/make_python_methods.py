#!/usr/bin/env python3
"""Writes what Python says of the engine: python/sightglass/_methods.py, the methods of Explainer with their options,
_learners.py, an estimator for each learner and task, and shapes.py, a class for each shape that items of results have.

.venv/bin/python tools/make_python_methods.py            # after a method, an option or a shape changed
.venv/bin/python tools/make_python_methods.py --check    # exit code 1 if a file is not what would be written
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "sightglass"
WIDTH = 120

#: Options of every run that a single call may set; the rest belongs to the explainer.
RUN_OPTIONS = ("output", "scale", "where", "by", "sample", "seed", "engine")
#: Those of them that the explainer was not told before.
ONLY_HERE = ("where", "by", "engine")
#: Those that a report may be told.
REPORT_OPTIONS = ("output", "scale", "engine", "where", "by", "sample", "seed")
REPORT_BUDGET = (
    "The model's speed is measured, and where the time (budget) does not suffice fewer rows are used and parts left out; "
    "report.results[0].options has what was decided as sample, skip, predictions and part_rows, which repeat it."
)
#: What Python can say better than a list of names, by the type of an option.
ANNOTATIONS = {
    "features": "str | int | Sequence[str | int]",
    "features and pairs": "str | int | Sequence[str | int | tuple[str | int, str | int]]",
    "pairs": "str | Sequence[str | tuple[str | int, str | int]]",
    "triples": "str | Sequence[str | tuple[str | int, str | int, str | int]]",
    "groups": "str | Sequence[str | Sequence[str | int]] | Mapping[str, Sequence[str | int]]",
    "named words": "str | Sequence[str] | Mapping[str | int, str]",
    "output": "Any",
    "duration": "str | float",
    "model": "Any",
    "rows": "Any",
    "numbers": "Any",
    "data": "Any",
}
HELP = {
    "features": "features to explain, by name or position; default: all that the model uses",
    "features and pairs": "features to explain, by name or position; a tuple of two stands for a pair; default: all "
    "features that the model uses",
    "pairs": "pairs of features, as tuples or as first:second",
    "rows": "these rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a table of "
    "other rows, which are explained then (the same as rows_from)",
    "groups": "features that are taken together: a mapping of names to features, a list of lists of features, or texts "
    "like name=a,b; features in no group stay single, unless others are named with features",
}
#: Every method can save what it finds; that it can is looked at first.
OUT = "out: str | os.PathLike[str] | None = None"
OUT_HELP = [
    "        out : str or path, optional",
    "            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before",
    "            the work.",
]
#: What the docstrings call values that have no type of their own.
KINDS = {
    "model": "estimator, callable, Booster, str or path",
    "rows": "int or str or sequence of these, DataFrame, Table or array",
    "numbers": "float or date, or sequence of these",
    "data": "DataFrame, Table, relation, array, str or path",
}
VALUES = {"bool": "bool", "integer": "int", "number": "float", "text": "str"}
EXAMPLES = {
    "partial-dependence": [
        '>>> result = ex.partial_dependence(["x0", ("x0", "x1")], grid=5)',
        '>>> [item["type"] for item in result.results]',
        "['curve', 'surface']",
    ],
    "ice": [
        '>>> result = ex.ice("x0", rows=[3, 4], grid=5, center=True)',
        '>>> result.results[0]["rows"]',
        "[3, 4]",
    ],
}

HEADER = '''"""The methods of Explainer. Do not edit: written by tools/make_python_methods.py from the registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._errors import UsageError
from ._words import own_words

if TYPE_CHECKING:
    import os
    from typing import Literal

    from ._report import Report
    from ._result import Result


def _one_of(name: str, value: Any, default: Any, alias: str, same: Any) -> Any:
    """What was said under one of two names; a value that is the default was not said."""
    if same is None:
        return value
    if value != default:
        raise UsageError(f"option {name} is given twice", f"leave out its other name, {alias}")
    return same


class Methods:
    """One method per question about a model."""

    #: All methods, by name.
    names: tuple[str, ...] = (
{names}    )

    def _run(self, method: str, options: dict[str, Any], out: str | os.PathLike[str] | None) -> Result:
        raise NotImplementedError

    def _report(self, path: Any, options: dict[str, Any]) -> Report:
        raise NotImplementedError
'''


SHAPES_HEADER = '''"""The shapes that items of results have, a class for each: `result.all(sightglass.shapes.Curve)`.

Do not edit: written by tools/make_python_methods.py from the engine's own description of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ._items import Fields, Item

if TYPE_CHECKING:
    from typing import Literal

    import numpy as np
    from numpy.typing import NDArray


'''


def shape_class(name: str, base: str, about: str, fields: list[dict], kind: str | None, indent: int) -> list[str]:
    """The class of a shape, or of a group of its fields inside it."""
    from sightglass import _items

    lines = textwrap.wrap(f'"""{about}', WIDTH - indent - 4) + ["", "Attributes", "----------"]
    inside: list[str] = [f'type: ClassVar[str] = "{kind}"', ""] if kind else []
    hints = []
    for field in fields:
        hint = field.get("hint")
        if hint is None:
            hint = _items.class_name(field["name"])
            said = field["about"] or f"The fields of `{field['name']}`."
            inside += [*shape_class(hint, "Fields", said, field["fields"], None, indent + 4), ""]
            hint = f"list[{hint}]" if field["many"] else hint
        optional = field["optional"] and hint != "Any"
        name_here = _items.attribute_name(field["name"])
        hints += hinted(f"{name_here}: {hint}", " | None = None" if optional else "", indent + 4)
        if field["optional"] and not optional:
            hints[-1] += " = None"
        plain = hint.replace("NDArray[np.float64]", "array").replace("NDArray[np.int64]", "array of int")
        plain = re.sub(r"Literal\[(.*)\]", r"{\1}" if len(hint) < WIDTH / 2 else "str", plain)
        lines.append(f"{name_here} : {plain.replace(' | ', ' or ')}{', optional' if field['optional'] else ''}")
        lines += [f"    {line}" for line in textwrap.wrap(field["about"], WIDTH - indent - 8)]
    body = [*lines, '"""', "", *inside, *hints]
    return [f"class {name}({base}):", *(f"    {line}".rstrip() for line in body)]


def hinted(start: str, end: str, indent: int) -> list[str]:
    """A field with its type, as the formatter has it: lists of words that are too long for a line have a line each."""
    if indent + len(start + end) <= WIDTH or "Literal[" not in start:
        return [start + end]
    head, _, words = start.partition("Literal[")
    if end:
        return [f"{head}(", f"    Literal[{words} | None", ") = None"]
    return [f"{head}Literal[", *(f"    {word}," for word in words.rstrip("]").split(", ")), "]"]


def shapes_source() -> str:
    from sightglass import _core, _items

    blocks = [
        shape_class(_items.class_name(kind), "Item", shape["about"], shape["fields"], kind, 0)
        for kind, shape in _core.shape_types().items()
    ]
    return SHAPES_HEADER + "\n\n\n".join("\n".join(block) for block in blocks) + "\n"


#: What the estimators of a learner are called; others by the learner's own name.
ESTIMATORS = {
    "sparse-linear": "SparseLinear",
    "tree": "DecisionTree",
    "optimal-tree": "OptimalTree",
    "rulefit": "RuleFit",
    "gam": "Additive",
    "hierarchical-2d": "HierarchicalPanels",
    "covering-2d": "CoveringPanels",
    "knn": "Neighbors",
}

LEARNERS_HEADER = '''"""Models that explain themselves, as estimators. Do not edit: written by tools/make_python_methods.py from the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._attributes import Coefficients, SplitImportances, TermImportances
from ._estimator import Classifier, Regressor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

'''
THREADS = {
    "name": "threads",
    "aliases": [],
    "type": "count",
    "value": "integer",
    "many": False,
    "choices": [],
    "default": None,
    "help": "threads to work with; as many as the machine has if not given. The model is the same for any number",
}
#: What the features of an example's outcome are, by task.
OUTCOMES = {"Regressor": "10 * (X[:, 0] > 0.5) + X[:, 1]", "Classifier": 'np.where(X[:, 0] > 0.5, "high", "low")'}


def estimator_name(entry: dict) -> str:
    own = "".join(word.capitalize() for word in entry["name"].split("-"))
    return ESTIMATORS.get(entry["name"], own)


IMPORTANCES = [
    "    feature_importances_ : array",
    "        One for each feature, in the order of `feature_names_in_`, of the sum 1:",
]
#: What estimators have besides: a base class, and what its attributes are.
ATTRIBUTES = {
    "terms": (
        "Coefficients",
        [
            "    coef_ : array",
            "        Coefficients in the units of the features, in the order of `feature_names_in_`: one for each, or (classes or",
            "        1, columns). A categorical feature has one for each level, a number with missing values one more for these.",
            "    intercept_ : float or array",
            "        One, or one for each class.",
            "    term_names_ : array of str",
            '        What the columns of `coef_` are: "temp", "season = spring", "temp is missing".',
        ],
    ),
    "tree": (
        "SplitImportances",
        [
            *IMPORTANCES,
            "        by how much splits on it lower the impurity of the training rows, as in scikit-learn.",
        ],
    ),
    "importance": (
        "TermImportances",
        [
            *IMPORTANCES,
            "        what `explain()` calls its importance, of all outputs together; what features do together counts in equal",
            "        parts.",
        ],
    ),
}


#: Learners whose features have other attributes than the importances that their results have.
OWN_ATTRIBUTES = {"sparse-linear": "terms", "tree": "tree", "optimal-tree": "tree"} | dict.fromkeys(
    ("hierarchical-2d", "covering-2d", "knn", "nearest-prototype"), ""
)


def estimator(entry: dict, task: str) -> str:
    """The class of a learner for numbers or for classes."""
    base, more = ATTRIBUTES.get(OWN_ATTRIBUTES.get(entry["name"], "importance"), ("", []))
    name = estimator_name(entry) + task
    options = [(option, False) for option in [*entry["options"], THREADS]]
    lines = ["", f"class {name}({base}{', ' if base else ''}{task}):", f'    """{entry["question"]}', ""]
    lines += wrapped(f"{entry['formula']}.", 4)
    lines += wrapped(sentence(f"When to use it: {entry['when']}"), 4)
    lines += [*wrapped(sentence(f"When not to: {entry['when_not']}"), 4), ""]
    lines += parameters([({**option, "aliases": []}, False) for option, _ in options], 4)
    lines += ["", "    Attributes", "    ----------"]
    if task == "Classifier":
        lines += ["    classes_ : array", "        The classes, in the order of the columns of `predict_proba`."]
    lines += [*more, "    n_features_in_ : int", "        Number of features."]
    lines += [
        "    feature_names_in_ : array of str",
        "        Their names, where the data that it was fitted on had names.",
    ]
    lines += ["", "    Notes", "    -----"]
    lines += [*wrapped(sentence(f"Cost: {entry['cost']}"), 4), *wrapped(sentence(entry["paper"]), 4), ""]
    lines += ["    Examples", "    --------"]
    example = [
        ">>> import numpy as np",
        ">>> import sightglass as sg",
        ">>> X = np.random.default_rng(0).uniform(size=(200, 3))",
        f">>> y = {OUTCOMES[task]}",
        f">>> model = sg.{name}().fit(X, y)",
        ">>> model.predict(X[:5]).shape",
        "(5,)",
        ">>> model.explain().method",
        f"'{entry['name']}'",
    ]
    lines += [f"    {line}" for line in example] + ['    """', ""]
    lines += [f'    _learner = "{entry["name"]}"']
    labels = [option["name"] for option in entry["options"] if option["type"] == "output"]
    if labels:
        lines += [f"    _class_options = ({', '.join(map(json.dumps, labels))}{',' if len(labels) == 1 else ''})"]
    lines += [""]
    lines += ["    def __init__(", "        self,", "        *,"]
    lines += [f"        {parameter(with_mapping(option), False)}," for option, _ in options]
    lines += ["    ) -> None:"]
    lines += [f"        self.{option['name']} = {option['name']}" for option, _ in options]
    return "\n".join(lines) + "\n"


def with_mapping(option: dict) -> dict:
    """Lists of texts like temp=increasing may be mappings."""
    return {**option, "type": "named words"} if option["many"] and "=" in option["help"] else option


def learners_source() -> str:
    from sightglass import _core

    entries = json.loads(_core.catalogue())["learners"]
    classes = [
        (estimator_name(entry) + task, estimator(entry, task), entry["name"], task)
        for entry in entries
        for task in (("Regressor", "Classifier") if entry["takes_numbers"] else ("Classifier",))
    ]
    names = "".join(f'    "{name}",\n' for name in sorted(name for name, *_ in classes))
    listed = "".join(f'    ("{kind}", "{task.lower()}"): {name},\n' for name, _, kind, task in classes)
    aliases = "".join(f'    "{entry["alias"]}": "{entry["name"]}",\n' for entry in entries if entry["alias"])
    return (
        LEARNERS_HEADER
        + f"__all__ = [\n{names}]\n\n"
        + "\n".join(text for _, text, *_ in classes)
        + "\n\n#: The estimator of a kind of `sightglass fit` for numbers and for classes.\n"
        + f"ESTIMATORS: dict[tuple[str, str], type[Regressor | Classifier]] = {{\n{listed}}}\n"
        + "\n#: Other names of kinds.\n"
        + (f"ALIASES: dict[str, str] = {{\n{aliases}}}\n" if aliases else "ALIASES: dict[str, str] = {}\n")
    )


def special(table: dict[str, str], option: dict, otherwise: str) -> str:
    return table.get("features and pairs" if option.get("with_pairs") else option["type"], otherwise)


def annotation(option: dict, optional: bool) -> str:
    plain = VALUES[option["value"]]
    kind = special(ANNOTATIONS, option, f"{plain} | Sequence[{plain}]" if option["many"] else plain)
    choices = [choice for choice in option["choices"] if choice]
    if choices and not option["many"]:
        kind = f"Literal[{', '.join(json.dumps(choice) for choice in choices)}]"
    return f"{kind} | None" if optional and kind != "Any" else kind


def parameter(option: dict, of_run: bool) -> str:
    default = option["default"]
    optional = of_run or default is None or default == []
    text = "None" if optional else json.dumps(default) if isinstance(default, (str, list)) else repr(default)
    return f"{option['name']}: {annotation(option, optional)} = {text}"


def wrapped(text: str, indent: int) -> list[str]:
    # Names of parts and methods have hyphens, and are searched for.
    space = " " * indent
    return textwrap.wrap(text, WIDTH - indent, initial_indent=space, subsequent_indent=space, break_on_hyphens=False)


def sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else text + "."


def docstring(entry: dict, options: list[tuple[dict, bool]]) -> list[str]:
    lines = [f'        """{entry["question"]}', ""]
    lines += wrapped(f"{entry['formula']}.", 8)
    lines += wrapped(sentence(f"When to use it: {entry['when']}"), 8)
    lines += [*wrapped(sentence(f"When not to: {entry['when_not']}"), 8), ""]
    lines += [*parameters(options), *OUT_HELP]
    lines += ["", "        Returns", "        -------", "        Result", ""]
    lines += ["        Notes", "        -----"]
    lines += [*wrapped(sentence(f"Cost: {entry['cost']}"), 8), *wrapped(sentence(entry["paper"]), 8), ""]
    if entry["name"] in EXAMPLES:
        lines += ["        Examples", "        --------"]
        setup = [
            ">>> import numpy as np",
            ">>> import sightglass as sg",
            ">>> X = np.random.default_rng(0).uniform(size=(100, 3))",
            ">>> ex = sg.Explainer(lambda X: X[:, 0] * X[:, 1], X)",
        ]
        lines += [f"        {line}" for line in setup + EXAMPLES[entry["name"]]]
    return [*lines, '        """']


def parameters(options: list[tuple[dict, bool]], indent: int = 8) -> list[str]:
    """What a docstring says of them."""
    room = " " * indent
    lines = [f"{room}Parameters", f"{room}----------"]
    for option, of_run in options:
        plain = VALUES[option["value"]]
        choices = [choice for choice in option["choices"] if choice]
        kind = "{" + ", ".join(json.dumps(choice) for choice in choices) + "}" if choices else plain
        if option["many"]:
            kind = f"{plain} or sequence of {plain}"
        kind = KINDS.get(option["type"], kind)
        lines.append(f"{room}{option['name']} : {kind}, optional")
        # Which features a method is about comes first; others have words of their own.
        first = option is options[0][0]
        help = special(HELP, option, option["help"]) if first or option["type"] != "features" else option["help"]
        lines += wrapped(
            sentence(help)
            + (" As the explainer was told if not given." if of_run and option["name"] not in ONLY_HERE else ""),
            indent + 4,
        )
        for alias in option["aliases"]:
            lines += [f"{room}{alias} : {kind}, optional", f"{room}    The same as `{option['name']}`."]
    return lines


def signature(options: list[tuple[dict, bool]]) -> list[str]:
    lines = []
    for option, of_run in options:
        lines.append(f"        {parameter(option, of_run)},")
        lines += [f"        {alias}: {annotation(option, True)} = None," for alias in option["aliases"]]
    return lines


def values(options: list[tuple[dict, bool]]) -> list[str]:
    """What the engine is given: an option under its own name, whichever was used."""
    lines = []
    for option, of_run in options:
        name, chosen = option["name"], option["name"]
        default = parameter(option, of_run).rpartition(" = ")[2]
        for alias in option["aliases"]:
            chosen = f'_one_of("{name}", {chosen}, {default}, "{alias}", {alias})'
        lines.append(f'                "{name}": {chosen},')
    return lines


def method(entry: dict, run_options: list[dict]) -> str:
    with_pairs = any(option["type"] == "pairs" for option in entry["options"])
    options = [
        ({**option, "with_pairs": with_pairs and index == 0}, False) for index, option in enumerate(entry["options"])
    ]
    options += [(option, True) for name in RUN_OPTIONS for option in run_options if option["name"] == name]
    function = entry["name"].replace("-", "_")
    lines = ["", "    @own_words", f"    def {function}(", "        self,"]
    first, *aliases = signature(options[:1])
    lines += [first, "        *,", *aliases, *signature(options[1:])]
    lines += [f"        {OUT},", "    ) -> Result:"]
    lines += docstring(entry, options)
    lines += ["        return self._run(", f'            "{entry["name"]}",', "            {", *values(options)]
    lines += ["            },", "            out,", "        )"]
    if entry["alias"]:
        lines += ["", f"    {entry['alias'].replace('-', '_')} = {function}"]
    return "\n".join(lines) + "\n"


def report(options: list[dict]) -> str:
    """Everything at once: what is not given is left to the engine, and does not stand in the call on the page."""
    described = [
        (with_default(option), option["of_run"])
        for option in options
        if option["name"] in REPORT_OPTIONS or not option["of_run"]
    ]
    lines = [
        "",
        "    @own_words",
        "    def report(",
        "        self,",
        "        path: str | os.PathLike[str] | None = None,",
        "        *,",
    ]
    lines += signature([(option, True) for option, _ in described])
    lines += [
        f"        {OUT},",
        "    ) -> Report:",
        '        """Everything a careful analyst would ask, as one page.',
        "",
    ]
    lines += [*wrapped(REPORT_BUDGET, 8), ""]
    lines += parameters(described)
    lines[lines.index("        ----------") + 1 : lines.index("        ----------") + 1] = [
        "        path : str or path, optional",
        "            Where to write the page (.html); it can also be saved later.",
    ]
    lines += ["        out : str or path, optional", "            The same as `path`."]
    lines += ["", "        Returns", "        -------", "        Report", '        """']
    lines += ["        return self._report("]
    lines += ['            _one_of("path", path, None, "out", out),', "            {", *values(described)]
    return "\n".join([*lines, "            },", "        )"]) + "\n"


def with_default(option: dict) -> dict:
    """What is not in the signature stands in the help."""
    default = option["default"]
    return {**option, "help": f"{option['help']}. Default: {default}"} if default and not option["of_run"] else option


def source() -> str:
    from sightglass import _core

    catalogue = json.loads(_core.catalogue())
    entries = catalogue["methods"]
    names = "".join(f'        "{entry["name"].replace("-", "_")}",\n' for entry in entries)
    run_options = catalogue["run_options"]
    of_run = {option["name"] for option in run_options}
    page = report([{**option, "of_run": option["name"] in of_run} for option in catalogue["report_options"]])
    return HEADER.replace("{names}", names) + "".join(method(entry, run_options) for entry in entries) + page


def main() -> int:
    files = {
        PACKAGE / "_methods.py": source(),
        PACKAGE / "_learners.py": learners_source(),
        PACKAGE / "shapes.py": shapes_source(),
    }
    if "--check" in sys.argv:
        return 0 if all(path.read_text() == text for path, text in files.items()) else 1
    for path, text in files.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
