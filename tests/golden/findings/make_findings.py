"""Writes findings.json: what to know first about the shipped examples, by the command line tool in build/release.

There is no oracle for sentences: read each one against its picture before it goes into the repository."""

import json
import tempfile
from pathlib import Path

from example_results import CASES, HERE, findings


def main():
    told = {}
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            told[case] = findings(case, Path(folder))
    (HERE / "findings.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for case, list_ in told.items():
        print(case, *(finding["text"] for finding in list_), sep="\n  ")


if __name__ == "__main__":
    main()
