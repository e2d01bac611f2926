#!/usr/bin/env python3
"""Held-out errors of ensembles of panels beside other classifiers, the table of docs/covering-2d.md: 3-fold
cross-validation, five times, the same folds for all; preferred class / all others / all rows, in percent.

.venv/bin/python bench/panel_errors.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.impute import SimpleImputer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import sightglass as sg

ROOT = Path(__file__).resolve().parents[1]


def data_sets() -> Iterator[tuple[str, pd.DataFrame, pd.Series, str]]:
    for name, load, preferred in (
        ("breast cancer", load_breast_cancer, "malignant"),
        ("wine", load_wine, "class_2"),
    ):
        data = load(as_frame=True)
        yield name, data.data, pd.Series([str(data.target_names[k]) for k in data.target]), preferred
    penguins = pd.read_csv(ROOT / "examples" / "penguins" / "penguins.csv").dropna(subset=["species"])
    penguins = penguins.reset_index(drop=True)
    yield "penguins", penguins.drop(columns="species"), penguins["species"], "Chinstrap"


def numbers_of(classifier: object) -> object:
    """Numbers standardised, levels one-hot, nothing missing: what others need."""
    numeric = make_pipeline(SimpleImputer(), StandardScaler())
    levels = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    columns = make_column_transformer(
        (numeric, make_column_selector(dtype_include=np.number)),
        (levels, make_column_selector(dtype_exclude=np.number)),
    )
    return make_pipeline(columns, classifier)


CLASSIFIERS = {
    "covering-2d": lambda prefer: sg.CoveringPanelsClassifier(prefer=prefer, holdout_share=0),
    "covering-2d --safe": lambda prefer: sg.CoveringPanelsClassifier(prefer=prefer, holdout_share=0, safe=True),
    "hierarchical-2d": lambda _: sg.HierarchicalPanelsClassifier(),
    "CART, depth 4": lambda _: numbers_of(DecisionTreeClassifier(max_depth=4, random_state=0)),
    "5 nearest neighbours": lambda _: numbers_of(KNeighborsClassifier()),
    "SVM of all features": lambda _: numbers_of(SVC()),
}


def main() -> None:
    for name, x, y, preferred in data_sets():
        for classifier, make in CLASSIFIERS.items():
            errors = []
            for train, test in RepeatedStratifiedKFold(n_splits=3, n_repeats=5, random_state=0).split(x, y):
                fitted = make(preferred).fit(x.iloc[train], y.iloc[train])
                truth = y.iloc[test].to_numpy().astype(str)
                wrong = np.asarray(fitted.predict(x.iloc[test])).astype(str) != truth
                critical = truth == preferred
                errors.append([100 * part.mean() for part in (wrong[critical], wrong[~critical], wrong)])
            means, spreads = np.mean(errors, axis=0), np.std(errors, axis=0)
            texts = [" / ".join(f"{value:.1f}" for value in values) for values in (means, spreads)]
            print(f"{name:14} {classifier:22} {texts[0]}  (sd of folds {texts[1]})", flush=True)


if __name__ == "__main__":
    main()
