"""Whether a model that says nothing of itself predicts the probabilities of classes.

A function's answers and the true outcomes tell: rows of answers that add up to 1, or single ones between 0 and 1 where
the outcome has two values. The columns of answers stand for the outcome's values in their order, as in scikit-learn, or
in the order that their categories have, if the answers fit that one clearly better. Where the outcome has another
number of values than the answers have columns, only the user can name the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

#: Rows that the model is asked about: first a few, then enough that a regression of 0 and 1 leaves that range.
FEW, ENOUGH = 16, 512
#: Probabilities in single precision do not add up to 1 exactly.
TOLERANCE = 1e-3
#: An outcome of more values is no class.
MOST_CLASSES = 200
#: How much more probability another order has to give to what is true.
CLEARLY = 0.02


class Recognised(NamedTuple):
    """Probabilities of classes."""

    #: In the order of the model's answers; of two classes both, of unknown ones none.
    names: list[str]
    note: str


class Outcome:
    """The values of a column that may be classes."""

    def __init__(self, table: Any, column: str) -> None:
        import numpy as np

        self.name = column
        self._kind = next(kind for name, kind, _ in table.columns if name == column)
        self._values, self._declared = table.column(column)
        self._present = np.unique(self._values[np.isfinite(self._values)])
        #: One of so many.
        self.size = len(self._present)
        self.is_text = self._declared is not None
        numbers_of_classes = self.is_text or self.size == 2 or (self._present == np.trunc(self._present)).all()
        self.may_be_classes = bool(1 < self.size <= MOST_CLASSES and numbers_of_classes)

    def rows(self, most: int) -> list[int]:
        """So many rows from everywhere: data are often sorted by their classes."""
        rows = len(self._values)
        return [row * rows // most for row in range(most)] if rows > most else list(range(rows))

    def orders(self, width: int) -> list[list[str]]:
        """What the columns of answers may stand for, the usual order first."""
        if self.is_text:
            names = sorted(self._declared[int(code)] for code in self._present)
            every = [list(self._declared)] if len(self._declared) == width else []
            return [names, *every] if len(names) == width else [sorted(every[0]), *every] if every else []
        if self.size == width:
            return [[self._spelled(value) for value in self._present]]
        # Numbers that count the classes, of which these rows have not all.
        counts = 0 <= self._present[0] and self._present[-1] < width and width > 2
        return [[str(number) for number in range(width)]] if counts else []

    def _spelled(self, value: float) -> str:
        if self._kind == "boolean":
            return str(bool(value))
        return str(int(value)) if value == int(value) else repr(float(value))

    def probability_of_truth(self, names: list[str], rows: list[int], answers: Any) -> float:
        place = {name: position for position, name in enumerate(names)}
        found = [
            answer[place[self._declared[int(code)]]]
            for code, answer in zip(self._values[rows].tolist(), answers.tolist(), strict=True)
            if code == code and self._declared[int(code)] in place
        ]
        return sum(found) / len(found) if found else 0.0


def recognise(outcome: Outcome, ask: Callable[[list[int]], tuple[list[str], Any]]) -> Recognised | None:
    """What a model's answers about some rows, their names and rows × columns, tell; None: they are mere numbers."""
    if not outcome.may_be_classes:
        return None
    for most in (FEW, ENOUGH):
        rows = outcome.rows(most)
        columns, answers = ask(rows)
        width = answers.shape[1]
        # A comparison with nan is false.
        if not (answers.min() >= -TOLERANCE and answers.max() <= 1 + TOLERANCE):
            return None
        if width == 1 and outcome.size != 2:
            return None
        if width > 1 and abs(answers.sum(axis=1) - 1).max() > TOLERANCE:
            return None
    if width == 1:
        names = outcome.orders(2)[0]
        if columns[0] == names[0]:
            names = names[::-1]
        return Recognised(
            names,
            f"{outcome.name} has two values and the model answers numbers from 0 to 1: they are taken for the "
            f"probability of {names[1]}; classes={names[::-1]} makes it that of {names[0]}, classes=[] mere numbers",
        )
    about = f"the model's answers add up to 1 in each row: they are taken for the probabilities of {width} classes"
    orders = outcome.orders(width)
    if orders:
        names = columns if set(columns) == set(orders[0]) else best_order(outcome, orders, rows, answers)
        shown = ", ".join(names[:5]) + (", …" if width > 5 else "")
        return Recognised(names, f"{about}, in this order: {shown}; classes= names them otherwise")
    # Numbers of more values than there are classes may well be no class.
    if not outcome.is_text and outcome.size > width:
        return None
    advice = "name them in the model's order with classes="
    return Recognised([], f"{about}, but {outcome.name} has {outcome.size} values; {advice}")


def best_order(outcome: Outcome, orders: list[list[str]], rows: list[int], answers: Any) -> list[str]:
    if len(orders) == 1 or orders[0] == orders[1]:
        return orders[0]
    usual, other = (outcome.probability_of_truth(order, rows, answers) for order in orders)
    return orders[1] if other > usual + CLEARLY else orders[0]
