"""Run the fuzz: ``python -m fuzz [limits] --problems 3000``; exits 1 if any problem fails."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Report(NamedTuple):
    """What became of one problem."""

    index: int
    status: str
    failures: list[str]
    seconds: float


def run_limit(seed: int, index: int) -> Report:
    """Solve one problem of the limit of learning and check it."""
    import warnings

    from .limits import check, draw

    warnings.simplefilter("error")
    started = time.perf_counter()
    problem = draw(seed, index)
    try:
        status, failures = check(problem)
    except Exception as error:
        status, failures = "failed", [f"{type(error).__name__}: {error}"]
    said = [f"{failure} | {problem}" for failure in failures]
    return Report(index, "failed" if said else status, said, time.perf_counter() - started)


def run_one(seed: int, index: int) -> Report:
    """Solve one problem and check it."""
    import warnings

    import needlescope as ns

    from .invariants import CHECKS, answer
    from .problems import draw

    warnings.simplefilter("error")
    started = time.perf_counter()
    problem = draw(seed, index)
    try:
        found = answer(problem)
    except ns.NoMinimiser as refusal:
        return Report(index, f"no minimiser: {refusal}", [], time.perf_counter() - started)
    except Exception as error:
        failure = f"{type(error).__name__}: {error} | {problem}"
        return Report(index, "failed", [failure], time.perf_counter() - started)
    failures = []
    for check in CHECKS:
        try:
            verdict = check(problem, found)
        except Exception as error:
            verdict = f"{type(error).__name__}: {error}"
        if verdict is not None:
            failures.append(f"{check.__name__}: {verdict} | {problem}")
    status = "collapsed (w = 0)" if found.norm == 0.0 else "converged"
    return Report(index, "failed" if failures else status, failures, time.perf_counter() - started)


RUNS = {"training": run_one, "limits": run_limit}


def main() -> int:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=RUNS, default="training")
    parser.add_argument("--problems", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="index of the first problem")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    console = Console()
    counts: Counter[str] = Counter()
    slowest, failures, started = Report(-1, "", [], 0.0), [], time.perf_counter()
    columns = (TextColumn("fuzz"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    indices = range(options.first, options.first + options.problems)
    with ProcessPoolExecutor(options.workers) as pool, Progress(*columns, console=console) as bar:
        task = bar.add_task("fuzz", total=options.problems)
        jobs = [pool.submit(RUNS[options.what], options.seed, index) for index in indices]
        for job in jobs:
            report = job.result()
            counts[report.status.split(" here")[0].split(", and")[0]] += 1
            slowest = max(slowest, report, key=lambda one: one.seconds)
            for failure in report.failures:
                failures.append(failure)
                bar.console.print(
                    f"problem {report.index} {failure}", highlight=False, soft_wrap=True
                )
            bar.advance(task)
    for status, count in counts.most_common():
        console.print(f"{count:6d} {status}")
    console.print(
        f"{options.problems} problems in {time.perf_counter() - started:.0f} s, "
        f"slowest {slowest.seconds:.1f} s (problem {slowest.index})"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
