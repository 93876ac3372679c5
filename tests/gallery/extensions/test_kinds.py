"""The experiment "kinds": its units, the settings of its dots, and what its caption claims."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import needlescope as ns
from needlescope import figures
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.figures.marks import Dots, Line
from needlescope.figures.style import BAYES_OPTIMAL
from needlescope.gallery import registry
from needlescope.gallery.extensions.kinds import DOTS, KAPPAS, SHARED, TaskSize, scores
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "kinds")
FIGURE = published("kinds")
SMALL = TaskSize(L=4)
CLAIMED = [TaskSize(), TaskSize(L=32), TaskSize(20, 4), TaskSize(20, 6), TaskSize(20, 10)]


def place(unit):
    task, training = unit.arguments["task"], unit.arguments["training"]
    return TaskSize(task["L"], task["R"], training["alpha0"] + training["alpha1"])


def point(unit):
    training = unit.arguments["training"]
    return place(unit), unit.arguments["model"], training.get("eta_q"), training["ridge"]


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_line(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)
    lines = {point(unit) for unit in units if unit.call == "predict"}
    dots = {point(unit) for unit in units if unit.call == "simulate"}
    assert dots < lines and {dot[0] for dot in dots} == set(DOTS)
    assert {dot[1] for dot in dots} == set(KAPPAS)


def test_tokens_share_one_signal():
    assert {round(item.task["theta"] * item.R**0.5, 2) for item in SHARED} == {5.0}


def asked(folder, places, calls):
    """Run the quick units of some places."""
    units = [unit for unit in FIGURE.units(False) if unit.call in calls]
    units = [unit for unit in units if place(unit) in places]
    with Store(folder / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        return store.to_pandas(units)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The smallest dot."""
    return asked(tmp_path_factory.mktemp("kinds"), [SMALL], ("predict", "simulate"))


def best(ran, at):
    """The least error of each model at a place, and the row that it is from."""
    rows = ran[(ran.call == "predict") & (ran["task.L"] == at.L) & (ran["task.R"] == at.R)]
    rows = rows[2.0 * rows["training.alpha1"] == at.alpha]
    return {model: part.loc[part.test_error.idxmin()] for model, part in rows.groupby("model")}


def test_the_step_sets_kappa_and_does_not_turn_the_query(ran):
    default = ns.align(ns.Task(**SMALL.task), ns.Training(alpha0=4.0, alpha1=4.0)).cosine_q
    for row in best(ran, SMALL).values():
        if row["model"] != "pooled":
            assert row["cosine_q"] == pytest.approx(default, abs=1e-6)
            assert min(abs(row["kappa"] / item - 1.0) for item in KAPPAS[row["model"]]) < 1e-3


def test_dots_are_at_the_settings_of_least_error(ran):
    result, (soft, linear, hard) = best(ran, SMALL), DOTS[SMALL]
    for model, (kappa, ridge) in {"attention": soft, "linear": linear}.items():
        assert result[model]["kappa"] == pytest.approx(kappa, rel=1e-3)
        assert result[model]["training.ridge"] == ridge
    assert result["hard"]["training.ridge"] == hard


@pytest.mark.slow
def test_the_kinds_win_where_the_caption_says(tmp_path):
    ran = asked(tmp_path, CLAIMED, ("predict",))
    error = {at: {m: row.test_error for m, row in best(ran, at).items()} for at in CLAIMED}
    needle, longer = error[TaskSize()], error[TaskSize(L=32)]
    assert needle["hard"] / needle["attention"] == pytest.approx(1.09, abs=0.02)
    assert needle["linear"] / needle["attention"] == pytest.approx(1.95, abs=0.05)
    assert longer["linear"] / longer["attention"] == pytest.approx(3.0, abs=0.1)
    assert error[TaskSize(20, 4)]["hard"] < error[TaskSize(20, 4)]["pooled"]
    for R in (6, 10):
        assert error[TaskSize(20, R)]["hard"] > 1.8 * error[TaskSize(20, R)]["pooled"]
    half = error[TaskSize(20, 10)]
    assert half["linear"] / half["attention"] == pytest.approx(0.98, abs=0.01)


