"""From an experiment's name to its files: run what is missing, draw, compare."""

from __future__ import annotations

import time
from pathlib import Path

import matplotlib

from .. import figures
from ..experiments.catalogue import experiment
from ..experiments.engine import Engine, Summary, run_units
from ..experiments.experiment import verdict
from ..experiments.store import Store
from ..figures.page import Entry


def draw(
    name: str, full: bool, folder: Path, store: Store, engine: Engine, *, retry: bool = False
) -> tuple[Entry, Summary]:
    """Run the units of an experiment, write its figure and tables, and return its entry."""
    matplotlib.use("Agg")
    one, start = experiment(name), time.perf_counter()
    units = one.units(full)
    summary = run_units(units, store, engine=engine, retry=retry, progress=True)
    table = store.to_pandas(units)
    scores = one.compare(table)
    figure = getattr(figures, name)(table)
    picture = folder / f"{name}.png"
    for path in (picture, picture.with_suffix(".pdf")):
        figure.savefig(path, dpi=200, bbox_inches="tight")
    matplotlib.pyplot.close(figure)
    table.to_csv(folder / f"{name}.csv", index=False)
    if len(scores):
        scores.to_csv(folder / f"{name}_scores.csv", index=False)
    sizes = "the paper's sizes" if full else "quick sizes"
    spent = f" ({sizes}; {len(units)} units, {time.perf_counter() - start:.0f} s this time)"
    caption = one.caption + spent
    return Entry(
        name, one.title, caption, picture, scores, verdict(scores), summary.failed
    ), summary
