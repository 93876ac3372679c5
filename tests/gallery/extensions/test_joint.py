"""The experiment "joint": its units, what is scored, and training together on a small run."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope import figures
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.figures.marks import Dots, Line
from needlescope.gallery import registry
from needlescope.gallery.extensions.joint import BEST, DOTS, PARTS, SOLVED, STARTS, WRONG
from needlescope.gallery.registry import published

FIGURE = published("joint")
drawing = partial(registry.drawing, "joint")


def is_together(unit):
    return "ridge_q" in unit.arguments.get("training", {})


def point(unit):
    task, training = unit.arguments["task"], unit.arguments["training"]
    place = tuple(task[name] for name in ("L", "theta", "pi"))
    return *place, *(training[name] for name in ("alpha1", "ridge", "ridge_q"))


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_of_joint_training_has_its_line(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)
    own = [unit for unit in units if is_together(unit)]
    lines = {point(unit) for unit in own if unit.call == "predict"}
    dots = {point(unit) for unit in own if unit.call == "simulate"}
    assert dots < lines
    assert {unit.arguments["start"] for unit in own if unit.call == "simulate"} == set(STARTS)


def test_all_protocols_have_the_same_data():
    totals = {}
    for unit in FIGURE.units(False):
        if unit.call == "predict" and unit.arguments["task"]["theta"] in (5.0, 4.0):
            training = unit.arguments["training"]
            total = training.get("alpha0", 0.0) + training["alpha1"]
            key = unit.arguments["task"]["L"], unit.arguments["task"]["theta"], is_together(unit)
            totals.setdefault(key, set()).add(round(total, 9))
    assert totals[10, 4.0, True] == totals[10, 4.0, False] == {8.0}
    for place in ((10, 5.0), (100, 4.0)):
        steps, both = totals[(*place, False)], totals[(*place, True)]
        assert min(steps) >= min(both) and max(steps) <= max(both)


def test_every_task_belongs_to_a_panel():
    known = {task for tasks in PARTS.values() for task in tasks}
    asked = {tuple(unit.arguments["task"][k] for k in ("L", "theta")) for unit in FIGURE.units(0)}
    assert asked == known


def solved(**more):
    row = {"call": "predict", "task.L": 10, "task.theta": 5.0, "task.pi": 0.5}
    return {**row, "training.alpha1": 4.0, "training.ridge": 0.1, "training.ridge_q": 0.1, **more}


def trained(test_error, start="random", **more):
    return {**solved(**more), "call": "simulate", "start": start, "test_error": test_error, "d": 60}


@pytest.mark.parametrize(
    ("numbers", "scored"),
    [({}, True), ({"replicon": 1.1}, False), ({"jumping": 0.03}, False), ({"task.L": 100}, False)],
)
def test_only_what_is_stable_and_hardly_jumps_is_scored(numbers, scored):
    trust = {"replicon": 0.5, "jumping": 0.001, **numbers}
    limit = solved(start="informed", test_error=0.03, **trust)
    own = {name: value for name, value in numbers.items() if name == "task.L"}
    rows = [limit, trained(0.03, **own), trained(0.04, **own), trained(0.9, "small", **own)]
    scores = FIGURE.scores(pd.DataFrame(rows))
    assert scores.simulation.tolist() == ([pytest.approx(0.035)] if scored else [])


@pytest.mark.slow
def test_training_agrees_with_the_equations(tmp_path):
    def wanted(unit):
        return is_together(unit) and point(unit) == (10, 5.0, 0.5, 4.0, 0.1, 0.1)

    units = [unit for unit in FIGURE.units(False) if wanted(unit)]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        scores = FIGURE.scores(store.to_pandas(units))
    assert len(scores) == 3 and scores["z"].abs().max() < 5.0


@pytest.fixture
def table():
    rows = []
    for tokens, theta in ((10, 5.0), (100, 4.0)):
        task = {"task.L": tokens, "task.theta": theta}
        for alpha in (1.0, 4.0):
            limit = {"test_error": 0.02, "amp_test_error": 0.05 / alpha}
            rows.append({"call": "bayes_optimal", **task, "alpha": alpha, **limit})
            half = {"training.alpha0": alpha / 2, "training.alpha1": alpha / 2}
            for step in (10.0, 100.0):
                row = {"call": "predict", **task, **half, "training.eta_q": step}
                rows.append({**row, "test_error": 3.0 / step})
                both = {"training.alpha0": alpha, "training.alpha1": alpha, "reuse": "D0"}
                row = {"call": "simulate", **task, **both, "training.eta_q": step, "d": 60}
                rows.append({**row, "test_error": 2.0 / step})
            for ridge in (0.1, 0.03):
                here = {**task, "training.alpha1": alpha, "training.ridge": ridge}
                rows.append(solved(**here, start="informed", test_error=ridge))
                rows.append(solved(**here, start="uninformed", test_error=0.4 + ridge))
                for start, error in zip(STARTS, (0.3, 0.4, 0.2), strict=True):
                    rows += [trained(error + ridge, start, **here) for _ in range(2)]
    yield pd.DataFrame(rows)
    plt.close("all")


def named(table, kind, panel):
    marks = drawing(table, alone=True, panel=panel).panels[0].marks
    return {mark.name: mark for mark in marks if isinstance(mark, kind)}


@pytest.mark.parametrize("panel", ["ten", "hundred"])
def test_each_protocol_is_drawn_at_its_best_and_at_all_its_data(table, panel):
    lines, dots = named(table, Line, panel), named(table, Dots, panel)
    assert all(line.x == (1.0, 4.0) for line in lines.values())
    assert lines["two steps, half of the data each"].y == pytest.approx((0.03, 0.03))
    assert lines[SOLVED["informed"]["name"]].y == pytest.approx((0.03, 0.03))
    assert lines[SOLVED["uninformed"]["name"]].y == pytest.approx((0.43, 0.43))
    assert lines["AMP (theory)"].y == pytest.approx((0.05, 0.0125))
    assert dots["two steps, all data twice"].y == pytest.approx((0.02, 0.02))
    assert dots[DOTS["random"]["name"]].y == pytest.approx((0.33, 0.33))
    assert dots[DOTS["small"]["name"]].y == pytest.approx((0.43, 0.43))
    assert DOTS["informed"]["name"] not in dots


def test_single_trials_are_those_of_one_pair_of_ridges(table):
    lines, dots = named(table, Line, "starts"), named(table, Dots, "starts")
    assert lines[SOLVED["informed"]["name"]].y == (0.1, 0.1)
    assert {name: len(one.x) for name, one in dots.items()} == {
        look["name"]: 4 for look in DOTS.values()
    }
    assert dots[DOTS["informed"]["name"]].y == pytest.approx((0.3,) * 4)


def test_one_ridge_moves_and_the_other_is_the_best():
    rows = []
    for theta, (ridge, ridge_q) in BEST.items():
        for factor in (0.25, 1.0, 4.0):
            here = {"task.theta": theta, "training.ridge": ridge * factor}
            rows.append(solved(**here, **{"training.ridge_q": ridge_q}, test_error=0.2 * factor))
            here = {"task.theta": theta, "training.ridge": ridge}
            here["training.ridge_q"] = ridge_q * factor
            rows.append(solved(**here, test_error=0.2 * factor**-1))
    marks = drawing(pd.DataFrame(rows), alone=True, panel="ridges").panels[0].marks
    lines = [mark for mark in marks if isinstance(mark, Line)]
    assert [line.name for line in lines] == [look["name"] for look in WRONG.values()] * len(BEST)
    assert all(line.x == (0.25, 1.0, 4.0) for line in lines)
    assert lines[0].y == pytest.approx((0.05, 0.2, 0.8))
    assert lines[1].y == pytest.approx((0.8, 0.2, 0.05))


def test_rare_positives_with_slopes_balanced_and_not():
    rows = []
    for pi in (0.1, 0.5):
        task = {"task.L": 10, "task.theta": 4.0, "task.pi": pi}
        rows.append({"call": "bayes_optimal", **task, "alpha": 8.0, "test_error": 0.01})
        rows.append(solved(**{**task, "training.alpha1": 8.0}, test_error=0.1 * pi))
        for balanced in (False, True):
            row = {"call": "predict", **task, "training.alpha0": 4.0, "training.alpha1": 4.0}
            row |= {"training.balanced": balanced, "test_error": pi * (0.3 if balanced else 0.5)}
            rows.append(row)
    lines = named(pd.DataFrame(rows), Line, "rare")
    assert lines["two steps, slopes balanced"].y == pytest.approx((0.03, 0.15))
    assert lines["two steps, half of the data each"].y == pytest.approx((0.05, 0.25))
    assert lines[SOLVED["informed"]["name"]].y == pytest.approx((0.01, 0.05))


def test_six_panels_or_one(table):
    assert len(figures.joint(table).axes) == 6
    figure, ax = plt.subplots()
    assert figures.joint(table, ax=ax, panel="hundred") is figure


def test_another_task_is_refused(table):
    other = pd.concat([table, table.assign(**{"task.theta": 4.9})])
    with pytest.raises(ValueError, match=r"figures\.joint draws task\.theta .* got 4\.9"):
        figures.joint(other)
