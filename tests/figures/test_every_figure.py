"""Every figure takes what there is: tables without rows, without a call, without a column."""

from __future__ import annotations

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from needlescope import figures
from needlescope.experiments.calls import SIMULATED
from needlescope.experiments.catalogue import NAMES, experiment

TRIALS = 2
OUTCOME = ("test_error", "test_error_se", "train_loss", "train_error")
ANSWERS = {
    "align": ("cosine_w", "cosine_q", "constant"),
    "simulate_alignment": ("cosine_w", "cosine_q"),
    "asymptote": ("limit", "limit_se", "rate"),
    "capacity": ("alpha", "alpha_se"),
    "simulate_separability": ("fraction",),
    "crossover": ("cosine",),
    "detection_threshold": ("theta",),
    "focus": ("signal", "noise", "largest"),
    "simulate_focus": ("signal", "noise", "largest"),
    "oracle": ("error",),
    "simulate_oracle": ("error",),
    "predict": OUTCOME,
    "simulate": OUTCOME,
}
STRANGE = ("everything", "most numbers")  # axes that may not find a range
SMALL = {"limit": 1e-3, "limit_se": 1e-6, "test_error_se": 1e-6}  # an error exceeds its limit


@cache
def panels(name):
    """How many panels a figure has."""
    figure = getattr(figures, name)(complete(name))
    return len(figure.axes)


@cache
def complete(name):
    """The table of an experiment's quick units, a few trials each, with numbers made up."""
    rng = np.random.default_rng(0)
    rows = []
    for unit in experiment(name).units(False):
        if unit.arguments.get("seed", [0])[-1] < TRIALS:
            row = {"call": unit.call}
            for key, value in unit.arguments.items():
                inner = value.items() if isinstance(value, dict) else ()
                row |= {f"{key}.{one}": number for one, number in inner} or {key: value}
            answers = {one: SMALL.get(one, rng.uniform(0.1, 0.9)) for one in ANSWERS[unit.call]}
            rows.append({**row, **answers})
    return pd.DataFrame(rows)


def numeric(table):
    """The columns that hold numbers."""
    return [name for name in table if pd.api.types.is_numeric_dtype(table[name])]


def without(table, lost):
    """The table of units of which some failed: their numbers are gone, and empty columns."""
    answers = sorted({one for call in table.call.unique() for one in ANSWERS[call]})
    blanked = table.assign(**{one: table[one].mask(lost) for one in answers})
    return blanked.dropna(axis=1, how="all")


def parts(table):
    """Tables of which something is missing, and what it is."""
    simulated = table.call.isin(SIMULATED)
    yield "everything", pd.DataFrame()
    yield "known columns", pd.DataFrame({"a": [1]})
    yield "rows", table[:0]
    yield "simulation", table[~simulated]
    yield "theory", table[simulated]
    yield "all numbers", without(table, simulated | True)
    for call in table.call.unique():
        yield f"the numbers of {call}", without(table, table.call == call)
    most = pd.Series(np.random.default_rng(0).random(len(table)) < 0.95, index=table.index)
    yield "most numbers", without(table, most)


@pytest.mark.parametrize("name", NAMES)
def test_a_complete_table_fills_every_panel(name):
    for panel in getattr(figures, name)(complete(name)).axes:
        assert panel.has_data()


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_drawn_whatever_is_missing(name):
    draw = getattr(figures, name)
    for missing, part in parts(complete(name)):
        figure = draw(part)
        if missing in STRANGE:
            figure.draw_without_rendering()  # which lays everything out
        assert len(figure.axes) == panels(name), missing
        _, ax = plt.subplots()
        assert draw(part, ax=ax).axes == [ax], missing
        plt.close("all")


def draw_without(name, dropped, blank):
    """Draw a figure without each of some columns, and a panel where others hold nothing."""
    draw, table = getattr(figures, name), complete(name)
    for column in dropped:
        assert len(draw(table.drop(columns=column)).axes) == panels(name), column
        plt.close("all")
    for column in blank:
        _, ax = plt.subplots()
        assert draw(table.assign(**{column: np.nan}), ax=ax).axes == [ax], column
        plt.close("all")


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_drawn_where_columns_are_missing(name):
    """A third of its columns each, other thirds of other figures; `make test-slow` does all."""
    columns, first = numeric(complete(name)), NAMES.index(name)
    draw_without(name, columns[first % 3 :: 3], columns[(first + 1) % 3 :: 3])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_drawn_whichever_column_is_missing(name):
    columns = numeric(complete(name))
    draw_without(name, columns, columns)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_missing_is_not_compared(name):
    compare, table = experiment(name).compare, complete(name)
    for missing, part in parts(table):
        if missing in ("simulation", "theory", "all numbers"):
            assert compare(part).empty, missing
        elif len(part):
            assert len(compare(part)) <= len(compare(table)), missing
