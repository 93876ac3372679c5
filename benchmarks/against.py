"""The theory's timings, or the planner's, beside those of an older version, in the same run.

The older source is taken out of the repository into a temporary directory; `timings`, the same
script for both, runs each call in processes that take turns, and the best of all rounds counts.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .timings import TIMINGS

# "The picture at the head": the last commit before work on speed began, with the compression of
# attention's law and with the Bayes error in the limit of learning.
# "docs/joint.md: several solutions": the last before work on the planner's speed.
BEFORE = {"theory": "8a6f367", "planner": "56aee2e"}
ROUNDS = 2
HOME = Path(__file__).resolve().parent.parent

Found = dict[str, float | None]


def timings(
    console: Console, commit: str | None = None, every: bool = False, part: str = "theory"
) -> None:
    """Print today's timings, those of an older commit if it is there, and what we aim at."""
    commit = BEFORE[part] if commit is None else commit
    names = [
        name
        for name, timing in TIMINGS.items()
        if timing.part == part and (every or not timing.long)
    ]
    with tempfile.TemporaryDirectory() as folder:
        why = take_out(commit, Path(folder))
        sources = {"today": HOME / "src"} | ({} if why else {commit: Path(folder) / "src"})
        result = rounds(sources, names)
    if why:
        console.print(f"Only today's timings: {why}.")
    console.print(table(result, names, part))


def take_out(commit: str, folder: Path) -> str:
    """Put the source of a commit into a folder; return why that cannot be, or nothing."""
    command = ["git", "-C", str(HOME), "archive", "--format=tar", commit, "src"]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        return "git is not installed"
    if done.returncode:
        return f"there is no commit {commit!r} with a src folder in {HOME}"
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return ""


def rounds(sources: dict[str, Path], names: list[str]) -> dict[str, Found]:
    """Time each call by every source in turn, some rounds of it; the best of them counts."""
    result: dict[str, Found] = {source: {} for source in sources}
    for name in names:
        for _ in range(ROUNDS):
            for source, path in sources.items():
                spent, best = _run(path, name), result[source].get(name)
                result[source][name] = spent if best is None or spent is None else min(best, spent)
    return result


def _run(source: Path, name: str) -> float | None:
    script = Path(__file__).with_name("timings.py")
    there = {**os.environ, "PYTHONPATH": str(source), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(script), name]
    done = subprocess.run(command, env=there, capture_output=True, check=True, text=True)
    home, spent = json.loads(done.stdout)
    if not Path(home).is_relative_to(source):
        raise RuntimeError(f"the source in {source} was to be timed, not the one in {home}")
    return None if spent is None else float(spent)


def table(result: dict[str, Found], names: list[str], part: str = "theory") -> Table:
    """Put the timings side by side."""
    today, *older = result
    made = Table(title=f"{part}: milliseconds of CPU time, one thread, the best of a few")
    made.add_column("call")
    for title in ("ms", *(f"at {item}" for item in older), *("ratio" for _ in older), "aim"):
        made.add_column(title, justify="right")
    for name in names:
        now, then = result[today][name], [result[item][name] for item in older]
        ratios = [f"{old / now:.1f}×" if old and now else "–" for old in then]
        aim = TIMINGS[name].aim
        made.add_row(name, *map(_shown, [now, *then]), *ratios, "" if aim is None else f"{aim:.0f}")
    return made


def _shown(spent: float | None) -> str:
    return "–" if spent is None else f"{spent:.0f}" if spent >= 10.0 else f"{spent:.1f}"
