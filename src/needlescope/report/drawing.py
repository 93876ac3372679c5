"""From an experiment's name to its files: run what is missing, draw, compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

from .. import figures
from ..experiments.catalogue import experiment
from ..experiments.engine import Engine, Summary, run_units
from ..experiments.experiment import verdict
from ..experiments.stores.store import Store
from ..figures.reading.door import NothingToDraw
from ..figures.render.figure import blank
from .page import Entry
from .parameters import parameters


def draw(
    name: str, full: bool, folder: Path, store: Store, engine: Engine, *, retry: bool = False
) -> tuple[Entry, Summary]:
    """Run the units of an experiment, write its figure and tables, and return its entry."""
    matplotlib.use("Agg")
    one = experiment(name)
    units = one.units(full)
    summary = run_units(units, store, engine=engine, retry=retry, progress=True)
    table = store.to_pandas(units)
    scores = one.compare(table)
    try:
        figure = getattr(figures, name)(table)
    except NothingToDraw as problem:  # its units failed; the page says so, and goes on
        figure = blank(str(problem))
    picture = folder / f"{name}.png"
    for path in (picture, picture.with_suffix(".pdf")):
        figure.savefig(path, dpi=200)
    matplotlib.pyplot.close(figure)
    table.to_csv(folder / f"{name}.csv", index=False)
    listed = folder / f"{name}_scores.csv"
    if len(scores):
        scores.to_csv(listed, index=False)
    else:
        listed.unlink(missing_ok=True)  # of an earlier run
    return Entry(
        name,
        one.title,
        one.caption,
        picture,
        scores,
        "not compared" if len(scores) and scores["z"].isna().all() else verdict(scores),
        summary.failed,
        parameters(units),
        len(table),
        float(table["seconds"].sum()),
        table["error_message"].value_counts().to_dict(),
    ), summary


def line(entry: Entry) -> dict[str, Any]:
    """Return a row on an entry for a table of verdicts; no scores are NaN."""
    z = entry.scores["z"].astype(float)
    return {
        "figure": entry.name,
        "verdict": entry.verdict,
        "comparisons": int(z.notna().sum()),
        "largest_z": float(z.abs().max()),
        "units": entry.units,
        "failed": entry.failed,
    }
