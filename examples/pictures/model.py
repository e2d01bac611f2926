"""A model that looks at pictures: how red the part right of the middle is, from 0 to 1.

As a program it is --model "exec:python3 examples/pictures/model.py": each picture is a text, rgb:WIDTHxHEIGHT: and the bytes
in base64.
"""

import base64
import json
import sys


def redness(texts):
    answers = []
    for text in texts:
        _, size, content = text.split(":")
        width, height = map(int, size.split("x"))
        pixels = base64.b64decode(content)
        total = count = 0
        for y in range(height // 4, height // 2, 2):
            for x in range(width // 2, 3 * width // 4, 2):
                red, green, blue = pixels[3 * (y * width + x) : 3 * (y * width + x) + 3]
                total += max(0, red - max(green, blue))
                count += 255
        answers.append(total / count)
    return answers


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps({"predictions": redness(json.loads(line)["columns"]["image"])}), flush=True)
