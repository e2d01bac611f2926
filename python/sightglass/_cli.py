"""The console script: becomes the native program."""

from __future__ import annotations

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bin", "sightglass")
    if not os.path.exists(program):
        # An editable install keeps Python files here and everything that was built beside the other packages.
        from . import _core

        program = os.path.join(os.path.dirname(os.path.abspath(_core.__file__)), "_bin", "sightglass")
    # Pictures are drawn by a Python package: tell the program where this Python is.
    os.environ.setdefault("SIGHTGLASS_PYTHON", sys.executable)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
