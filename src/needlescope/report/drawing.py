"""From an experiment's name to its files: run what is missing, draw, compare."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ..experiments.catalogue import NAMES, experiment
from ..experiments.engine import Engine, Summary, run_units
from ..experiments.stores.store import Store
from .entry import DOTS, Entry, described, figure


def draw(
    name: str, full: bool, folder: Path, store: Store, engine: Engine, *, retry: bool = False
) -> tuple[Entry, Summary]:
    """Run the units of an experiment, write its figure and tables, and return its entry."""
    one = experiment(name)
    units = one.units(full)
    summary = run_units(units, store, engine=engine, retry=retry, progress=True)
    table = store.to_pandas(units)
    found = described(one, table, folder / f"{name}.png", full=full)
    write(found, table, folder)
    return found, summary


def write(entry: Entry, table: pd.DataFrame, folder: Path) -> None:
    """Write an entry's picture and the tables behind it, and remove those of an earlier run."""
    drawn = figure(entry.name, table)
    for ending in ("png", "pdf"):
        drawn.savefig(folder / f"{entry.name}.{ending}", dpi=DOTS)
    table.to_csv(folder / f"{entry.name}.csv", index=False)
    listed = folder / f"{entry.name}_scores.csv"
    if len(entry.scores):
        entry.scores.to_csv(listed, index=False)
    else:
        listed.unlink(missing_ok=True)


def on_page(names: Iterable[str], full: bool, folder: Path, store: Store) -> list[str]:
    """List what a page shows, in its order: the figures named, and those kept.

    Kept are those that were drawn before in the same folder and sizes.
    """
    asked = set(names)
    there = {name for name in NAMES if (folder / f"{name}.png").exists()}
    kept = {one for one in there - asked if not store.missing(experiment(one).units(full))}
    return [name for name in NAMES if name in asked | kept]
