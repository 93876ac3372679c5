"""Compare the classifiers of bags: ``python -m benchmarks.bags DIR --splits 5 --repeats 4``.

Each finished fold is kept; stop with Ctrl-C, and the same command goes on.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from . import report
from .contest import Key, run
from .data import load_all
from .entrants import ASKED, ENTRANTS, available


def arguments(words: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.bags", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="a folder of .npz files: X, bag, y")
    parser.add_argument("--splits", type=int, default=5, help="folds (5)")
    parser.add_argument("--repeats", type=int, default=4, help="how often all is split anew (4)")
    parser.add_argument("--data", nargs="+", help="only these data sets")
    parser.add_argument("--only", nargs="+", choices=ENTRANTS, help="only these classifiers")
    parser.add_argument(
        "--class-weight",
        choices=("balanced", "none"),
        default="balanced",
        help="whether rare positives weigh as much as negatives (balanced)",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("build/bench-bags"), help="where results are kept"
    )
    parser.add_argument(
        "--published",
        action="store_true",
        help="as papers on these sets do it: 10 folds × 5, plain accuracy, no class weights",
    )
    result = parser.parse_args(words)
    if result.published:
        result.splits, result.repeats, result.class_weight = 10, 5, "none"
    if result.splits < 2 or result.repeats < 1:
        parser.error("there must be at least 2 splits and 1 repeat")
    return result


def main(words: list[str]) -> int:
    """Run what is missing, print the tables, and write them."""
    wanted, console = arguments(words), _console()
    try:
        sets = load_all(wanted.folder)
    except ValueError as error:
        console.print(f"error: {error}", style="red")
        return 2
    if wanted.data:
        unknown = set(wanted.data) - {item.name for item in sets}
        if unknown:
            console.print(f"error: no data set named {', '.join(sorted(unknown))}", style="red")
            return 2
        sets = [item for item in sets if item.name in wanted.data]
    entrants, lacking = available(None if wanted.class_weight == "none" else "balanced")
    for name, module in lacking.items():
        console.print(f"{name} is left out: {module} is not installed here")
    chosen = wanted.only or [name for name in entrants if name not in ASKED]
    entrants = {name: make for name, make in entrants.items() if name in chosen}
    if not entrants:
        console.print("error: none of the classifiers asked for is installed here", style="red")
        return 2
    for item in sets:
        console.print(f"{item.name}: {item.X!r}, {int(item.y.sum())} positive", highlight=False)
    total = len(sets) * len(entrants) * wanted.splits * wanted.repeats
    with _progress(console) as progress:
        task = progress.add_task("", total=total)
        done = iter(range(total))

        def tell(key: Key, kept: bool) -> None:
            what = f"{key.data}, {key.entrant}, repeat {key.repeat + 1}, fold {key.fold + 1}"
            place = next(done)
            progress.update(task, completed=place, description=what)
            if not console.is_terminal and not kept:  # a log: a line for each fold
                print(f"{place + 1}/{total} {what}", file=sys.stderr, flush=True)

        try:
            rows = run(
                *(sets, entrants, wanted.splits, wanted.repeats), wanted.out / "folds.csv", tell
            )
        except KeyboardInterrupt:
            console.print("stopped; the same command goes on")
            return 130
        progress.update(task, completed=total, description="done")
    tables = report.save(wanted.out, rows, wanted.splits, wanted.repeats)
    console.print(f"class weights: {wanted.class_weight}")
    report.show(console, tables)
    console.print(report.note(wanted.splits, wanted.repeats), highlight=False)
    console.print(f"written to {wanted.out}: folds.csv, table.csv, table.md", highlight=False)
    return 0


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=140)  # a log is not wrapped


def _progress(console: Console) -> Progress:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    return Progress(*columns, TimeRemainingColumn(), console=console)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
