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
from .columns import MAX_LISTED, check_column, check_is_table, is_missing, listed, read_columns
from .rows import UNIT_DEFAULTS, with_all_columns
from .varying import DEFAULT_LABELS, varying

DRAWN_BY = {
    "test_task.L": "length",
    **dict.fromkeys([name for name in UNIT_DEFAULTS if name.startswith("noise.")], "robustness"),
    "training.balanced": "rare",
    **dict.fromkeys(("training.ridge_q", "start"), "joint"),
    **dict.fromkeys(("reuse", "training.query_steps", "starts"), "reuse"),
}


class NothingToDraw(ValueError):
    """A table has nothing of what a figure spec."""


class RowSpec(NamedTuple):
    """What a row must have to be drawn: all of some columns, and one of some numbers."""

    needs: Sequence[str]
    numbers: Sequence[str]


class TableSpec(NamedTuple):
    """What a figure spec.

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
    reference_calls
        Calls whose rows are drawn for reference beside those of others, and not alone.
    """

    figure: str
    rows: Mapping[str, RowSpec]
    across: Sequence[str]
    only: Mapping[str, Sequence[Any]] = {}
    more: int = 0
    reference_calls: Sequence[str] = ()


def read_table(table: Any, spec: TableSpec) -> pd.DataFrame:
    """Return the rows that a figure draws, with every column that it may read.

    Raises
    ------
    NothingToDraw
        A `ValueError`: the table has no such rows.
    ValueError
        If the table is none, if a column does not hold what it should, or if a parameter changes
        that the figure does not draw.

    Examples
    --------
    >>> line = TableSpec("line", {"predict": RowSpec(["training.alpha1"], ["test_error"])}, [])
    >>> row = {"call": "predict", "training.alpha1": 2.0, "test_error": 0.1}
    >>> read_table(pd.DataFrame([{**row, "task.theta": 4.0}, {**row, "task.theta": 5.0}]), line)
    Traceback (most recent call last):
    ValueError: figures.line draws a single task.theta, got 4.0, 5.0; select one, as
    table[table["task.theta"] == 4.0]
    """
    _check_table(table, spec)
    own = table[table["call"].isin(list(spec.rows))].reset_index(drop=True)
    if not len(_rows_drawn_alone(own, spec)):
        calls = ", ".join(map(str, table["call"].dropna().unique()[:MAX_LISTED])) or "none"
        refuse_empty(
            spec.figure, f"it draws rows of the calls {_calls(spec)}, the table has {calls}"
        )
    own = own.assign(**{name: check_column(name, own[name]) for name in read_columns(own)})
    drawn = own[_complete(own, spec)]
    if not len(_rows_drawn_alone(drawn, spec)):
        refuse_empty(spec.figure, _lacking(_rows_drawn_alone(own, spec), spec))
    for column, allowed in spec.only.items():
        check_values(spec.figure, column, own.get(column, ()), allowed)
    others = [name for name in varying(drawn) if name not in spec.across]
    if len(others) > spec.more:
        _refuse_axis(spec, others, varying(drawn))
    return with_all_columns(own)


def refuse_empty(figure: str, why: str) -> NoReturn:
    """Refuse a table that has nothing to draw, and say why."""
    raise NothingToDraw(f"figures.{figure} has nothing to draw: {why}")


def check_values(figure: str, column: str, values: Any, allowed: Sequence[Any]) -> None:
    """Refuse values that a figure has neither a curve nor a panel for."""
    present = [item for item in dict.fromkeys(values) if not is_missing(item)]
    odd = [item for item in present if item not in allowed]
    if odd:
        known, got = listed(allowed), listed(odd)
        if len(odd) == len(present):
            refuse_empty(figure, f"it draws {column} {known}, the table has {got}")
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


def choose_length(L: Any, present: Sequence[int]) -> int:
    """Return which L of a table to draw, the smallest by default; or refuse one that it lacks.

    Examples
    --------
    >>> choose_length(None, [100, 10]), choose_length(100, [100, 10])
    (10, 100)
    """
    if L is None:
        return min(present)
    if isinstance(L, bool) or L not in present:
        raise ValueError(f"L must be {listed(present, 'or')}, as the table has it, got {L!r}")
    return int(L)


def _check_table(table: Any, spec: TableSpec) -> None:
    """Refuse what is not a table of units."""
    check_is_table(table)
    if "call" not in table:
        refuse_empty(
            spec.figure,
            f"the table has no column call, which says what each row answers ({_calls(spec)})",
        )


def _rows_drawn_alone(table: pd.DataFrame, spec: TableSpec) -> pd.DataFrame:
    """Return the rows that a figure draws without others."""
    return table[~table["call"].isin(list(spec.reference_calls))]


def _complete(table: pd.DataFrame, spec: TableSpec) -> Any:
    """Say which rows have what it takes to draw them."""
    kept = np.zeros(len(table), dtype=bool)
    for call, rows in spec.rows.items():
        if all(name in table for name in rows.needs):
            present = table[list(rows.needs)].notna().all(axis=1)
            some = table.reindex(columns=list(rows.numbers)).notna().any(axis=1)
            kept |= ((table["call"] == call) & present & some).to_numpy()
    return kept


def _lacking(table: pd.DataFrame, spec: TableSpec) -> str:
    """Say what the rows of the right calls lack."""
    if "error_message" in table and table["error_message"].notna().all():
        first = str(table["error_message"].iloc[0])
        return f"all of its {len(table)} units failed, the first with {shortened(first)!r}"
    for call in table["call"].unique():
        rows = spec.rows[call]
        for name in rows.needs:
            if name not in table or table.loc[table["call"] == call, name].isna().all():
                return f"its rows of {call} need the column {name}"
    numbers = dict.fromkeys(
        name for call in _calls_drawn_alone(spec) for name in spec.rows[call].numbers
    )
    return f"its rows have no numbers in {listed(list(numbers), 'or')}"


def _refuse_axis(
    spec: TableSpec, others: Sequence[str], result: Mapping[str, list[Any]]
) -> NoReturn:
    """Refuse a table with more axes than a figure spec."""
    column = others[-1]
    values = result[column]
    if spec.more:
        item = f"{listed(others)} as well, of which it draws one with a curve for each value"
        head = f"figures.{spec.figure} draws {listed(spec.across)}; the table has {item}"
    else:
        head = f"figures.{spec.figure} draws a single {column}, got {listed(values, ',')}"
    other = DRAWN_BY.get(column)
    hint = f", or draw it with figures.{other}" if other else ""
    value = next(
        value for value in values if value != DEFAULT_LABELS.get(column)
    )  # unsaid, it is not a value
    raise ValueError(f'{head}; select one, as table[table["{column}"] == {value!r}]{hint}')


def _calls(spec: TableSpec) -> str:
    return listed(_calls_drawn_alone(spec))


def _calls_drawn_alone(spec: TableSpec) -> list[str]:
    return [call for call in spec.rows if call not in spec.reference_calls]
