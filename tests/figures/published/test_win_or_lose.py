"""The maps of where attention wins draw what the table says."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope.figures.published.win_or_lose import win_or_lose


@pytest.fixture
def table():
    base = {"call": "predict", "training.alpha0": 1.0}
    rows = [{**base, "model": "pooled", "test_error": 0.25}]
    for kappa in (0.1, 1.0):
        for cosine in (0.0, 1.0):
            error = 0.25 - kappa * (cosine - 0.4) / 4.0
            rows.append({**base, "model": "attention", "test_error": error}
                        | {"query.kappa": kappa, "query.cosine": cosine})  # fmt: skip
        for alpha1 in (4.0, None):
            rows.append({"call": "crossover", "kappa": kappa, "cosine": 0.4}
                        | {"training.alpha1": alpha1})  # fmt: skip
    for alpha0 in (1.0, 2.0):
        point = {"call": "predict", "training.alpha0": alpha0}
        rows.append({**point, "model": "pooled", "data": "all", "test_error": 0.2})
        for step in (1.0, 10.0):
            rows.append({**point, "model": "attention", "training.eta_q": step}
                        | {"test_error": 0.3 / alpha0})  # fmt: skip
    yield pd.DataFrame(rows)
    plt.close("all")


def test_colours_are_differences_and_lines_the_crossover(table):
    given = win_or_lose(table).axes[0]
    values = given.collections[0].get_array()
    assert values.ravel().tolist() == pytest.approx([0.01, -0.015, 0.1, -0.15])
    after, limit = given.lines
    assert list(after.get_xdata()) == list(limit.get_xdata()) == [0.4, 0.4]


def test_colours_are_symmetric_around_no_difference(table):
    low, high = win_or_lose(table).axes[0].collections[0].get_clim()
    assert low == pytest.approx(-0.15)
    assert high == pytest.approx(0.15)


def test_trained_queries(table):
    values = win_or_lose(table).axes[1].collections[0].get_array()
    assert values.ravel().tolist() == pytest.approx([0.1, -0.05, 0.1, -0.05])


def test_rings_have_the_colour_of_what_was_simulated(table):
    drawn = {"call": "simulate", "training.alpha0": 1.0, "d": 20}
    given = {"query.kappa": 1.0, "query.cosine": 1.0, "model": "attention"}
    rows = [{**drawn, "model": "pooled", "test_error": error} for error in (0.2, 0.3)]
    rows += [{**drawn, **given, "test_error": error} for error in (0.12, 0.14)]
    rows += [{**drawn, "model": "pooled", "data": "all", "test_error": 0.2}]
    rows += [{**drawn, "model": "attention", "training.eta_q": 10.0, "test_error": 0.5}]
    both = pd.concat([table, pd.DataFrame(rows)])
    left, right = win_or_lose(both).axes[:2]
    for panel, place, value in ((left, [1.0, 1.0], -0.12), (right, [1.0, 10.0], 0.3)):
        mesh, rings = panel.collections[0], panel.collections[-1]
        assert rings.get_offsets().tolist() == [place]
        assert rings.get_array().tolist() == pytest.approx([value])
        assert rings.get_clim() == mesh.get_clim() == pytest.approx((-0.3, 0.3))
    _, ax = plt.subplots()
    win_or_lose(both, ax=ax)
    assert ax.collections[-1].get_offsets().tolist() == [[1.0, 1.0]]


def test_only_the_main_panel_on_given_axes(table):
    figure, ax = plt.subplots()
    assert win_or_lose(table, ax=ax) is figure
    assert figure.axes == [ax]
