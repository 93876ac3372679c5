"""From a figure's name to its files: run what is missing, draw, compare."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ..experiments.engine import Engine, Summary, run_units
from ..experiments.stores.store import Store
from ..gallery.registry import names, published
from .entry import DOTS, Entry, figure, make_entry


def draw(
    name: str, full: bool, folder: Path, store: Store, engine: Engine, *, retry: bool = False
) -> tuple[Entry, Summary]:
    """Run the units of a figure, write its pictures and tables, and return its entry."""
    record = published(name)
    units = record.units(full)
    summary = run_units(units, store, engine=engine, retry=retry, progress=True)
    table = store.to_pandas(units)
    result = make_entry(record, table, folder / f"{name}.png", full=full)
    write(result, table, folder)
    return result, summary


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


def on_page(wanted: Iterable[str], full: bool, folder: Path, store: Store) -> list[str]:
    """List what a page shows, in its order: the figures named, and those kept.

    Kept are those that were drawn before in the same folder and sizes.
    """
    requested = set(wanted)
    there = {name for name in names() if (folder / f"{name}.png").exists()}
    kept = {item for item in there - requested if not store.missing(published(item).units(full))}
    return [name for name in names() if name in requested | kept]
