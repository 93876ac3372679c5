"""Any columns of a table as a figure's axes: x, y, and those that separate its curves.

A parameter that changes while these stay the same would draw two problems as one, and is refused.
Axes that go together are no trouble: what x determines needs no curve of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...errors import shortened
from ...experiments.units.answers import ANSWERS, THEORY_OF
from ...experiments.units.spelling import did_you_mean
from .columns import check_is_table, is_missing, listed
from .validation import refuse_empty
from .varying import arguments_used

QUESTION = "call"  # the column that separates curves where a table answers several questions
MOST_COLUMNS = 60  # listed in a refusal


class CurveRows(NamedTuple):
    """The rows that are drawn, and by which columns.

    Attributes
    ----------
    rows
        With numbers at x and y; the columns of ``by`` hold what the answers depend on, and the
        column "call" the question: that of a simulation is its theory's.
    simulated
        Which of the rows are trials.
    x, y, by
        Columns.
    along
        Parameters that change with x: axes that go together.
    """

    rows: pd.DataFrame
    simulated: pd.Series
    x: str
    y: str
    by: tuple[str, ...]
    along: tuple[str, ...]


def choose_columns(figure: str, table: Any, x: Any, y: Any, by: Any) -> CurveRows:
    """Return the rows and columns to draw, those that are None chosen; or refuse them."""
    table = _checked(figure, table)
    y = _answer(figure, table) if y is None else _column("y", y, table)
    rows = table[_numbers("y", y, table).notna()].reset_index(drop=True)
    if not len(rows):
        refuse_empty(figure, _no_numbers(table, y))
    depends = arguments_used(rows)
    x = _most_values(figure, depends, y) if x is None else _column("x", x, rows)
    names = _names(by, rows)
    if x in (names or ()):
        raise ValueError(f"by must not name x, the column {x!r}, again")
    rows[y], rows[x] = _numbers("y", y, rows), _numbers("x", x, rows)
    kept = np.isfinite(rows[x].to_numpy())
    rows, depends = rows[kept].reset_index(drop=True), depends[kept].reset_index(drop=True)
    if not len(rows):
        refuse_empty(figure, f"its rows with {y} have no numbers in {x}")
    simulated = rows["call"].astype(str).str.startswith("simulate")
    question = rows["call"].map(lambda call: THEORY_OF.get(call, call))
    more = [name for name in names or () if name not in (QUESTION, *depends)]
    known = depends.assign(**{name: _hashable(rows[name]) for name in more})
    known.insert(0, QUESTION, question)
    by, along = _curve_columns(
        figure, rows[x], simulated, known.drop(columns=x, errors="ignore"), names
    )
    return CurveRows(
        rows.assign(**{name: known[name] for name in by}), simulated, x, y, by, along
    )  # fmt: skip


def _checked(figure: str, table: Any) -> pd.DataFrame:
    """Return a table of units, also of a store; or refuse it."""
    if not isinstance(table, pd.DataFrame) and hasattr(table, "to_pandas"):
        table = table.to_pandas()
    check_is_table(table, "a Store, or a pandas DataFrame as Store.to_pandas makes it")
    if not len(table):
        refuse_empty(figure, "the table has no rows")
    if "call" not in table:
        refuse_empty(figure, "the table has no column call, which says what each row answers")
    rows: pd.DataFrame = table
    return rows


def _column(name: str, value: Any, table: pd.DataFrame) -> str:
    """Return a column's name, or refuse one that the table does not have."""
    if isinstance(value, str) and value in table:
        return value
    present = [str(column) for column in table.columns if not str(column).startswith("version.")]
    ends = [item for item in present if isinstance(value, str) and item.endswith(f".{value}")][:1]
    hint = f"; did you mean {ends[0]!r}?" if ends else did_you_mean(value, present)
    more = ", …" * (len(present) > MOST_COLUMNS)
    raise ValueError(
        f"{name} must be a column of the table, got {value!r:.80}{hint or ';'} it has "
        f"{', '.join(present[:MOST_COLUMNS])}{more}"
    )


