"""The experiment "deep_training": the trainings of `deep_errors` that are watched."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope import figures
from needlescope.figures.marks import Cells, Dots, Rule
from needlescope.gallery import registry
from needlescope.gallery.deep import deep_errors
from needlescope.gallery.deep.deep_training import scores
from needlescope.gallery.deep_units import ARCHITECTURE_NAMES, Size
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "deep_training")
FIGURE = published("deep_training")
FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


@pytest.mark.parametrize("full", [False, True])
def test_nothing_is_trained_twice(full):
    units = [unit for unit in FIGURE.units(full) if unit.call.startswith("simulate")]
    every = {unit.key for unit in deep_errors.units(full)}
    assert {unit.key for unit in units} <= every
    watched = [unit for unit in units if unit.arguments.get("watch")]
    assert len(watched) == len(ARCHITECTURE_NAMES) * Size.of(full).trials
    assert {unit.arguments["starts"] for unit in units if unit not in watched} == {2}


def test_two_steps_are_given_as_much_data():
    [align] = [unit for unit in FIGURE.units(False) if unit.call == "align"]
    assert align.arguments["training"]["alpha0"] == deep_errors.WATCHED / 2.0


def test_only_what_is_below_the_limit_is_scored():
    rows = [{"call": "bayes_optimal", "alpha": 8.0, "test_error": 0.1}]
    for name, error in (("cls", 0.05), ("gru", 0.2)):
        row = {"call": "simulate_deep", "architecture": name, "alpha": 8.0}
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    assert scores(pd.DataFrame(rows))["z"].tolist() == pytest.approx([FAR, 0.0])


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
    gradient, query, *_ = drawing(table).panels
    assert set(dots(gradient)) == {"the paper’s model", "transformer block", "recurrent (GRU)"}
    result = dots(gradient)["recurrent (GRU)"]
    assert result.x == (0.5, 1.0, 2.0) and result.y == pytest.approx((0.2, 0.4, 0.6))
    assert result.se == pytest.approx((0.05,) * 3)
    assert list(gradient.x.labels) == ["0", "1", "2"] and list(gradient.x.ticks) == [0.5, 1.0, 2.0]
    assert set(dots(query)) == {"the paper’s model"}


def test_levels_are_two_steps_and_the_minimum_that_errs_least(table):
    query = drawing(table).panels[1]
    assert [mark.y for mark in query.marks if isinstance(mark, Rule)] == pytest.approx([0.9, 0.8])


def test_maps_are_of_those_that_attend(table):
    picture = drawing(table)
    maps = [mark for panel in picture.panels for mark in panel.marks if isinstance(mark, Cells)]
    assert len(maps) == 2 and len(picture.panels) == 4
    want = 0.3 * np.outer([1, 2, 3], [1, 1 / 2, 1 / 3, 1 / 4])
    assert np.array(maps[0].values) == pytest.approx(want)
    assert maps[0].first == 1 and picture.bar == maps[0].scale == maps[1].scale
    assert (picture.bar.low, picture.bar.high) == (0.0, 1.0)


def test_without_maps_there_is_no_bar(table):
    picture = drawing(table[table.architecture != "solvable"][:-3])
    blind = table[(table.architecture == "gru") | (table.call != "simulate_deep")]
    assert len(picture.panels) == 3
    assert drawing(blind).bar is None
    assert len(figures.deep_training(blind).axes) == 2


@pytest.mark.parametrize("panel", ["cosine", "query", "solvable"])
def test_one_panel_goes_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert figures.deep_training(table, ax=ax, panel=panel) is figure
    assert ax.has_data()


def test_a_map_that_is_not_there_is_refused(table):
    with pytest.raises(ValueError, match=r'the panel "cls" needs its columns path_map_1_1'):
        drawing(table, alone=True, panel="cls")
    with pytest.raises(ValueError, match="panel must be one of 'cosine', 'query', 'solvable'"):
        drawing(table, alone=True, panel="gru")


def test_trainings_at_two_amounts_of_data_are_refused(table):
    more = pd.DataFrame([watched("gru", 0.0) | {"alpha": 16.0}])
    with pytest.raises(ValueError, match=r"single alpha, got 8\.0, 16\.0"):
        figures.deep_training(pd.concat([table, more]))
