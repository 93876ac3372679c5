"""Make mistakes in the source, one at a time, and see whether the default suite notices.

    python -m tools.mutants [NAME ...] [--tree FOLDER]

The mistakes are those of ``tools/mutants.toml``. Each is made in a copy of the tree, by replacing a
text that stands there exactly once, and the tests that it names are run up to the first that fails.
A test counts if it passes on the copy without the mistake. The tree itself is never written to.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
AT_ONCE = 2
PATIENCE = 1800.0  # seconds for the tests of one mistake; what hangs is noticed, too
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "figures.*")
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


class Mutant(NamedTuple):
    """A mistake: the text of a file that is changed, what is then wrong, and who is to notice."""

    name: str
    wrong: str
    file: str
    old: str
    new: str
    tests: list[str]
    needs: str = ""  # a package without which its tests are not there

    def changed(self, source: str) -> str:
        """Return the source with the mistake in it; refuse one that has moved on."""
        count = source.count(self.old)
        if count != 1:
            raise ValueError(
                f"{self.name}: {self.file} must have {self.old!r} exactly once, got {count} times; "
                "write the mutant anew in tools/mutants.toml"
            )
        return source.replace(self.old, self.new)

    def path(self, tree: Path) -> Path:
        """Return where the changed file is."""
        return tree / "src" / "needlescope" / self.file


class Verdict(NamedTuple):
    """Whether a mistake was noticed, by which test, and how long that took."""

    mutant: Mutant
    by: str  # "" if it was not
    seconds: float


def read_mutants(path: Path = ROOT / "tools" / "mutants.toml") -> list[Mutant]:
    """Return the list of mistakes."""
    return [Mutant(**item) for item in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]]


def first_failure(tree: Path, tests: list[str], without: list[str]) -> str:
    """Run tests of a copy; return the first that fails, or nothing."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:xdist"]
    command += ["-p", "no:cacheprovider", "--tb=no", *(f"--deselect={item}" for item in without)]
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree / "src"),  # before the installed package
        "PYTHONDONTWRITEBYTECODE": "1",  # which may be taken for that of the next mistake
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
        "COLUMNS": "500",
    }
    try:
        done = subprocess.run(
            [*command, *tests],
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return f"no end in {PATIENCE:.0f} s"
    if done.returncode == 0:
        return ""
    result = FAILED.search(done.stdout)
    if result is None:
        raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return result[1]


class Laboratory:
    """Copies of a tree: some to make mistakes in, and one to leave as it is."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.tree, self.clean = tree, folder / "clean"
        self.free: Queue[Path] = Queue()
        for name in ("clean", *(f"copy{k}" for k in range(AT_ONCE))):
            shutil.copytree(tree, folder / name, ignore=LEFT_OUT)
            if name != "clean":
                self.free.put(folder / name)
        self.always_fails: dict[str, bool] = {}

    @contextmanager
    def copy_with(self, mutant: Mutant) -> Iterator[Path]:
        """Lend a copy with a mistake in it."""
        copy = self.free.get()
        path = mutant.path(copy)
        sound = path.read_text(encoding="utf-8")
        try:
            path.write_text(mutant.changed(sound), encoding="utf-8")
            yield copy
        finally:
            path.write_text(sound, encoding="utf-8")
            self.free.put(copy)

    def judge(self, mutant: Mutant) -> Verdict:
        """Run a mistake's tests until one fails that passes without it."""
        start, without = time.monotonic(), []
        with self.copy_with(mutant) as copy:
            while True:
                by = first_failure(copy, mutant.tests, without)
                if not by or "::" not in by or not self.fails_anyway(by):
                    return Verdict(mutant, by, time.monotonic() - start)
                without.append(by)

    def fails_anyway(self, test: str) -> bool:
        """Say whether a test fails without any mistake."""
        if test not in self.always_fails:
            self.always_fails[test] = bool(first_failure(self.clean, [test], []))
        return self.always_fails[test]


def main() -> None:
    """Judge all mistakes, or those that are named; end with 1 if one went unnoticed."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("names", nargs="*", help="all by default")
    words.add_argument("--tree", type=Path, default=ROOT, help="the tree that is copied")
    given = words.parse_args()
    mutants = {mutant.name: mutant for mutant in read_mutants()}
    for name in given.names:
        if name not in mutants:
            words.error(f"name must be one of {', '.join(mutants)}, got {name!r}")
    chosen = [mutants[name] for name in given.names] or list(mutants.values())
    left = [item for item in chosen if item.needs and find_spec(item.needs) is None]
    chosen = [item for item in chosen if item not in left]
    for item in chosen:
        item.changed(item.path(given.tree).read_text(encoding="utf-8"))
    console = Console()
    for item in left:
        console.print(f"{item.name} is left out: {item.needs} is not installed here", markup=False)
    with tempfile.TemporaryDirectory() as folder:
        laboratory = Laboratory(given.tree.resolve(), Path(folder))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            result = []
            for item in pool.map(laboratory.judge, chosen):
                result.append(item)
                state = f"noticed by {item.by}" if item.by else "NOT NOTICED"
                line = f"{item.mutant.name}: {state} ({item.seconds:.0f} s)"
                console.print(line, markup=False, soft_wrap=True)
    table = Table(
        title=f"{sum(bool(item.by) for item in result)} of {len(result)} mistakes noticed"
    )
    for column in ("mistake", "what is wrong", "noticed by", "seconds"):
        table.add_column(column, justify="right" if column == "seconds" else "left")
    for item in result:
        by = escape(item.by.removeprefix("tests/")) or "[red]nothing[/red]"
        table.add_row(item.mutant.name, item.mutant.wrong, by, f"{item.seconds:.0f}")
    console.print(table)
    raise SystemExit(any(not item.by for item in result))


if __name__ == "__main__":
    main()
