"""The experiment "reuse": its units, and the split against theory on a small run."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.gallery.paper.reuse import PROTOCOLS, QUERY_STEPS, reuse
from needlescope.gallery.registry import published

FIGURE = published("reuse")


@pytest.mark.parametrize("full", [False, True])
def test_every_protocol_has_the_same_data_in_all(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)
    totals = {}
    for unit in units:
        if unit.call == "simulate":
            result = unit.arguments
            training = result["training"]
            fresh = 0.0 if result["reuse"] == "D0" else training["alpha1"]
            protocol = result["reuse"], training["query_steps"], result["starts"]
            totals.setdefault(protocol, set()).add(training["alpha0"] + fresh)
    assert len(totals) == len(PROTOCOLS)
    assert all(total == {1.0, 2.0, 4.0, 8.0, 16.0} for total in totals.values())


@pytest.mark.slow
def test_only_the_split_is_compared(tmp_path):
    trained = [u for u in FIGURE.units(False) if u.call != "bayes_optimal"]
    units = [u for u in trained if u.arguments["training"]["alpha1"] == 2.0]
    cheap = [u for u in units if not u.arguments.get("starts")]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(cheap, store, engine=local(1), progress=False).failed == 0
        table = store.to_pandas(cheap)
    assert (table["reuse"] == "D0").any()
    scores = FIGURE.scores(table)
    assert len(scores) == 2 and scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(FIGURE.scores(store.to_pandas([]))) == 0


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


def test_training_end_to_end_has_a_line_of_its_own(table):
    joint = pd.DataFrame(
        {"call": "predict", "training.alpha1": [4.0, 2.0], "training.ridge_q": 0.01}
    )
    theory = joint.assign(test_error=[0.01, 0.02])
    _, line = reuse(pd.concat([table, theory], ignore_index=True)).axes[0].lines[:2]
    assert line.get_xdata().tolist() == [2.0, 4.0] and line.get_ydata().tolist() == [0.02, 0.01]
    assert line.get_color() == "#000000"


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


def test_the_bayes_optimal_error_is_a_thin_line_below(table):
    limit = pd.DataFrame({"call": "bayes_optimal", "alpha": [4.0, 2.0], "test_error": [0.01, 0.02]})
    ax = reuse(pd.concat([table, limit], ignore_index=True)).axes[0]
    theory, thin = ax.lines[:2]
    assert thin.get_xdata().tolist() == [2.0, 4.0] and thin.get_ydata().tolist() == [0.02, 0.01]
    assert thin.get_linewidth() < theory.get_linewidth() and thin.get_zorder() < theory.get_zorder()
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names[-1] == "Bayes-optimal"
    assert names[:-1] == [text.get_text() for text in reuse(table).axes[0].get_legend().get_texts()]
