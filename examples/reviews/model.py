"""A model that reads texts: words that praise count up, words that blame count down, and "not" turns the next one round.

As a program it is --model "exec:python3 examples/reviews/model.py"; in Python, score() takes a DataFrame or a dict.
"""

import json
import math
import re
import sys

PRAISE = {"great": 2.0, "good": 1.0, "wonderful": 2.5, "loved": 2.0, "beautiful": 1.5, "moving": 1.0, "better": 1.0}
BLAME = {"bad": -1.5, "badly": -1.5, "boring": -1.5, "dull": -1.0, "worst": -3.0, "slow": -0.5, "slept": -1.5}


def score(table):
    """The probability that a review is a friendly one."""
    answers = []
    for text in table["review"]:
        words = re.findall(r"\w+", (text or "").lower())
        total = 0.0
        for before, word in zip([""] + words, words):
            weight = PRAISE.get(word, 0.0) + BLAME.get(word, 0.0)
            total += -weight if before == "not" else weight
        answers.append(1 / (1 + math.exp(-total)))
    return answers


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps({"predictions": score(json.loads(line)["columns"])}), flush=True)
