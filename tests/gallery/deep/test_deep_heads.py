"""The experiment "deep_heads": its units, and that one signal alone is compared."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope import figures
from needlescope.figures.marks import Dots, Rule
from needlescope.figures.style import BAYES_COLOUR, DASHED
from needlescope.gallery import registry
from needlescope.gallery.deep.deep_heads import HEADS, KINDS, SIGNAL_COUNTS, scores, task
from needlescope.gallery.deep_units import Size
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "deep_heads")
FIGURE = published("deep_heads")
FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


@pytest.mark.parametrize("full", [False, True])
def test_every_number_of_heads_for_every_number_of_signals(full):
    result = [unit.arguments for unit in FIGURE.units(full) if unit.call == "simulate_deep"]
    points = {(item["architecture"], len(item["task"].get("signals", [1])), item["heads"])
              for item in result}  # fmt: skip
    assert points == {(name, n, heads) for name in KINDS for n in SIGNAL_COUNTS for heads in HEADS}
    assert len(result) == len(points) * Size.of(full).trials


def test_signals_are_equally_frequent():
    assert task(4)["signals"] == [0.25] * 4 and "signals" not in task(1)


def test_what_one_query_reaches_is_asked_where_there_are_several_signals():
    result = [unit.arguments["task"] for unit in FIGURE.units(False) if unit.call == "best_query"]
    assert result == [task(n) for n in SIGNAL_COUNTS if n > 1]


def test_several_signals_are_not_held_against_the_limit_of_one():
    rows = [{"call": "bayes_optimal", "alpha": 32.0, "test_error": 0.1, "task.signals": None}]
    for signals, error in ((None, 0.05), ([0.5, 0.5], 0.01)):
        row = {"call": "simulate_deep", "architecture": "block", "heads": 2, "alpha": 32.0}
        row["task.signals"] = signals
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    result = scores(pd.DataFrame(rows))
    assert result["z"].tolist() == pytest.approx([FAR])
    assert result["what"].tolist() == ["block (2 heads) not below Bayes-optimal at alpha=32.0"]
    alone = pd.DataFrame(rows[:3]).drop(columns="task.signals")
    assert scores(alone)["z"].tolist() == pytest.approx([FAR])


@pytest.fixture
def table():
    rows = [{"call": "bayes_optimal", "alpha": 32.0, "test_error": 0.02}]
    for signals in (None, [0.5, 0.5], [0.25] * 4):
        count = len(signals or [1.0])
        if signals:
            row = {"call": "best_query", "task.signals": signals, "error": 0.1 * count}
            rows.append({**row, "alone": 0.9, "together": 0.8, "kappa": 3.0})
        for name in ("multihead", "block"):
            for heads in (1, 2):
                for shift in (-0.01, 0.01):
                    row = {"call": "simulate_deep", "architecture": name, "heads": heads}
                    row |= {"task.signals": signals, "alpha": 32.0, "d": 50}
                    rows.append({**row, "test_error": 0.1 * count / heads + shift})
    yield pd.DataFrame(rows)
    plt.close("all")


def test_a_curve_for_each_number_of_signals(table):
    for panel in drawing(table).panels:
        dots = {mark.name: mark for mark in panel.marks if isinstance(mark, Dots)}
        assert list(dots) == ["1 signal", "2 signals", "4 signals"]
        assert dots["2 signals"].x == (1.0, 2.0)
        assert dots["2 signals"].y == pytest.approx((0.2, 0.1))
        assert dots["4 signals"].se == pytest.approx((0.01, 0.01))
        assert list(panel.x.ticks) == [1.0, 2.0]


def test_levels_are_what_one_query_reaches_in_the_colours_of_the_curves(table):
    panel = drawing(table).panels[0]
    colours = {mark.name: mark.colour for mark in panel.marks if isinstance(mark, Dots)}
    limit, two, four = (mark for mark in panel.marks if isinstance(mark, Rule))
    assert (limit.y, limit.colour) == (0.02, BAYES_COLOUR)
    assert (two.y, two.colour, two.dash) == (0.2, colours["2 signals"], DASHED)
    assert (four.y, four.colour) == (0.4, colours["4 signals"])


def test_a_table_that_does_not_speak_of_signals_has_one(table):
    item = table[table["task.signals"].isna()].drop(columns="task.signals")
    panel = drawing(item).panels[0]
    assert [mark.name for mark in panel.marks if isinstance(mark, Dots)] == ["1 signal"]


@pytest.mark.parametrize("panel", ["multihead", "block"])
def test_one_panel_goes_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert figures.deep_heads(table, ax=ax, panel=panel) is figure
    assert figure.axes == [ax] and ax.has_data()


def test_architectures_without_heads_are_refused(table):
    other = pd.DataFrame([{"call": "simulate_deep", "architecture": "gru", "test_error": 0.1}])
    with pytest.raises(ValueError, match="draws architecture multihead and block, got gru"):
        figures.deep_heads(pd.concat([table, other]))
