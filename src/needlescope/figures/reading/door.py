"""The door of the figures: a table is what a figure draws, or it is refused with a sentence.

A figure draws the rows of some calls. One of their parameters is its x axis, others are its curves
and its panels; any other must have one value, or two problems would be drawn as if they were one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from .marks import COLUMNS, LEFT_OUT, whole
from .parameters import DEFAULTS, SYMBOLS, depends

WORDS = (
    *("call", "model", "data", "reuse", "noise.entries", "training.loss", "training.first_step"),
    *("noise.covariance", "signal.given"),  # arrays, by a few digits of their hash
)
ENDLESS = ("alpha", "kappa", "query.kappa")  # a capacity, and hard attention
REPEATS = ("d", "samples", "trials")  # how large a simulation is: the largest d is shown
POSITIVE = (
    *("training.alpha0", "training.alpha1", "task.L", "test_task.L", "d"),
    *("alpha1", "L"),  # of the overview
)
ARGUMENT_OF = {"error": "detection_threshold", "kappa": "crossover"}  # a result of other calls
UNSAID: Mapping[str, Any] = {
    **{name: value for name, value in LEFT_OUT.items() if name not in DEFAULTS},
    **{"task.positions": "uniform", "training.first_step": "joint", "data": "D1"},
    **{"test_task.L": "that of the training", "query.kappa": "trained", "query.cosine": "trained"},
}
"""What the rows were asked that leave a column open which others fill."""
DRAWN_BY = {
    "test_task.L": "length",
    **dict.fromkeys([name for name in LEFT_OUT if name.startswith("noise.")], "robustness"),
    **dict.fromkeys(("reuse", "query_steps", "starts"), "reuse"),
}
FEW = 6  # values are listed, of more their range


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
    """

    figure: str
    rows: Mapping[str, Rows]
    across: Sequence[str]
    only: Mapping[str, Sequence[Any]] = {}
    more: int = 0


def read(table: Any, draws: Draws, ax: Any = None) -> pd.DataFrame:
    """Return the rows that a figure draws, every column there that it may ask for.

    Raises
    ------
    NothingToDraw
        A `ValueError`: the table has no such rows.
    ValueError
        If the table is none, if a column does not hold what it should, or if a parameter changes
        that the figure does not draw; if ``ax`` is neither None nor axes.

    Examples
    --------
    >>> line = Draws("line", {"predict": Rows(["training.alpha1"], ["test_error"])}, [])
    >>> row = {"call": "predict", "training.alpha1": 2.0, "test_error": 0.1}
    >>> read(pd.DataFrame([{**row, "task.theta": 4.0}, {**row, "task.theta": 5.0}]), line)
    Traceback (most recent call last):
    ValueError: figures.line draws a single task.theta, got 4.0, 5.0; select one, as
    table[table["task.theta"] == 4.0]
    """
    check_ax(ax)
    _check_table(table, draws)
    own = table[table["call"].isin(list(draws.rows))].reset_index(drop=True)
    if not len(own):
        calls = ", ".join(map(str, table["call"].dropna().unique()[:FEW])) or "none"
        nothing(draws.figure, f"it draws rows of the calls {_calls(draws)}, the table has {calls}")
    own = own.assign(**{name: _checked(name, own[name]) for name in _read_columns(own)})
    drawn = own[_complete(own, draws)]
    if not len(drawn):
        nothing(draws.figure, _lacking(own, draws))
    for column, allowed in draws.only.items():
        check_only(draws.figure, column, own.get(column, ()), allowed)
    others = [name for name in varying(drawn) if name not in draws.across]
    if len(others) > draws.more:
        _refuse_axis(draws, others, varying(drawn))
    return whole(own)


