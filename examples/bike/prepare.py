"""Make bike.csv: hourly bike rentals in Washington D.C. in 2011, in everyday units.

    pip install pandas
    python prepare.py

The data come out of the ISLP wheel, which pip fetches into a temporary folder.
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

SEASONS = {1: "winter", 2: "spring", 3: "summer", 4: "autumn"}
MONTHS = "Jan Feb March April May June July Aug Sept Oct Nov Dec".split()
WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split()
YES_NO = {0: "no", 1: "yes"}

UNITS = {
    "hour": "h",
    "temp": "°C",
    "feels_like": "°C",
    "humidity": "%",
    "windspeed": "km/h",
    "rentals": "bikes/hour",
}


def download():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "ISLP"],
            check=True,
        )
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            return pd.read_csv(io.BytesIO(archive.read("ISLP/data/Bikeshare.csv")))


def whole(scaled, tolerance=0.01):
    """The source stores whole numbers as four-digit fractions; give the whole numbers back."""
    rounded = scaled.round()
    assert (scaled - rounded).abs().max() < tolerance
    return rounded.astype(int)


def tidy(raw):
    return pd.DataFrame(
        {
            "season": raw["season"].map(SEASONS),
            "month": raw["mnth"].map({name: i + 1 for i, name in enumerate(MONTHS)}),
            "hour": raw["hr"].astype(int),
            "weekday": raw["weekday"].map(lambda code: WEEKDAYS[code]),
            "holiday": raw["holiday"].map(YES_NO),
            "workingday": raw["workingday"].map(YES_NO),
            "weather": raw["weathersit"],
            # As the source documents it; see README.md, "The scale of the temperature".
            "temp": (47 * raw["temp"] - 8).round(2),
            "feels_like": whole(66 * raw["atemp"] - 16),
            "humidity": whole(100 * raw["hum"]),
            "windspeed": whole(67 * raw["windspeed"]),
            "rentals": raw["bikers"],
        }
    )


def check(data, raw):
    assert data.notna().all().all()
    # Season words must fit the calendar: January is winter, July is summer ...
    for month, season in {1: "winter", 4: "spring", 7: "summer", 10: "autumn"}.items():
        assert set(data.loc[data["month"] == month, "season"]) == {season}
    # 1 January 2011 was a Saturday, and no weekend day is a working day.
    assert data["weekday"].iloc[0] == "Saturday"
    weekend = data["weekday"].isin(["Saturday", "Sunday"])
    assert ((data["workingday"] == "yes") == (~weekend & (data["holiday"] == "no"))).all()
    assert (raw["casual"] + raw["registered"] == data["rentals"]).all()
    means = data.groupby("month")["temp"].mean()
    assert 0 < means[1] < 5 and 25 < means[7] < 31


if __name__ == "__main__":
    raw = download()
    data = tidy(raw)
    check(data, raw)
    data.to_csv(HERE / "bike.csv", index=False, lineterminator="\n")
    (HERE / "units.json").write_text(json.dumps(UNITS, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    print(len(data), "rows")
    print(data.describe().T.round(2).to_string())
