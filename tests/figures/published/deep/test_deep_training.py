"""The figure "deep_training", drawn from a table made by hand."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from needlescope import figures
from needlescope.figures.marks import Cells, Dots, Rule

EPOCHS = (0, 1, 2)


def watched(name, shift, *, query=True, attends=True):
    row = {"call": "simulate_deep", "architecture": name, "alpha": 8.0, "d": 50}
    for k, epoch in enumerate(EPOCHS, 1):
        row |= {f"path_epochs_{k}": epoch, f"path_cosine_{k}": 0.2 * k + shift}
        if query:
            row[f"path_cosine_q_{k}"] = 0.1 * k + shift
        for token in range(1, 5) if attends else ():
            row[f"path_map_{k}_{token}"] = 0.3 * k / token + shift
    return row


@pytest.fixture
def table():
    rows = [{"call": "align", "cosine_q": 0.9, "training.alpha0": 4.0}]
    for ridge, error in ((0.1, 0.2), (1.0, 0.1)):
        for shift in (-0.1, 0.1):
            row = {"call": "simulate", "training.ridge": ridge, "starts": 2, "test_error": error}
            rows.append({**row, "cosine_q": 0.8 * ridge + shift})
    for shift in (-0.05, 0.05):
        rows.append(watched("solvable", shift))
        rows.append(watched("block", shift, query=False))
        rows.append(watched("gru", shift, query=False, attends=False))
    yield pd.DataFrame(rows)
    plt.close("all")


def dots(panel):
    return {mark.name: mark for mark in panel.marks if isinstance(mark, Dots)}


def test_cosines_are_means_over_trials(table):
    gradient, query, *_ = figures.series("deep_training", table).panels
    assert set(dots(gradient)) == {"the paper’s model", "transformer block", "recurrent (GRU)"}
    found = dots(gradient)["recurrent (GRU)"]
    assert found.x == (0.5, 1.0, 2.0) and found.y == pytest.approx((0.2, 0.4, 0.6))
    assert found.se == pytest.approx((0.05,) * 3)
    assert list(gradient.x.labels) == ["0", "1", "2"] and list(gradient.x.ticks) == [0.5, 1.0, 2.0]
    assert set(dots(query)) == {"the paper’s model"}


def test_levels_are_two_steps_and_the_minimum_that_errs_least(table):
    query = figures.series("deep_training", table).panels[1]
    assert [mark.y for mark in query.marks if isinstance(mark, Rule)] == pytest.approx([0.9, 0.8])


def test_maps_are_of_those_that_attend(table):
    drawing = figures.series("deep_training", table)
    maps = [mark for panel in drawing.panels for mark in panel.marks if isinstance(mark, Cells)]
    assert len(maps) == 2 and len(drawing.panels) == 4
    want = 0.3 * np.outer([1, 2, 3], [1, 1 / 2, 1 / 3, 1 / 4])
    assert np.array(maps[0].values) == pytest.approx(want)
    assert maps[0].first == 1 and drawing.bar == maps[0].scale == maps[1].scale
    assert (drawing.bar.low, drawing.bar.high) == (0.0, 1.0)


def test_without_maps_there_is_no_bar(table):
    drawing = figures.series("deep_training", table[table.architecture != "solvable"][:-3])
    blind = table[(table.architecture == "gru") | (table.call != "simulate_deep")]
    assert len(drawing.panels) == 3
    assert figures.series("deep_training", blind).bar is None
    assert len(figures.deep_training(blind).axes) == 2


@pytest.mark.parametrize("panel", ["cosine", "query", "solvable"])
def test_one_panel_goes_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert figures.deep_training(table, ax=ax, panel=panel) is figure
    assert ax.has_data()


def test_a_map_that_is_not_there_is_refused(table):
    with pytest.raises(ValueError, match=r'the panel "cls" needs its columns path_map_1_1'):
        figures.series("deep_training", table, alone=True, panel="cls")
    with pytest.raises(ValueError, match="panel must be one of 'cosine', 'query', 'solvable'"):
        figures.series("deep_training", table, alone=True, panel="gru")


def test_trainings_at_two_amounts_of_data_are_refused(table):
    more = pd.DataFrame([watched("gru", 0.0) | {"alpha": 16.0}])
    with pytest.raises(ValueError, match=r"single alpha, got 8\.0, 16\.0"):
        figures.deep_training(pd.concat([table, more]))