def _names(by: Any, table: pd.DataFrame) -> tuple[str, ...] | None:
    """Return the columns of ``by``: one name, several, or None to choose."""
    if by is None:
        return None
    names = [by] if isinstance(by, str) else by
    if not isinstance(names, list | tuple):
        raise ValueError(f"by must be a column of the table, or a list of some, got {by!r:.80}")
    return tuple(dict.fromkeys(_column("by", name, table) for name in names))


def _numbers(name: str, column: str, table: pd.DataFrame) -> pd.Series:
    """Return a column as floats, or refuse what is no number in it."""
    values = table[column]
    for row, value in enumerate(values):
        if not is_missing(value) and (
            isinstance(value, bool) or not isinstance(value, int | float | np.number)
        ):
            hint = f"; draw a curve for each with by={column!r}" if name == "x" else ""
            raise ValueError(
                f"{name} must be a column of numbers, got {column!r} with {value!r:.80} in row "
                f"{row}{hint}"
            )
    return values.astype(float)


def _hashable(values: pd.Series) -> pd.Series:
    """Return a column with its lists as text, which have no hash."""
    return values.map(lambda item: str(item) if isinstance(item, list | dict | tuple) else item)


def _answer(figure: str, table: pd.DataFrame) -> str:
    """Return the first number that most of the calls have."""
    counts: dict[str, int] = {}
    for call, part in table.groupby("call", sort=False):
        for name in ANSWERS.get(str(call), ()):
            if name in part and part[name].notna().any():
                counts[name] = counts.get(name, 0) + 1
    if not counts:
        refuse_empty(figure, _no_numbers(table, "which y to draw"))
    return max(counts, key=lambda name: counts[name])


def _no_numbers(table: pd.DataFrame, y: str) -> str:
    if "error_message" in table and table["error_message"].notna().all():
        first = shortened(str(table["error_message"].iloc[0]))
        return f"all of its {len(table)} units failed, the first with {first!r}"
    return (
        f"its rows have no numbers to tell {y}" if " " in y else f"its rows have no numbers in {y}"
    )


def _most_values(figure: str, depends: pd.DataFrame, y: str) -> str:
    """Return the parameter with the most values, all of them numbers."""
    sizes = {
        name: depends[name].nunique()
        for name in depends
        if name != y and pd.api.types.is_numeric_dtype(depends[name].infer_objects())
    }
    best = max(sizes, key=lambda name: sizes[name], default="")
    if not best or sizes[best] < 2:
        refuse_empty(figure, "no parameter of its rows changes; name a column as x")
    return best


def _curve_columns(
    figure: str,
    x: pd.Series,
    simulated: pd.Series,
    known: pd.DataFrame,
    names: tuple[str, ...] | None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that separate curves, and those that change along them."""
    changing = [name for name in known if known[name].nunique(dropna=False) > 1]
    by = [QUESTION] if QUESTION in changing and QUESTION not in (names or ()) else []
    by += [name for name in names or () if name in known]
    codes = known.apply(lambda column: pd.factorize(column, use_na_sentinel=False)[0])
    for name in changing:
        if name in by or not _changes_within(
            codes, [x, simulated, *(codes[item] for item in by)], name
        ):
            continue
        if names is not None:
            values = [item for item in dict.fromkeys(known[name]) if not is_missing(item)]
            raise ValueError(
                f"figures.{figure} would draw different {name} as one: {listed(values, ',')}; add "
                f"it as by={[*names, name]}, or select one, as "
                f'table[table["{name}"] == {values[0]!r}]'
            )
        by.append(name)
    curves = [simulated, *(codes[item] for item in by)]
    along = [name for name in changing if name not in by and _changes_within(codes, curves, name)]
    return tuple(by), tuple(along)


def _changes_within(codes: pd.DataFrame, by: Sequence[pd.Series], name: str) -> bool:
    """Say whether a column changes where some others stay the same."""
    groups = codes[name].groupby([item.to_numpy() for item in by])
    return bool((groups.nunique() > 1).any())
