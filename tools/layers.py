"""Show the layers: files and lines of each package, who imports whom, and the paths of five calls.

    python -m tools.layers [--source FOLDER] [--held]

A path lists the files that a call passes through, in the order in which it first enters them. To
follow it one reads the files of the package it starts in, and the entry points of its sub-packages
and of every other package: the files by which the call comes in. The modules of the problem (task,
training, losses, results) count as one. A return to a file that the call had left is listed, except
to the first file, to the modules of the problem, and from `running`, whose job it is to call back.
Theory, simulation and `reproduce` must not return, and ``--held`` follows these alone. The fits of
the estimators do: they run side by side, and what leads them calls each in turn.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
WORDS = "words"
TRANSPARENT = ("running",)  # whose job is to call back: processes, progress
HELD = ("predict", "simulate", "needlescope reproduce errors")  # call paths that may not return
FLAT = 12  # files that a package may hold side by side


class Package(NamedTuple):
    """A folder of the package: files side by side, lines, and imports within it and of others."""

    name: str
    flat: int
    lines: int
    within: int
    to: Counter[str]


class CallPath(NamedTuple):
    """The files that a call passes through, those that must be read, and where it turns back."""

    name: str
    files: list[str]
    hops: list[str]
    returns: list[str]


def folder(path: str) -> str:
    """Return the package or sub-package that a file lies in; the words are all in one.

    >>> folder("theory/law/ladder.py"), folder("task.py"), folder("losses/base.py")
    ('theory/law', 'words', 'words')
    """
    place = str(Path(path).parent)
    return WORDS if place in (".", "losses", "results") else place


def packages(source: Path) -> list[Package]:
    """Measure every package of the package in a folder."""
    files = sorted(source.rglob("*.py"))
    lines, flat = Counter[str](), Counter[str]()
    edges: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for path in files:
        place = folder(str(path.relative_to(source)))
        lines[place] += len(path.read_text(encoding="utf-8").splitlines())
        own = str(path.relative_to(source).parent)
        flat[own] += path.name != "__init__.py"
        for other in _imports(source, path):
            edges[place][folder(other)] += 1
    most = {WORDS: max(flat["."], flat["losses"], flat["results"])}
    return [
        Package(
            name,
            most.get(name, flat[name]),
            lines[name],
            edges[name][name],
            Counter({to: n for to, n in edges[name].items() if to != name}),
        )
        for name in sorted(lines)
    ]


def _imports(source: Path, path: Path) -> list[str]:
    """List the files of the package that a file imports."""
    package = list(path.relative_to(source).parent.parts)
    result = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = package[: len(package) - node.level + 1]
            base = source.joinpath(
                *start, *(node.module or "").split(".") if node.module else start
            )
            for name in node.names:
                for place in (base / name.name, base):
                    if place.with_suffix(".py").is_file():
                        result.append(str(place.with_suffix(".py").relative_to(source)))
                        break
                    if place != base and (place / "__init__.py").is_file():
                        result.append(str((place / "__init__.py").relative_to(source)))
                        break
                else:
                    if (base / "__init__.py").is_file():
                        result.append(str((base / "__init__.py").relative_to(source)))
    return result


def call_path(name: str, source: Path, call: Callable[[], object]) -> CallPath:
    """Run a call and follow it from file to file."""
    root = f"{source}{os.sep}"
    stack: list[str | None] = []
    way: list[str] = []  # of the stack, what lies inside
    files: dict[str, None] = {}
    returns: dict[str, None] = {}

    @cache
    def file_of(code: CodeType) -> str | None:
        inside = code.co_filename.startswith(root) and not code.co_name.startswith("<")
        return code.co_filename.removeprefix(root) if inside else None

    def follow(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            here = file_of(frame.f_code)
            stack.append(here)
            if here is not None:
                way.append(here)
                if way[-2:-1] != [here]:  # a call within a file leads nowhere else
                    enter(way)
        elif event == "return" and stack and stack.pop() is not None:
            way.pop()

    def enter(way: list[str]) -> None:
        here = way[-1]
        files.setdefault(here)
        if folder(here) in (WORDS, *TRANSPARENT):
            return
        path: list[str] = []
        for item in way:
            if folder(item) not in (WORDS, *TRANSPARENT) and path[-1:] != [item]:
                path.append(item)
        if path.count(here) > 1 and here != path[0]:
            returns.setdefault(" > ".join(path[path.index(here) :]))

    sys.setprofile(follow)
    try:
        call()
    finally:
        sys.setprofile(None)
    return CallPath(name, list(files), _hops(list(files)), list(returns))


def _hops(files: list[str]) -> list[str]:
    """Keep what must be read: the files of its own package, and entry points of the others."""
    home = next((folder(file) for file in files if folder(file) != WORDS), WORDS)
    result: dict[str, str] = {}
    for file in files:
        place = folder(file)
        if place in (WORDS, *TRANSPARENT):
            result.setdefault(place, place)
        elif place == home:
            result.setdefault(file, file)
        else:
            near = place.split("/")[0] == home.split("/")[0]
            result.setdefault(place if near else place.split("/")[0], file)
    return list(result.values())


def call_paths(source: Path, held: bool = False) -> Iterator[CallPath]:
    """Follow five calls of the public interface, or those `HELD`, once all that they use is loaded.

    They are in their smallest sizes.
    """
    import numpy as np

    import needlescope as ns
    from needlescope import estimators

    task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    training = ns.Training(alpha0=4.0, alpha1=1.0)
    strengths = iter((4.9, 4.8))  # a second time the same would be known
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 5, 6)), np.arange(60) % 2
    X[y == 1, 0] += 2.0
    small = {"random_state": 0, "progress": False}
    with tempfile.TemporaryDirectory() as place, _small_errors():
        folders = (Path(place) / name for name in ("first", "then"))
        calls: dict[str, Callable[[], object]] = {
            "predict": lambda: ns.predict(task.replace(theta=next(strengths)), training),
            "simulate": lambda: ns.simulate(
                task, training, d=50, trials=2, n_jobs=1, progress=False
            ),
            "MILClassifier.fit": lambda: estimators.MILClassifier(**small).fit(X, y),
            "estimate_task": lambda: estimators.estimate_task(X, y, **small),
            "needlescope reproduce errors": lambda: _reproduce(next(folders)),
        }
        for name, call in calls.items():
            if name in HELD or not held:
                call()
                yield call_path(name, source, call)


@contextmanager
def _small_errors() -> Iterator[None]:
    """Give the figure "errors" two units, one of theory and one of simulation."""
    from needlescope.gallery.paper import errors

    units = errors.units
    every = units(False)
    few = [next(item for item in every if item.call == call) for call in ("predict", "simulate")]
    errors.units = lambda full: few
    yield
    errors.units = units


def _reproduce(place: Path) -> None:
    from needlescope.cli.group import group

    words = ["reproduce", "errors", "--folder", str(place), "--n-jobs", "1"]
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        group(args=words, standalone_mode=False)


def show(source: Path, held: bool = False) -> bool:
    """Print packages and call paths; say whether all keep to what is promised."""
    console, good = Console(width=110), True
    table = Table("package", "files here", "lines", "imports within", "imports of other packages")
    for package in packages(source):
        good &= held or package.flat <= FLAT
        others = ", ".join(f"{name} {count}" for name, count in sorted(package.to.items()))
        table.add_row(
            package.name, str(package.flat), str(package.lines), str(package.within), others
        )
    console.print(table)
    for path in call_paths(source, held):
        good &= not path.returns or path.name not in HELD
        console.print(
            f"[bold]{path.name}[/]: {len(path.hops)} hops, {len(path.files)} files in all"
        )
        console.print("  " + " > ".join(path.hops), highlight=False)
        for item in path.returns:
            console.print(f"  [red]returns[/]: {item}", highlight=False)
    return good


def main() -> None:
    """Draw this tree's layers, or that of another source folder in a process of its own."""
    parser = argparse.ArgumentParser(description="Show the layers.")
    parser.add_argument("--source", type=Path, default=ROOT / "src")
    parser.add_argument("--held", action="store_true", help="judge the call paths alone")
    given = parser.parse_args()
    source = given.source.resolve()
    if os.environ.get("PYTHONPATH") != str(source):
        environment = {**os.environ, "PYTHONPATH": str(source), "MPLBACKEND": "Agg"}
        words = [sys.executable, str(Path(__file__).resolve()), "--source", str(source)]
        words += ["--held"] * given.held
        raise SystemExit(subprocess.run(words, env=environment).returncode)
    raise SystemExit(0 if show(source / "needlescope", given.held) else 1)


if __name__ == "__main__":
    main()
