"""Train mass.cbm on penguins.csv: the body mass of a penguin, by CatBoost.

    pip install catboost pandas
    python train_mass.py

Every fifth usable row is held out. CTRs of single categories only, so that the exact engine applies.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from catboost import CatBoostRegressor

HERE = Path(__file__).resolve().parent
FEATURES = ["species", "island", "bill_length", "bill_depth", "flipper_length"]


def main():
    data = pd.read_csv(HERE / "penguins.csv").dropna(subset=["body_mass"])
    held_out = np.arange(len(data)) % 5 == 4
    model = CatBoostRegressor(
        iterations=80,
        depth=4,
        learning_rate=0.1,
        cat_features=["species", "island"],
        max_ctr_complexity=1,
        random_seed=2007,
        thread_count=1,
        allow_writing_files=False,
        verbose=0,
    )
    model.fit(data[FEATURES][~held_out], data["body_mass"][~held_out])
    error = model.predict(data[FEATURES][held_out]) - data["body_mass"][held_out]
    print(f"held out: {held_out.sum()} rows, RMSE {np.sqrt((error**2).mean()):.0f} g")
    model.save_model(str(HERE / "mass.cbm"))


if __name__ == "__main__":
    main()
