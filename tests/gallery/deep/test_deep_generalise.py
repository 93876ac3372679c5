"""The experiment "deep_generalise": the trainings of `deep_errors` that are tested further."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope import figures
from needlescope.figures.marks import Dots, Line, Rule
from needlescope.gallery import registry
from needlescope.gallery.deep import deep_errors
from needlescope.gallery.deep.deep_generalise import scores
from needlescope.gallery.deep_style import SIGNAL_KNOWN, TWO_STEPS
from needlescope.gallery.deep_units import ARCHITECTURE_NAMES, TASK, Size
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "deep_generalise")
FIGURE = published("deep_generalise")
FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


@pytest.mark.parametrize("full", [False, True])
def test_nothing_is_trained_twice(full):
    units = [unit for unit in FIGURE.units(full) if unit.call == "simulate_deep"]
    assert len(units) == len(ARCHITECTURE_NAMES) * Size.of(full).trials
    assert {unit.key for unit in units} <= {unit.key for unit in deep_errors.units(full)}


def test_theory_is_tested_where_trainings_are_and_where_it_was_trained():
    units = [unit.arguments for unit in FIGURE.units(False) if unit.call == "predict"]
    assert {*deep_errors.LENGTHS, TASK["L"]} <= {unit["test_task"]["L"] for unit in units}
    assert all(unit["task"] == TASK and unit["test_task"]["R"] == TASK["R"] for unit in units)
    known = {unit.arguments["task"]["L"] for unit in FIGURE.units(False)
             if unit.call == "oracle"}  # fmt: skip
    assert known == {unit["test_task"]["L"] for unit in units}


def test_only_what_is_below_the_limit_is_scored():
    rows = [{"call": "bayes_optimal", "alpha": 16.0, "test_error": 0.1}]
    for name, error in (("cls", 0.05), ("gru", 0.2)):
        row = {"call": "simulate_deep", "architecture": name, "alpha": 16.0}
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    assert scores(pd.DataFrame(rows))["z"].tolist() == pytest.approx([FAR, 0.0])


@pytest.fixture
def table():
    rows = []
    for L in (2, 10, 50):
        rows.append({"call": "oracle", "task.L": L, "error": 0.001 * L})
        for ridge in (0.1, 1.0):  # the first is best at ten tokens, the second elsewhere
            row = {"call": "predict", "model": "attention", "task.L": 10, "test_task.L": L}
            error = 0.1 + 0.01 * L + (0.1 if (L == 10) == (ridge == 1.0) else 0.0)
            rows.append({**row, "training.ridge": ridge, "test_error": error})
    for name in ("solvable", "gru"):
        for shift in (-0.01, 0.01):
            row = {"call": "simulate_deep", "architecture": name, "task.L": 10, "d": 50}
            row |= {"lengths": [50, 2], "test_error": 0.1 + shift, "alpha": 16.0}
            rows.append({**row, "test_errors_1": 0.4 + shift, "test_errors_2": 0.05 + shift})
    yield pd.DataFrame(rows)
    plt.close("all")


def marks(table, kind, panel=0):
    result = drawing(table).panels[panel].marks
    return {mark.name: mark for mark in result if isinstance(mark, kind)}


def test_dots_are_at_the_lengths_tested_and_at_that_of_training(table):
    for panel, name in ((0, "the paper’s model"), (2, "recurrent (GRU)")):
        dots = marks(table, Dots, panel)[name]
        assert dots.x == (2.0, 10.0, 50.0) and dots.y == pytest.approx((0.05, 0.1, 0.4))
        assert dots.se == pytest.approx((0.01,) * 3)


def test_the_setting_is_that_which_is_best_where_it_was_trained(table):
    lines = marks(table, Line)
    assert lines[TWO_STEPS].x == (2.0, 10.0, 50.0)
    assert lines[TWO_STEPS].y == pytest.approx((0.22, 0.2, 0.7))
    assert lines[SIGNAL_KNOWN].y == pytest.approx((0.002, 0.01, 0.05))


def test_the_length_of_training_is_marked(table):
    result = drawing(table).panels[0].marks
    assert [mark.x for mark in result if isinstance(mark, Rule)] == [10.0]


def test_without_lengths_the_error_where_it_was_trained(table):
    plain = table.drop(columns=["lengths", "test_errors_1", "test_errors_2"])
    assert marks(plain, Dots)["the paper’s model"].x == (10.0,)


def test_two_lengths_of_training_are_refused(table):
    other = table[table.call == "simulate_deep"].assign(**{"task.L": 20})
    with pytest.raises(ValueError, match=r"a single task\.L of training, got 10\.0 and 20\.0"):
        figures.deep_generalise(pd.concat([table, other]))


@pytest.mark.parametrize("panel", ["paper", "attention", "others"])
def test_one_panel_goes_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert figures.deep_generalise(table, ax=ax, panel=panel) is figure
    assert figure.axes == [ax] and ax.has_data()
