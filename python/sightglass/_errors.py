"""What can go wrong, one class per kind; every message says what, where, and what to do."""

from __future__ import annotations


class Error(Exception):
    """Anything that sightglass refuses or fails to do.

    Attributes
    ----------
    message : str
        What happened, and where.
    advice : str
        What to do about it; may be empty.
    detail : str
        More than one line of it, where there is more; may be empty.
    """

    def __init__(self, message: str, advice: str = "", detail: str = "") -> None:
        super().__init__(f"{message}; {advice}" if advice else message)
        self.message = message
        self.advice = advice
        self.detail = detail

    def __reduce__(self) -> tuple[type, tuple[str, str, str]]:
        return type(self), (self.message, self.advice, self.detail)


class UsageError(Error, ValueError):
    """An argument that cannot be right: an unknown feature, method, option or choice."""


class DataError(Error, ValueError):
    """The data cannot be read, or do not fit the model."""


class ModelError(Error):
    """The model cannot be read or is of a kind that is not supported."""


class PredictionError(Error, RuntimeError):
    """The model failed while predicting; what it raised is the ``__cause__``."""


class OutputError(Error, OSError):
    """A result cannot be written."""


class InternalError(Error, RuntimeError):
    """A bug in sightglass."""
