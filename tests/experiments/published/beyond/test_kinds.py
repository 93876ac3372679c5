"""The experiment "kinds": its units, the settings of its dots, and what its caption claims."""

from __future__ import annotations

import pytest

import needlescope as ns
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.published.beyond.kinds import (
    DOTS,
    EXPERIMENT,
    KAPPAS,
    SHARED,
    Place,
    scores,
)
from needlescope.experiments.stores.store import Store

SMALL = Place(L=4)
CLAIMED = [Place(), Place(L=32), Place(20, 4), Place(20, 6), Place(20, 10)]


def place(unit):
    task, training = unit.arguments["task"], unit.arguments["training"]
    return Place(task["L"], task["R"], training["alpha0"] + training["alpha1"])


def point(unit):
    training = unit.arguments["training"]
    return place(unit), unit.arguments["model"], training.get("eta_q"), training["ridge"]


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_line(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)
    lines = {point(unit) for unit in units if unit.call == "predict"}
    dots = {point(unit) for unit in units if unit.call == "simulate"}
    assert dots < lines and {one[0] for one in dots} == set(DOTS)
    assert {one[1] for one in dots} == set(KAPPAS)


def test_tokens_share_one_signal():
    assert {round(one.task["theta"] * one.R**0.5, 2) for one in SHARED} == {5.0}


def asked(folder, places, calls):
    """Run the quick units of some places."""
    units = [unit for unit in EXPERIMENT.units(False) if unit.call in calls]
    units = [unit for unit in units if place(unit) in places]
    with Store(folder / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        return store.to_pandas(units)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The smallest dot."""
    return asked(tmp_path_factory.mktemp("kinds"), [SMALL], ("predict", "simulate"))


def best(table, at):
    """The least error of each model at a place, and the row that it is from."""
    rows = table[(table.call == "predict") & (table["task.L"] == at.L) & (table["task.R"] == at.R)]
    rows = rows[2.0 * rows["training.alpha1"] == at.alpha]
    return {model: part.loc[part.test_error.idxmin()] for model, part in rows.groupby("model")}


def test_the_step_sets_kappa_and_does_not_turn_the_query(table):
    default = ns.align(ns.Task(**SMALL.task), ns.Training(alpha0=4.0, alpha1=4.0)).cosine_q
    for row in best(table, SMALL).values():
        if row["model"] != "pooled":
            assert row["cosine_q"] == pytest.approx(default, abs=1e-6)
            assert min(abs(row["kappa"] / one - 1.0) for one in KAPPAS[row["model"]]) < 1e-3


def test_dots_are_at_the_settings_of_least_error(table):
    found, (soft, linear, hard) = best(table, SMALL), DOTS[SMALL]
    for model, (kappa, ridge) in {"attention": soft, "linear": linear}.items():
        assert found[model]["kappa"] == pytest.approx(kappa, rel=1e-3)
        assert found[model]["training.ridge"] == ridge
    assert found["hard"]["training.ridge"] == hard


@pytest.mark.slow
def test_the_kinds_win_where_the_caption_says(tmp_path):
    table = asked(tmp_path, CLAIMED, ("predict",))
    error = {at: {m: row.test_error for m, row in best(table, at).items()} for at in CLAIMED}
    needle, longer = error[Place()], error[Place(L=32)]
    assert needle["hard"] / needle["attention"] == pytest.approx(1.09, abs=0.02)
    assert needle["linear"] / needle["attention"] == pytest.approx(1.95, abs=0.05)
    assert longer["linear"] / longer["attention"] == pytest.approx(3.0, abs=0.1)
    assert error[Place(20, 4)]["hard"] < error[Place(20, 4)]["pooled"]
    for R in (6, 10):
        assert error[Place(20, R)]["hard"] > 1.8 * error[Place(20, R)]["pooled"]
    half = error[Place(20, 10)]
    assert half["linear"] / half["attention"] == pytest.approx(0.98, abs=0.01)


def test_simulation_agrees_with_theory(table):
    found = scores(table)
    assert len(found) == 3
    assert found["z"].abs().max() < 5.0
    theory = table.call == "predict"
    wrong = table.assign(test_error=table.test_error.where(~theory, 3.0 * table.test_error))
    assert scores(wrong)["z"].abs().max() > 5.0


def test_the_two_steps_are_those_of_every_kind():
    at = Place()
    task, training = ns.Task(**at.task), ns.Training(alpha0=4.0, alpha1=4.0)
    found = {one: ns.predict(task, training, one, tol=1e-2) for one in KAPPAS}
    assert len({(one.cosine_q, one.kappa) for one in found.values()}) == 1
