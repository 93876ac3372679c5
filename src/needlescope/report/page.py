"""One page for all figures: each beside its parameters, its scores and a verdict.

The page is a single HTML file with its pictures inside; it needs nothing else and runs nothing.
Links lead to the tables and the PDFs in its own folder. It is red where theory and simulation
disagree, or where units failed, and then at its very top as well. What it looks like is in
``templates``; here is what is filled in.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

from jinja2 import Environment

from ..paper import NOTE
from .entry import Entry, count
from .filters import FILTERS, work
from .templating import templates

TITLE = "needlescope: theory and simulation"


def page(entries: Sequence[Entry], sizes: str = "") -> str:
    """Return the page as HTML.

    Parameters
    ----------
    entries
        One for each figure, in the order of the page.
    sizes
        What sizes they are of, for the line on where the page is from.

    Examples
    --------
    >>> page([]).startswith("<!doctype html>")
    True
    """
    bad = [entry for entry in entries if entry.kind == "bad"]
    return (
        _templates()
        .get_template("page.html.j2")
        .render(
            title=TITLE,
            note=NOTE,
            bad=bad,
            summary=_summary(entries, bad),
            entries=entries,
            origin=_origin(entries, sizes),
        )
    )


def section(entry: Entry) -> str:
    """Return an entry's part of the page, for a page of one's own."""
    return _templates().get_template("section.html.j2").render(entry=entry)


@cache
def _templates() -> Environment:
    """Return the templates of the page, with their filters."""
    made = templates("needlescope.report")
    made.filters |= FILTERS
    return made


def _summary(entries: Sequence[Entry], bad: Sequence[Entry]) -> str:
    if bad:
        named = ", ".join(f"{entry.name.replace('_', ' ')} ({entry.status})" for entry in bad)
        return f"{len(bad)} of {len(entries)} figures to look at: {named}."
    compared = sum(entry.kind == "good" for entry in entries)
    if not compared:
        return "Nothing here compares theory with simulation."
    alone = len(entries) - compared
    rest = f" {alone} other{' is' if alone == 1 else 's are'} not compared." if alone else ""
    return f"Theory and simulation agree in {count(compared, 'figure')}.{rest}"


def _origin(entries: Sequence[Entry], sizes: str) -> str:
    units = sum(entry.units for entry in entries)
    seconds = sum(entry.seconds for entry in entries)
    made = time.strftime("%Y-%m-%d %H:%M %Z")
    words = (f"needlescope {version('needlescope')}", made, sizes, work(units, seconds))
    return " · ".join(filter(None, words))
