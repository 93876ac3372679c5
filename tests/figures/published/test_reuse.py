"""The figure "reuse", drawn from a table made by hand."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope.experiments.published.reuse import PROTOCOLS, QUERY_STEPS
from needlescope.figures.published.reuse import reuse


@pytest.fixture
def table():
    rows = []
    for alpha in (2.0, 4.0):
        split = {"training.alpha0": alpha / 2, "training.alpha1": alpha / 2}
        rows.append({"call": "predict", **split, "test_error": 0.1 / alpha})
        for name, protocol in PROTOCOLS.items():
            steps = {"training.query_steps": QUERY_STEPS.get(name, 1)}
            whole = {"training.alpha0": alpha, "training.alpha1": alpha}
            shares = whole if protocol["reuse"] == "D0" else split
            for error in (0.09, 0.11):
                row = {"call": "simulate", "d": 9, **protocol, **shares, **steps}
                rows.append({**row, "test_error": error / alpha})
    yield pd.DataFrame(rows)
    plt.close("all")


def test_dots_of_every_protocol_stand_at_the_total_of_the_data(table):
    ax = reuse(table).axes[0]
    assert len(ax.containers) == len(PROTOCOLS)
    for container in ax.containers:
        assert container.lines[0].get_xdata().tolist() == [2.0, 4.0]
        assert container.lines[0].get_ydata() == pytest.approx([0.05, 0.025])
    assert ax.lines[0].get_xdata().tolist() == [2.0, 4.0]


def test_draws_into_given_axes_and_without_dots(table):
    figure, ax = plt.subplots()
    assert reuse(table[table.call == "predict"], ax=ax) is figure
    assert not ax.containers and len(figure.axes) == 1


def test_the_legend_hides_no_data_in_small_axes(table):
    figure, ax = plt.subplots(figsize=(3.4, 2.8))
    reuse(table, ax=ax)
    figure.canvas.draw()
    lowest = ax.get_legend().get_window_extent().y0
    assert ax.transData.transform((1.0, ax.dataLim.y1))[1] < lowest


def test_what_anyone_could_learn_is_a_thin_line_below(table):
    limit = pd.DataFrame({"call": "bayes_optimal", "alpha": [4.0, 2.0], "test_error": [0.01, 0.02]})
    ax = reuse(pd.concat([table, limit], ignore_index=True)).axes[0]
    theory, thin = ax.lines[:2]
    assert thin.get_xdata().tolist() == [2.0, 4.0] and thin.get_ydata().tolist() == [0.02, 0.01]
    assert thin.get_linewidth() < theory.get_linewidth() and thin.get_zorder() < theory.get_zorder()
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names[-1] == "anyone (limit of learning)"
    assert names[:-1] == [text.get_text() for text in reuse(table).axes[0].get_legend().get_texts()]
