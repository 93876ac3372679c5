"""The capacity figure draws what the table says."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from needlescope.experiments.published.capacity import QUERY, TASK
from needlescope.figures.published.capacity import capacity

BASE = {f"task.{key}": value for key, value in TASK.items()}
HEAD = {f"query.{key}": value for key, value in QUERY.items()}


@pytest.fixture
def table():
    rows = [
        {"call": "capacity", "model": "pooled", "alpha": 3.0, **BASE},
        {"call": "capacity", "model": "pooled", "alpha": 2.2, **BASE, "task.L": 50},
        {"call": "capacity", "model": "attention", "alpha": 22.0, **BASE, **HEAD},
        {"call": "capacity", "model": "attention", "alpha": 5.0, **BASE, **HEAD}
        | {"query.cosine": 0.4},
    ]
    trial = {"call": "simulate_separability", "model": "pooled", **BASE}
    for d, alpha1, fraction in (
        (60, 2.4, 1.0), (60, 3.0, 1.0), (60, 3.0, 0.0), (60, 3.6, 0.0),
        (30, 1.8, 1.0), (30, 4.2, 0.0),
    ):  # fmt: skip
        rows.append({**trial, "d": d, "training.alpha1": alpha1, "fraction": fraction})
    yield pd.DataFrame(rows)
    plt.close("all")


def test_dots_are_fractions_over_the_stored_capacity(table):
    main = capacity(table).axes[0]
    dots = main.containers[0].lines[0]
    assert dots.get_xdata() == pytest.approx([0.8, 1.0, 1.2])
    assert list(dots.get_ydata()) == [1.0, 0.5, 0.0]


def test_the_smaller_dimension_is_drawn_too_and_lighter(table):
    main = capacity(table).axes[0]
    large, small = (one.lines[0] for one in main.containers)
    assert small.get_xdata() == pytest.approx([0.6, 1.4])
    assert sum(to_rgb(small.get_color())) > sum(to_rgb(large.get_color())) + 0.3
    labels = [text.get_text() for text in main.get_legend().get_texts()]
    assert labels[1:] == ["mean pooling, $d$ = 60, 30"]


def test_panels_take_only_rows_at_the_base_in_everything_else(table):
    tokens, alignment = (capacity(table).axes[place] for place in (1, 4))
    lines = {tuple(line.get_ydata()) for line in tokens.lines}
    assert {(22.0,), (3.0, 2.2)} <= lines
    assert (5.0, 22.0) in {tuple(line.get_ydata()) for line in alignment.lines}


def test_only_the_main_panel_on_given_axes(table):
    figure, ax = plt.subplots()
    assert capacity(table, ax=ax) is figure
    assert figure.axes == [ax]
    assert ax.get_ylabel()


def test_theory_alone_can_be_drawn(table):
    rows = table[table.call == "capacity"].drop(columns=["fraction", "training.alpha1", "d"])
    assert len(capacity(rows).axes) == 5
