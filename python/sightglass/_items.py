"""What the classes in shapes.py are made of."""

from __future__ import annotations

import keyword
from typing import Any, ClassVar


class Fields:
    """Some fields of an item that belong together, as attributes."""

    def __init__(self, fields: dict[str, Any]) -> None:
        for name, value in fields.items():
            group = getattr(self, class_name(name), None)
            if group is not None and isinstance(value, dict):
                value = group(value)
            elif group is not None and isinstance(value, list):
                value = [group(one) for one in value]
            self.__dict__[attribute_name(name)] = value  # whatever a file calls it, __class__ too

    def __repr__(self) -> str:
        said = [f"{name}={value!r}" for name, value in vars(self).items() if isinstance(value, (str, float)) and value]
        return f"{type(self).__name__}({', '.join(said)})"


class Item(Fields):
    """One item of a result; the class of each shape is in `sightglass.shapes`.

    Numbers are NumPy arrays, and so are nan and infinity where they have to be; what an item does not have is None.

    Attributes
    ----------
    type : str
        The name of its shape, as in the JSON.
    """

    type: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        _known[cls.type] = cls


_known: dict[str, type[Item]] = {}


def attribute_name(name: str) -> str:
    """A word of Python's own, such as class, has an underscore behind it."""
    return f"{name}_" if keyword.iskeyword(name) else name


def class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


class UnknownItem(Item):
    """An item whose shape this version does not know, with the same attributes as in the JSON."""


def item_of(shape: str, fields: dict[str, Any]) -> Item:
    found = _known.get(shape)
    return found(fields) if found is not None else UnknownItem({**fields, "type": shape})


def features_of(item: Item) -> list[str]:
    feature = getattr(item, "feature", None)
    if feature is not None:
        return [feature]
    return [name for name in getattr(item, "features", None) or [] if isinstance(name, str)]
