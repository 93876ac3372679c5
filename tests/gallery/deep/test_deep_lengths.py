"""The experiment "deep_lengths": its units, and what is compared."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope import figures
from needlescope.figures.marks import Band, Dots, Line, Text
from needlescope.figures.style import BAYES_OPTIMAL
from needlescope.gallery import registry
from needlescope.gallery.deep.deep_lengths import (
    DRAWN,
    FACTOR,
    FINE,
    LENGTHS,
    LONGEST,
    SLOW,
    D,
    scores,
    task,
)
from needlescope.gallery.deep_style import SIGNAL_KNOWN, TWO_STEPS
from needlescope.gallery.deep_units import Size
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "deep_lengths")
FIGURE = published("deep_lengths")
FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


def lengths(full, name):
    units = [unit.arguments for unit in FIGURE.units(full) if unit.call == "simulate_deep"]
    own = [unit for unit in units if unit["architecture"] == name]
    assert {item["d"] for item in own} == {D}
    found = [item["task"]["L"] for item in own]
    assert all(found.count(L) == Size.of(full).trials for L in found)
    return sorted(set(found))


def test_the_longest_are_left_to_the_full_size():
    for name in DRAWN:
        assert lengths(True, name) == [*LENGTHS, LONGEST]
        assert lengths(False, name) == list(LENGTHS[:-1] if name in SLOW else LENGTHS)
    assert max(LENGTHS) > D and {*LENGTHS, LONGEST} <= set(FINE)


def test_the_signal_is_a_factor_above_the_threshold():
    for L in FINE:
        assert task(L)["theta"] == pytest.approx(FACTOR * np.sqrt(2.0 * np.log(L)), rel=1e-3)


def test_every_length_has_its_limit():
    found = [unit.arguments["task"] for unit in FIGURE.units(False)
             if unit.call == "bayes_optimal"]  # fmt: skip
    assert found == [task(L) for L in FINE]


def test_only_what_is_below_the_limit_of_its_length_is_scored():
    rows = []
    for L, error in ((4, 0.05), (16, 0.2)):
        rows.append({"call": "bayes_optimal", "task.L": L, "test_error": 0.1})
        row = {"call": "simulate_deep", "architecture": "max", "task.L": L}
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    assert scores(pd.DataFrame(rows))["z"].tolist() == pytest.approx([FAR, 0.0])


@pytest.fixture
def table():
    rows = []
    for L, theta in ((4, 2.5), (64, 4.3)):
        here = {"task.L": L, "task.theta": theta}
        rows.append({"call": "oracle", **here, "error": 0.1 / L})
        rows.append({"call": "bayes_optimal", **here, "alpha": 16.0, "test_error": 0.2 / L})
        for ridge in (0.1, 1.0):
            row = {"call": "predict", "model": "attention", **here, "training.ridge": ridge}
            rows.append({**row, "test_error": ridge / L})
        for error in (0.2, 0.3):
            row = {"call": "simulate_deep", **here, "alpha": 16.0, "architecture": "block", "d": 32}
            rows.append({**row, "test_error": error})
    yield pd.DataFrame(rows)
    plt.close("all")


def found(table):
    return drawing(table).panels[0].marks


def test_lines_and_dots_are_the_rows(table):
    lines = {mark.name: mark for mark in found(table) if isinstance(mark, Line)}
    assert lines[TWO_STEPS].x == (4.0, 64.0)
    assert lines[TWO_STEPS].y == pytest.approx((0.025, 0.1 / 64))
    assert lines[SIGNAL_KNOWN].y == pytest.approx((0.025, 0.1 / 64))
    assert lines[BAYES_OPTIMAL].y == pytest.approx((0.05, 0.2 / 64))
    [dots] = [mark for mark in found(table) if isinstance(mark, Dots)]
    assert dots.y == pytest.approx((0.25, 0.25)) and dots.se == pytest.approx((0.05, 0.05))


def test_more_tokens_than_dimensions_are_shaded(table):
    [band] = [mark for mark in found(table) if isinstance(mark, Band)]
    assert band.x[0] == 32.0 and band.x[1] > 64.0
    assert any(isinstance(mark, Text) and "than dimensions" in mark.text for mark in found(table))
    wide = table.assign(d=100)
    assert not [mark for mark in found(wide) if isinstance(mark, Band)]


def test_it_goes_into_given_axes(table):
    figure, ax = plt.subplots()
    assert figures.deep_lengths(table, ax=ax) is figure and ax.get_yscale() == "log"


def test_two_strengths_at_one_length_are_refused(table):
    other = table[table["task.L"] == 4].assign(**{"task.theta": 3.0})
    with pytest.raises(ValueError, match=r"single task\.theta for each task\.L, got 2\.5 and 3"):
        figures.deep_lengths(pd.concat([table, other]))
