"""The experiment "phases": every ring is on its map, and every signal has its boundaries."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope import figures
from needlescope.figures.marks import Dots, Line, Map, Rings, Text
from needlescope.gallery import registry
from needlescope.gallery.bayes.phases import TOKENS
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "phases")
FIGURE = published("phases")


@pytest.mark.parametrize("full", [False, True])
def test_every_ring_is_on_its_map(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)
    places = {"bayes_optimal": set(), "simulate_amp": set(), "phase_boundaries": set()}
    for unit in units:
        task = unit.arguments["task"]
        places[unit.call].add((task["L"], task["theta"], unit.arguments.get("alpha")))
    assert places["simulate_amp"] < places["bayes_optimal"]
    signals = {(L, theta) for L, theta, _ in places["bayes_optimal"]}
    assert signals < {(L, theta) for L, theta, _ in places["phase_boundaries"]}
    assert {L for L, _, _ in places["simulate_amp"]} == ({30, 100, 1000} if full else {30, 100})
    for L in TOKENS:
        own = [(theta, alpha) for item, theta, alpha in places["bayes_optimal"] if item == L]
        assert len(own) == len({theta for theta, _ in own}) * len({alpha for _, alpha in own})


@pytest.fixture
def table():
    rows = []
    for L, gap in ((30, 1.1), (1000, 9.0)):
        for theta in (2.0, 4.0, 6.0, 8.0):
            task = {"task.L": L, "task.theta": theta}
            edges = {"alpha_it": 8.0 / theta, "alpha_amp": gap * 8.0 / theta} if theta > 2.0 else {}
            rows.append({"call": "phase_boundaries", **task, **edges})
            for alpha in (0.01, 1.0, 100.0):
                at = {**task, "alpha": alpha, "test_error": theta / 20 + 0.01 * (alpha > 0.1)}
                rows.append({"call": "bayes_optimal", **at})
        for d, error in ((100, 0.9), (200, 0.3), (200, 0.4)):
            row = {"call": "simulate_amp", "task.L": L, "task.theta": 4.0, "alpha": 1.0}
            rows.append({**row, "d": d, "test_error": error})
    yield pd.DataFrame(rows)
    plt.close("all")


def marks(table, kind, L):
    panel = drawing(table, alone=True, L=L).panels[0]
    return [mark for mark in panel.marks if isinstance(mark, kind)]


def test_the_map_is_what_is_possible_and_rings_are_trials_at_the_largest_dimension(table):
    [shown] = marks(table, Map, 30)
    assert shown.x == (0.01, 1.0, 100.0) and shown.y == (2.0, 4.0, 6.0, 8.0)
    assert shown.values[1] == pytest.approx((0.2, 0.21, 0.21))
    [rings] = marks(table, Rings, 30)
    assert (rings.x, rings.y) == ((1.0,), (4.0,)) and rings.values == pytest.approx((0.35,))
    assert rings.scale == shown.scale


def test_lines_end_where_they_meet(table):
    possible, easy = marks(table, Line, 1000)
    assert possible.x == pytest.approx((2.0, 8.0 / 6.0, 1.0)) and possible.dash
    assert easy.x == pytest.approx((18.0, 12.0, 9.0)) and not easy.dash
    assert possible.y == easy.y == (4.0, 6.0, 8.0)
    [end] = marks(table, Dots, 1000)
    assert (end.x[0], end.y[0]) == pytest.approx((6.0, 4.0))
    assert marks(table[table["task.theta"] > 2.0], Dots, 1000) == []


def test_phases_are_named_where_there_is_room(table):
    assert [mark.text for mark in marks(table, Text, 30)] == ["easy", "impossible"]
    assert [mark.text for mark in marks(table, Text, 1000)] == ["easy", "impossible", "hard"]
    late = table[(table["alpha"] != 0.01)]
    assert [mark.text for mark in marks(late, Text, 30)] == ["easy"]


def test_a_map_for_each_number_of_tokens(table):
    figure = figures.phases(table)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["$L = 30$", "$L = 1{,}000$", ""]
    figure.canvas.draw()
