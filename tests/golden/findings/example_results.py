"""Results of the shipped examples, as a report has them, and the findings that a page shows of them."""

import base64
import json
import os
import re
import subprocess
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
BINARY = Path(os.environ.get("SIGHTGLASS_BINARY", ROOT / "build" / "release" / "sightglass"))

PENGUINS = ["--data", "penguins/penguins.csv", "--units", "penguins/units.json"]
EXAMPLES = {
    "bike": [
        "--model",
        "bike/model.json",
        "--data",
        "bike/bike.csv",
        "--units",
        "bike/units.json",
        "--target",
        "rentals",
    ],
    "sex": ["--model", "penguins/sex.json", *PENGUINS, "--classes", "male,female", "--target", "sex"],
    "species": [
        *["--model", "penguins/species.json", *PENGUINS],
        *["--classes", "Adelie,Chinstrap,Gentoo", "--target", "species"],
    ],
    "small tree": ["--model", "trees/model.json", "--data", "trees/rows.csv"],
}
# Beside what a report computes: the sentences that need other methods, or the defaults of single ones.
METHODS = {
    "permutation-importance": ["--losses", "rmse,absolute,r2"],
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
    """Runs single methods; the files of their results."""
    files = []
    for place, (method, options) in enumerate(METHODS.items()):
        files.append(str(folder / f"{place}-{method}.json"))
        run(method, *EXAMPLES[example], *options, "--quiet", "-o", files[-1])
    return files


def findings_on(page):
    """What a page says first: each sentence, its chapter, the title of the section it leads to."""
    text = page.read_text(encoding="utf-8")
    data = re.search(r'id="sightglass-data"[^>]*>(.*?)</script>', text, re.DOTALL).group(1)
    # Large data are packed.
    payload = json.loads(data if data.startswith("{") else zlib.decompress(base64.b64decode(data, validate=True)))
    titles = [section["title"] for section in payload["sections"]]

    def told(text, chapter, section):
        return {"text": text, "chapter": chapter, "section": None if section is None else titles[section]}

    # The first screen has the first of them: what the model is worth, and how the first features act.
    first = payload["first"] or {"headline": "", "effects": []}
    sentences = [told(first["headline"], "", None)] if first["headline"] else []
    sentences += [told(effect["text"], "effects", effect["section"]) for effect in first["effects"]]
    return sentences + [told(each["text"], each["chapter"], each["section"]) for each in payload["findings"]]


def of_report(example, folder):
    page = folder / "report.html"
    # No limit of time, so that the numbers are the same on every machine.
    run("report", *EXAMPLES[example], "--budget", "0", "--quiet", "-o", str(page))
    return findings_on(page)


def of_methods(example, folder):
    page = folder / "page.html"
    run("render", *results(example, folder), "-o", str(page))
    return findings_on(page)


# What is told, by which way.
CASES = {
    **{f"report of {example}": (of_report, example) for example in EXAMPLES},
    "methods on bike": (of_methods, "bike"),
}


def findings(case, folder):
    way, example = CASES[case]
    return way(example, folder)
