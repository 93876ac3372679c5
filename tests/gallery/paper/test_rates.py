"""The experiment on rates: its units, and the difference from the limit."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from needlescope.gallery.paper import rates as module
from needlescope.gallery.paper.rates import rates

LIMIT = {"call": "asymptote", "model": "pooled", "limit": 0.2, "limit_se": 0.0, "rate": 0.3}


def point(alpha1: float, call: str = "predict", more: float = 0.0) -> dict[str, object]:
    """A row whose error is exactly on the asymptote, or a bit above it."""
    error = 0.2 + 0.3 / alpha1 + more
    return {"call": call, "model": "pooled", "training.alpha1": alpha1, "test_error": error} | {
        "test_error_se": 0.0,
        "d": 100,
    }


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_every_dot_has_a_line(full):
    units = module.units(full)
    assert len({unit.key for unit in units}) == len(units)
    places = {call: set() for call in ("predict", "simulate", "asymptote")}
    for unit in units:
        alpha1 = unit.arguments.get("training", {}).get("alpha1")
        places[unit.call].add((unit.arguments["model"], alpha1))
    assert places["simulate"] <= places["predict"]
    assert {model for model, _ in places["asymptote"]} == set(module.PAPER_MODELS)


def test_excess_of_theory_and_of_trials():
    trials = [point(30.0, "simulate", more) for more in (-0.002, 0.002)]
    table = pd.DataFrame([LIMIT, point(30.0), *trials])
    for call, error in (("predict", 0.0), ("simulate", 0.002)):
        result = module.excess(table, call).iloc[0]
        assert result.excess == pytest.approx(0.01)
        assert result.excess_se == pytest.approx(error)


def test_excess_of_trials_is_of_those_at_the_largest_dimension():
    trials = [point(30.0, "simulate", more) for more in (-0.002, 0.002)]
    small = [{**trial, "d": 50, "test_error": 0.5} for trial in trials]
    result = module.excess(pd.DataFrame([LIMIT, *trials, *small]), "simulate").iloc[0]
    assert result.excess == pytest.approx(0.01)


def test_slope_leaves_out_what_is_within_its_uncertainty():
    good = [point(alpha1) for alpha1 in (25.0, 50.0, 100.0)]
    lost = {**point(400.0, more=5e-3), "test_error_se": 4e-3}
    table = pd.DataFrame([LIMIT, *good, lost])
    assert module.slopes(table)["pooled"] == pytest.approx(-1.0)


def test_wrong_theory_is_seen():
    rng = np.random.default_rng(1)
    trials = [point(30.0, "simulate", 0.01 + 0.001 * rng.normal()) for _ in range(20)]
    assert module.scores(pd.DataFrame([LIMIT, point(30.0), *trials])).z.iloc[0] > 5.0


def test_nothing_to_compare():
    assert module.scores(pd.DataFrame()).empty
    assert module.scores(pd.DataFrame([LIMIT])).empty


@pytest.mark.parametrize(("name", "factor"), [("limit", 1.1), ("rate", 2.0)])
def test_a_wrong_straight_line_is_seen(name, factor):
    rng = np.random.default_rng(2)
    trials = [
        {**point(alpha1, "simulate", 1e-3 * rng.normal()), "d": d}
        for alpha1 in module.LATE
        for d in (100, 200)
        for _ in range(20)
    ]
    curve = [point(alpha1) for alpha1 in module.LATE]
    right = module.scores(pd.DataFrame([LIMIT, *curve, *trials]))
    assert len(right) == 4 and right.z.abs().max() < 3.5
    assert right.group.tolist() == 2 * ["test_error, pooled"] + 2 * ["asymptote, pooled"]
    wrong = module.scores(pd.DataFrame([{**LIMIT, name: factor * LIMIT[name]}, *curve, *trials]))
    assert wrong.z[:2].abs().max() < 3.5 and wrong.z[2:].abs().max() > 4.0


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
