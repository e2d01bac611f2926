#!/usr/bin/env python3
"""The exact tree engine against itself and against others: same model, same rows, same threads, one run.

    .bench-venv/bin/python bench/trees.py [--only predict,pd,…] [--models xgboost,lightgbm,catboost,forest] [--threads 1,2]
                                          [--quick] [--no-peers]

Ours is timed by build/release/bench/tree_kernels, directly followed by the peers; nothing runs at the same time. A
"pass" is one prediction of all rows from their codes, timed before every repetition. Passes are of the quantity from
coded rows; a peer is compared with that plus the coding, since it starts from numbers. Medians, and the lowest and
highest of all repetitions; a ratio's range is that of the farthest repetitions. Rows go to bench/results/latest.json
(not with --quick), where those of an earlier run are replaced one by one, so that parts can be run on their own.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import tree_peers as peers
from tree_models import Data, Trees

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "build" / "release" / "bench" / "tree_kernels"
RESULTS = ROOT / "bench" / "results" / "latest.json"
KINDS = ("xgboost", "lightgbm", "catboost", "forest")
#: Of the kernel program: what is not done by then is reported as such.
MOST_SECONDS, MOST_BYTES = 60, 12 << 30


@dataclass
class Row:
    """One line of the table. A bar is a limit for what it stands beside: passes at the most, a ratio at the least."""

    part: str
    quantity: str
    model: str
    data: str
    threads: int
    ours_seconds: float | None = None
    ours_spread: list[float] | None = None
    passes: float | None = None
    passes_spread: list[float] | None = None
    passes_bar: float | None = None
    phases: dict[str, float] = field(default_factory=dict)
    peer: str = ""
    peer_seconds: float | None = None
    peer_spread: list[float] | None = None
    ratio: float | None = None
    ratio_spread: list[float] | None = None
    ratio_bar: float | None = None
    value: float | None = None  # of rows that are neither: a slope, megabytes
    unit: str = ""
    value_bar: float | None = None
    note: str = ""

    @property
    def key(self):
        return (self.part, self.quantity, self.model, self.data, self.threads, self.peer)

    @property
    def reached(self):
        """Of every bar there is; None where there is none, or no number to hold against it."""
        checks = []
        for value, bar, more in (
            (self.passes, self.passes_bar, False),
            (self.ratio, self.ratio_bar, True),
            (self.value, self.value_bar, False),
        ):
            if bar is not None:
                checks.append(None if value is None else value >= bar if more else value <= bar)
        return None if not checks or None in checks else all(checks)

    @property
    def has_bar(self):
        return (self.passes_bar, self.ratio_bar, self.value_bar) != (None, None, None)


class Run:
    """What is asked for, and the rows so far."""

    def __init__(self, given):
        self.quick, self.with_peers = given.quick, not given.no_peers
        self.kinds = given.models.split(",")
        self.threads = [int(number) for number in given.threads.split(",")]
        self.small = Data(5_000, 12) if self.quick else Data(50_000, 12)
        self.large = Data(50_000, 30) if self.quick else Data(1_000_000, 30)
        self.rows: list[Row] = []

    def model(self, kind, columns=12):
        return Trees(kind, columns, {"forest": 200}.get(kind, 300) if not self.quick else 20)

    def models(self):
        return [self.model(kind) for kind in self.kinds]

    def ours(self, model, data, threads, quantity, **how):
        """The line of the kernel program for a quantity; with "error" if there is none."""
        return self.ours_together(model, data, threads, [quantity], **how)[quantity]

    def ours_together(self, model, data, threads, quantities, repeats=5, seconds=15.0, limit=MOST_SECONDS):
        """The same for several, from one start of the program."""
        matrix, target = data.files
        command = [KERNELS, "--model", model.file, "--data", matrix, "--target", target, "--rows", data.rows]
        command += ["--columns", data.columns, "--threads", threads, "--repeats", repeats, "--seconds", seconds]
        try:
            done = subprocess.run(
                [str(word) for word in [*command, "--only", ",".join(quantities)]],
                capture_output=True,
                text=True,
                timeout=limit,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES)),
            )
            output, error = done.stdout, done.stderr.strip()[-200:] or f"ended with {done.returncode}"
        except subprocess.TimeoutExpired as stopped:
            output, error = (stopped.stdout or b"").decode(), f"not done within {limit} s"
        lines = {name: {"quantity": name, "error": error} for name in quantities}
        for line in output.splitlines():
            if line.endswith("}"):
                line = json.loads(line)
                lines[line["quantity"]] = line
        return lines

    def add(self, row):
        self.rows.append(row)
        print(line_of(row), flush=True)

    def compare(self, part, label, model, data, threads, quantity, passes_bar=None, others=(), **how):
        """A row of our own, and one for each peer. Others are called after ours is done."""
        line = self.ours(model, data, threads, quantity, **how)
        row = Row(part, label, str(model), str(data), threads, passes_bar=passes_bar)
        fill(row, line)
        self.add(row)
        coding = []
        # What starts from numbers has the coding in it.
        if others and self.with_peers and quantity != "predict" and not quantity.startswith("run-"):
            coding = self.ours(model, data, threads, "code")["seconds"]
        for other in others if self.with_peers else ():
            peer = other(model, data, threads)
            if peer is not None:
                self.add(against(row, line, coding, peer))


def fill(row, line):
    """Ours, from a line of the kernel program."""
    if line.get("seconds"):
        seconds = line["seconds"]
        passes = [whole / one for whole, one in zip(seconds, line["pass"])]
        row.ours_seconds, row.ours_spread = statistics.median(seconds), [min(seconds), max(seconds)]
        row.passes = statistics.median(seconds) / statistics.median(line["pass"])
        row.passes_spread = [min(passes), max(passes)]
        row.phases = {phase: statistics.median(times) for phase, times in line["phases"].items()}
    facts = line.get("facts", {})
    notes = [line["error"]] if "error" in line else []
    if "incomplete" in facts:
        # What is not all of the quantity is not held against its bar.
        notes.append(f"{facts['incomplete']}: {row.passes:.1f} passes for what was done")
        row.passes = row.passes_spread = None
    if facts.get("engine", "trees") != "trees":
        notes.append("engine " + facts["engine"])
    # Where a method has not done all of the work, its result says so.
    partly = [
        name for name in facts.get("caveats", []) if "sample" in name or name in ("pairs-left-out", "over-budget")
    ]
    if partly:
        notes.append("says " + ", ".join(partly))
    if facts.get("largest_miss", 0) > 1e-3:
        notes.append(f"values miss the prediction by {facts['largest_miss']:.2g}")
    row.note = "; ".join(notes)


def against(row, line, coding, peer):
    """A row that compares with a peer."""
    made = Row(row.part, row.quantity, row.model, row.data, row.threads, peer=peer.name, ratio_bar=peer.bar)
    notes = [peer.how] if peer.how else []
    if peer.error:
        notes.append("failed: " + peer.error)
    incomplete = "incomplete" in line.get("facts", {})
    if line.get("seconds") and not incomplete:
        middle = statistics.median(coding) if coding else 0.0
        ours = [seconds + middle for seconds in line["seconds"]]
        made.ours_seconds, made.ours_spread = statistics.median(ours), [min(ours), max(ours)]
    else:
        notes.append("ours: " + (line.get("error") or line["facts"]["incomplete"]))
    if peer.seconds:
        theirs = peer.whole
        made.peer_seconds, made.peer_spread = statistics.median(theirs), [min(theirs), max(theirs)]
    if made.ours_seconds and made.peer_seconds:
        made.ratio = made.peer_seconds / made.ours_seconds
        made.ratio_spread = [min(theirs) / max(ours), max(theirs) / min(ours)]
    notes += disagreements(line.get("facts", {}), peer.facts)
    made.note = "; ".join(notes)
    return made


def disagreements(ours, theirs):
    """The numbers must be the same, or the times mean nothing."""
    found = []
    if "mean" in theirs and abs(theirs["mean"] - ours.get("mean", math.nan)) > 1e-5 * max(1, abs(theirs["mean"])):
        found.append(f"MEANS DIFFER: {ours.get('mean')} and {theirs['mean']}")
    if "mean_absolute" in theirs and "mean_absolute" in ours:
        # Features that no split looks at are not among ours, and 0 among theirs.
        a = sorted(value for value in ours["mean_absolute"] if value > 1e-7)
        b = sorted(value for value in theirs["mean_absolute"] if value > 1e-7)
        if len(a) != len(b) or any(abs(x - y) > 1e-3 * max(y, 1e-2) for x, y in zip(a, b)):
            found.append("VALUES DIFFER")
    return found


def bar(limit, call, **more):
    """A peer with the number of times that ours is to be faster. One that is not there, or not as expected, says so."""

    def ask(model, data, threads):
        try:
            return call(model, data, threads, limit, **more)
        except Exception as error:
            return peers.Peer(call.__name__, limit, error=f"{type(error).__name__}: {error}"[:200])

    return ask


def each(run, models=None):
    for threads in run.threads:
        for model in models or run.models():
            yield threads, model


def predict(run):
    bars = {"xgboost": 15, "lightgbm": 10, "catboost": 3, "forest": 8}
    for threads, model in each(run):
        run.compare("predict", "coding of rows", model, run.small, threads, "code")
        run.compare("predict", "predict coded rows", model, run.small, threads, "predict-coded")
        others = [bar(bars[model.kind], peers.predict)]
        run.compare("predict", "predict, coding included", model, run.small, threads, "predict", others=others)


def dependence(run):
    passes = {"xgboost": 5, "forest": 12}
    others = [bar(100, peers.brute_dependence), bar(10, peers.woodelf_dependence)]
    for threads, model in each(run):
        label = "PD, all features, all thresholds"
        run.compare("pd", label, model, run.small, threads, "pd", passes.get(model.kind), others)


def interactions(run):
    passes = {"xgboost": 10, "forest": 60}
    for threads, model in each(run):
        run.compare("h", "H of all pairs, n × n", model, run.small, threads, "h", passes.get(model.kind))


def interventional(run):
    others = [bar(10, peers.woodelf_shapley, cover=False), bar(1000, peers.shap_interventional)]
    for threads, model in each(run):
        limit = 35 if model.kind == "xgboost" else None
        run.compare("shap", "SHAP, all rows × all rows", model, run.small, threads, "shap", limit, others)


def path_dependent(run):
    others = [
        bar(100, peers.framework_contributions),
        bar(100, peers.shap_cover),
        bar(5, peers.woodelf_shapley, cover=True),
    ]
    for threads, model in each(run):
        run.compare("cover", "path-dependent SHAP, all rows", model, run.small, threads, "shap-cover", None, others)


def ale(run):
    for threads, model in each(run):
        others = [bar(50, peers.pyale)]
        run.compare("ale", "ALE, all features (run)", model, run.small, threads, "run-ale", 9, others)


def reliance(run):
    for threads, model in each(run):
        how = {"repeats": 3, "seconds": 20}
        run.compare("reliance", "e_switch, all features (run)", model, run.small, threads, "run-reliance", 70, **how)


def importance(run):
    others = [bar(20, peers.permutation_importance)]
    for threads, model in each(run):
        label = "expected PFI, all features (run)"
        how = {"repeats": 3, "seconds": 20}
        run.compare("importance", label, model, run.small, threads, "run-importance", None, others, **how)


def methods(run):
    """As users have them, with all caveats; no bars."""
    for threads, model in each(run):
        for label, quantity in [
            ("pdp with spread", "run-pdp-caveats"),
            ("pdp without, at breakpoints", "run-pdp-breakpoints-caveats"),
            ("ale", "run-ale-caveats"),
            ("interactions, default budget", "run-interactions-default-caveats"),
            ("shap", "run-shap-caveats"),
            ("shap, cover", "run-shap-cover-caveats"),
        ]:
            how = {"repeats": 3, "seconds": 15}
            run.compare("methods", label + " (run)", model, run.small, threads, quantity, **how)


def large(run):
    """A million rows of 30 columns, boosted trees."""
    model, data = run.model("xgboost", 30), run.large
    for threads in run.threads:
        how = {"repeats": 3, "seconds": 20}
        others = [bar(15, peers.predict)]
        run.compare("large", "predict, coding included", model, data, threads, "predict", None, others, **how)
        others = [bar(10, peers.woodelf_dependence)]
        run.compare("large", "PD, all features, all thresholds", model, data, threads, "pd", 5, others, **how)
        run.compare("large", "H of all pairs, n × n", model, data, threads, "h", 10, **how)


def large_shap(run):
    model, data = run.model("xgboost", 30), run.large
    for threads in run.threads:
        how = {"repeats": 2, "seconds": 10}
        run.compare("large-shap", "SHAP, all rows × all rows", model, data, threads, "shap", 35, **how)
        run.compare("large-shap", "path-dependent SHAP, all rows", model, data, threads, "shap-cover", **how)


def large_forest(run):
    model, data = run.model("forest", 30), run.large
    for threads in run.threads:
        how = {"repeats": 2, "seconds": 10}
        others = [bar(8, peers.predict)]
        run.compare("large-forest", "predict, coding included", model, data, threads, "predict", None, others, **how)
        run.compare("large-forest", "PD, all features, all thresholds", model, data, threads, "pd", 12, **how)


def growth(run):
    """Time over rows, from 10⁴ to 10⁷: the slope of its logarithm."""
    sizes = [10_000, 30_000, 100_000] if run.quick else [10_000, 100_000, 1_000_000, 10_000_000]
    model = run.model("xgboost")
    whole = Data(sizes[-1], 12)
    quantities = {
        "predict-coded": ("prediction of coded rows", "predict"),
        "pd": ("counts for PD", "count"),
        "h-counts": ("counts for H", "count"),
        "shap-counts": ("counts for SHAP", "count"),
    }
    for threads in run.threads:
        times = {name: [] for name in quantities}
        for size in sizes:
            # The first rows of the largest.
            part = Data(size, 12)
            part.__dict__["files"] = whole.files
            repeats = max(1, min(7, 2_000_000 // size))
            lines = run.ours_together(model, part, threads, list(quantities), repeats=repeats, limit=170)
            for name, (label, phase) in quantities.items():
                if "error" in lines[name]:
                    run.add(Row("growth", label, str(model), str(part), threads, note=lines[name]["error"]))
                else:
                    times[name].append((size, min(lines[name]["phases"][phase])))
        for name, (label, _) in quantities.items():
            if len(times[name]) < 2:
                continue
            note = ", ".join(f"{size:,}: {1000 * seconds:,.1f} ms" for size, seconds in times[name])
            sizes_text = f"{times[name][0][0]:,} … {times[name][-1][0]:,} × 12"
            row = Row("growth", label, str(model), sizes_text, threads, note=note)
            row.value, row.unit, row.value_bar = slope(times[name]), "slope", 1.05
            run.add(row)


def slope(points):
    """Of log time over log rows, by least squares."""
    xs = [math.log(size) for size, _ in points]
    ys = [math.log(seconds) for _, seconds in points]
    x, y = statistics.mean(xs), statistics.mean(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def memory(run):
    """Peak of the whole process while it counts, less the coded rows."""
    for kind in run.kinds:
        model, data = run.model(kind, 30), run.large
        for quantity in ("pd", "h", "shap"):
            line = run.ours(model, data, max(run.threads), f"memory-{quantity}", repeats=1)
            label = f"peak memory, counts for {quantity}"
            row = Row("memory", label, str(model), str(data), max(run.threads), unit="MB")
            row.note = line.get("error", "")
            if "peak_mb" in line:
                row.value, row.value_bar = line["peak_mb"] - line["coded_mb"], 200 if kind != "forest" else None
                counts = line["facts"].get("counts")
                row.note = f"beyond coded rows of {line['coded_mb']:.0f} MB; before counting {line['before_mb']:.0f} MB, {counts:,} counts"
            run.add(row)


PARTS = {
    "predict": predict,
    "pd": dependence,
    "h": interactions,
    "shap": interventional,
    "cover": path_dependent,
    "ale": ale,
    "reliance": reliance,
    "importance": importance,
    "methods": methods,
    "large": large,
    "large-shap": large_shap,
    "large-forest": large_forest,
    "growth": growth,
    "memory": memory,
}

HEADER = (
    f"{'quantity':<34}{'model':<22}{'thr':>3} {'ours':>10} {'passes':>8} {'peer':>10} {'ratio':>9}  {'bar':<10} {'':8}"
)


def time_text(seconds):
    if seconds is None:
        return "–"
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:,.3g} s" if seconds < 1000 else f"{seconds:,.0f} s"


def line_of(row):
    bars = []
    if row.passes_bar is not None:
        bars.append(f"≤ {row.passes_bar:g} p")
    if row.ratio_bar is not None:
        bars.append(f"≥ {row.ratio_bar:,g}×")
    if row.value_bar is not None:
        bars.append(f"≤ {row.value_bar:g}")
    verdict = {None: "no number" if row.has_bar else "", True: "reached", False: "MISSED"}[row.reached]
    passes = "" if row.passes is None else f"{row.passes:.3g}"
    ratio = "" if row.ratio is None else f"{row.ratio:,.3g}×" if row.ratio < 1000 else f"{row.ratio:,.0f}×"
    ours = time_text(row.ours_seconds) if row.value is None else f"{row.value:.3g} {row.unit}"
    theirs = "" if not row.peer else time_text(row.peer_seconds)
    spread = row.ratio_spread if row.peer else row.passes_spread
    extra = [f"[{spread[0]:.3g} … {spread[1]:.3g}]"] if spread else []
    extra += [part for part in (row.peer, row.note) if part]
    return (
        f"{row.quantity[:33]:<34}{row.model:<22}{row.threads:>3} {ours:>10} {passes:>8} {theirs:>10} {ratio:>9}  "
        f"{' '.join(bars):<10} {verdict:<9} {row.data + ' ' + '; '.join(extra)}"
    )


def write(rows):
    """Into the results of make bench, in place of the same rows of earlier runs."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    content = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    replaced = {row.key for row in rows}
    kept = [
        old
        for old in content.get("trees", [])
        if (old["part"], old["quantity"], old["model"], old["data"], old["threads"], old["peer"]) not in replaced
    ]
    when = time.strftime("%Y-%m-%d %H:%M")
    content["trees"] = kept + [{**asdict(row), "reached": row.reached, "when": when} for row in rows]
    content["trees_load"] = os.getloadavg()
    RESULTS.write_text(json.dumps(content, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas: " + ", ".join(PARTS))
    parser.add_argument("--models", default=",".join(KINDS), help="of those: " + ", ".join(KINDS))
    parser.add_argument("--threads", default="1,2", help="numbers of threads, separated by commas")
    parser.add_argument("--quick", action="store_true", help="few rows and trees: does it run? Numbers mean nothing")
    parser.add_argument("--no-peers", action="store_true", help="ours alone")
    given = parser.parse_args()
    unknown = [part for part in given.only.split(",") if part not in PARTS]
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}")
    if not KERNELS.exists():
        sys.exit("build the kernel program first: cmake --build build/release --target tree_kernels")
    run = Run(given)
    print(f"load {os.getloadavg()[0]:.1f} before; medians, [lowest … highest]\n{HEADER}", flush=True)
    for part in given.only.split(","):
        begin = time.perf_counter()
        PARTS[part](run)
        print(f"-- {part}: {time.perf_counter() - begin:.0f} s", flush=True)
        if not run.quick:
            write(run.rows)
    reached = [row.reached for row in run.rows if row.has_bar]
    print(f"bars: {reached.count(True)} reached, {reached.count(False)} missed, {reached.count(None)} without a number")


if __name__ == "__main__":
    main()
