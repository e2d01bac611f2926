"""Make penguins.csv: body measures of 344 penguins near Palmer Station, Antarctica.

    pip install pandas
    python prepare.py

The data come out of the palmerpenguins wheel, which pip fetches into a temporary folder.
Missing values stay missing: they are empty fields.
"""

import io
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pandas as pd

HERE = Path(__file__).resolve().parent

NAMES = {
    "bill_length_mm": "bill_length",
    "bill_depth_mm": "bill_depth",
    "flipper_length_mm": "flipper_length",
    "body_mass_g": "body_mass",
}
UNITS = {"bill_length": "mm", "bill_depth": "mm", "flipper_length": "mm", "body_mass": "g"}


def download():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "palmerpenguins"],
            check=True,
        )
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            return pd.read_csv(io.BytesIO(archive.read("palmerpenguins/data/penguins.csv")))


if __name__ == "__main__":
    data = download().rename(columns=NAMES)
    # Whole numbers with gaps: without this they would be written as 181.0.
    for column in ["flipper_length", "body_mass"]:
        data[column] = data[column].astype("Int64")
    assert list(data.columns) == [
        "species",
        "island",
        "bill_length",
        "bill_depth",
        "flipper_length",
        "body_mass",
        "sex",
        "year",
    ]
    data.to_csv(HERE / "penguins.csv", index=False, lineterminator="\n")
    (HERE / "units.json").write_text(json.dumps(UNITS, indent=2) + "\n", encoding="utf-8")
    print(len(data), "rows; missing:", data.isna().sum().to_dict())
