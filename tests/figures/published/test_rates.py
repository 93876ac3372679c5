"""The figure on rates draws what the table says."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope.figures.published.rates import rates


@pytest.fixture
def table():
    limit = {"call": "asymptote", "model": "pooled", "limit": 0.2, "limit_se": 0.0, "rate": 0.3}
    rows = [limit]
    for alpha1 in (25.0, 50.0, 100.0):
        row = {"model": "pooled", "training.alpha1": alpha1, "test_error_se": 0.0}
        rows.append({**row, "call": "predict", "test_error": 0.2 + 0.3 / alpha1})
    for more in (-0.001, 0.003):
        error = {"call": "simulate", "test_error": 0.2 + 0.3 / 50.0 + more}
        rows.append({"model": "pooled", "training.alpha1": 50.0, "d": 100, **error})
    yield pd.DataFrame(rows)
    plt.close("all")


def test_lines_dots_and_the_law(table):
    main, ratio = rates(table).axes
    curve, law = main.lines[:2]
    assert curve.get_ydata() == pytest.approx([0.012, 0.006, 0.003])
    assert list(law.get_ydata()) == pytest.approx([0.012, 0.003])
    assert main.containers[0].lines[0].get_ydata() == pytest.approx([0.007])
    assert ratio.lines[1].get_ydata() == pytest.approx([1.0, 1.0, 1.0])
    assert "−1.00" in main.get_legend().get_texts()[0].get_text()


def test_what_is_within_its_uncertainty_is_not_drawn(table):
    table.loc[table["training.alpha1"] == 100.0, "test_error_se"] = 0.002
    assert len(rates(table).axes[0].lines[0].get_xdata()) == 2


def test_only_the_main_panel_on_given_axes(table):
    figure, ax = plt.subplots()
    assert rates(table, ax=ax) is figure
    assert figure.axes == [ax]


def test_theory_alone_can_be_drawn(table):
    assert len(rates(table[table.call != "simulate"]).axes) == 2


def test_samples_per_weight_are_those_of_the_task(table):
    flat = table.assign(model="vectorized", **{"task.L": 5})
    ratio = rates(flat).axes[1]
    assert ratio.lines[1].get_xdata() == pytest.approx([5.0, 10.0, 20.0])
