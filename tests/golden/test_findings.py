"""What to know first about the shipped examples: the sentences, word for word, as findings/make_findings.py wrote them.

When one changes, read it against its picture; then make the file anew."""

import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent / "findings"
sys.path.insert(0, str(HERE))
import example_results  # noqa: E402

GOLDEN = json.loads((HERE / "findings.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", example_results.CASES)
def test_findings_of_the_examples(case, tmp_path):
    assert example_results.findings(case, tmp_path) == GOLDEN[case]


def test_the_table_of_several_results_starts_with_them(tmp_path):
    files = example_results.results("bike", tmp_path)
    several = example_results.run("render", *files, "--format", "table")
    assert several.startswith("What to know first")
    assert " ".join(GOLDEN["methods on bike"][0]["text"].split()) in " ".join(several.split())
    # A single result speaks for itself.
    assert "What to know first" not in example_results.run("render", files[0], "--format", "table")
