"""Results of the shipped examples, as a report has them, and the findings that a page shows of them."""

import json
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
BINARY = Path(os.environ.get("SIGHTGLASS_BINARY", ROOT / "build" / "release" / "sightglass"))

PENGUINS = ["--data", "penguins/penguins.csv", "--units", "penguins/units.json"]
EXAMPLES = {
    "bike": ["--model", "bike/model.json", "--data", "bike/bike.csv", "--units", "bike/units.json", "--target", "rentals"],
    "sex": ["--model", "penguins/sex.json", *PENGUINS, "--classes", "male,female", "--target", "sex"],
    "species": [
        *["--model", "penguins/species.json", *PENGUINS],
        *["--classes", "Adelie,Chinstrap,Gentoo", "--target", "species"],
    ],
    "small tree": ["--model", "trees/model.json", "--data", "trees/rows.csv"],
}
LOSSES = {"bike": "rmse,absolute,r2", "sex": "log-loss,auc,accuracy", "species": "log-loss,accuracy"}
METHODS = {
    "pd-importance": [],
    "interactions": ["--sample", "500"],
    "decomposition": ["--sample", "500"],
    "partial-dependence": ["--grid", "32"],
    "ale": [],
    "m-plot": [],
    "regional-effects": ["--sample", "1000"],
    "shap": ["--sample", "300"],
}


def run(*arguments):
    done = subprocess.run([str(BINARY), *arguments], cwd=ROOT / "examples", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def results(example, folder):
    """Runs the methods; the files of their results."""
    methods = dict(METHODS)
    if example in LOSSES:
        methods = {"permutation-importance": ["--losses", LOSSES[example]], **methods}
    files = []
    for place, (method, options) in enumerate(methods.items()):
        files.append(str(folder / f"{place}-{method}.json"))
        run(method, *EXAMPLES[example], *options, "--quiet", "-o", files[-1])
    return files


def payload(files, folder):
    page = folder / "page.html"
    run("render", *files, "-o", str(page))
    data = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page.read_text(), re.DOTALL).group(1)
    return json.loads(data)


def findings(example, folder):
    page = payload(results(example, folder), folder)
    titles = [section["title"] for section in page["sections"]]
    return [
        {
            "text": finding["text"],
            "chapter": finding["chapter"],
            "section": None if finding["section"] is None else titles[finding["section"]],
        }
        for finding in page["findings"]
    ]
