"""The experiment "rare": its units, the steps of its dots, and training against theory."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import needlescope as ns
from needlescope import figures
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.figures.marks import Dots, Line
from needlescope.figures.style import BAYES_OPTIMAL, DOTTED
from needlescope.gallery import registry
from needlescope.gallery.extensions.rare import DOTS, STEPS, arguments
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "rare")
FIGURE = published("rare")


def place(unit):
    result = unit.arguments["training"]
    return unit.arguments["task"]["pi"], result["balanced"], result["eta_q"]


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_line(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)
    lines = {place(unit) for unit in units if unit.call == "predict"}
    dots = {place(unit) for unit in units if unit.call == "simulate"}
    assert dots <= lines and {pi for pi, _, _ in dots} == set(DOTS)
    assert {balanced for _, balanced, _ in dots} == {False, True}


@pytest.mark.parametrize(("pi", "balanced"), [(0.1, True), (0.3, False), (0.5, True)])
def test_dots_take_the_step_that_errs_least(pi, balanced):
    task, training = (kind(**arguments(pi, balanced)[name]) for name, kind in
                      (("task", ns.Task), ("training", ns.Training)))  # fmt: skip
    result = ns.predict(task, training.replace(eta_q=np.array(STEPS)), tol=2e-3)
    assert STEPS[int(np.argmin(result.test_error))] == DOTS[pi][balanced]


@pytest.mark.slow
def test_simulation_agrees_with_theory(tmp_path):
    wanted = [(0.2, balanced, DOTS[0.2][balanced]) for balanced in (False, True)]
    units = [
        unit
        for unit in FIGURE.units(False)
        if unit.call in ("predict", "simulate") and place(unit) in wanted
    ]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        scores = FIGURE.scores(store.to_pandas(units))
    assert len(scores) == 6  # cosine, κ and error of both
    assert scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(FIGURE.scores(store.to_pandas([]))) == 0


PLAIN, BALANCED = "two steps,\nbias left alone", "slopes balanced\nbetween them"


@pytest.fixture
def table():
    rows = []
    for pi in (0.5, 0.1):
        rows.append({"call": "bayes_optimal", "task.pi": pi, "alpha": 20.0, "test_error": 0.2 * pi})
        for balanced in (False, True):
            here = {"task.pi": pi, "training.balanced": balanced}
            rows.append({"call": "align", **here, "cosine_q": pi + 0.4 * balanced})
            for step in (10.0, 100.0):
                row = {"call": "predict", "model": "attention", **here, "training.eta_q": step}
                error = pi * (0.5 if balanced else 0.9) - 1e-4 * step
                rows.append({**row, "cosine_q": 0.0, "test_error": error})
            for cosine in (0.2, 0.4):
                row = {"call": "simulate", "model": "attention", **here, "d": 100}
                rows.append({**row, "cosine_q": cosine, "test_error": 0.5 * cosine})
    yield pd.DataFrame(rows)
    plt.close("all")


def marks(table, panel, kind):
    result = drawing(table, alone=True, panel=panel).panels[0].marks
    return {mark.name: mark for mark in result if isinstance(mark, kind)}


def test_the_cosines_of_both(table):
    lines, dots = marks(table, "cosine", Line), marks(table, "cosine", Dots)
    assert lines[PLAIN].x == lines[BALANCED].x == (0.1, 0.5)
    assert lines[PLAIN].y == pytest.approx((0.1, 0.5))
    assert lines[BALANCED].y == pytest.approx((0.5, 0.9))
    assert dots[BALANCED].y == pytest.approx((0.3, 0.3))
    assert dots[BALANCED].se == pytest.approx((0.1, 0.1))


def test_without_alignments_the_cosines_of_predictions(table):
    lines = marks(table[table.call != "align"], "cosine", Line)
    assert lines[PLAIN].y == lines[BALANCED].y == (0.0, 0.0)


def test_errors_are_those_of_the_best_step(table):
    lines, dots = marks(table, "error", Line), marks(table, "error", Dots)
    assert lines[PLAIN].y == pytest.approx((0.08, 0.44))
    assert lines[BALANCED].y == pytest.approx((0.04, 0.24))
    assert lines[BAYES_OPTIMAL].y == pytest.approx((0.02, 0.1))
    assert dots[PLAIN].y == pytest.approx((0.15, 0.15))


def test_a_guess_errs_the_smaller_share(table):
    more = table.assign(**{"task.pi": table["task.pi"] + 0.3})
    result = drawing(more, alone=True, panel="error").panels[0].marks
    (guess,) = (mark for mark in result if isinstance(mark, Line) and mark.dash == DOTTED)
    x, y = np.array(guess.x), np.array(guess.y)
    assert x[0] == 0.4 and x[-1] == 0.8 and y.max() == 0.5
    assert y == pytest.approx(np.minimum(x, 1.0 - x))


def test_a_table_that_does_not_speak_of_balance_is_plain(table):
    plain = table[table["training.balanced"] != True].drop(columns="training.balanced")  # noqa: E712
    assert set(marks(plain, "cosine", Line)) == {PLAIN}


def test_two_panels_or_one(table):
    assert len(figures.rare(table).axes) == 2
    figure, ax = plt.subplots()
    assert figures.rare(table, ax=ax, panel="error") is figure
    assert ax.get_yscale() == "log"
