"""One page for all figures: each beside its parameters, its scores and a verdict.

The page is a single HTML file with its pictures inside; it needs nothing else and runs nothing.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; margin: 0 auto; max-width: 1100px;
       padding: 1.5rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 0; }
section { border-top: 1px solid #ccc; padding: 1.2rem 0; }
img { width: 100%; height: auto; }
.verdict { float: right; padding: .1rem .6rem; border-radius: .3rem; color: #fff; }
.agree { background: #2e7d32; } .disagree { background: #c62828; } .none { background: #777; }
table { border-collapse: collapse; font-size: 13px; }
td, th { padding: .1rem .6rem; text-align: right; border-bottom: 1px solid #eee; }
td:first-child, th:first-child { text-align: left; }
.far { color: #c62828; font-weight: 600; }
details { margin-top: .5rem; }
"""


class Entry(NamedTuple):
    """What the page shows of one experiment."""

    name: str
    title: str
    caption: str
    picture: Path
    scores: pd.DataFrame
    verdict: str
    failed: int = 0


def page(entries: Sequence[Entry], title: str = "needlescope: theory and simulation") -> str:
    """Return the page as HTML.

    Examples
    --------
    >>> page([]).startswith("<!doctype html>")
    True
    """
    verdicts = [entry.verdict for entry in entries]
    bad = verdicts.count("disagree") + sum(entry.failed > 0 for entry in entries)
    summary = (
        f"{bad} of {len(entries)} figures need a look." if bad else "Theory and simulation agree."
    )
    body = "\n".join(_section(entry) for entry in entries)
    return (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<meta name='viewport' content='width=device-width'><title>{escape(title)}</title>"
        f"<style>{STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n"
        f"<p>Lines are theory, dots are trained classifiers. {summary}</p>\n{body}\n"
        "</body></html>\n"
    )


def _section(entry: Entry) -> str:
    data = base64.b64encode(entry.picture.read_bytes()).decode()
    kind = entry.verdict if entry.verdict in ("agree", "disagree") else "none"
    failed = f"<p class='far'>{entry.failed} units failed.</p>" if entry.failed else ""
    return (
        f"<section id='{escape(entry.name)}'><span class='verdict {kind}'>"
        f"{escape(entry.verdict)}</span><h2>{escape(entry.title)}</h2>\n"
        f"<p>{escape(entry.caption)}</p>{failed}\n"
        f"<img alt='{escape(entry.title)}' src='data:image/png;base64,{data}'>\n"
        f"{_scores(entry.scores)}</section>"
    )


def _scores(scores: pd.DataFrame) -> str:
    z = scores["z"].dropna().to_numpy(float) if len(scores) else np.zeros(0)
    if not len(z):
        return ""
    rows = "".join(
        f"<tr><td>{escape(str(row.what))}</td><td>{row.theory:.5g}</td>"
        f"<td>{row.simulation:.5g} ± {row.simulation_se:.1g}</td><td>{row.trials:g}</td>"
        f"<td{' class=far' if abs(row.z) > 3 else ''}>{row.z:+.2f}</td></tr>"
        for row in scores.itertuples()
    )
    return (
        f"<details><summary>{len(z)} comparisons: z has mean {z.mean():+.2f}, root mean square "
        f"{np.sqrt(np.mean(z**2)):.2f}, largest {z[np.abs(z).argmax()]:+.2f}</summary>\n"
        f"<table><tr><th>what</th><th>theory</th><th>simulation</th><th>trials</th><th>z</th></tr>"
        f"{rows}</table></details>"
    )
