"""The output of commands: tables for people, JSON or CSV, and notes."""

from __future__ import annotations

import csv
import io
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import click

TABLE_WIDTH = 10_000  # characters in a line: a terminal may wrap a row, but must not cut a number


def output(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --json and --csv."""
    command = click.option("--csv", "form", flag_value="csv", help="Write CSV.")(command)
    return click.option("--json", "form", flag_value="json", help="Write JSON.")(command)


def varied(rows: list[dict[str, Any]], answers: Sequence[str]) -> list[dict[str, Any]]:
    """Keep the model, the answers, and of the problem what is not the same everywhere."""
    asked = [name for name in rows[0] if name not in answers and name != "model"]
    keep = ["model", *(name for name in asked if len({row[name] for row in rows}) > 1), *answers]
    return [{name: row[name] for name in keep} for row in rows]


def show(rows: Sequence[dict[str, Any]], form: str | None, title: str) -> None:
    """Write a table to the standard output: for people, or as JSON or CSV."""
    if form == "json":
        from ...experiments.units.plain_data import to_json

        click.echo(to_json([dict(row) for row in rows], indent=1))
    elif form == "csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        click.echo(text.getvalue(), nl=False)
    else:
        _print_table([_merged(row) for row in rows], title)


def without_warnings(call: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Call without its warnings: the result's notes say the same, and `print_notes` writes them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return call(*given, **named)


def print_notes(notes: Sequence[str]) -> None:
    """Write each note once, to the standard error: a table may go into a file."""
    for note in dict.fromkeys(notes):
        click.echo(f"note: {note}", err=True)


def _merged(row: dict[str, Any]) -> dict[str, str]:
    """Put each number and its error into one cell."""
    result = {}
    for name, value in row.items():
        if name.endswith("_se") and name[:-3] in row:
            continue
        error = row.get(f"{name}_se")
        shown = str(value)
        if isinstance(value, float):
            shown = "" if math.isnan(value) else f"{value:.4g}"
        if error is not None and not math.isnan(error) and error > 0.0:
            small = abs(value) < 1e-3 and error < 5e-5
            shown = f"{value:{'.2g' if small else '.4f'}} ± {error:.1g}"
        result[name.replace("_", " ")] = shown
    return result


def _print_table(rows: Sequence[dict[str, str]], title: str) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(width=TABLE_WIDTH)
    sign = "+-" if console.options.ascii_only else "±"
    table = Table()
    for name in rows[0] if rows else []:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(cell.replace("±", sign) for cell in row.values()))
    console.print(title, style="bold", highlight=False, markup=False, soft_wrap=True)
    console.print(table)
