"""The separation figure draws what the table says."""

import math

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope.experiments.published.separation import LAWS, strength
from needlescope.figures.published.separation import separation

LENGTHS = (100, 1000, 10_000)


@pytest.fixture
def table():
    rows = []
    for L in LENGTHS:
        for model in ("pooled", "attention", "bayes"):
            for law, factors in LAWS.items():
                theta = strength(law, factors[1], L)
                rows.append({"call": "oracle", "model": model, "task.L": L, "task.theta": theta}
                            | {"error": 30.0 / L})  # fmt: skip
            need = math.sqrt(L) if model == "pooled" else 1.3 * math.sqrt(2 * math.log(L))
            rows.append({"call": "oracle_threshold", "model": model, "task.L": L}
                        | {"theta": need})  # fmt: skip
    yield pd.DataFrame(rows)
    plt.close("all")


def test_lines_are_the_stored_errors(table):
    panel = separation(table).axes[0]
    assert list(panel.lines[0].get_xdata()) == list(LENGTHS)
    assert panel.lines[0].get_ydata() == pytest.approx([0.3, 0.03, 0.003])


def test_dots_are_means_of_trials_near_their_length(table):
    theta = strength("log", LAWS["log"][1], 100)
    drawn = {"call": "simulate_oracle", "task.L": 100, "task.theta": theta}
    rows = [
        {**drawn, "model": model, "error": error}
        for model in ("pooled", "attention", "bayes")
        for error in (0.2, 0.4, None)
    ]
    figure = separation(pd.concat([table, pd.DataFrame(rows)]))
    dots = [container.lines[0] for container in figure.axes[0].containers]
    assert [list(one.get_ydata()) for one in dots] == [pytest.approx([0.3])] * 3
    assert sorted(float(one.get_xdata()[0]) for one in dots) == pytest.approx([92.0, 100.0, 109.0])
    assert not figure.axes[1].containers


def test_legend_states_the_fitted_growth(table):
    figure = separation(table)
    texts = [text.get_text() for text in figure.axes[3].get_legend().get_texts()]
    assert any("0.500" in text for text in texts)
    ratio = figure.axes[4].lines[1].get_ydata()
    assert list(ratio) == pytest.approx([1.3, 1.3, 1.3])


def test_only_the_main_panel_on_given_axes(table):
    figure, ax = plt.subplots()
    assert separation(table, ax=ax) is figure
    assert figure.axes == [ax]
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_words_are_those_of_the_table(table):
    needed = table[table.call == "oracle_threshold"].assign(error=0.05, **{"task.R": 3})
    _, ax = plt.subplots()
    separation(needed, ax=ax)
    assert "with 5 % error" in ax.get_title(loc="left") and "3 carry" in ax.get_xlabel()
