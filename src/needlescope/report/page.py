"""One page for all figures: each beside its parameters, its scores and a verdict.

The page is a single HTML file with its pictures inside; it needs nothing else and runs nothing.
Links lead to the tables and the PDFs in its own folder. It is red where theory and simulation
disagree, or where units failed, and then at its very top as well.
"""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import version

import numpy as np
import pandas as pd

from ..errors import shortened
from ..paper import NOTE
from .entry import Entry, count
from .page_style import STYLE
from .parameters import Parameter

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
    body = "\n".join(section(entry) for entry in entries)
    return (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{'✗ ' if bad else ''}{TITLE}</title><style>{STYLE}</style></head>\n"
        f"<body class='{'bad' if bad else 'good'}'><header><h1>{TITLE}</h1>\n"
        f"<p class='banner'>{_summary(entries, bad)}</p>\n"
        f"<p>Lines are theory, dots are trained classifiers. A score z is how far the two are "
        f"apart, in standard errors. {escape(NOTE, quote=False)}</p>\n"
        f"<nav>{''.join(_link(entry) for entry in entries)}</nav>\n"
        f"<p class='small'>{_origin(entries, sizes)}</p></header>\n{body}\n</body></html>\n"
    )


def _summary(entries: Sequence[Entry], bad: Sequence[Entry]) -> str:
    if bad:
        named = ", ".join(f"{entry.name.replace('_', ' ')} ({entry.status})" for entry in bad)
        return escape(f"{len(bad)} of {len(entries)} figures to look at: {named}.")
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
    return escape(" · ".join(filter(None, words)))


def _link(entry: Entry) -> str:
    return (
        f"<a href='#{escape(entry.name)}' class='{entry.kind}'>{_text(entry.title)}"
        f"<em>{escape(entry.status)}</em></a>"
    )


def section(entry: Entry) -> str:
    """Return an entry's part of the page, for a page of one's own."""
    data = entry.png
    width = SCALE * int.from_bytes(data[16:20], "big")  # where a PNG has it
    return (
        f"<section id='{escape(entry.name)}' class='{entry.kind}'><h2>{_text(entry.title)} "
        f"<span class='verdict'>{escape(entry.status)}</span></h2>\n{_errors(entry.errors)}"
        f"<img alt='{escape(entry.title)}' width='{width:.0f}' "
        f"src='data:image/png;base64,{base64.b64encode(data).decode()}'>\n"
        f"<div class='words'><p>{_text(entry.caption)}</p>\n{_parameters(entry.parameters)}</div>\n"
        f"{_scores(entry.scores)}\n<p class='small'>{_files(entry)}"
        f"{_work(entry.units, entry.seconds)}</p></section>"
    )


def _errors(errors: Mapping[str, int]) -> str:
    """List why units failed, the most frequent first."""
    if not errors:
        return ""
    ranked = sorted(errors.items(), key=lambda item: -item[1])
    result = [
        f"<li>{escape(shortened(words))} ({count(many, 'unit')})</li>"
        for words, many in ranked[:MOST_ERRORS]
    ]
    if len(ranked) > MOST_ERRORS:
        result.append(f"<li>and {count(len(ranked) - MOST_ERRORS, 'other error')}</li>")
    return f"<ul class='errors'>{''.join(result)}</ul>\n"


def _parameters(parameters: Sequence[Parameter]) -> str:
    """A table of two columns, theory and simulation, joined where they are the same."""
    if not parameters:
        return ""
    simulated = any(parameter.simulation for parameter in parameters)
    rows = []
    for parameter in parameters:
        cells = f"<td>{_text(parameter.theory) or '–'}</td>"
        if simulated and parameter.theory == parameter.simulation:
            cells = f"<td colspan='2'>{_text(parameter.theory)}</td>"
        elif simulated:
            cells += f"<td>{_text(parameter.simulation) or '–'}</td>"
        rows.append(f"<tr><th>{_text(parameter.symbol)}</th>{cells}</tr>")
    head = "<th>theory</th>" + "<th>simulation</th>" * simulated
    return f"<table class='parameters'><tr><td></td>{head}</tr>{''.join(rows)}</table>"


def _scores(scores: pd.DataFrame) -> str:
    if not len(scores):
        return ""
    z = scores["z"].dropna().to_numpy(float)
    left_out = len(scores) - len(z)
    words = [f"{left_out} not compared"] if left_out else []
    if len(z):
        words.insert(
            0,
            f"{count(len(z), 'comparison')}: z has mean {z.mean():+.2f}, root mean square "
            f"{np.sqrt(np.mean(z**2)):.2f}, largest {z[np.abs(z).argmax()]:+.2f}",
        )
    rows = "".join(
        f"<tr><td>{_text(str(row.what))}</td><td>{_number(row.theory)}</td>"
        f"<td>{_number(row.simulation)}{_error(row.simulation_se)}</td><td>{row.trials:g}</td>"
        f"<td{_far(row.z)}>{_number(row.z, '+.2f')}</td></tr>"
        for row in scores.itertuples()
    )
    return (
        f"<details><summary>{_strip(z)}<span>{'; '.join(words)} <u>list</u></span></summary>\n"
        f"<div class='wide'><table class='scores'>"
        f"<tr><th>what</th><th>theory</th><th>simulation</th><th>trials</th><th>z</th></tr>"
        f"{rows}</table></div></details>"
    )


def _number(value: float, form: str = ".5g") -> str:
    return "–" if np.isnan(value) else format(value, form)


def _error(value: float) -> str:
    return "" if np.isnan(value) else f" ± {value:.1g}"


def _strip(z: np.ndarray) -> str:
    """Draw the scores as ticks on an axis, the range of two standard errors shaded."""
    ticks = "".join(
        f"<path d='M{10.0 * np.clip(item, -AXIS_END, AXIS_END):.2f} -8v16'{_far(item)}></path>"
        for item in z
    )
    marks = "".join(f"<text x='{10 * k}' y='16'>{k:+d}</text>" for k in (-4, -2, 2, 4))
    return (
        f"<svg class='strip' viewBox='-64 -9 128 27' role='img' aria-label='scores'>"
        f"<rect x='-20' y='-8' width='40' height='16'/><path d='M-62 8h124'></path>{ticks}"
        f"<text x='0' y='16'>z = 0</text>{marks}</svg>"
    )


def _far(z: float) -> str:
    return " class='far'" if abs(z) > FAR_Z else ""


def _files(entry: Entry) -> str:
    """Links to what lies beside the page, if anything does."""
    if isinstance(entry.picture, bytes):
        return ""
    picture = entry.picture
    stem = picture.with_suffix("")
    named = {
        "PNG": picture,
        "PDF": picture.with_suffix(".pdf"),
        "table (CSV)": picture.with_suffix(".csv"),
        "scores (CSV)": stem.with_name(f"{stem.name}_scores.csv"),
    }
    return "".join(
        f"<a href='{escape(path.name)}'>{word}</a> · "
        for word, path in named.items()
        if path.exists()
    )


def _work(units: int, seconds: float) -> str:
    spent = f"{seconds:.0f} s" if seconds < 120.0 else f"{seconds / 60.0:.0f} min"
    return f"{count(units, 'unit')}, {spent} of computing"


def _text(words: str) -> str:
    """Escape a text, with the symbols' indices set as such, and equations kept in one line."""
    indexed = re.sub(r"([αη])_?([01wbq])\b", r"\1<sub>\2</sub>", escape(words))
    return indexed.replace(" = ", "&nbsp;=&nbsp;").replace("^∞", "<sup>∞</sup>")
