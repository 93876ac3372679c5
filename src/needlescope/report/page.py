"""One page for all figures: each beside its parameters, its scores and a verdict.

The page is a single HTML file with its pictures inside; it needs nothing else and runs nothing.
Links lead to the tables and the PDFs in its own folder. It is red where theory and simulation
disagree, or where units failed, and then at its very top as well. What it looks like is in
``templates``; here is what is filled in.
"""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from ..errors import shortened
from ..paper import NOTE
from .entry import Entry, count

TITLE = "needlescope: theory and simulation"
FAR_Z = 3.0  # scores beyond it are red
MOST_ERRORS = 5  # kinds of errors that are shown
SCALE = 0.76  # of a picture's dots: those of a paper's two columns fill the page
AXIS_END = 6.0  # of the drawn axis of scores


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
    """Return the templates: all that they fill in is escaped, and a name that is missing raises."""
    made = Environment(
        loader=PackageLoader("needlescope.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "base64": lambda data: base64.b64encode(data).decode(),
        "comparisons": _comparisons,
        "failures": _failures,
        "files": _files,
        "indexed": _indexed,
        "is_far": lambda z: abs(z) > FAR_Z,
        "number": _number,
        "place": lambda z: f"{10.0 * np.clip(z, -AXIS_END, AXIS_END):.2f}",
        "plus_minus": lambda se: "" if np.isnan(se) else f" ± {se:.1g}",
        "width": lambda png: f"{SCALE * int.from_bytes(png[16:20], 'big'):.0f}",  # in its header
        "work": lambda entry: _work(entry.units, entry.seconds),
    }
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
    words = (f"needlescope {version('needlescope')}", made, sizes, _work(units, seconds))
    return " · ".join(filter(None, words))


def _failures(errors: Mapping[str, int]) -> list[str]:
    """Say why units failed, the most frequent first."""
    ranked = sorted(errors.items(), key=lambda item: -item[1])
    result = [f"{shortened(words)} ({count(many, 'unit')})" for words, many in ranked[:MOST_ERRORS]]
    if len(ranked) > MOST_ERRORS:
        result.append(f"and {count(len(ranked) - MOST_ERRORS, 'other error')}")
    return result


def _comparisons(scores: pd.DataFrame) -> str:
    """Sum the scores up in a line."""
    z = scores["z"].dropna().to_numpy(float)
    left_out = len(scores) - len(z)
    words = [f"{left_out} not compared"] if left_out else []
    if len(z):
        words.insert(
            0,
            f"{count(len(z), 'comparison')}: z has mean {z.mean():+.2f}, root mean square "
            f"{np.sqrt(np.mean(z**2)):.2f}, largest {z[np.abs(z).argmax()]:+.2f}",
        )
    return "; ".join(words)


def _number(value: float, form: str = ".5g") -> str:
    return "–" if np.isnan(value) else format(value, form)


def _files(entry: Entry) -> list[tuple[str, str]]:
    """Name what lies beside the page, if anything does."""
    if isinstance(entry.picture, bytes):
        return []
    picture = entry.picture
    stem = picture.with_suffix("")
    named = {
        "PNG": picture,
        "PDF": picture.with_suffix(".pdf"),
        "table (CSV)": picture.with_suffix(".csv"),
        "scores (CSV)": stem.with_name(f"{stem.name}_scores.csv"),
    }
    return [(word, path.name) for word, path in named.items() if path.exists()]


def _work(units: int, seconds: float) -> str:
    spent = f"{seconds:.0f} s" if seconds < 120.0 else f"{seconds / 60.0:.0f} min"
    return f"{count(units, 'unit')}, {spent} of computing"


def _indexed(words: str) -> Markup:
    """Escape a text, with the symbols' indices set as such, and equations kept in one line."""
    text = re.sub(r"([αη])_?([01wbq])\b", r"\1<sub>\2</sub>", str(escape(words)))
    return Markup(text.replace(" = ", "&nbsp;=&nbsp;").replace("^∞", "<sup>∞</sup>"))
