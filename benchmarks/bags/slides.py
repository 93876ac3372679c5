"""What a fit to slides takes, read from disk: ``python -m benchmarks.bags.slides``.

Bags of 1,000 to 20,000 instances of 1,024 features, as encoders make them of whole slides, are
drawn and saved to a folder; every second has a signal in a hundredth of its instances. A classifier
is fitted to them from a memory map, in a process of its own. The table has the time, the most
memory beside the pages of the file, and how often the data were read: every instance counts that
is read by anyone, of all passes, those of scaling, folds and scores too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from needlescope.estimators import Bags, MILClassifier
from needlescope.estimators.bags.conversion.parts import Parts
from needlescope.estimators.bags.saving import writing

SHARE, STRENGTH = 0.01, 4.0  # of the instances of a positive, and how far the signal moves them
WATCHED = 0.02  # seconds between looks at the memory


def arguments(words: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.bags.slides", description=__doc__)
    parser.add_argument("--bags", type=int, default=30, help="how many (30)")
    parser.add_argument("--least", type=int, default=1_000, help="instances of a bag (1000)")
    parser.add_argument("--most", type=int, default=20_000, help="to so many (20000)")
    parser.add_argument("--features", type=int, default=1_024, help="of an instance (1024)")
    parser.add_argument("--efforts", nargs="+", default=["quick", "standard"], help="(both)")
    parser.add_argument("--jobs", nargs="+", type=int, default=[2], help="threads (2)")
    parser.add_argument("--folder", type=Path, help="where bags are kept, if not for this run only")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args(words)


def draw(path: Path, wanted: argparse.Namespace) -> None:
    """Draw the bags and save them, one after another."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(wanted.least, wanted.most + 1, wanted.bags)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    shape = int(starts[-1]), wanted.features
    signal = rng.standard_normal(wanted.features)
    signal *= STRENGTH / np.linalg.norm(signal)
    with writing(path) as draft:
        with draft.rows(shape, np.float32) as rows:
            for bag, length in enumerate(lengths):
                block = rng.standard_normal((length, wanted.features), dtype=np.float32)
                if bag % 2:
                    block[: max(1, round(SHARE * length))] += signal.astype(np.float32)
                rows.append(block)
        draft.describe(Parts(None, starts, None, None, {}), shape)


class Reads:
    """Counts the instances of bags that are read."""

    def __init__(self) -> None:
        self.count, own = 0, Bags.rows

        def rows(bags: Bags, some: Any) -> Any:
            self.count += int(bags.lengths[some].sum())
            return own(bags, some)

        Bags.rows = rows  # type: ignore[method-assign]


def own_memory() -> float:
    """Return the bytes of this process that are not pages of a file."""
    words = Path("/proc/self/status").read_text().split("RssAnon:")[1].split()
    return 1024.0 * int(words[0])


def fit(path: str, effort: str, jobs: int) -> dict[str, float]:
    """Fit a classifier to the bags of a folder, and say what it took."""
    bags = Bags.load(path, mapped=True)
    y = np.arange(len(bags)) % 2
    before, peak, over = own_memory(), [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(WATCHED):
            peak[0] = max(peak[0], own_memory() - before)

    watching = threading.Thread(target=watch)
    watching.start()
    reads, start = Reads(), time.perf_counter()
    MILClassifier(effort=effort, random_state=0, n_jobs=jobs).fit(bags, y)
    taken = time.perf_counter() - start
    over.set()
    watching.join()
    return {"time": taken, "memory": peak[0], "reads": reads.count / int(bags.starts[-1])}


def table(wanted: argparse.Namespace, path: Path) -> str:
    """Fit in every effort by so many threads, each in a process of its own; return the table."""
    bags = Bags.load(path, mapped=True)
    size = float(bags.starts[-1]) * bags.d * bags.dtype.itemsize
    lines = [
        f"{bags!r}, {size / 1e9:.1f} GB on disk",
        "",
        "| effort | threads | time | memory beside the data | reads of the data |",
        "| --- | --- | --- | --- | --- |",
    ]
    for effort in wanted.efforts:
        for jobs in wanted.jobs:
            command = [sys.executable, "-m", "benchmarks.bags.slides", "--folder", str(path)]
            run = [*command, "--one", effort, str(jobs)]
            result = json.loads(subprocess.run(run, check=True, capture_output=True).stdout)
            lines.append(
                f"| {effort} | {jobs} | {result['time']:.0f} s | {result['memory'] / 1e6:.0f} MB | "
                f"{result['reads']:.1f} |"
            )
    return "\n".join(lines)


def main(words: list[str]) -> int:
    """Draw the bags, and print the table."""
    wanted = arguments(words)
    if wanted.one:
        print(json.dumps(fit(str(wanted.folder), wanted.one[0], int(wanted.one[1]))))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "bags" if wanted.folder is None else wanted.folder
        if not path.exists():
            draw(path, wanted)
        print(table(wanted, path))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
