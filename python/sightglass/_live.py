"""Fitted objects of other libraries, recognised by what their classes are called: nothing is imported for it."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any


class NotReadable(Exception):
    """Why the engine cannot compute what an object predicts; the object is then asked itself."""


def base_of(model: Any, library: str, names: Collection[str]) -> type | None:
    """The nearest class of a library among a model's ancestors that has one of these names."""
    for ancestor in type(model).__mro__:
        if ancestor.__name__ in names and (ancestor.__module__ or "").split(".")[0] == library:
            return ancestor
    return None


def refuse_overrides(model: Any, base: type, methods: Collection[str]) -> None:
    """Raises if the object, or a class between its own and the library's, predicts its own way."""
    own = [vars(ancestor) for ancestor in type(model).__mro__[: type(model).__mro__.index(base)]]
    for names in (getattr(model, "__dict__", {}), *own):
        changed = [name for name in methods if name in names]
        if changed:
            raise NotReadable(f"{type(model).__name__} has its own {changed[0]}")


def version_of(library: str) -> str:
    """The version of a library that is loaded anyway, since one of its objects is here."""
    return str(getattr(sys.modules.get(library), "__version__", ""))