def test_simulation_agrees_with_theory(ran):
    result = scores(ran)
    assert len(result) == 3
    assert result["z"].abs().max() < 5.0
    theory = ran.call == "predict"
    wrong = ran.assign(test_error=ran.test_error.where(~theory, 3.0 * ran.test_error))
    assert scores(wrong)["z"].abs().max() > 5.0


def test_the_two_steps_are_those_of_every_kind():
    at = TaskSize()
    task, training = ns.Task(**at.task), ns.Training(alpha0=4.0, alpha1=4.0)
    result = {kappa: ns.predict(task, training, kappa, tol=1e-2) for kappa in KAPPAS}
    assert len({(item.cosine_q, item.kappa) for item in result.values()}) == 1


def row(call, L, R, theta, half, error, **more):
    result = {"call": call, "task.L": L, "task.R": R, "task.theta": theta, "test_error": error}
    if call == "bayes_optimal":
        return result | {"alpha": 2.0 * half}
    return result | {"training.alpha0": half, "training.alpha1": half} | more


@pytest.fixture
def table():
    rows = []
    for at in ((10, 1, 4.0, 1.0), (10, 1, 4.0, 2.0), (20, 1, 4.0, 2.0), (10, 4, 2.0, 2.0)):
        L, R, _, half = at
        rows.append(row("bayes_optimal", *at, 0.01))
        rows.append(row("predict", *at, 0.3, model="pooled", data="all"))
        rows.append(row("predict", *at, 0.05 * R, model="hard"))
        for step, ridge in ((1.0, 0.1), (2.0, 0.1), (2.0, 1.0)):
            setting = {"training.eta_q": step, "training.ridge": ridge}
            error = 0.001 * L / half * step * ridge
            rows.append(row("predict", *at, error, model="attention", **setting))
            for shift in (-0.001, 0.001):
                more = {"model": "attention", "d": 50, **setting}
                rows.append(row("simulate", *at, 0.02 * step + shift, **more))
    yield pd.DataFrame(rows)
    plt.close("all")


def named(panel, kind):
    return {mark.name: mark for mark in panel.marks if isinstance(mark, kind)}


def test_each_panel_is_along_one_parameter(table):
    data, length, shared = drawing(table).panels
    assert named(data, Line)["hard attention"].x == (2.0, 4.0)
    assert named(length, Line)["hard attention"].x == (10.0, 20.0)
    assert named(shared, Line)["hard attention"].x == (1.0, 4.0)
    assert named(shared, Line)["hard attention"].y == pytest.approx((0.05, 0.2))
    assert named(data, Line)[BAYES_OPTIMAL].y == (0.01, 0.01)
    assert data.title == r"$L = 10$, $R = 1$, $\theta = 4$"
    assert length.title == r"$R = 1$, $\alpha = 4$, $\theta = 4$"
    assert shared.title == r"$L = 10$, $\alpha = 4$, $\theta\sqrt{R} = 4$"


def test_each_kind_is_drawn_at_its_best(table):
    data = drawing(table).panels[0]
    assert named(data, Line)["softmax attention"].y == pytest.approx((0.001, 0.0005))
    dots = named(data, Dots)["softmax attention"]
    assert dots.y == pytest.approx((0.02, 0.02)) and dots.se == pytest.approx((0.001, 0.001))


@pytest.mark.parametrize("panel", ["data", "length", "shared"])
def test_one_panel_goes_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert figures.kinds(table, ax=ax, panel=panel) is figure
    assert figure.axes == [ax] and ax.has_data()


def test_rows_beside_the_panels_are_refused(table):
    beside = pd.DataFrame([row("predict", 20, 4, 2.0, 1.0, 0.1, model="hard")])
    with pytest.raises(ValueError, match=r"task.L = 20, task.R = 4.*leave those rows out"):
        figures.kinds(pd.concat([table, beside]))
    other = table[table["task.R"] == 4].assign(**{"task.theta": 3.0})
    with pytest.raises(ValueError, match=r"single task\.theta for each task\.R, got 2 and 3 for"):
        figures.kinds(pd.concat([table, other]))
