"""The figure "limit", drawn from a table made by hand."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope import figures
from needlescope.figures.marks import Dots, Line, Rule
from needlescope.figures.style import ANYONE


@pytest.fixture
def table():
    rows = []
    for L, theta in ((10, 5.0), (100, 4.0)):
        task = {"task.L": L, "task.theta": theta}
        rows.append({"call": "oracle", "model": "bayes", **task, "error": 0.01})
        for alpha in (1.0, 4.0):
            limit = {"test_error": 0.02, "amp_test_error": 0.05 / alpha}
            rows.append({"call": "bayes_optimal", **task, "alpha": alpha, **limit})
            for error in (0.03, 0.05):
                row = {"call": "simulate_amp", **task, "alpha": alpha, "d": 200}
                rows.append({**row, "test_error": error})
            for ridge in (0.1, 1.0):
                pooled = {"model": "pooled", "training.alpha1": alpha, "training.ridge": ridge}
                rows.append({"call": "predict", **task, **pooled, "test_error": 0.4 * ridge})
                half = {"training.alpha0": alpha / 2, "training.alpha1": alpha / 2}
                for step in (10.0, 100.0):
                    row = {"call": "predict", "model": "attention", **task, **half}
                    row |= {"training.ridge": ridge, "training.eta_q": step}
                    rows.append({**row, "test_error": 3.0 * ridge / step})
                for error in (0.1, 0.2):
                    row = {"call": "simulate", "model": "attention", "starts": 2, "d": 60}
                    row |= {**task, **half, "training.ridge": ridge}
                    rows.append({**row, "test_error": error + ridge * (alpha > 2.0)})
    yield pd.DataFrame(rows)
    plt.close("all")


def named(table, kind):
    marks = figures.series("limit", table, alone=True).panels[0].marks
    return {mark.name: mark for mark in marks if isinstance(mark, kind)}


def test_each_protocol_is_drawn_at_its_best_and_at_all_its_data(table):
    lines = named(table, Line)
    assert lines["mean pooling"].y == pytest.approx((0.04, 0.04))
    assert lines["attention, two steps"].y == pytest.approx((0.003, 0.003))
    assert all(line.x == (1.0, 4.0) for line in lines.values())
    ends = named(table, Dots)["attention, end to end"]
    assert ends.x == (1.0, 4.0) and ends.y == pytest.approx((0.15, 0.25))
    assert ends.se == pytest.approx((0.05, 0.05))


def test_the_solid_line_is_easy_and_the_dashed_one_possible(table):
    lines = named(table, Line)
    assert lines[ANYONE].y == pytest.approx((0.05, 0.0125)) and not lines[ANYONE].dash
    assert lines["possible"].y == (0.02, 0.02) and lines["possible"].dash
    assert named(table, Dots)["iteration"].y == pytest.approx((0.04, 0.04))
    marks = figures.series("limit", table, alone=True).panels[0].marks
    assert [mark.y for mark in marks if isinstance(mark, Rule)] == [0.01]


def test_baselines_that_get_all_data_stand_at_all_data(table):
    rows = table[table.model == "pooled"].assign(**{"data": "all", "training.alpha0": 5.0})
    assert named(rows, Line)["mean pooling"].x == (6.0, 9.0)


def test_the_floor_is_in_sight(table):
    for ax in figures.limit(table).axes:
        assert ax.get_ylim()[0] < 0.01


def test_the_settings_of_other_tokens_do_not_matter(table):
    figure, ax = plt.subplots()
    assert figures.limit(table, ax=ax, L=100) is figure
    assert ax.get_title(loc="left") == r"$L = 100$, $\theta = 4$"
    one = figures.limit(table[table["task.L"] == 100])
    assert len(one.axes) == 1 and len(figures.limit(table).axes) == 2
