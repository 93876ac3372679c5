"""What templates call, to say numbers and texts: filters of the page's templates."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup, escape

from ..errors import shortened
from .entry import Entry, count

FAR_Z = 3.0  # scores beyond it are red
MOST_ERRORS = 5  # kinds of errors that are shown
SCALE = 0.76  # of a picture's dots: those of a paper's two columns fill the page
AXIS_END = 6.0  # of the drawn axis of scores


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


def work(units: int, seconds: float) -> str:
    """Say how much was computed.

    >>> work(3, 90.0)
    '3 units, 90 s of computing'
    """
    spent = f"{seconds:.0f} s" if seconds < 120.0 else f"{seconds / 60.0:.0f} min"
    return f"{count(units, 'unit')}, {spent} of computing"


def _indexed(words: str) -> Markup:
    """Escape a text, with the symbols' indices set as such, and equations kept in one line."""
    text = re.sub(r"([αη])_?([01wbq])\b", r"\1<sub>\2</sub>", str(escape(words)))
    return Markup(text.replace(" = ", "&nbsp;=&nbsp;").replace("^∞", "<sup>∞</sup>"))


FILTERS: Mapping[str, Callable[..., Any]] = {
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
    "work": lambda entry: work(entry.units, entry.seconds),
}
"""By the names that templates use."""
