"""Whole trials of the simulation engine beside a plain script, and the floor under both.

Every row is a process of its own, with one thread, and the best of three; peak memory is the
process's own. The engine's trials end with an exact test error; the plain script is timed without
any test, and again with a test set.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

PRELUDE = """
import json, sys, time
import numpy as np

def best(call, times=3):
    spent, value = [], None
    for k in range(times):
        start = time.perf_counter()
        value = call(k)
        spent.append(time.perf_counter() - start)
    return min(spent), value

def report(seconds, **more):
    status = open("/proc/self/status").read()
    peak = float(status.split("VmHWM:")[1].split()[0]) / 1024
    print(json.dumps({"seconds": seconds, "peak": peak, **more}))
"""

ENGINE = """
import needlescope as ns
model, sampler = sys.argv[1:3]
task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
training = ns.Training(alpha0=4.0, alpha1=4.0, ridge=1e-2)
call = lambda k: ns.simulate(task, training, model, 1000, 1, k, sampler=sampler, n_jobs=1)
ns.simulate(task, training, model, 20, 1, 0, sampler=sampler, n_jobs=1)
seconds, found = best(call)
report(seconds, gradient=found.residual)
"""

PLAIN = """
from benchmarks import plain_trial
plain_trial.trial(0, d=20)
seconds, found = best(lambda k: plain_trial.trial(k, n_test=int(sys.argv[1])))
report(seconds, gradient=found.gradient)
"""

FLOOR = """
from needlescope.simulation.samples.normal import fill_normal
engine = sys.argv[1] == "engine"
rows, d, total = 52, 1000, 2 * 4000 * 10 * 1000
buffer = np.empty((rows * 10, d), np.float32 if engine else np.float64)
rng = np.random.Generator(np.random.SFC64(0)) if engine else np.random.default_rng(0)
w = np.ones(d, buffer.dtype)
def call(k):
    for _ in range(total // buffer.size):
        fill_normal(buffer, rng) if engine else rng.standard_normal(out=buffer)
        buffer @ w
report(best(call)[0])
"""

FLAT = """
from benchmarks import plain_trial
rng = np.random.default_rng(0)
n, d, L = 4000, 1000, 10
y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
F = rng.standard_normal((n, L * d))
F[np.arange(n), d * rng.integers(0, L, n)] += 5.0 * (y > 0)
solver = sys.argv[1]
if solver.startswith("engine"):
    from needlescope.losses import LOGISTIC
    from needlescope.solvers.minimise import minimise
    F = F.astype(np.float32) if solver == "engine float32" else F
    seconds, fit = best(lambda k: minimise(F, y, LOGISTIC, 1e-2))
    w, b = fit.w, fit.b
else:
    seconds, model = best(lambda k: plain_trial.fit(F, y, 1e-2, solver, float(sys.argv[2])), 2)
    w, b = model.coef_[0], float(model.intercept_[0])
report(seconds, gradient=plain_trial.gradient(F, y, 1e-2, w, b))
"""


def fresh(code: str, *arguments: str) -> dict[str, Any]:
    """Run a piece of code in a process of its own and return what it reports."""
    command = [sys.executable, "-c", PRELUDE + code, *arguments]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return dict(json.loads(done.stdout))


def whole_trials(console: Console) -> None:
    """The attention trial: L = 10, d = 1000, α0 = α1 = 4, logistic, ridge 1e-2."""
    table = _table("one attention trial: L = 10, d = 1000, α0 = α1 = 4, logistic, ridge 1e-2")
    plain = fresh(PLAIN, "0")
    _row(table, "NumPy + scikit-learn, no test", plain, plain)
    _row(table, "NumPy + scikit-learn, 10,000 test samples", fresh(PLAIN, "10000"), plain)
    for sampler in ("tokens", "reduced"):
        _row(table, f"engine, {sampler}, exact test", fresh(ENGINE, "attention", sampler), plain)
    _row(table, "floor: NumPy's normals, one pass", fresh(FLOOR, "numpy"), plain)
    _row(table, "floor: the engine's normals, one pass", fresh(FLOOR, "engine"), plain)
    console.print(table)


def flat_readout(console: Console) -> None:
    """The vectorized readout: p = 10,000, n = 4,000; the fit alone, then a whole reduced trial."""
    table = _table("vectorized: p = 10,000, n = 4,000, logistic, ridge 1e-2; the fit alone")
    plain = fresh(FLAT, "newton-cg", "1e-10")
    _row(table, "scikit-learn newton-cg", plain, plain)
    _row(table, "scikit-learn lbfgs", fresh(FLAT, "lbfgs", "1e-12"), plain)
    _row(table, "engine, float64 features", fresh(FLAT, "engine float64"), plain)
    _row(table, "engine, float32 features", fresh(FLAT, "engine float32"), plain)
    for sampler in ("tokens", "reduced"):
        result = fresh(ENGINE, "vectorized", sampler)
        _row(table, f"engine, a whole trial, {sampler}", result, plain)
    console.print(table)


def _table(title: str) -> Table:
    table = Table(title=title)
    table.add_column("what")
    for name in ("seconds", "ratio", "gradient", "peak MiB"):
        table.add_column(name, justify="right")
    return table


def _row(table: Table, what: str, run: dict[str, Any], plain: dict[str, Any]) -> None:
    table.add_row(
        what,
        f"{run['seconds']:.3f}",
        f"{plain['seconds'] / run['seconds']:.1f}×",
        f"{run['gradient']:.0e}" if "gradient" in run else "",
        f"{run['peak']:.0f}",
    )
