"""The experiment "steps": its units, and what it claims, checked without its own table."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import needlescope as ns
from needlescope import figures
from needlescope.figures.marks import Dots, Line
from needlescope.figures.style import BAYES_OPTIMAL
from needlescope.gallery import registry
from needlescope.gallery.bayes.steps import CHOSEN, READOUT, TOGETHER, units
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "steps")
FIGURE = published("steps")


def error(L: int, alpha: float, length: float, ridge: float, number: int | None) -> float:
    task = ns.Task(L, 1, {10: 3.5, 100: 4.0}[L], 0.5)
    cut, schedule = (1, None) if number is None else (number, ns.Schedule.even(number))
    sizes = {"eta_w": READOUT / cut, "eta_b": 4.0, "eta_q": length / cut}
    training = ns.Training(alpha / 2, alpha / 2, ridge=ridge, schedule=schedule, **sizes)
    return float(ns.predict(task, training, tol=2e-3).test_error)


@pytest.mark.parametrize("full", [False, True])
def test_every_dot_has_its_line_and_whole_batches(full: bool) -> None:
    result = units(full)
    assert len({unit.key for unit in result}) == len(result)
    told = [unit.arguments["training"] for unit in result if unit.call == "predict"]
    for unit in result:
        if unit.call == "simulate":
            training = unit.arguments["training"]
            assert training in told
            batch = training["alpha0"] * unit.arguments["d"] / training["schedule"]["steps"]
            assert batch == round(batch)


@pytest.mark.slow
def test_eight_fresh_batches_beat_two_steps_at_a_hundred_tokens() -> None:
    """0.150 against 0.203; the limit of learning is 0.131."""
    two = error(100, 16.0, *TOGETHER[100, 16.0], None)
    eight = error(100, 16.0, *CHOSEN[100, 16.0][8], 8)
    assert two == pytest.approx(0.203, abs=2e-3) and eight == pytest.approx(0.150, abs=2e-3)
    assert "0.203 to 0.150" in FIGURE.caption


@pytest.mark.slow
@pytest.mark.parametrize("place", CHOSEN, ids=str)
@pytest.mark.parametrize("number", [2, 4, 8, None])
def test_other_lengths_err_more(place: tuple[int, float], number: int | None) -> None:
    """A quarter decade aside is worse, if only within what the errors are known to."""
    length, ridge = TOGETHER[place] if number is None else CHOSEN[place][number]
    best = error(*place, length, ridge, number)
    for factor in (10**-0.25, 10**0.25):
        assert error(*place, factor * length, ridge, number) > best - 1e-3


FRESH, TWO = "steps on fresh batches", "two steps on the same data"


@pytest.fixture
def table():
    rows = []
    for L in (10, 100):
        for alpha in (4.0, 16.0):
            task = {"task.L": L, "task.theta": 4.0, "model": "attention"}
            half = {"training.alpha0": alpha / 2, "training.alpha1": alpha / 2}
            limit = {"alpha": alpha, "test_error": 0.4 / alpha, "overlap": 0.81}
            rows.append({"call": "bayes_optimal", **task, **limit})
            two = {"test_error": 2.0 / alpha, "cosine_q": 0.6}
            rows.append({"call": "predict", **task, **half, **two})
            for steps in (2, 4):
                many = {"training.schedule": "given", "training.schedule.steps": steps}
                for worse, eta_q in enumerate((10.0, 20.0)):
                    asked = {**task, **half, **many, "training.eta_q": eta_q}
                    result = {
                        "test_error": 1.6 / alpha / steps + worse,
                        "cosine_q": 0.7 + worse / 10,
                    }
                    rows.append({"call": "predict", **asked, **result})
                for error in (0.1, 0.3):
                    result = {"test_error": error, "cosine_q": 0.8, "d": 60}
                    rows.append({"call": "simulate", **asked, **result})
    yield pd.DataFrame(rows)
    plt.close("all")


def marks(table, kind, **options):
    panel = drawing(table, alone=True, **options).panels[0]
    return [mark for mark in panel.marks if isinstance(mark, kind)]


def test_steps_are_drawn_at_their_best_between_two_steps_and_the_limit(table):
    small, large = (
        {line.name: line for line in part}
        for part in (marks(table, Line)[:3], marks(table, Line)[3:])
    )
    assert small[FRESH].x == (2.0, 4.0) and small[FRESH].y == pytest.approx((0.2, 0.1))
    assert small[TWO].x == (2.0, 4.0) and small[TWO].y == (0.5, 0.5)
    assert small[BAYES_OPTIMAL].y == (0.1, 0.1) and large[BAYES_OPTIMAL].y == (0.025, 0.025)
    assert large[FRESH].y == pytest.approx((0.05, 0.025))
    assert small[FRESH].colour == small[TWO].colour != large[FRESH].colour


def test_cosines_are_those_of_the_best_and_the_root_of_the_overlap(table):
    lines = {line.name: line for line in marks(table, Line, panel="cosine", L=100)[:3]}
    assert lines[FRESH].y == (0.7, 0.7) and lines[TWO].y == (0.6, 0.6)
    assert lines[BAYES_OPTIMAL].y == pytest.approx((0.9, 0.9))


def test_dots_are_means_over_trials(table):
    first, second = marks(table, Dots)
    assert first.x == (2.0, 4.0) and first.y == pytest.approx((0.2, 0.2))
    assert second.se == pytest.approx((0.1, 0.1))


def test_a_column_for_each_length(table):
    titles = [ax.get_title(loc="left") for ax in figures.steps(table).axes]
    assert titles == [r"$L = 10$, $\theta = 4$", r"$L = 100$, $\theta = 4$", "", ""]
    assert len(figures.steps(table[table["task.L"] == 10]).axes) == 2
