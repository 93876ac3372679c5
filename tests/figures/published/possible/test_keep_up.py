"""The figure "keep_up", drawn from a table made by hand."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from needlescope import figures
from needlescope.figures.marks import Dots, Line

LENGTHS = (10, 100, 1000)


def overlap(samples, needed):
    """Half at a third of what is needed, and 0.81 there; odds are a power of the samples."""
    odds = (0.81 / 0.19) ** (1.0 + np.log(samples / needed) / np.log(3.0))
    return odds / (1.0 + odds)


@pytest.fixture
def table():
    rows = []
    for L in LENGTHS:
        task = {"task.L": L, "task.theta": 4.0}
        for alpha0 in (0.1 * L, 0.5 * L, 2.0 * L, 20.0 * L):
            row = {**task, "training.alpha0": alpha0, "training.eta_q": 10.0, "kappa": 1.0 / L**2}
            q, w = overlap(alpha0, 1.0 * L) ** 0.5, overlap(alpha0, 7.0 * L) ** 0.5
            rows.append({**row, "call": "align", "cosine_q": q, "cosine_w": w})
            for d, shift in ((100, -0.1), (200, -0.01), (200, 0.01)):
                drawn = {"cosine_q": q + shift, "cosine_w": w, "d": d}
                rows.append({**row, "call": "simulate_alignment", **drawn})
        for alpha in (0.1, 1.0, 30.0):
            limit = {"alpha": alpha, "overlap": overlap(alpha, 0.5), "call": "bayes_optimal"}
            easy = limit["overlap"] if L < 1000 or alpha > 9.0 else 0.02
            rows.append({**task, **limit, "amp_overlap": easy})
        boundary = 9.0 if L == 1000 else np.nan
        rows.append({**task, "call": "phase_boundaries", "alpha_amp": boundary})
    yield pd.DataFrame(rows)
    plt.close("all")


def lines(panel):
    return {mark.name.partition(":")[0]: mark for mark in panel.marks if isinstance(mark, Line)}


def test_lines_are_where_the_rows_cross_a_cosine_of_nine_tenths(table):
    samples, step = figures.series("keep_up", table).panels
    found = lines(samples)
    assert [*found] == ["one step", "two steps", "quick learner", "best learner"]
    assert all(mark.x == LENGTHS for mark in found.values())
    assert found["two steps"].y == pytest.approx(LENGTHS)
    assert found["one step"].y == pytest.approx(7.0 * np.array(LENGTHS))
    assert found["best learner"].y == pytest.approx([0.5] * 3)
    assert found["quick learner"].y == pytest.approx([0.5, 0.5, 9.0])
    assert found["two steps"].name == "two steps: $L^{1.00}$"
    [sharp] = lines(step).values()  # κ = θ/2 = 2, and 1/L² at a step of 10
    assert sharp.y == pytest.approx(20.0 * np.array(LENGTHS, float) ** 2)
    assert sharp.name.endswith("$L^{2.00}$")


def test_dots_are_of_the_largest_dimension_with_bars(table):
    samples, step = figures.series("keep_up", table).panels
    [dots] = [mark for mark in samples.marks if isinstance(mark, Dots)]
    assert dots.y == pytest.approx(LENGTHS)
    assert np.min(dots.se) > 0.0 and np.max(np.divide(dots.se, dots.y)) < 0.2
    [dots] = [mark for mark in step.marks if isinstance(mark, Dots)]
    assert dots.se == pytest.approx([0.0] * 3)  # κ is the same in all trials


@pytest.mark.parametrize("panel", ["samples", "step"])
def test_a_single_panel_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert figures.keep_up(table, ax=ax, panel=panel) is figure
    assert figure.axes == [ax] and ax.lines


def test_what_is_not_crossed_is_left_out(table):
    short = table[table["training.alpha0"].isna() | (table["training.alpha0"] < 1.0 * LENGTHS[0])]
    samples, step = figures.series("keep_up", short).panels
    assert [*lines(samples)] == ["quick learner", "best learner"]
    assert not lines(step) and any("not in the table" in str(mark) for mark in step.marks)


def test_a_quick_learner_without_its_boundary_is_known_where_it_does_not_jump(table):
    found = lines(figures.series("keep_up", table[table.call != "phase_boundaries"]).panels[0])
    assert found["quick learner"].y[:2] == pytest.approx([0.5, 0.5])
