"""Live models of XGBoost, LightGBM and CatBoost: their own saved form, made and read in memory."""

from __future__ import annotations

import re
from typing import Any

from . import _core
from ._containers import ColumnContainer, Container
from ._errors import Error, InternalError, UsageError
from ._live import NotReadable, base_of, refuse_overrides

XGBOOST = ("XGBClassifier", "XGBRegressor", "XGBRanker", "XGBRFClassifier", "XGBRFRegressor", "XGBModel")
LIGHTGBM = ("LGBMClassifier", "LGBMRegressor", "LGBMRanker", "LGBMModel")
CATBOOST = ("CatBoost", "CatBoostClassifier", "CatBoostRegressor", "CatBoostRanker")
ESTIMATORS = {
    "xgboost": ("Booster", *XGBOOST),
    "lightgbm": ("Booster", *LIGHTGBM),
    "catboost": CATBOOST,
}
METHODS = ("predict", "predict_proba", "inplace_predict", "get_booster", "booster_")


def library_of_booster(model: Any) -> str:
    """The library of a Booster or of an estimator around one; empty for anything else."""
    for library, names in ESTIMATORS.items():
        if base_of(model, library, names) is not None:
            return library
    return ""


class LiveBooster:
    """A Booster or an estimator around one, read once and then named after whatever data it meets."""

    def __init__(self, model: Any, classes: list[str], rounds: int) -> None:
        self.library = library_of_booster(model)
        base = base_of(model, self.library, ESTIMATORS.get(self.library, ()))
        if base is None:
            raise NotReadable(f"{type(model).__name__} is no booster")
        refuse_overrides(model, base, METHODS)
        given = classes
        if not classes and base.__name__ != "Booster" and self.library != "catboost":
            classes = [str(label) for label in getattr(model, "classes_", ())]
        if self.library == "xgboost":
            booster, rounds = (model, rounds) if base.__name__ == "Booster" else _xgboost_booster(model, rounds)
            content = _xgboost_bytes(booster)
        elif self.library == "catboost":
            booster, content = model, _catboost_bytes(model)
        else:
            booster = model if base.__name__ == "Booster" else _lightgbm_booster(model)
            content = _lightgbm_bytes(booster, rounds)
        try:
            self._model = self._parse(content, type(model).__name__, given, classes, rounds)
        except Error as error:
            if given or isinstance(error, (InternalError, UsageError)):
                raise
            raise NotReadable(error.message) from None
        self.features = feature_names(booster, self._model.features, self.library)

    @staticmethod
    def _parse(content: Any, where: str, given: list[str], classes: list[str], rounds: int) -> Any:
        try:
            return _core.Model.from_bytes(content, where, classes, rounds, True)
        except Error:
            # With an objective of the user's own, a classifier's model is none in its saved form.
            if given or not classes:
                raise
            return _core.Model.from_bytes(content, where, [], rounds, True)

    def open(self, container: Container, columns: list[str]) -> tuple[Any, list[str]]:
        """The model with its features called as the data call them, and what to know about that."""
        names, notes = self._model.features, []
        if self.features is not None:
            names = as_in_data(self.features, container.names)
        elif len(columns) == len(names):
            names = columns
        levels = self._model.levels
        self._check_pandas_categories(names, levels, container)
        damaged = set(self._model.lost_levels)
        borrowed = [
            self._mended(own, name, container)
            if own in damaged
            else self._categories_of(name, container)
            if found is not None and not found
            else None
            for own, name, found in zip(self._model.features, names, levels, strict=True)
        ]
        for own, name, found in zip(self._model.features, names, borrowed, strict=True):
            if found is not None and own not in damaged:
                notes.append(
                    f"{name}: the model holds only codes of its categories; as {self.library} does, they are taken "
                    f"for the categories of X in their order: 0 is {found[0]}"
                )
        if names == self._model.features and not any(borrowed):
            return self._model, notes
        return self._model.with_features(names, borrowed), notes

    def _check_pandas_categories(self, names: list[str], levels: list[Any], container: Container) -> None:
        """LightGBM's saved form does not say which columns were pandas categories; X may tell that we guess wrong."""
        if self.library != "lightgbm" or not isinstance(container, ColumnContainer):
            return
        found = {column.name for column in container.columns if type(column).__name__ == "CategoryColumn"}
        for name, known in zip(names, levels, strict=True):
            if name in found and not known:
                raise NotReadable(f"{name} is a category in X, but not in its saved form")

    def _mended(self, own: str, name: str, container: Container) -> list[str]:
        """Names of categories that the saved form holds damaged, by those of X."""
        known = next((levels for column, _, levels in container.table.columns if column == name), None)
        found = None if known is None else self._model.mended_levels(own, known)
        if found is None:
            raise NotReadable(
                f"its saved form holds the names of categories damaged, and X does not tell them ({name})"
            )
        return found

    def _categories_of(self, name: str, container: Container) -> list[str] | None:
        """What pandas calls the codes of a column, for a model that knows nothing but codes."""
        if self.library != "xgboost" or not isinstance(container, ColumnContainer) or name not in container.names:
            return None
        column = container.columns[container.names.index(name)]
        return column.levels if type(column).__name__ == "CategoryColumn" and column.levels else None


def _lightgbm_booster(model: Any) -> Any:
    if model.get_params().get("pred_early_stop") not in (False, None, "false", "False", 0):
        raise NotReadable("it stops adding trees early in prediction (pred_early_stop)")
    return model.booster_


def _xgboost_booster(model: Any, rounds: int) -> tuple[Any, int]:
    missing = getattr(model, "missing", None)
    if missing is not None and missing == missing:
        raise NotReadable(f"it takes {missing} for missing")
    booster = model.get_booster()
    best = booster.attr("best_iteration")
    if not rounds and best is not None and getattr(model, "booster", None) != "gblinear":
        # After early stopping a scikit-learn class predicts with the rounds up to the best one, a Booster with all.
        rounds = int(best) + 1
    return booster, rounds


def _xgboost_bytes(booster: Any) -> Any:
    try:
        return booster.save_raw("json")
    except TypeError:
        raise NotReadable("this version of XGBoost cannot save as JSON to memory") from None


def _lightgbm_bytes(booster: Any, rounds: int) -> bytes:
    # Without a number it writes the rounds that predict uses: up to the best one after early stopping.
    return (booster.model_to_string(num_iteration=-1) if rounds else booster.model_to_string()).encode()


def _catboost_bytes(model: Any) -> bytes:
    if not model.is_fitted():
        raise UsageError(f"the {type(model).__name__} is not fitted", "call its fit first")
    # What it is pickled as: the bytes of save_model.
    return bytes(model._serialize_model())


def feature_names(booster: Any, saved: list[str], library: str) -> list[str] | None:
    """What the features were called in training, or None if they had no names."""
    if library == "xgboost":
        return None if booster.feature_names is None else list(saved)
    if library == "catboost":
        return None if booster.feature_names_ == [str(i) for i in range(len(saved))] else list(saved)
    return None if saved == [f"Column_{i}" for i in range(len(saved))] else list(saved)


def as_in_data(names: list[str], columns: list[str]) -> list[str]:
    """LightGBM writes spaces in names as underscores; columns that become these names are meant."""
    known = set(columns)
    if set(names) <= known:
        return names
    spelled: dict[str, list[str]] = {}
    for column in columns:
        spelled.setdefault(re.sub(r"\s", "_", column), []).append(column)
    return [name if name in known or len(spelled.get(name, ())) != 1 else spelled[name][0] for name in names]
