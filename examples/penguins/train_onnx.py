"""Makes species.onnx: a random forest behind an imputer and a one-hot encoder, as skl2onnx writes it.

pip install scikit-learn==1.6.1 skl2onnx==1.20.0 onnx==1.18.0 pandas
"""

from pathlib import Path

import pandas as pd
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

FOLDER = Path(__file__).parent
MEASURES = ["bill_length", "bill_depth", "flipper_length", "body_mass"]

penguins = pd.read_csv(FOLDER / "penguins.csv")
train = penguins[penguins.index % 5 != 0]
steps = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), ["island"]), (SimpleImputer(strategy="median"), MEASURES)
)
model = make_pipeline(steps, RandomForestClassifier(30, max_depth=4, random_state=2007))
model.fit(train, train["species"])
types = [("island", StringTensorType([None, 1])), *((name, FloatTensorType([None, 1])) for name in MEASURES)]
(FOLDER / "species.onnx").write_bytes(to_onnx(model, initial_types=types).SerializeToString())
