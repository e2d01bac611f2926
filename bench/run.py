"""Runs all measurements in one go, prints a table, writes bench/results/latest.json.

    .venv/bin/python bench/run.py [--quick] [--only local_lines,counterfactuals,shapley]

--only: parts of single rows alone, which replace theirs in the file. --quick: of these, do they run? Nothing is written.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BINARY = ROOT / "build" / "release" / "sightglass"


def seconds(command, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return times


def peak_megabytes(command):
    """Peak resident memory of a child, measured in a process of its own."""
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, command)], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def start_up():
    cli = seconds([BINARY, "--version"], 20)
    yield "sightglass --version", "ms", 1000 * statistics.median(cli), 50, spread(cli, 1000)
    bare = seconds([sys.executable, "-c", "pass"], 20)
    full = seconds([sys.executable, "-c", "import sightglass"], 20)
    yield (
        "import sightglass, beyond starting Python",
        "ms",
        1000 * (statistics.median(full) - statistics.median(bare)),
        100,
        spread(full, 1000),
    )


def spread(times, factor):
    return [factor * min(times), factor * max(times)]


def memory(folder):
    """PDP on a 1,000,000 × 20 Parquet file: at most 1.1 × the table + 160 MB."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    import xgboost as xgb

    rows, columns = 1_000_000, 20
    random = np.random.default_rng(1)
    x = random.normal(size=(rows, columns))
    names = [f"x{i}" for i in range(columns)]
    y = x[:, 0] * x[:, 1] + np.sin(x[:, 2])
    data = folder / "big.parquet"
    pq.write_table(pa.table({name: x[:, i] for i, name in enumerate(names)}), data)
    matrix = xgb.DMatrix(x[:20000], y[:20000], feature_names=names)
    model = folder / "model.json"
    xgb.train({"max_depth": 4, "nthread": 2}, matrix, 20).save_model(model)
    table_mb = rows * columns * 8 / 2**20
    start = time.perf_counter()
    peak = peak_megabytes([BINARY, "pdp", "--model", model, "--data", data, "--grid", "8", "--out", folder / "r.json"])
    yield "PDP of 1,000,000 × 20 Parquet: peak memory", "MB", peak, 1.1 * table_mb + 160, None
    yield "PDP of 1,000,000 × 20 Parquet, grid 8: time", "s", time.perf_counter() - start, None, None


def overhead(folder):
    """What the engine adds to a Python model of about 1 µs per row: at most 5 %."""
    numbers = folder / "overhead.json"
    subprocess.run([sys.executable, ROOT / "bench" / "python_overhead.py", "--json", numbers], capture_output=True)
    for name, entry in json.loads(numbers.read_text()).items():
        label = f"overhead over a Python model, {name} ({entry['microseconds_per_row']:.2f} µs/row)"
        yield label, "%", 100 * entry["overhead"], 5, [100 * share for share in entry["spread"]]


def methods(folder):
    """What methods ask of a Python model, and what they add to its time and memory."""
    numbers = folder / "methods.json"
    subprocess.run([sys.executable, ROOT / "bench" / "methods.py", "--json", numbers], check=True, capture_output=True)
    for row in json.loads(numbers.read_text()):
        yield tuple(row[key] for key in ("name", "unit", "value", "limit", "spread"))


def models(folder):
    """Reading and predicting against the frameworks themselves: times theirs / ours, the more the better."""
    numbers = folder / "models.json"
    subprocess.run([sys.executable, ROOT / "bench" / "models.py", "--json", numbers], check=True, capture_output=True)
    for name, entry in json.loads(numbers.read_text()).items():
        label = f"{name}: {entry['ours_ms']:.0f} ms, theirs {entry['theirs_ms']:.0f} ms"
        yield label, "×", entry["ratio"], None, entry["spread"]


