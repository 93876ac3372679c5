"""Time the engine beside a plain implementation, in one run: ``python -m benchmarks``.

Single thread. The plain side (`benchmarks.plain`) gets as many Monte Carlo nodes as it needs for a
standard error of 1e-4, twice what the engine promises; it is timed on a few points of the grid,
since the whole would take an hour, and z compares its answers with the engine's. `against` times
calls of the theory and of the planner beside an older version of themselves.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np
from rich.console import Console
from rich.table import Table

from . import against, plain, trials

GRID = np.geomspace(0.5, 40.0, 40)
TIMED = (6, 39)  # points of the grid at which the plain side is timed
TASK: dict[str, Any] = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
RIDGE = 1e-5
PLAIN_ERROR = 1e-4  # standard error asked of the plain side: the engine's own is below half of it

FRESH = """
import json, sys, time
start = time.perf_counter()
import needlescope as ns
call = json.loads(sys.argv[1])
task = ns.Task(**call["task"])
if call["what"] == "predict":
    training = ns.Training(alpha0=4.0, alpha1=call["alpha1"], ridge=call["ridge"])
    found = ns.predict(task, training, call["model"])
    answer = {"value": found.test_error.tolist(), "se": found.test_error_se.tolist()}
else:
    found = ns.oracle(task, call["model"])
    answer = {"value": found.error, "se": found.error_se}
first = time.perf_counter() - start
start = time.perf_counter()
if call["what"] == "predict":
    ns.predict(task.replace(theta=task.theta + 1e-9), training, call["model"])
again = time.perf_counter() - start
status = open("/proc/self/status").read()  # getrusage would tell the parent's peak
peak = float(status.split("VmHWM:")[1].split()[0]) / 1024
print(json.dumps({**answer, "first": first, "again": again, "peak": peak}))
"""


def fresh(
    what: str, model: str, task: dict[str, Any], alpha1: Any = None, ridge: float = RIDGE
) -> dict[str, Any]:
    """Run one call in a new process: import and first call included."""
    call = {"what": what, "model": model, "task": task, "alpha1": alpha1, "ridge": ridge}
    command = [sys.executable, "-c", FRESH, json.dumps(call)]
    runs = [
        json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        for _ in range(3)
    ]
    best = min(runs, key=lambda run: run["first"])
    return {**best, "again": min(run["again"] for run in runs)}


def attention_grid(console: Console) -> None:
    """The whole α1 grid for attention, logistic loss, ridge 1e-5, against the plain side."""
    import needlescope as ns

    ours = fresh("predict", "attention", TASK, GRID.tolist())
    result = ns.align(ns.Task(**TASK), ns.Training(alpha0=4.0, alpha1=1.0))
    table = Table(title="attention, logistic, ridge 1e-5: one point")
    for name in ("alpha1", "engine s", "plain s", "ratio", "nodes", "engine", "plain", "z"):
        table.add_column(name, justify="right")
    engine = ours["first"] / len(GRID)
    ratios = []
    for index in TIMED:
        problem = {
            **TASK,
            "kappa": result.kappa,
            "cosine": result.cosine_q,
            "alpha1": GRID[index],
            "ridge": RIDGE,
        }
        nodes = plain.nodes_needed(problem, target=PLAIN_ERROR, batches=16)
        warm = plain.attention(**problem, nodes=2000, seed=99).solution
        started = time.perf_counter()
        theirs = plain.attention(**problem, nodes=nodes, seed=1, start=warm)
        seconds = time.perf_counter() - started
        ratios.append(seconds / engine)
        value, se = ours["value"][index], ours["se"][index]
        z = (theirs.test_error - value) / np.hypot(theirs.test_error_se, se)
        table.add_row(
            f"{GRID[index]:.3g}",
            f"{engine:.4f}",
            f"{seconds:.1f}",
            f"{ratios[-1]:.0f}×",
            f"{nodes:,}",
            f"{value:.5f} ± {se:.5f}",
            f"{theirs.test_error:.5f} ± {theirs.test_error_se:.5f}",
            f"{z:+.1f}",
        )
    console.print(table)
    console.print(
        f"whole grid of {len(GRID)} points: {ours['first']:.2f} s with import and first call, "
        f"{ours['again']:.2f} s again with a new law; peak memory {ours['peak']:.0f} MiB; "
        f"ratio at least [bold]{min(ratios):.0f}×[/bold]"
    )


def linear_models(console: Console) -> None:
    """Milliseconds a point for the two linear models, and the plain side for pooled."""
    table = Table(title="linear models, logistic: milliseconds a point on the grid")
    for name in ("model", "ridge", "engine ms", "plain ms", "ratio"):
        table.add_column(name, justify="right")
    for model, ridge in (("pooled", 1e-2), ("pooled", 1e-5), ("vectorized", 1e-5)):
        run = fresh("predict", model, TASK, GRID.tolist(), ridge)
        engine = 1e3 * run["again"] / len(GRID)
        theirs, ratio = "", ""
        if model == "pooled" and ridge == 1e-2:
            started = time.perf_counter()
            for alpha1 in GRID[::8]:
                plain.pooled(**TASK, alpha1=alpha1, ridge=ridge)
            spent = 1e3 * (time.perf_counter() - started) / len(GRID[::8])
            theirs, ratio = f"{spent:.0f}", f"{spent / engine:.0f}×"
        table.add_row(model, f"{ridge:g}", f"{engine:.2f}", theirs, ratio)
    console.print(table)


def long_sequences(console: Console) -> None:
    """Time and memory of the oracles and of attention as L grows."""
    table = Table(title="long sequences: seconds and peak MiB in a new process, import included")
    for name in ("L", "what", "value", "seconds", "peak MiB"):
        table.add_column(name, justify="right")
    for L in (100, 10_000, 100_000):
        theta = float(1.2 * np.sqrt(2 * np.log(L)))
        task = {"L": L, "R": 1, "theta": theta, "pi": 0.5}
        for what, model in (("oracle", "attention"), ("oracle", "bayes"), ("predict", "attention")):
            run = fresh(what, model, task, [2.0])
            value = np.ravel(run["value"])[0]
            table.add_row(
                f"{L:,}",
                f"{what} {model}",
                f"{value:.4f}",
                f"{run['first']:.2f}",
                f"{run['peak']:.0f}",
            )
    console.print(table)


def main() -> None:
    """Run all benchmarks, or those named on the command line."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    asked.add_argument(
        "parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS)
    )
    asked.add_argument(
        "--against",
        metavar="COMMIT",
        help=f"time calls beside this commit's, by default those of {against.BEFORE}: "
        "before work on speed",
    )
    asked.add_argument("--all", action="store_true", help="the longest timings too")
    given = asked.parse_args()
    console = Console()
    for name in given.parts or PARTS:
        if name in TIMED_PARTS:
            against.timings(console, given.against, given.all, TIMED_PARTS[name])
        for run in PARTS[name]:
            run(console)


TIMED_PARTS = {"timings": "theory", "planner": "planner"}
PARTS: dict[str, tuple[Callable[[Console], None], ...]] = {
    "timings": (),
    "planner": (),
    "theory": (attention_grid, linear_models, long_sequences),
    "trials": (trials.whole_trials, trials.flat_readout),
}

if __name__ == "__main__":
    main()
