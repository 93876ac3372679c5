"""The experiment "deep_rare": its units, and what is compared."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope import figures
from needlescope.figures.marks import Dots, Line
from needlescope.figures.style import BAYES_OPTIMAL
from needlescope.gallery import registry
from needlescope.gallery.deep import deep_errors
from needlescope.gallery.deep.deep_rare import DRAWN, GUESS, TRAINED_SHARES, scores
from needlescope.gallery.deep_style import SIGNAL_KNOWN, TWO_STEPS
from needlescope.gallery.deep_units import Size
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "deep_rare")
FIGURE = published("deep_rare")
FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


def shares(call, full=False):
    return [unit.arguments["task"]["pi"] for unit in FIGURE.units(full) if unit.call == call]


@pytest.mark.parametrize("full", [False, True])
def test_every_share_of_every_architecture(full):
    result = shares("simulate_deep", full)
    assert set(result) == {*TRAINED_SHARES, 0.5}
    assert len(result) == len(DRAWN) * (len(TRAINED_SHARES) + 1) * Size.of(full).trials


def test_those_at_one_half_are_of_another_figure():
    even = [unit for unit in FIGURE.units(False)
            if unit.call == "simulate_deep" and unit.arguments["task"]["pi"] == 0.5]  # fmt: skip
    assert {unit.key for unit in even} < {unit.key for unit in deep_errors.units(False)}


def test_dots_have_their_limits():
    assert {*TRAINED_SHARES, 0.5} <= set(shares("bayes_optimal")) == set(shares("oracle"))


def test_only_what_is_below_the_limit_of_its_share_is_scored():
    rows = []
    for pi, error in ((0.1, 0.05), (0.5, 0.2)):
        rows.append({"call": "bayes_optimal", "task.pi": pi, "test_error": 0.1})
        row = {"call": "simulate_deep", "architecture": "max", "task.pi": pi}
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    assert scores(pd.DataFrame(rows))["z"].tolist() == pytest.approx([FAR, 0.0])


@pytest.fixture
def table():
    rows = []
    for pi in (0.5, 0.1):
        rows.append({"call": "oracle", "task.pi": pi, "error": 0.1 * pi})
        limit = {"call": "bayes_optimal", "alpha": 16.0, "test_error": 0.2 * pi}
        rows.append({**limit, "task.pi": pi})
        for step in (10.0, 100.0):
            row = {"call": "predict", "model": "attention", "task.pi": pi, "training.eta_q": step}
            rows.append({**row, "test_error": 0.9 * pi - 1e-4 * step})
        for name in ("solvable", "gru"):
            for error in (0.2, 0.4):
                row = {"call": "simulate_deep", "architecture": name, "task.pi": pi, "d": 50}
                rows.append({**row, "alpha": 16.0, "test_error": error * pi})
    yield pd.DataFrame(rows)
    plt.close("all")


def marks(table, kind):
    result = drawing(table).panels[0].marks
    return {mark.name: mark for mark in result if isinstance(mark, kind)}


def test_lines_are_theory_at_its_best(table):
    lines = marks(table, Line)
    assert lines[TWO_STEPS].x == (0.1, 0.5)
    assert lines[TWO_STEPS].y == pytest.approx((0.08, 0.44))
    assert lines[BAYES_OPTIMAL].y == pytest.approx((0.02, 0.1))
    assert lines[SIGNAL_KNOWN].y == pytest.approx((0.01, 0.05))


def test_dots_are_means_over_trials(table):
    dots = marks(table, Dots)
    assert set(dots) == {"the paper’s model", "recurrent (GRU)"}
    assert dots["recurrent (GRU)"].y == pytest.approx((0.03, 0.15))
    assert dots["recurrent (GRU)"].x == pytest.approx((0.1, 0.5), rel=0.02)


def test_a_guess_errs_the_smaller_share(table):
    more = table.assign(**{"task.pi": table["task.pi"] + 0.3})
    x, y = (np.array(item) for item in (marks(more, Line)[GUESS].x, marks(more, Line)[GUESS].y))
    assert x[0] == 0.4 and x[-1] == 0.8 and y.max() == 0.5
    assert y == pytest.approx(np.minimum(x, 1.0 - x))


def test_it_goes_into_given_axes(table):
    figure, ax = plt.subplots()
    assert figures.deep_rare(table, ax=ax) is figure and ax.get_yscale() == "log"
