"""The experiment "limit": its units, what is scored, and the iteration on a small run."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope import figures
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.figures.marks import Dots, Line, Rule
from needlescope.figures.style import AMP_SIMULATED, AMP_THEORY, BAYES_OPTIMAL
from needlescope.gallery import registry
from needlescope.gallery.bayes.limit import clear
from needlescope.gallery.registry import published

FIGURE = published("limit")
drawing = partial(registry.drawing, "limit")


@pytest.mark.parametrize("full", [False, True])
def test_every_iteration_has_its_limit_and_two_sizes(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)

    def points(call):
        result = [unit.arguments for unit in units if unit.call == call]
        return {(item["task"]["L"], item["alpha"]) for item in result}

    assert points("simulate_amp") < points("bayes_optimal")
    sizes = {u.arguments["d"] for u in units if u.call == "simulate_amp"}
    assert sizes == ({600, 300} if full else {200, 100})


def test_all_have_the_same_data():
    totals = {}
    for unit in FIGURE.units(False):
        result = unit.arguments
        if unit.call == "predict" and "ridge_q" not in result["training"]:
            total = sum(result["training"].get(name, 0.0) for name in ("alpha0", "alpha1"))
            place = result["model"], result["task"]["L"]
            totals.setdefault(place, set()).add(round(total, 9))
    assert len(totals) == 4 and len({frozenset(total) for total in totals.values()}) == 1


def edges(**more):
    return {"call": "phase_boundaries", "task.L": 100, "task.theta": 4.0, **more}


def iteration(alpha, theta=4.0):
    return {"call": "simulate_amp", "task.L": 100, "task.theta": theta, "alpha": alpha}


@pytest.mark.parametrize(
    ("alpha", "scored"), [(0.11, True), (0.13, False), (0.3, False), (0.6, False), (0.7, True)]
)
def test_what_is_near_a_jump_is_not_scored(alpha, scored):
    jumps = edges(verdict="jumps", alpha_it=0.24, alpha_amp=0.32)
    assert clear(pd.DataFrame([jumps, iteration(alpha)])).tolist() == [False, scored]


def test_without_a_jump_all_is_scored_and_without_its_place_nothing():
    smooth = edges(verdict="smooth")
    assert clear(pd.DataFrame([smooth, iteration(0.3)])).tolist() == [False, True]
    assert clear(pd.DataFrame([smooth, iteration(0.3, theta=5.0)])).tolist() == [False, False]
    assert not clear(pd.DataFrame([iteration(0.3)])).any()
    assert clear(pd.DataFrame()).tolist() == []


def test_amp_is_compared_with_its_theory():
    trials = [
        {**iteration(1.0), "d": 50, "test_error": item, "overlap": 0.5} for item in (0.2, 0.3)
    ]
    numbers = {"test_error": 0.1, "amp_test_error": 0.25, "overlap": 0.9, "amp_overlap": 0.5}
    limit = {**iteration(1.0), "call": "bayes_optimal", **numbers}
    result = FIGURE.scores(pd.DataFrame([edges(verdict="smooth"), limit, *trials]))
    assert result.theory.tolist() == [0.25, 0.5] and result.simulation.tolist() == [0.25, 0.5]


@pytest.mark.slow
def test_amp_agrees_with_theory(tmp_path):
    def wanted(unit):
        alpha, tokens = unit.arguments.get("alpha", 1.0), unit.arguments["task"]["L"]
        asked = unit.call in ("bayes_optimal", "simulate_amp", "phase_boundaries")
        return asked and tokens == 10 and alpha in (1.0, 4.0)

    units = [unit for unit in FIGURE.units(False) if wanted(unit)]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        table = store.to_pandas(units)
    scores = FIGURE.scores(table)
    assert len(scores) == 2 * 2 and scores["z"].abs().max() < 5.0
    wrong = table.assign(amp_overlap=0.9 * table.amp_overlap)
    assert FIGURE.scores(wrong)["z"].abs().max() > 5.0


@pytest.fixture
def table():
    rows = []
    for L, theta in ((10, 5.0), (100, 4.0)):
        task = {"task.L": L, "task.theta": theta}
        rows.append({"call": "oracle", "model": "bayes", **task, "error": 0.01})
        for alpha in (1.0, 4.0):
            limit = {"test_error": 0.02, "amp_test_error": 0.05 / alpha}
            rows.append({"call": "bayes_optimal", **task, "alpha": alpha, **limit})
            for error in (0.03, 0.05):
                row = {"call": "simulate_amp", **task, "alpha": alpha, "d": 200}
                rows.append({**row, "test_error": error})
            for ridge in (0.1, 1.0):
                pooled = {"model": "pooled", "training.alpha1": alpha, "training.ridge": ridge}
                rows.append({"call": "predict", **task, **pooled, "test_error": 0.4 * ridge})
                half = {"training.alpha0": alpha / 2, "training.alpha1": alpha / 2}
                for step in (10.0, 100.0):
                    row = {"call": "predict", "model": "attention", **task, **half}
                    row |= {"training.ridge": ridge, "training.eta_q": step}
                    rows.append({**row, "test_error": 3.0 * ridge / step})
                for error in (0.1, 0.2):
                    row = {"call": "simulate", "model": "attention", "starts": 2, "d": 60}
                    row |= {**task, **half, "training.ridge": ridge}
                    rows.append({**row, "test_error": error + ridge * (alpha > 2.0)})
    yield pd.DataFrame(rows)
    plt.close("all")


def named(table, kind):
    marks = drawing(table, alone=True).panels[0].marks
    return {mark.name: mark for mark in marks if isinstance(mark, kind)}


def test_each_protocol_is_drawn_at_its_best_and_at_all_its_data(table):
    lines = named(table, Line)
    assert lines["mean pooling"].y == pytest.approx((0.04, 0.04))
    assert lines["attention, two steps"].y == pytest.approx((0.003, 0.003))
    assert all(line.x == (1.0, 4.0) for line in lines.values())
    ends = named(table, Dots)["attention, end to end"]
    assert ends.x == (1.0, 4.0) and ends.y == pytest.approx((0.15, 0.25))
    assert ends.se == pytest.approx((0.05, 0.05))


def test_the_solid_line_is_amp_and_the_dashed_one_bayes_optimal(table):
    lines = named(table, Line)
    assert lines[AMP_THEORY].y == pytest.approx((0.05, 0.0125)) and not lines[AMP_THEORY].dash
    assert lines[BAYES_OPTIMAL].y == (0.02, 0.02) and lines[BAYES_OPTIMAL].dash
    assert named(table, Dots)[AMP_SIMULATED].y == pytest.approx((0.04, 0.04))
    marks = drawing(table, alone=True).panels[0].marks
    assert [mark.y for mark in marks if isinstance(mark, Rule)] == [0.01]


def test_baselines_that_get_all_data_stand_at_all_data(table):
    rows = table[table.model == "pooled"].assign(**{"data": "all", "training.alpha0": 5.0})
    assert named(rows, Line)["mean pooling"].x == (6.0, 9.0)


def test_the_floor_is_in_sight(table):
    for ax in figures.limit(table).axes:
        assert ax.get_ylim()[0] < 0.01


def test_the_settings_of_other_tokens_do_not_matter(table):
    figure, ax = plt.subplots()
    assert figures.limit(table, ax=ax, L=100) is figure
    assert ax.get_title(loc="left") == r"$L = 100$, $\theta = 4$"
    item = figures.limit(table[table["task.L"] == 100])
    assert len(item.axes) == 1 and len(figures.limit(table).axes) == 2