def servers(folder):
    """What asking a server takes beside the server's own work."""
    numbers = folder / "servers.json"
    subprocess.run([sys.executable, ROOT / "bench" / "servers.py", "--json", numbers], check=True, capture_output=True)
    for row in json.loads(numbers.read_text()):
        yield tuple(row[key] for key in ("name", "unit", "value", "limit", "spread"))


def reports(folder):
    """Reports beside the time that they were promised: 10 s to 2 minutes, less where all is done before."""
    numbers = folder / "report_time.json"
    subprocess.run([sys.executable, ROOT / "bench" / "report_time.py", "--json", numbers], check=True)
    for name, entry in json.loads(numbers.read_text()).items():
        label = f"report of {name}" + (", all of it" if entry["complete"] else "")
        yield label, "× promised", entry["ratio"], 1.2, None


# Explanations of single rows beside other tools, and whose environment each part runs in.
SINGLE_ROWS = {
    "local_lines": ".venv",
    "counterfactuals": ".bench-venv",
    "shapley": ".bench-venv",
    "pieces": ".bench-venv",
    "anchors": ".bench-venv-alibi",
}
QUICK = ("local_lines", "counterfactuals", "shapley")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="of " + ", ".join(SINGLE_ROWS))
    parser.add_argument("--quick", action="store_true", help="do " + ", ".join(QUICK) + " run?")
    given = parser.parse_args()
    if given.quick or given.only:
        parts = given.only.split(",") if given.only else QUICK
        # All are tried, whichever fails.
        sys.exit(0 if all([beside_peers(part, given.quick) for part in parts]) else 1)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for part in (
            start_up(),
            memory(folder),
            overhead(folder),
            methods(folder),
            models(folder),
            servers(folder),
            reports(folder),
        ):
            rows += [dict(zip(["name", "unit", "value", "limit", "spread"], row)) for row in part]
    result = {
        "machine": {"cpus": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()},
        "rows": rows,
    }
    latest = ROOT / "bench" / "results" / "latest.json"
    latest.parent.mkdir(exist_ok=True)
    latest.write_text(json.dumps(result, indent=1) + "\n")
    for row in rows:
        limit = (
            ""
            if row["limit"] is None
            else f"  (limit {row['limit']:.4g}: {'met' if row['value'] <= row['limit'] else 'MISSED'})"
        )
        between = "" if not row["spread"] else f"  [{row['spread'][0]:.3g} … {row['spread'][1]:.3g}]"
        print(f"{row['name']:<84} {row['value']:8.1f} {row['unit']}{between}{limit}", flush=True)
    # The exact tree engine and the learners add their rows to the same file and print tables of their own.
    for part in ("trees.py", "learners.py"):
        subprocess.run([ROOT / ".bench-venv" / "bin" / "python", ROOT / "bench" / part], check=True)
    # So do the explanations of single rows; where a peer cannot be had its part says so and is left out.
    for part in SINGLE_ROWS:
        beside_peers(part)


def beside_peers(part, quick=False):
    """Whether the part ran; its numbers go to bench/results/latest.json, but for quick ones."""
    python = ROOT / SINGLE_ROWS[part] / "bin" / "python"
    if not python.exists():
        print(f"bench: no {SINGLE_ROWS[part]} here: the rows of {part}.py are missing", flush=True)
        return False
    with tempfile.TemporaryDirectory() as folder:
        numbers = Path(folder) / "numbers.json"
        done = subprocess.run(
            [python, ROOT / "bench" / f"{part}.py", "--json", numbers, *(["--quick"] if quick else [])]
        )
        if done.returncode != 0 or not numbers.exists():
            print(f"bench: {part}.py did not finish: its rows are missing", flush=True)
            return False
        found = json.loads(numbers.read_text())
    if not quick:
        latest = ROOT / "bench" / "results" / "latest.json"
        latest.parent.mkdir(exist_ok=True)
        result = json.loads(latest.read_text()) if latest.exists() else {}
        result[part] = found
        latest.write_text(json.dumps(result, indent=1) + "\n")
    return True


if __name__ == "__main__":
    main()
