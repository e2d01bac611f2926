"""Where the native command line tool is, and how far a run of it has come."""

import os
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("SIGHTGLASS_BINARY", ROOT / "build" / "release" / "sightglass"))


def wait_until(happened, process):
    """Waits for something that a running tool does, however long that takes on a busy machine."""
    while not happened():
        assert process.poll() is None, "it ended before"
        time.sleep(0.005)


def cpu_seconds(process):
    after_name = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def has_open(process, name):
    try:
        return any(os.readlink(link).endswith(name) for link in Path(f"/proc/{process.pid}/fd").iterdir())
    except OSError:  # closed, or gone, while we looked
        return False


#: Exit codes.
USAGE, DATA, MODEL, PREDICTION, OUTPUT = 2, 3, 4, 5, 6


def fails(run, code, *words):
    """One line of explanation, and nothing else."""
    assert run.code == code, (run.code, run.err)
    assert run.err.count("\n") == 1 and run.err.startswith("sightglass: "), run.err
    assert run.out == ""
    for word in words:
        assert word in run.err, run.err
