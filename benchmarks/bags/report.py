"""The tables as text: on the screen, as markdown and as CSV."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from .contest import Rows
from .entrants import ENTRANTS, POOLED
from .summary import Mean, Pair, Rival, means, pairs, rivals, verdict

TITLES = {
    "accuracy": "balanced accuracy",
    "error": "error, the share of bags",
    "auc": "area under the ROC curve",
    "loss": "logarithmic loss, scores taken for log odds",
    "seconds": "fit time, seconds of one processor",
}


class Sheet(NamedTuple):
    """A table of text."""

    title: str
    header: list[str]
    rows: list[list[str]]


def sheets(rows: Rows, splits: int) -> list[Sheet]:
    """Return the tables of a run: one for each measure, then the comparisons."""
    result = means(rows, splits)
    cells = {(item["data"], item["entrant"]): item for item in result}
    sets = list(dict.fromkeys(item["data"] for item in result))
    names = [name for name in ENTRANTS if any((data, name) in cells for data in sets)]
    tables = []
    for measure, title in TITLES.items():
        lines = [
            [data, *(_cell(cells.get((data, name)), measure) for name in names)] for data in sets
        ]
        average = [_average([cells.get((data, name)) for data in sets], measure) for name in names]
        tables.append(Sheet(title, ["data", *names], [*lines, ["mean of sets", *average]]))
    every = pairs(rows, splits)
    if not every:  # nobody else took part, or not attention
        return tables
    tables.append(
        Sheet(
            "MIL less pooling",
            ["data", *["balanced accuracy", "corrected se", "MIL is"], "error", "AUC"],
            [_against_pooling(item) for item in every if item.other == POOLED],
        )
    )
    cheap = rivals(rows, splits)
    if cheap:
        header = ["data", "best cheap one", "its AUC", "MIL's less it"]
        header += ["corrected se", "in these"]
        title = "MIL beside the best of what takes a dozen lines"
        tables.append(Sheet(title, header, [_against_cheap(item) for item in cheap]))
    others = [name for name in names if any(item.other == name for item in every)]
    for title, show in (
        ("MIL's balanced accuracy less that of", lambda item: _signed(item.accuracy)),
        ("fit time as a multiple of attention's", lambda item: f"{item.slower:.1f}×"),
    ):
        known = {(item.data, item.other): show(item) for item in every}
        lines = [[data, *(known.get((data, name), "") for name in others)] for data in sets]
        tables.append(Sheet(title, ["data", *others], lines))
    return tables


def note(splits: int, repeats: int) -> str:
    """Say what the numbers are."""
    return (
        f"Stratified cross-validation, {splits} folds × {repeats} repeats, the same folds for all; "
        "± is the standard error over all these folds; the corrected one allows for repeats that "
        "share bags. Better or worse: by more than two standard errors; slightly: by more than one."
    )


def show(console: Console, tables: list[Sheet]) -> None:
    """Print the tables."""
    for sheet in tables:
        table = Table(title=sheet.title, title_justify="left")
        for name in sheet.header:
            table.add_column(name, justify="left" if name == "data" else "right")
        for line in sheet.rows:
            table.add_row(*line)
        console.print(table)


def markdown(tables: list[Sheet], remark: str) -> str:
    """Return the tables as markdown.

    >>> print(markdown([Sheet("scores", ["data", "us"], [["foxes", "1"]])], "One fold."))
    One fold.
    <BLANKLINE>
    ### scores
    <BLANKLINE>
    | data | us |
    | --- | ---: |
    | foxes | 1 |
    <BLANKLINE>
    """
    lines = [remark, ""]
    for sheet in tables:
        marks = ["---", *["---:"] * (len(sheet.header) - 1)]
        lines += [f"### {sheet.title}", ""]
        lines += [f"| {' | '.join(line)} |" for line in (sheet.header, marks, *sheet.rows)]
        lines += [""]
    return "\n".join(lines)


def save(folder: Path, rows: Rows, splits: int, repeats: int) -> list[Sheet]:
    """Write ``table.csv`` (a row for each data set and entrant) and ``table.md``."""
    tables = sheets(rows, splits)
    (folder / "table.md").write_text(markdown(tables, note(splits, repeats)), encoding="utf-8")
    with (folder / "table.csv").open("w", newline="") as lines:
        out = csv.writer(lines)
        out.writerow(
            ["data", "entrant", "folds", *(f"{m}{x}" for m in TITLES for x in ("", "_se"))]
        )
        for mean in means(rows, splits):
            values = [number for measure in TITLES for number in mean[measure][:2]]
            out.writerow([mean["data"], mean["entrant"], mean["folds"], *values])
    return tables


def _cell(record: dict[str, Any] | None, measure: str) -> str:
    return "" if record is None else _number(record[measure], measure)


def _average(records: list[dict[str, Any] | None], measure: str) -> str:
    if any(record is None for record in records):
        return ""
    value = sum(record[measure].value for record in records if record) / len(records)
    return f"{value:.2f}" if measure == "seconds" else f"{value:.3f}"


def _number(result: Mean, measure: str) -> str:
    return f"{result.value:.2f} ± {result.se:.2f}" if measure == "seconds" else str(result)


def _signed(result: Mean) -> str:
    return f"{result.value:+.3f} ± {result.se:.3f} {verdict(result)}"


def _against_cheap(item: Rival) -> list[str]:
    ahead = item.ahead
    return [
        *(item.data, item.other, f"{item.auc:.3f}"),
        *(f"{ahead.value:+.3f} ± {ahead.se:.3f}", f"{ahead.corrected:.3f}", f"{item.errors:+.1f}"),
    ]


def _against_pooling(item: Pair) -> list[str]:
    return [
        item.data,
        f"{item.accuracy.value:+.3f} ± {item.accuracy.se:.3f}",
        f"{item.accuracy.corrected:.3f}",
        verdict(item.accuracy),
        f"{item.error.value:+.3f} ± {item.error.se:.3f}",
        f"{item.auc.value:+.3f} ± {item.auc.se:.3f}",
    ]
