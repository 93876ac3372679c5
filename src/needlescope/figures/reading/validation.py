"""Validation of tables: a table is what a figure draws, or it is refused with a sentence.

A figure draws the rows of some calls. One of their parameters is its x axis, others are its curves
and its panels; any other must have one value, or two problems would be drawn as if they were one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd

from ...errors import shortened
from .columns import FEW, checked, listed, missing, read_columns
from .rows import LEFT_OUT, with_all_columns
from .varying import UNSAID, varying

DRAWN_BY = {
    "test_task.L": "length",
    **dict.fromkeys([name for name in LEFT_OUT if name.startswith("noise.")], "robustness"),
    "training.balanced": "rare",
    **dict.fromkeys(("reuse", "training.query_steps", "starts"), "reuse"),
}


class NothingToDraw(ValueError):
    """A table has nothing of what a figure draws."""


class Rows(NamedTuple):
    """What a row must have to be drawn: all of some columns, and one of some numbers."""

    needs: Sequence[str]
    numbers: Sequence[str]


class Draws(NamedTuple):
    """What a figure draws.

    Attributes
    ----------
    figure
        Its name.
    rows
        The calls whose rows it draws, and what they must have.
    across
        The parameters that may change from row to row: the x axis, the curves, the panels.
    only
        Of these columns, the values that it has a curve or a panel for.
    more
        How many other parameters may change as well; it draws a curve for each of their values.
    beside
        Calls whose rows are drawn beside those of others, and not alone.
    """

    figure: str
    rows: Mapping[str, Rows]
    across: Sequence[str]
    only: Mapping[str, Sequence[Any]] = {}
    more: int = 0
    beside: Sequence[str] = ()


def read(table: Any, draws: Draws) -> pd.DataFrame:
    """Return the rows that a figure draws, every column there that it may ask for.

    Raises
    ------
    NothingToDraw
        A `ValueError`: the table has no such rows.
    ValueError
        If the table is none, if a column does not hold what it should, or if a parameter changes
        that the figure does not draw.

    Examples
    --------
    >>> line = Draws("line", {"predict": Rows(["training.alpha1"], ["test_error"])}, [])
    >>> row = {"call": "predict", "training.alpha1": 2.0, "test_error": 0.1}
    >>> read(pd.DataFrame([{**row, "task.theta": 4.0}, {**row, "task.theta": 5.0}]), line)
    Traceback (most recent call last):
    ValueError: figures.line draws a single task.theta, got 4.0, 5.0; select one, as
    table[table["task.theta"] == 4.0]
    """
    _check_table(table, draws)
    own = table[table["call"].isin(list(draws.rows))].reset_index(drop=True)
    if not len(_main(own, draws)):
        calls = ", ".join(map(str, table["call"].dropna().unique()[:FEW])) or "none"
        nothing(draws.figure, f"it draws rows of the calls {_calls(draws)}, the table has {calls}")
    own = own.assign(**{name: checked(name, own[name]) for name in read_columns(own)})
    drawn = own[_complete(own, draws)]
    if not len(_main(drawn, draws)):
        nothing(draws.figure, _lacking(_main(own, draws), draws))
    for column, allowed in draws.only.items():
        check_only(draws.figure, column, own.get(column, ()), allowed)
    others = [name for name in varying(drawn) if name not in draws.across]
    if len(others) > draws.more:
        _refuse_axis(draws, others, varying(drawn))
    return with_all_columns(own)


def nothing(figure: str, why: str) -> NoReturn:
    """Refuse a table that has nothing to draw, and say why."""
    raise NothingToDraw(f"figures.{figure} has nothing to draw: {why}")


def check_only(figure: str, column: str, values: Any, allowed: Sequence[Any]) -> None:
    """Refuse values that a figure has neither a curve nor a panel for."""
    there = [item for item in dict.fromkeys(values) if not missing(item)]
    odd = [item for item in there if item not in allowed]
    if odd:
        known, got = listed(allowed), listed(odd)
        if len(odd) == len(there):
            nothing(figure, f"it draws {column} {known}, the table has {got}")
        raise ValueError(
            f"figures.{figure} draws {column} {known}, got {got}; leave the rest out, as "
            f'table[~table["{column}"].isin({odd})]'
        )


def check_strengths(figure: str, table: pd.DataFrame) -> None:
    """Refuse two strengths at one length: they would be drawn as if they were one problem."""
    for L, values in table.groupby("task.L")["task.theta"].unique().items():
        known = [float(value) for value in values if not np.isnan(value)]
        if len(known) > 1:
            raise ValueError(
                f"figures.{figure} draws a single task.theta for each task.L, got {known[0]:g} and "
                f"{known[1]:g} for task.L = {L:g}; leave one out, as "
                f'table[~((table["task.L"] == {L:g}) & (table["task.theta"] == {known[1]!r}))]'
            )


def tokens_of(L: Any, there: Sequence[int]) -> int:
    """Return which L of a table to draw, the smallest by default; or refuse one that it lacks.

    Examples
    --------
    >>> tokens_of(None, [100, 10]), tokens_of(100, [100, 10])
    (10, 100)
    """
    if L is None:
        return min(there)
    if isinstance(L, bool) or L not in there:
        raise ValueError(f"L must be {listed(there, 'or')}, as the table has it, got {L!r}")
    return int(L)


def _check_table(table: Any, draws: Draws) -> None:
    """Refuse what is not a table of units."""
    if not isinstance(table, pd.DataFrame):
        raise ValueError(
            f"table must be a pandas DataFrame, as Store.to_pandas makes it, got "
            f"{type(table).__name__}"
        )
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise ValueError(f"table must have each column once, got {twice!r} twice")
    if "call" not in table:
        nothing(
            draws.figure,
            f"the table has no column call, which says what each row answers ({_calls(draws)})",
        )


def _main(table: pd.DataFrame, draws: Draws) -> pd.DataFrame:
    """Return the rows that a figure draws without others."""
    return table[~table["call"].isin(list(draws.beside))]


def _complete(table: pd.DataFrame, draws: Draws) -> Any:
    """Say which rows have what it takes to draw them."""
    kept = np.zeros(len(table), dtype=bool)
    for call, rows in draws.rows.items():
        if all(name in table for name in rows.needs):
            there = table[list(rows.needs)].notna().all(axis=1)
            some = table.reindex(columns=list(rows.numbers)).notna().any(axis=1)
            kept |= ((table["call"] == call) & there & some).to_numpy()
    return kept


def _lacking(table: pd.DataFrame, draws: Draws) -> str:
    """Say what the rows of the right calls lack."""
    if "error_message" in table and table["error_message"].notna().all():
        first = str(table["error_message"].iloc[0])
        return f"all of its {len(table)} units failed, the first with {shortened(first)!r}"
    for call in table["call"].unique():
        rows = draws.rows[call]
        for name in rows.needs:
            if name not in table or table.loc[table["call"] == call, name].isna().all():
                return f"its rows of {call} need the column {name}"
    numbers = dict.fromkeys(name for call in _alone(draws) for name in draws.rows[call].numbers)
    return f"its rows have no numbers in {listed(list(numbers), 'or')}"


def _refuse_axis(draws: Draws, others: Sequence[str], result: Mapping[str, list[Any]]) -> NoReturn:
    """Refuse a table with more axes than a figure draws."""
    column = others[-1]
    values = result[column]
    if draws.more:
        item = f"{listed(others)} as well, of which it draws one with a curve for each value"
        head = f"figures.{draws.figure} draws {listed(draws.across)}; the table has {item}"
    else:
        head = f"figures.{draws.figure} draws a single {column}, got {listed(values, ',')}"
    other = DRAWN_BY.get(column)
    hint = f", or draw it with figures.{other}" if other else ""
    said = next(
        value for value in values if value != UNSAID.get(column)
    )  # unsaid, it is not a value
    raise ValueError(f'{head}; select one, as table[table["{column}"] == {said!r}]{hint}')


def _calls(draws: Draws) -> str:
    return listed(_alone(draws))


def _alone(draws: Draws) -> list[str]:
    return [call for call in draws.rows if call not in draws.beside]
