"""The experiment "attention_map": its units, and simulation against theory on a small run."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.figures import attention_map
from needlescope.gallery.paper.attention_map import BY
from needlescope.gallery.registry import published

FIGURE = published("attention_map")


@pytest.mark.parametrize("full", [False, True])
def test_every_dot_has_its_line_and_two_sizes(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)

    def points(call):
        return {
            (u.arguments["task"]["theta"], *map(u.arguments["training"].get, ("eta_q", "alpha0")))
            for u in units
            if u.call == call
        }

    assert points("simulate_focus") < points("focus")
    sizes = {u.arguments["d"] for u in units if "d" in u.arguments}
    assert sizes == ({1000, 500} if full else {300, 150})


@pytest.mark.slow
def test_simulation_agrees_with_theory(tmp_path):
    def wanted(unit):
        training = unit.arguments["training"]
        return training["alpha0"] in (1.0, 10.0) and training["eta_q"] == 10.0

    units = [unit for unit in FIGURE.units(False) if wanted(unit)]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        table = store.to_pandas(units)
    scores = FIGURE.scores(table)
    assert len(scores) == 3 * 2 * 2  # signals, amounts of data, quantities
    assert scores["z"].abs().max() < 5.0
    assert set(BY) <= set(table)
    wrong = table.assign(signal=table.signal.where(table.call != "focus", 0.7 * table.signal))
    assert FIGURE.scores(wrong)["z"].abs().max() > 5.0


@pytest.fixture
def table():
    rows = []
    for theta, eta_q in ((5.0, 2.5), (5.0, 10.0), (5.0, 40.0), (3.0, 10.0), (4.0, 10.0)):
        for alpha0 in (0.1, 1.0, 10.0):
            signal = 0.1 + 0.01 * theta + 0.001 * eta_q + 0.01 * alpha0
            row = {
                "task.theta": theta, "training.eta_q": eta_q, "training.alpha0": alpha0,
                "task.L": 10, "signal": signal, "noise": (1 - signal) / 9, "largest": signal / 2,
            }  # fmt: skip
            rows.append({**row, "call": "focus"})
            rows += [{**row, "call": "simulate_focus", "d": 300}] * 2
    return pd.DataFrame(rows)


def test_lines_are_the_rows_of_the_table(table):
    left, right = (figure := attention_map(table)).axes
    figure.canvas.draw()
    assert [len(ax.containers) for ax in (left, right)] == [6, 3]
    drawn = [line.get_ydata() for line in (*left.lines, *right.lines)]
    theory = table[table.call == "focus"]
    for column, fixed, value, by in (
        ("signal", "task.theta", 5.0, "training.eta_q"),
        ("noise", "task.theta", 5.0, "training.eta_q"),
        ("largest", "training.eta_q", 10.0, "task.theta"),
    ):
        for _, part in theory[theory[fixed] == value].groupby(by):
            wanted = part[column].to_numpy()
            assert any(len(ys) == 3 and np.allclose(ys, wanted) for ys in drawn), column
    assert r"\alpha_0" in left.get_xlabel() and "attention" in left.get_ylabel()


@pytest.mark.parametrize("panel", ["weights", "largest"])
def test_a_single_panel_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert attention_map(table, ax=ax, panel=panel) is figure
    assert figure.axes == [ax] and ax.lines
    with pytest.raises(ValueError, match="panel must be one of 'weights', 'largest', got 'map'"):
        attention_map(table, ax=ax, panel="map")


def test_the_step_is_the_default_where_the_table_does_not_say(table):
    rows = table[table["training.eta_q"] == 10.0]
    left, right = attention_map(rows.drop(columns="training.eta_q")).axes
    assert [len(ax.containers) for ax in (left, right)] == [2, 3]


def test_missing_rows_are_left_out(table):
    for part in (table[table.call == "focus"], table[table.call != "focus"]):
        attention_map(part).canvas.draw()


def test_every_step_has_its_line_however_many_there_are(table):
    rows = table[(table["task.theta"] == 5.0) & (table["training.eta_q"] == 10.0)]
    steps = (1.0, 2.0, 5.0, 10.0, 20.0)
    left = attention_map(
        pd.concat([rows.assign(**{"training.eta_q": step}) for step in steps])
    ).axes[0]
    assert len(left.containers) == 2 * len(steps)
    assert len({box.lines[0].get_color() for box in left.containers}) == 2 * len(steps)


def test_what_a_panel_is_drawn_at_is_said_where_nothing_else_changes(table):
    rows = table[(table["training.eta_q"] == 10.0) & (table["task.theta"] != 3.0)]
    left, right = attention_map(rows).axes
    assert left.get_title(loc="left").endswith(r", $\theta$ $= 4$")
    assert len(right.containers) == 2 and "$" not in right.get_title(loc="left")
