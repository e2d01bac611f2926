#!/usr/bin/env python3
"""Compares what two builds of the command line tool say about the shipped examples: every number, caveat and sentence.

    tools/compare_builds.py OLD/build/release/sightglass build/release/sightglass [--only shap,ale] [--most 20]

Runs both over the same commands and writes down each difference: of JSON by key (added keys apart from changed values), of
text by line, of pages by what their script is given. Ends with a count; exits with 1 if anything but added keys differs.
"""

import argparse
import base64
import difflib
import json
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIKE = ["--model", "examples/bike/model.json", "--data", "examples/bike/bike.csv", "--target", "rentals"]
UNITS = ["--units", "examples/bike/units.json"]
PENGUINS = ["--data", "examples/penguins/penguins.csv", "--units", "examples/penguins/units.json"]
SEX = ["--model", "examples/penguins/sex.json", *PENGUINS]
SPECIES = ["--model", "examples/penguins/species.json", *PENGUINS, "--classes", "Adelie,Chinstrap,Gentoo"]
TREE = ["--model", "examples/trees/model.json", "--data", "examples/trees/rows.csv"]
EXEC = ["--model", "exec:python3 examples/exec/model.py", "--data", "examples/bike/bike.csv", "--sample", "300"]
# What each method is asked besides its defaults.
MORE = {
    "partial-dependence": [["--pairs", "temp:hour,season:weather"], ["--features", "temp", "--by", "season"]],
    "ice": [["--features", "temp,weather", "--center"], ["--features", "hour", "--derivative"]],
    "ale": [["--pairs", "temp:hour"], ["--features", "temp,season", "--by", "workingday"]],
    "permutation-importance": [["--losses", "rmse,r2,absolute", "--kind", "ratio"], ["--estimator", "expected"]],
    "model-reliance": [["--where", "temp > 20 and season = summer"]],
    "shap": [["--rows", "0,1,17"], ["--rows", "3", "--interactions"]],
    "interactions": [["--engine", "blackbox", "--sample", "200"]],
}


def commands(binary):
    catalogue = json.loads(
        subprocess.run([binary, "methods", "-f", "json"], capture_output=True, text=True, check=True).stdout
    )
    methods = [entry["name"] for entry in (catalogue["methods"] if isinstance(catalogue, dict) else catalogue)]
    for method in methods:
        yield f"{method} bike", [method, *BIKE, *UNITS]
        yield f"{method} species", [method, *SPECIES, "--target", "species"]
        yield f"{method} sex", [method, *SEX]
        yield f"{method} tree", [method, *TREE]
        for i, more in enumerate(MORE.get(method, [])):
            yield f"{method} bike more {i + 1}", [method, *BIKE, *UNITS, *more]
        if method in ("partial-dependence", "ale", "shap"):
            yield f"{method} exec", [method, *EXEC]


def run(binary, arguments):
    done = subprocess.run([binary, *arguments, "--quiet"], cwd=ROOT, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def page_data(page):
    """What a page's script is given: packed where it is large."""
    text = page.decode()
    content = re.search(r'<script[^>]*id="sightglass-data"[^>]*>(.*?)</script>', text, re.DOTALL).group(1).strip()
    try:
        return json.loads(content)
    except json.JSONDecodeError:
        return json.loads(zlib.decompress(base64.b64decode(content)))


def differences(old, new, path=""):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old:
            if key not in new:
                yield "removed", f"{path}.{key}", old[key], None
            else:
                yield from differences(old[key], new[key], f"{path}.{key}")
        for key in new:
            if key not in old:
                yield "added", f"{path}.{key}", None, new[key]
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield "length", path, len(old), len(new)
        for i, (a, b) in enumerate(zip(old, new)):
            yield from differences(a, b, f"{path}[{i}]")
    elif old != new or type(old) is not type(new):
        yield "changed", path, old, new


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 400 else text[:400] + "…"


def compared(name, kind, old, new):
    """Lines that say what differs, and which keys came in addition."""
    if old == new:
        return [], set()
    if kind in ("json", "vega", "html"):
        old, new = (page_data(old), page_data(new)) if kind == "html" else (json.loads(old), json.loads(new))
        lines, added = [], set()
        for what, path, a, b in differences(old, new):
            if what == "added":
                added.add(re.sub(r"\[\d+\]", "[]", path))
            else:
                lines.append(f"{name} {kind}: {what} {path}: {short(a)} -> {short(b)}")
        if not lines and not added:
            lines.append(f"{name} {kind}: other bytes, same content")
        return lines, added
    diff = difflib.unified_diff(old.decode().splitlines(), new.decode().splitlines(), lineterm="", n=0)
    return [f"{name} {kind}: {line}" for line in diff if not line.startswith(("---", "+++", "@@"))], set()


def report(binary, arguments):
    """Its page and its results, in the same place each time, since that stands in the command to repeat."""
    folder = Path(tempfile.gettempdir()) / "sightglass-compared"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    done = run(
        binary, ["report", *arguments, "--budget", "0", "--save", f"{folder}/results", "-o", f"{folder}/page.html"]
    )
    files = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    shutil.rmtree(folder)
    return done[0], files, done[2]


def outputs(binary, names, only):
    """(name, kind) -> exit code, output, words on standard error."""
    found = {}
    for name, arguments in names:
        if only and arguments[0] not in only:
            continue
        for kind in ("json", "csv", "table", "vega", "html"):
            found[name, kind] = run(binary, [*arguments, "-f", kind])
            if found[name, kind][0] != 0:
                break
    for name, arguments in (("bike", [*BIKE, *UNITS]), ("species", [*SPECIES, "--target", "species"])):
        if only and "report" not in only:
            continue
        code, files, words = report(binary, arguments)
        for file, content in files.items():
            found[f"report {name} {file}", "html" if file.endswith("html") else "json"] = code, content, words
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", default="", help="methods, by comma")
    parser.add_argument("--most", type=int, default=8, help="lines to show of each comparison")
    parser.add_argument("--keep", help="file with the outputs of OLD: written the first time, read from then on")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    names = list(commands(options.old))
    if options.keep and Path(options.keep).exists():
        old = pickle.loads(Path(options.keep).read_bytes())
    else:
        old = outputs(options.old, names, set() if options.keep else only)
        if options.keep:
            Path(options.keep).write_bytes(pickle.dumps(old))
    new = outputs(options.new, names, only)
    added, count, different = set(), 0, 0
    for (name, kind), (code, content, words) in old.items():
        if only and name.split()[0] not in only:
            continue
        count += 1
        there = new.get((name, kind))
        if there is None or (code, words) != (there[0], there[2]):
            lines, more = [f"{name} {kind}: {code} {words.strip()} -> {there and (there[0], there[2].strip())}"], set()
        else:
            lines, more = compared(name, kind, content, there[1]) if code == 0 else ([], set())
        added |= more
        different += bool(lines)
        print(*lines[: options.most], sep="\n", end="\n" if lines else "")
        if len(lines) > options.most:
            print(f"  … and {len(lines) - options.most} more")
    lost = [key for key in new if key not in old]
    if lost:
        print(f"only in the new one: {lost}")
    for path in sorted(added):
        print(f"added key {path}")
    print(f"{count} outputs compared, {different} differ in more than added keys, {len(added)} keys were added")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
