"""What several commands share: options for a problem, and the output of a table."""

from __future__ import annotations

import csv
import io
import math
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from .noise import in_noise, noise, places

TASK = {"L": "10", "R": "1", "theta": "5.0", "pi": "0.5", "label-noise": "0"}
TRAINING = {"alpha0": "4.0", "alpha1": "1.0", "ridge": "0.01", "beta": "1", "eta-w": "1",
            "eta-b": "1", "eta-q": "10"}  # fmt: skip
WHOLE = ("L", "R")
DEFAULT_MODELS = ("attention", "pooled", "vectorized")
MOST_PROBLEMS = 10_000
"""Problems of one command, which shows and keeps nothing before the last."""

TABLE_WIDTH = 10_000  # characters in a line: a terminal may wrap a row, but must not cut a number


class Numbers(click.ParamType):  # type: ignore[type-arg]  # older releases take no argument
    """One number or several, separated by commas."""

    name = "numbers"

    def __init__(self, whole: bool = False) -> None:
        self.kind = int if whole else float

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a number, or a list of them."""
        if not isinstance(value, str):
            return value
        try:
            result = [self.kind(part) for part in value.split(",")]
        except ValueError:
            word = "whole numbers" if self.kind is int else "numbers"
            self.fail(f"{value!r} must be {word} separated by commas", param, ctx)
        return result[0] if len(result) == 1 else result


class Names(click.ParamType):  # type: ignore[type-arg]
    """A key of a table of the package, loaded only to check a value or to show the keys."""

    name = "choice"

    def __init__(self, package: str, table: str) -> None:
        self.package, self.table = package, table

    @property
    def names(self) -> tuple[str, ...]:
        """The keys of the table."""
        return tuple(getattr(import_module(f"needlescope.{self.package}"), self.table))

    def get_metavar(self, param: Any, ctx: Any = None) -> str:
        """Return all names, for the help."""
        return f"[{'|'.join(self.names)}]"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the name, or refuse it."""
        return click.Choice(self.names).convert(value, param, ctx)


loss_option = click.option(
    "--loss", type=Names("losses", "LOSSES"), default="logistic", show_default=True
)


def problem(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a task, a training and a model."""
    for name, default in reversed({**TASK, **TRAINING}.items()):
        kind = Numbers(whole=name in WHOLE)
        option = click.option(
            f"--{name}", name.replace("-", "_"), type=kind, default=default, show_default=True
        )
        command = option(command)
    command = loss_option(noise(command))
    command = click.option(
        "--balanced", is_flag=True, help="Balance the slopes between the two steps on attention."
    )(command)
    command = click.option(
        "--model", type=Names("models", "MODELS"), multiple=True, default=DEFAULT_MODELS,
        show_default=False, help=f"Repeat for several; {', '.join(DEFAULT_MODELS)} by default.",
    )(command)  # fmt: skip
    return output(command)


def output(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --json and --csv."""
    command = click.option("--csv", "form", flag_value="csv", help="Write CSV.")(command)
    return click.option("--json", "form", flag_value="json", help="Write JSON.")(command)


def points(options: dict[str, Any]) -> list[dict[str, Any]]:
    """List the scalar problems: every combination of the numbers given, if they are not too many.

    Examples
    --------
    >>> points({**dict.fromkeys(["L", "R", "theta", "pi", "alpha0", "alpha1", "ridge", "beta",
    ...                          "eta_w", "eta_b"], [1] * 10), "eta_q": 1, "label_noise": 0,
    ...         "spectrum": None, "signal": None, "whitened": False})
    Traceback (most recent call last):
    ValueError: the numbers make 10000000000 problems, above 10000; give fewer, or put them into ...
    """
    from itertools import product

    names = [name.replace("-", "_") for name in (*TASK, *TRAINING)]
    columns = [v if isinstance(v := options[name], list) else [v] for name in names]
    structure = places(options)
    names, columns = [*names, *structure], [*columns, *structure.values()]
    count = math.prod(map(len, columns))
    if count > MOST_PROBLEMS:
        raise ValueError(
            f"the numbers make {count} problems, above {MOST_PROBLEMS}; give fewer, or put them "
            "into a file for needlescope sweep, which keeps what is finished"
        )
    return [dict(zip(names, values, strict=True)) for values in product(*columns)]


def split(point: dict[str, Any], loss: str, balanced: bool) -> tuple[Any, Any]:
    """Return the task and the training of a point."""
    from ..task import Task
    from ..training import Training

    problem, steps = ([name.replace("-", "_") for name in names] for names in (TASK, TRAINING))
    task = in_noise(Task(**{name: point[name] for name in problem}), point)
    return task, Training(**{name: point[name] for name in steps}, loss=loss, balanced=balanced)


def varied(rows: list[dict[str, Any]], answers: Sequence[str]) -> list[dict[str, Any]]:
    """Keep the model, the answers, and of the problem what is not the same everywhere."""
    asked = [name for name in rows[0] if name not in answers and name != "model"]
    keep = ["model", *(name for name in asked if len({row[name] for row in rows}) > 1), *answers]
    return [{name: row[name] for name in keep} for row in rows]


def show(rows: Sequence[dict[str, Any]], form: str | None, title: str) -> None:
    """Write a table to the standard output: for people, or as JSON or CSV."""
    if form == "json":
        from ..experiments.units.plain_data import to_json

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
