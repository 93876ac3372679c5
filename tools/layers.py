"""Show the layers: files and lines of each package, its imports, and the paths of public calls.

    python -m tools.layers [--source FOLDER]

A path lists the files that a call passes through, in the order in which it first enters them. To
follow it one reads the files of the package it starts in, and the entry points of its sub-packages
and of every other package: the files by which the call comes in. The modules of the problem (task,
training, losses, results) count as one. A return to a file that the call had left is listed, except
to the first file, to the modules of the problem, and from `running` and `theory/common`, whose job
it is to call back: processes, the points of a grid, an integral of a given function.

No call may return, and no sub-package and its parent may import each other. What does not hold yet
is listed in `KNOWN_RETURNS` and `KNOWN_CYCLES`. `tests/test_tools.py` compares both lists with the
source: a new entry fails, and so does an entry that no longer occurs.
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
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
PROBLEM = "problem"
TRANSPARENT = ("running", "theory/common")  # whose job is to call back: processes, grids
FLAT = 12  # files that a package may hold side by side
KNOWN_RETURNS: dict[str, set[str]] = {}
"""Files that a call still returns to. The list may only shrink."""

KNOWN_CYCLES: set[tuple[str, str]] = set()
"""Parents and sub-packages that still import each other. The list may only shrink."""


class Package(NamedTuple):
    """A folder of the package: files side by side, lines, and imports within it and of others."""

    name: str
    flat: int
    lines: int
    within: int
    to: Counter[str]


class CallPath(NamedTuple):
    """The files that a call passes through, those that must be read, and where it turns back."""

    files: list[str]
    hops: list[str]
    returns: list[str]

    @property
    def returned_to(self) -> set[str]:
        """The files that the call returns to."""
        return {path.partition(" > ")[0] for path in self.returns}


def folder(path: str) -> str:
    """Return the package or sub-package that a file lies in; the modules of the problem as one.

    >>> folder("theory/law/ladder.py"), folder("task.py"), folder("losses/base.py")
    ('theory/law', 'problem', 'problem')
    """
    place = str(Path(path).parent)
    return PROBLEM if place in (".", "losses", "results") else place


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
    most = {PROBLEM: max(flat["."], flat["losses"], flat["results"])}
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


@cache
def _imports(source: Path, path: Path) -> list[str]:
    """List the files of the package that a file imports."""
    package = list(path.relative_to(source).parent.parts)
    result = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = package[: len(package) - node.level + 1]
            base = source.joinpath(*start, *(node.module or "").split("."))
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


def cycles(source: Path) -> set[tuple[str, str]]:
    """Return each package with a sub-package that it imports and that imports it.

    Imports count wherever they stand: in a module, in a function, or for type checkers only.
    """
    edges: defaultdict[str, set[str]] = defaultdict(set)
    for path in source.rglob("*.py"):
        place = path.relative_to(source).parent.as_posix()
        if place != ".":  # the package itself names everything that is public
            edges[place] |= {Path(other).parent.as_posix() for other in _imports(source, path)}

    def within(place: str) -> set[str]:
        """All that a sub-package and its own sub-packages import."""
        return {
            other
            for name, others in edges.items()
            if name == place or name.startswith(f"{place}/")
            for other in others
        }

    return {
        (parent, place)
        for place in edges
        if (parent := Path(place).parent.as_posix()) != "."
        and parent in within(place)
        and any(other == place or other.startswith(f"{place}/") for other in edges[parent])
    }


def call_path(source: Path, call: Callable[[], object]) -> CallPath:
    """Run a call and follow it from file to file."""
    root = f"{source}{os.sep}"
    stack: list[str | None] = []
    inside: list[str] = []  # of the stack, the files of the package
    loading: list[FrameType] = []  # the module whose import the call waits for
    files: dict[str, None] = {}
    returns: dict[str, None] = {}

    @cache
    def file_of(code: CodeType) -> str | None:
        ours = code.co_filename.startswith(root) and not code.co_name.startswith("<")
        return code.co_filename.removeprefix(root) if ours else None

    def follow(frame: FrameType, event: str, _: Any) -> None:
        if loading:  # what runs while a module is imported is no part of the call
            if event == "return" and frame is loading[0]:
                loading.clear()
        elif event == "call" and frame.f_code.co_name == "<module>":
            loading.append(frame)
        elif event == "call":
            here = file_of(frame.f_code)
            stack.append(here)
            if here is not None:
                inside.append(here)
                if inside[-2:-1] != [here]:  # a call within a file leads nowhere else
                    enter(here)
        elif event == "return" and stack and stack.pop() is not None:
            inside.pop()

    def enter(here: str) -> None:
        files.setdefault(here)
        if folder(here) in (PROBLEM, *TRANSPARENT):
            return
        path: list[str] = []
        for item in inside:
            if folder(item) not in (PROBLEM, *TRANSPARENT) and path[-1:] != [item]:
                path.append(item)
        if path.count(here) > 1 and here != path[0]:
            returns.setdefault(" > ".join(path[path.index(here) :]))

    sys.setprofile(follow)
    try:
        call()
    finally:
        sys.setprofile(None)
    return CallPath(list(files), _hops(list(files)), list(returns))


def _hops(files: list[str]) -> list[str]:
    """Keep what must be read: the files of its own package, and entry points of the others."""
    home = next((folder(file) for file in files if folder(file) != PROBLEM), PROBLEM)
    result: dict[str, str] = {}
    for file in files:
        place = folder(file)
        if place in (PROBLEM, *TRANSPARENT):
            result.setdefault(place, place)
        elif place == home:
            result.setdefault(file, file)
        else:
            near = place.split("/")[0] == home.split("/")[0]
            result.setdefault(place if near else place.split("/")[0], file)
    return list(result.values())


def public_calls() -> dict[str, Callable[[], object]]:
    """Return six calls of the public interface, on problems of the smallest size."""
    import numpy as np

    import needlescope as ns
    from needlescope import estimators

    task = ns.Task(L=10, R=1, theta=4.8137, pi=0.5)  # that no cache has
    training = ns.Training(alpha0=4.0, alpha1=1.0)
    X, y = np.random.default_rng(0).standard_normal((12, 3, 3)), np.arange(12) % 2
    X[y == 1, 0] += 3.0
    small = {"random_state": 0, "progress": False}
    return {
        "predict": lambda: ns.predict(task, training),
        "simulate": lambda: ns.simulate(task, training, d=50, trials=2, n_jobs=1, progress=False),
        "needlescope reproduce errors": _reproduce_errors,
        "MILClassifier.fit": lambda: estimators.MILClassifier(effort="quick", **small).fit(X, y),
        "AttentionClassifier.fit": lambda: estimators.AttentionClassifier(**small).fit(X, y),
        "estimate_task": lambda: estimators.estimate_task(X, y, **small),
    }


def _reproduce_errors() -> None:
    """Draw the figure "errors" of two units, one of theory and one of simulation."""
    from needlescope.cli.group import group
    from needlescope.gallery.paper import errors

    units = errors.units
    every = units(False)
    few = [next(item for item in every if item.call == call) for call in ("predict", "simulate")]
    errors.units = lambda full: few
    try:
        with tempfile.TemporaryDirectory() as place:
            arguments = ["reproduce", "errors", "--folder", place, "--n-jobs", "1"]
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                group(args=arguments, standalone_mode=False)
    finally:
        errors.units = units


def show(source: Path) -> None:
    """Print the packages, their imports, cycles among them, and the call paths."""
    console = Console(width=110)
    table = Table("package", "files here", "lines", "imports within", "imports of other packages")
    for package in packages(source):
        others = ", ".join(f"{name} {count}" for name, count in sorted(package.to.items()))
        table.add_row(
            package.name, str(package.flat), str(package.lines), str(package.within), others
        )
    console.print(table)
    for parent, place in sorted(cycles(source)):
        console.print(f"[red]import each other[/]: {parent} and {place}", highlight=False)
    for name, call in public_calls().items():
        path = call_path(source, call)
        console.print(f"[bold]{name}[/]: {len(path.hops)} hops, {len(path.files)} files in all")
        console.print("  " + " > ".join(path.hops), highlight=False)
        for item in path.returns:
            console.print(f"  [red]returns[/]: {item}", highlight=False)


def main() -> None:
    """Show this tree's layers, or those of another source folder in a process of its own."""
    parser = argparse.ArgumentParser(description="Show the layers.")
    parser.add_argument("--source", type=Path, default=ROOT / "src")
    source = parser.parse_args().source.resolve()
    if os.environ.get("PYTHONPATH") != str(source):
        environment = {**os.environ, "PYTHONPATH": str(source), "MPLBACKEND": "Agg"}
        command = [sys.executable, str(Path(__file__).resolve()), "--source", str(source)]
        raise SystemExit(subprocess.run(command, env=environment).returncode)
    show(source / "needlescope")


if __name__ == "__main__":
    main()
