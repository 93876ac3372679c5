"""The figure "kinds", drawn from a table made by hand."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope import figures
from needlescope.figures.marks import Dots, Line
from needlescope.figures.style import ANYONE


def row(call, L, R, theta, half, error, **more):
    found = {"call": call, "task.L": L, "task.R": R, "task.theta": theta, "test_error": error}
    if call == "bayes_optimal":
        return found | {"alpha": 2.0 * half}
    return found | {"training.alpha0": half, "training.alpha1": half} | more


@pytest.fixture
def table():
    rows = []
    for at in ((10, 1, 4.0, 1.0), (10, 1, 4.0, 2.0), (20, 1, 4.0, 2.0), (10, 4, 2.0, 2.0)):
        L, R, _, half = at
        rows.append(row("bayes_optimal", *at, 0.01))
        rows.append(row("predict", *at, 0.3, model="pooled", data="all"))
        rows.append(row("predict", *at, 0.05 * R, model="hard"))
        for step, ridge in ((1.0, 0.1), (2.0, 0.1), (2.0, 1.0)):
            setting = {"training.eta_q": step, "training.ridge": ridge}
            error = 0.001 * L / half * step * ridge
            rows.append(row("predict", *at, error, model="attention", **setting))
            for shift in (-0.001, 0.001):
                more = {"model": "attention", "d": 50, **setting}
                rows.append(row("simulate", *at, 0.02 * step + shift, **more))
    yield pd.DataFrame(rows)
    plt.close("all")


def named(panel, kind):
    return {mark.name: mark for mark in panel.marks if isinstance(mark, kind)}


def test_each_panel_is_along_one_parameter(table):
    data, length, shared = figures.series("kinds", table).panels
    assert named(data, Line)["hard attention"].x == (2.0, 4.0)
    assert named(length, Line)["hard attention"].x == (10.0, 20.0)
    assert named(shared, Line)["hard attention"].x == (1.0, 4.0)
    assert named(shared, Line)["hard attention"].y == pytest.approx((0.05, 0.2))
    assert named(data, Line)[ANYONE].y == (0.01, 0.01)
    assert data.title == r"$L = 10$, $R = 1$, $\theta = 4$"
    assert length.title == r"$R = 1$, $\alpha = 4$, $\theta = 4$"
    assert shared.title == r"$L = 10$, $\alpha = 4$, $\theta\sqrt{R} = 4$"


def test_each_kind_is_drawn_at_its_best(table):
    data = figures.series("kinds", table).panels[0]
    assert named(data, Line)["softmax attention"].y == pytest.approx((0.001, 0.0005))
    dots = named(data, Dots)["softmax attention"]
    assert dots.y == pytest.approx((0.02, 0.02)) and dots.se == pytest.approx((0.001, 0.001))


@pytest.mark.parametrize("panel", ["data", "length", "shared"])
def test_one_panel_goes_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert figures.kinds(table, ax=ax, panel=panel) is figure
    assert figure.axes == [ax] and ax.has_data()


def test_rows_beside_the_panels_are_refused(table):
    beside = pd.DataFrame([row("predict", 20, 4, 2.0, 1.0, 0.1, model="hard")])
    with pytest.raises(ValueError, match=r"task.L = 20, task.R = 4.*leave those rows out"):
        figures.kinds(pd.concat([table, beside]))
    other = table[table["task.R"] == 4].assign(**{"task.theta": 3.0})
    with pytest.raises(ValueError, match=r"single task\.theta for each task\.R, got 2 and 3 for"):
        figures.kinds(pd.concat([table, other]))
