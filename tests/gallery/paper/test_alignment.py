"""The experiment "alignment": its units, and simulation against theory on a small run."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from needlescope.experiments.comparison import trials
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.experiments.units.unit import Unit
from needlescope.gallery.paper import alignment as module
from needlescope.gallery.paper.alignment import alignment
from needlescope.gallery.registry import published

FIGURE = published("alignment")


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_line(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)
    lines = {u.arguments["training"]["alpha0"] for u in units if u.call == "align"}
    trials = [u.arguments for u in units if u.call == "simulate_alignment"]
    assert min(lines) == 0.1 and max(lines) == 100.0
    assert {trial["training"]["alpha0"] for trial in trials} <= lines
    assert {trial["d"] for trial in trials} == {1000 if full else 300}


def test_no_two_dots_share_a_seed():
    seeds = [tuple(u.arguments["seed"]) for u in FIGURE.units(False) if "seed" in u.arguments]
    assert len(set(seeds)) == len(seeds) == 100


def test_simulation_agrees_with_theory(tmp_path):
    wanted = (1.0, 10.0, 100.0)
    units = [u for u in FIGURE.units(False) if u.arguments["training"]["alpha0"] in wanted]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        scores = FIGURE.scores(store.to_pandas(units))
    assert len(scores) == 6 and (scores["trials"] == 10).all()
    assert scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(FIGURE.scores(store.to_pandas([]))) == 0


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    units = []
    for alpha0 in (0.5, 5.0, 50.0):
        arguments = module._arguments(alpha0)
        units.append(Unit("align", arguments))
        units += trials("simulate_alignment", {**arguments, "d": 20}, 3)
    with Store(tmp_path_factory.mktemp("alignment") / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        return store.to_pandas(units)


def test_both_panels(table):
    left, right = (figure := alignment(table)).axes
    figure.canvas.draw()
    assert figure.get_size_inches()[0] == 7.0
    assert [len(ax.containers) for ax in (left, right)] == [2, 1]
    assert r"\alpha_0" in left.get_xlabel() and r"\alpha_0" in right.get_xlabel()
    assert "cosine" in left.get_ylabel() and "1 - s_q" in right.get_ylabel()
    assert (left.get_yscale(), right.get_yscale()) == ("linear", "log")


def test_gap_and_its_limit_are_those_of_the_table(table):
    right = alignment(table).axes[1]
    theory = table[table.call == "align"]
    lines = [line for line in right.lines if len(line.get_xdata()) == 3]
    drawn = [np.asarray(line.get_ydata(), float) for line in lines]
    assert any(ys == pytest.approx((1.0 - theory.cosine_q).to_numpy()) for ys in drawn)
    limit = (theory.constant / theory["training.alpha0"]).to_numpy()
    assert any(ys == pytest.approx(limit) for ys in drawn)


@pytest.mark.parametrize("panel", ["cosines", "gap"])
def test_a_single_panel_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert alignment(table, ax=ax, panel=panel) is figure
    assert figure.axes == [ax] and ax.lines
    with pytest.raises(ValueError, match="panel must be one of 'cosines', 'gap', got 'map'"):
        alignment(table, ax=ax, panel="map")


def test_missing_rows_are_left_out(table):
    simulated = table[table.call == "simulate_alignment"].drop(columns="constant")
    for part in (table[table.call == "align"], simulated):
        alignment(part).canvas.draw()
    failed = table.assign(cosine_q=float("nan"))
    assert len(alignment(failed).axes[0].containers) == 1
