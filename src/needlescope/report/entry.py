"""What the page shows of one figure, from the table of its units; nothing is run here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ..experiments.comparison import verdict
from ..figures.reading.validation import NothingToDraw
from ..figures.render import blank, picture
from ..gallery.registry import PublishedFigure, drawing, published
from .parameters import Parameter, parameters

DOTS = 200  # per inch of a picture


class Entry(NamedTuple):
    """What the page shows of one figure.

    Its picture is a PNG: in memory, or a file, whose fellows in its folder the page links to.
    """

    name: str
    title: str
    caption: str
    picture: Path | bytes
    scores: pd.DataFrame
    verdict: str
    failed: int = 0
    parameters: Sequence[Parameter] = ()
    units: int = 0
    seconds: float = 0.0
    errors: Mapping[str, int] = {}  # how often each happened

    @property
    def status(self) -> str:
        """The verdict, or that units failed."""
        return f"{count(self.failed, 'unit')} failed" if self.failed else self.verdict

    @property
    def kind(self) -> str:
        """The class of its colour: good, bad or none."""
        known = {"agree": "good", "disagree": "bad"}
        return "bad" if self.failed else known.get(self.verdict, "none")

    @property
    def png(self) -> bytes:
        """The picture itself."""
        return self.picture if isinstance(self.picture, bytes) else self.picture.read_bytes()

    @property
    def line(self) -> dict[str, Any]:
        """A row for a table of verdicts; no scores are NaN."""
        z = self.scores["z"].astype(float)
        return {
            "figure": self.name,
            "verdict": self.verdict,
            "comparisons": int(z.notna().sum()),
            "largest_z": float(z.abs().max()),
            "units": self.units,
            "failed": self.failed,
        }


def entry(name: str, table: pd.DataFrame, *, full: bool = False) -> Entry:
    """Return a figure's entry from a table of its units, its picture in memory.

    ``page([entry(name, table)])`` is HTML, without a folder and without running anything.

    Examples
    --------
    >>> import tempfile
    >>> import needlescope as ns
    >>> from needlescope.experiments.engine import local
    >>> units = [unit for unit in published("alignment").units(False) if unit.call == "align"]
    >>> folder = tempfile.TemporaryDirectory()
    >>> with ns.Store(folder.name + "/results.sqlite") as store:
    ...     summary = ns.run_units(units[:3], store, engine=local(1))
    ...     result = entry("alignment", store.to_pandas(units[:3]))
    >>> result.status, result.units, result.png[1:4]
    ('nothing to compare', 3, b'PNG')
    >>> folder.cleanup()
    """
    shown = BytesIO()
    figure(name, table).savefig(shown, dpi=DOTS)
    return make_entry(published(name), table, shown.getvalue(), full=full)


def make_entry(
    record: PublishedFigure, table: pd.DataFrame, shown: Path | bytes, *, full: bool
) -> Entry:
    """Return a figure's entry from a table of its units and a picture of them."""
    scores = record.scores(table)
    return Entry(
        record.name,
        record.title,
        record.caption,
        shown,
        scores,
        "not compared" if len(scores) and scores["z"].isna().all() else verdict(scores),
        int(table["error_message"].notna().sum()),
        parameters(record.units(full)),
        len(table),
        float(table["seconds"].sum()),
        table["error_message"].value_counts().to_dict(),
    )


def figure(name: str, table: pd.DataFrame) -> Any:
    """Return a figure that pyplot does not know; of units that failed, one that says so."""
    try:
        return picture(drawing(name, table))
    except NothingToDraw as problem:
        return blank(str(problem))


def count(number: int, word: str) -> str:
    """Count things in words.

    Examples
    --------
    >>> count(1, "unit"), count(2, "unit")
    ('1 unit', '2 units')
    """
    return f"{number} {word}{'' if number == 1 else 's'}"
