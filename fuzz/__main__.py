"""Run the fuzz: ``python -m fuzz [limits | joint] --problems 3000``; exits 1 if any problem fails.

Ctrl-C or SIGTERM stops it, with a summary of what was done and where to go on.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from types import ModuleType
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

EVERY = 100  # problems after which a log, which shows no bar, has a line
SLOWEST = 5  # problems that are named in the end
AHEAD = 4  # problems handed to a worker at a time
NUMBER = re.compile(r"±?-?\d[\d.]*(e[-+]?\d+)?")


class Report(NamedTuple):
    """What became of one problem."""

    index: int
    kind: str
    status: str
    failures: list[str]
    seconds: float


def run_limit(seed: int, index: int) -> Report:
    """Solve one problem of the limit of learning and check it."""
    from . import limits

    return _run(limits, "limit", seed, index)


def run_joint(seed: int, index: int) -> Report:
    """Solve one problem of joint training and check it."""
    from . import joint

    return _run(joint, f"joint, {joint.draw(seed, index).training.loss}", seed, index)


def _run(part: ModuleType, kind: str, seed: int, index: int) -> Report:
    """Draw a problem of a part, solve and check it."""
    warnings.simplefilter("error")
    started, problem = time.process_time(), part.draw(seed, index)
    try:
        status, failures = part.check(problem)
    except Exception as error:
        status, failures = "failed", [f"{type(error).__name__}: {error}"]
    said = [f"{failure} | {problem}" for failure in failures]
    took = time.process_time() - started
    return Report(index, kind, "failed" if said else status, said, took)


def run_one(seed: int, index: int) -> Report:
    """Solve one problem and check it."""
    import warnings

    from .problems import draw

    warnings.simplefilter("error")
    started = time.process_time()
    problem = draw(seed, index)
    status, failures = _check(problem)
    said = [f"{failure} | {problem}" for failure in failures]
    kind, took = f"{problem.model}, {problem.protocol}", time.process_time() - started
    return Report(index, kind, "failed" if said else status, said, took)


def _check(problem: object) -> tuple[str, list[str]]:
    """Return what became of a problem, and what is wrong about it."""
    import needlescope as ns

    from .invariants import CHECKS, answer
    from .problems import Problem

    assert isinstance(problem, Problem)
    try:
        result = answer(problem)
    except (ns.NoMinimiser, ns.NotConverged) as refusal:
        return f"{type(refusal).__name__}: {refusal}", []
    except Exception as error:
        return "failed", [f"{type(error).__name__}: {error}"]
    failures = []
    for check in CHECKS:
        try:
            verdict = check(problem, result)
        except Exception as error:
            verdict = f"{type(error).__name__}: {error}"
        if verdict is not None:
            failures.append(f"{check.__name__}: {verdict}")
    return "collapsed (w = 0)" if result.norm == 0.0 else "converged", failures


RUNS = {"training": run_one, "limits": run_limit, "joint": run_joint}


def reports(what: str, seed: int, indices: range, n_jobs: int) -> Iterator[Report]:
    """Give reports as they come, of all problems in turn."""
    # Ctrl-C reaches all processes of a terminal: only this one is to hear it.
    deaf = (signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(n_jobs, initializer=signal.signal, initargs=deaf) as pool:
        left, running = iter(indices), set[Future[Report]]()
        try:
            while True:
                for index in left:
                    running.add(pool.submit(RUNS[what], seed, index))
                    if len(running) == AHEAD * n_jobs:
                        break
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for job in done:
                    yield job.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def status_of(report: Report) -> str:
    """Return a status without the numbers and the remedy, so that equal ones can be counted."""
    return NUMBER.sub("#", report.status.split(" here")[0].split(";")[0].split(", and")[0])


def summary(console: Console, result: list[Report], seconds: float) -> None:
    """Print what became of the problems, by status and by kind, and the slowest of them."""
    for status, count in Counter(status_of(item) for item in result).most_common():
        console.print(f"{count:6d} {status}", highlight=False, soft_wrap=True)
    console.print()
    solved = ("converged", "collapsed")
    for kind, count in sorted(Counter(item.kind for item in result).items()):
        own = [item for item in result if item.kind == kind]
        refused = sum(not item.status.startswith(solved) and not item.failures for item in own)
        mean = sum(item.seconds for item in own) / count
        console.print(f"{count:6d} {kind}: {refused} refused, {mean:.2f} s each", highlight=False)
    slowest = sorted(result, key=lambda item: -item.seconds)[:SLOWEST]
    named = ", ".join(f"{item.index} ({item.seconds:.0f} s)" for item in slowest)
    total = sum(item.seconds for item in result)
    console.print(
        f"\n{len(result)} problems in {seconds:.0f} s, {total:.0f} s of one processor; "
        f"the slowest: {named}",
        highlight=False,
        soft_wrap=True,
    )


def main() -> int:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=RUNS, default="training")
    parser.add_argument("--problems", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="index of the first problem")
    parser.add_argument("--n-jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    console, started = Console(), time.perf_counter()
    result: list[Report] = []
    columns = (TextColumn("fuzz"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    indices = range(options.first, options.first + options.problems)
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("fuzz", total=options.problems)
        try:
            for report in reports(options.what, options.seed, indices, options.n_jobs):
                result.append(report)
                for failure in report.failures:
                    said = f"problem {report.index} {failure}"
                    bar.console.print(said, highlight=False, markup=False, soft_wrap=True)
                bar.advance(task)
                if not console.is_terminal and len(result) % EVERY == 0:
                    console.print(f"{len(result)} of {len(indices)}")
        except KeyboardInterrupt:
            done = {report.index for report in result}
            first = next(index for index in indices if index not in done)
            left = indices.stop - first
            console.print(f"stopped; --first {first} --problems {left} goes on")
    summary(console, result, time.perf_counter() - started)
    return 1 if any(item.failures for item in result) or len(result) < len(indices) else 0


if __name__ == "__main__":
    sys.exit(main())
