"""The figure "robustness", drawn from a table made by hand."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope.experiments.published.robustness import GAUSSIAN, OTHERS
from needlescope.figures.published.robustness import LAWS, robustness


@pytest.fixture
def table():
    rows = []
    for model in ("attention", "pooled"):
        for alpha1 in (1.0, 4.0):
            point = {"model": model, "training.alpha1": alpha1}
            numbers = {"test_error": 0.2 / alpha1, "train_loss": 0.1, "train_error": 0.0}
            rows.append({"call": "predict", **point, **numbers})
            for noise in (GAUSSIAN, *OTHERS):
                law = {f"noise.{key}": value for key, value in noise.items()}
                rows += [{"call": "simulate", "d": 9, **point, **law, **numbers}] * 2
    yield pd.DataFrame(rows)
    plt.close("all")


def test_each_law_has_its_dots_in_each_panel(table):
    figure = robustness(table)
    assert len(figure.axes) == 6 and figure.get_size_inches()[0] == 7.0
    assert all(len(ax.containers) == len(LAWS) for ax in figure.axes)
    assert len(figure.legends[0].get_texts()) == 1 + len(LAWS)
    shapes = {container.lines[0].get_marker() for container in figure.axes[0].containers}
    assert len(shapes) == len(LAWS)


def test_draws_one_panel_into_given_axes(table):
    figure, ax = plt.subplots()
    assert robustness(table, ax=ax, model="pooled") is figure
    assert len(figure.axes) == 1 and len(ax.containers) == len(LAWS)


def test_lines_alone_are_drawn(table):
    lines = table[table.call == "predict"].dropna(axis=1)
    assert not robustness(lines).axes[0].containers


def test_the_legend_hides_no_data_in_small_axes(table):
    figure, ax = plt.subplots(figsize=(3.4, 2.8))
    robustness(table, ax=ax)
    figure.canvas.draw()
    lowest = ax.get_legend().get_window_extent().y0
    assert ax.transData.transform((1.0, ax.dataLim.y1))[1] < lowest
