"""Run the numeric tests on several BLAS kernels and numbers of threads: nothing may rest on one.

    python -m tools.kernels [KERNEL ...] [--threads 1 2]

OpenBLAS has code of its own for each kind of processor, and rounds differently in each.
OPENBLAS_CORETYPE makes it take that of another, as far as this processor can execute it. NumPy and
SciPy carry a copy each; what both use is looked up, not believed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
NEEDS = {  # flags of /proc/cpuinfo; Zen is not here, for the wheels serve it with Haswell's code
    "Prescott": {"pni"},
    "Nehalem": {"sse4_2"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
CALLS_ITSELF = {"Prescott": "Katmai"}  # one code for both, and the older name is told
USUAL = ("Prescott", "Sandybridge", "Haswell", "SkylakeX")  # those that differ most
NUMERIC = (
    *("agreement", "conformance", "estimators", "gallery", "golden", "losses"),
    *("models", "planning", "simulation", "solvers", "theory", "test_noise.py"),
    "experiments/test_comparison.py",
)  # folders and files of tests whose numbers come out of BLAS
LOADED = """
import json, numpy, scipy.linalg, threadpoolctl
numpy.ones((2, 2)) @ numpy.ones((2, 2)), scipy.linalg.solve(numpy.eye(2), numpy.ones(2))
print(json.dumps([[one.get("architecture"), one["num_threads"]]
                  for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]))
"""


class Result(NamedTuple):
    """How the tests ended on one kernel."""

    kernel: str
    threads: int
    summary: str
    failed: list[str]
    seconds: float


def executable(cpuinfo: str) -> list[str]:
    """Return the kernels that a processor can execute, by what /proc/cpuinfo says of it.

    Examples
    --------
    >>> executable("flags : fpu sse2 pni sse4_2 avx")
    ['Prescott', 'Nehalem', 'Sandybridge']
    """
    result = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    flags = set(result[1].split()) if result else set()
    return [kernel for kernel, needed in NEEDS.items() if needed <= flags]


def environment(kernel: str, threads: int) -> dict[str, str]:
    """Return what makes BLAS take a kernel and so many threads."""
    count = str(threads)
    given = {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": count, "OMP_NUM_THREADS": count}
    return {**os.environ, **given, "MPLBACKEND": "Agg", "COLUMNS": "500"}


def loaded(kernel: str, threads: int) -> list[list[object]]:
    """Return the kernel and the threads of each BLAS that is then loaded."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED],
        env=environment(kernel, threads),
        capture_output=True,
        text=True,
        check=True,
    )
    result: list[list[object]] = json.loads(done.stdout)
    return result


def numeric_tests() -> list[str]:
    """Return what is run."""
    return [f"tests/{name}" for name in NUMERIC]


def run(kernel: str, threads: int, tests: list[str]) -> Result:
    """Run the tests on a kernel, on both cores of a small machine."""
    start, seen = time.monotonic(), loaded(kernel, threads)
    asked = [CALLS_ITSELF.get(kernel, kernel), threads]
    if len(seen) < 2 or any(item != asked for item in seen):
        return Result(kernel, threads, f"not run: BLAS is {seen}", [], time.monotonic() - start)
    processes = ["-n", "2", "--dist", "worksteal"] if threads == 1 else ["-p", "no:xdist"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=short", *processes, *tests],
        cwd=ROOT,
        env=environment(kernel, threads),
        capture_output=True,
        text=True,
    )
    failed = re.findall(r"^(?:FAILED|ERROR) (.+)$", done.stdout, re.MULTILINE)
    ended = re.findall(r"^=*\s*(\d+ \w+.* in [\d.]+s.*?)\s*=*$", done.stdout, re.MULTILINE)
    summary = ended[-1] if ended else f"pytest ended with {done.returncode}: {done.stderr[-500:]}"
    if failed:
        sys.stderr.write(done.stdout)
    return Result(kernel, threads, summary, failed, time.monotonic() - start)


def main() -> None:
    """Run every kernel that is asked and can be; end with 1 if a test failed."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("kernels", nargs="*", metavar="KERNEL", help=f"of {', '.join(NEEDS)}")
    words.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    words.add_argument("--tests", nargs="+", default=numeric_tests(), help="what pytest is given")
    given = words.parse_args()
    console = Console()
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists():
        console.print("which kernels this processor executes is told by Linux only; nothing is run")
        return
    can, results = executable(cpuinfo.read_text()), []
    for kernel in given.kernels or USUAL:
        if kernel not in NEEDS:
            words.error(f"kernel must be one of {', '.join(NEEDS)}, got {kernel!r}")
        if kernel not in can:
            results.append(Result(kernel, 0, "not run: this processor cannot", [], 0.0))
            continue
        for threads in given.threads:
            results.append(run(kernel, threads, given.tests))
            console.print(f"{kernel}, {threads} threads: {results[-1].summary}", markup=False)
    table = Table(title="numeric tests by BLAS kernel")
    for column in ("kernel", "threads", "ended", "failed"):
        table.add_column(column)
    for result in results:
        names = "\n".join(escape(name) for name in result.failed)
        table.add_row(result.kernel, str(result.threads or "–"), result.summary, names or "–")
    console.print(table)
    ran = [
        result for result in results if result.threads and not result.summary.startswith("not run")
    ]
    raise SystemExit(any(" failed" in item.summary or item.failed for item in ran) or not ran)


if __name__ == "__main__":
    main()