def varying(table: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the parameters that some answers depend on and that change, with their values.

    Examples
    --------
    >>> table = pd.DataFrame({"call": "predict", "model": ["attention", "pooled", "pooled"],
    ...                       "training.alpha0": [4.0, 5.0, 6.0], "test_error": [0.1, 0.2, 0.2]})
    >>> varying(table)  # no query, no α0
    {'model': ['attention', 'pooled']}
    """
    columns = [name for name in (*SYMBOLS, "kappa") if name in table and name not in REPEATS]
    asked = table[["call", *columns]].copy()
    if "task.positions" in asked:  # may be a dict, which has no hash
        asked["task.positions"] = asked["task.positions"].map(str, na_action="ignore")
    found: dict[str, dict[Any, None]] = {}
    for row in asked.drop_duplicates().to_dict("records"):
        call = str(row.pop("call"))
        given = {
            str(name): value
            for name, value in row.items()
            if not _missing(value) and ARGUMENT_OF.get(str(name), call) == call
        }
        for name, value in _asked(call, given, columns).items():
            found.setdefault(name, {})[value] = None
    return {
        name: sorted(values, key=lambda one: (isinstance(one, str), one))
        for name, values in found.items()
        if len(values) > 1
    }


def _asked(call: str, given: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """Return what a row was asked, with what it leaves unsaid where others say it."""
    known = depends(call, given)
    attends = known.get("model", "attention") == "attention"
    for name in columns:
        part, _, field = name.partition(".")
        if part == "test_task" and "test_task.L" in given:  # like the training unless it says so
            known.setdefault(name, known.get(f"task.{field}"))
        if name in UNSAID and name not in given and (attends or not name.startswith("query.")):
            known[name] = UNSAID[name]
    return {name: value for name, value in known.items() if name in SYMBOLS}


def with_value(table: pd.DataFrame, column: str, value: Any) -> Any:
    """Say which rows have a value that `varying` lists."""
    values = table[column]
    if column == "task.positions":
        values = values.map(str, na_action="ignore")
    found = values == value
    return (found | values.isna() if value == UNSAID.get(column) else found).to_numpy()


def nothing(figure: str, why: str) -> NoReturn:
    """Refuse a table that has nothing to draw, and say why."""
    raise NothingToDraw(f"figures.{figure} has nothing to draw: {why}")


def check_ax(ax: Any) -> None:
    """Refuse what is neither None nor axes of a figure."""
    if ax is not None and (not isinstance(ax, Axes) or ax.figure is None):
        raise ValueError(f"ax must be axes of a figure, as plt.subplots() makes them, got {ax!r}")


def check_only(figure: str, column: str, values: Any, allowed: Sequence[Any]) -> None:
    """Refuse values that a figure has neither a curve nor a panel for."""
    there = [one for one in dict.fromkeys(values) if not _missing(one)]
    odd = [one for one in there if one not in allowed]
    if odd:
        known, got = _listed(allowed), _listed(odd)
        if len(odd) == len(there):
            nothing(figure, f"it draws {column} {known}, the table has {got}")
        raise ValueError(
            f"figures.{figure} draws {column} {known}, got {got}; leave the rest out, as "
            f'table[~table["{column}"].isin({odd})]'
        )


def check_columns(name: str, table: Any, columns: Sequence[str]) -> pd.DataFrame:
    """Return a table whose columns, but for the model, hold finite numbers; or refuse it.

    Examples
    --------
    >>> check_columns("curves", pd.DataFrame({"model": ["pooled"]}), ["model", "alpha1"])
    Traceback (most recent call last):
    ValueError: curves must have the columns model, alpha1, got a table without alpha1
    """
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"{name} must be a pandas DataFrame, got {type(table).__name__}")
    lost = [one for one in columns if one not in table or not table.columns.is_unique]
    if lost:
        raise ValueError(
            f"{name} must have the columns {', '.join(columns)}, got a table without {lost[0]}"
        )
    if not len(table):
        raise ValueError(f"{name} must have at least one row, got none")
    found = table.assign(**{one: _checked(one, table[one]) for one in columns if one != "model"})
    for one in columns:
        for row in np.flatnonzero(found[one].isna()):
            raise ValueError(f"column {one} must hold finite numbers, got nan in row {row}")
    return found


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


def _read_columns(table: pd.DataFrame) -> list[str]:
    """List the columns there are that figures read."""
    known = dict.fromkeys((*COLUMNS, *LEFT_OUT, *SYMBOLS))
    return [name for name in known if name in table and name != "task.positions"]


def _checked(name: str, values: pd.Series) -> pd.Series:
    """Return a column of plain numbers or words, NaN where there is none; or refuse it."""
    numbers, words = values, name in WORDS
    if words or not (isinstance(values.dtype, np.dtype) and values.dtype.kind in "iuf"):
        known = values.notna().to_numpy()
        plain = values.astype(object).where(known, np.nan)
        kinds: Any = str if words else (int, float, np.integer, np.floating)
        for row in np.flatnonzero(known):
            one = plain.iloc[row]
            if not isinstance(one, kinds) or isinstance(one, bool):
                what = "words" if words else "numbers"
                raise ValueError(f"column {name} must hold {what}, got {one!r} in row {row}")
        if words:
            return plain
        numbers = plain.astype(float)
    size = numbers.to_numpy(float)
    bad = np.isinf(size) & (name not in ENDLESS)
    bad |= (size <= 0.0) & (name in POSITIVE)
    if bad.any():
        wanted = "finite numbers" + (" above 0" if name in POSITIVE else "")
        place = int(np.flatnonzero(bad)[0])
        raise ValueError(f"column {name} must hold {wanted}, got {size[place]} in row {place}")
    return numbers


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
        return f"all of its {len(table)} units failed, the first with {first!r}"
    for call in table["call"].unique():
        rows = draws.rows[call]
        for name in rows.needs:
            if name not in table or table.loc[table["call"] == call, name].isna().all():
                return f"its rows of {call} need the column {name}"
    numbers = dict.fromkeys(name for rows in draws.rows.values() for name in rows.numbers)
    return f"its rows have no numbers in {_listed(list(numbers), 'or')}"


def _refuse_axis(draws: Draws, others: Sequence[str], found: Mapping[str, list[Any]]) -> NoReturn:
    """Refuse a table with more axes than a figure draws."""
    column = others[-1]
    values = found[column]
    if draws.more:
        one = f"{_listed(others)} as well, of which it draws one with a curve for each value"
        head = f"figures.{draws.figure} draws {_listed(draws.across)}; the table has {one}"
    else:
        head = f"figures.{draws.figure} draws a single {column}, got {_listed(values, ',')}"
    other = DRAWN_BY.get(column)
    hint = f", or draw it with figures.{other}" if other else ""
    said = next(one for one in values if one != UNSAID.get(column))  # unsaid, it is not a value
    raise ValueError(f'{head}; select one, as table[table["{column}"] == {said!r}]{hint}')


def _calls(draws: Draws) -> str:
    return _listed(list(draws.rows))


def _listed(values: Sequence[Any], word: str = "and") -> str:
    """Write values with a word before the last one, of many the first and the last."""
    listed = [str(one) for one in values]
    if len(listed) > FEW:
        return f"{len(listed)} values from {listed[0]} to {listed[-1]}"
    if word == "," or len(listed) < 2:
        return ", ".join(listed)
    return f"{', '.join(listed[:-1])} {word} {listed[-1]}"


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value))
