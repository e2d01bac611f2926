"""Runs the native command line tool as a user would."""

import json
import subprocess
from dataclasses import dataclass

import pytest
from native_tool import BINARY, ROOT


@dataclass
class Run:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def sightglass(tmp_path):
    """sightglass("pdp", "--model", …) in an empty folder."""

    def run(*arguments, cwd=tmp_path, **more):
        done = subprocess.run(
            [str(BINARY), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120, **more
        )
        return Run(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def bike():
    folder = ROOT / "examples" / "bike"
    return ["--model", folder / "model.json", "--data", folder / "bike.csv"]


@pytest.fixture
def tiny(tmp_path):
    """A two-leaf model on x, and a table for it: fast, and easy to break."""
    model = {
        "version": [3, 2, 0],
        "learner": {
            "attributes": {},
            "feature_names": ["x"],
            "feature_types": ["float"],
            "gradient_booster": {
                "name": "gbtree",
                "model": {
                    "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": "1"},
                    "iteration_indptr": [0, 1],
                    "tree_info": [0],
                    "trees": [
                        {
                            "base_weights": [0.0, 1.0, 2.0],
                            "categories": [],
                            "categories_nodes": [],
                            "categories_segments": [],
                            "categories_sizes": [],
                            "default_left": [1, 0, 0],
                            "id": 0,
                            "left_children": [1, -1, -1],
                            "loss_changes": [1.0, 0.0, 0.0],
                            "parents": [2147483647, 0, 0],
                            "right_children": [2, -1, -1],
                            "split_conditions": [0.5, 1.0, 2.0],
                            "split_indices": [0, 0, 0],
                            "split_type": [0, 0, 0],
                            "sum_hessian": [4.0, 2.0, 2.0],
                            "tree_param": {
                                "num_deleted": "0",
                                "num_feature": "1",
                                "num_nodes": "3",
                                "size_leaf_vector": "1",
                            },
                        }
                    ],
                },
            },
            "learner_model_param": {
                "base_score": "[0E0]",
                "boost_from_average": "1",
                "num_class": "0",
                "num_feature": "1",
                "num_target": "1",
            },
            "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
        },
    }
    (tmp_path / "model.json").write_text(json.dumps(model))
    (tmp_path / "data.csv").write_text("x,y\n0,1\n0.25,1\n0.5,2\n1,2\n")
    return model


@pytest.fixture
def pdp(sightglass, tiny):
    def run(*more, model="model.json", data="data.csv"):
        return sightglass("pdp", "--model", model, "--data", data, *more)

    return run
