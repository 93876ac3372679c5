"""The experiment "limit": its units, what is scored, and the iteration on a small run."""

from __future__ import annotations

import pandas as pd
import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.published.possible.limit import EXPERIMENT, clear
from needlescope.experiments.stores.store import Store


@pytest.mark.parametrize("full", [False, True])
def test_every_iteration_has_its_limit_and_two_sizes(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)

    def points(call):
        found = [unit.arguments for unit in units if unit.call == call]
        return {(one["task"]["L"], one["alpha"]) for one in found}

    assert points("simulate_amp") < points("bayes_optimal")
    sizes = {u.arguments["d"] for u in units if u.call == "simulate_amp"}
    assert sizes == ({600, 300} if full else {200, 100})


def test_all_have_the_same_data():
    totals = {}
    for unit in EXPERIMENT.units(False):
        if unit.call == "predict":
            found = unit.arguments
            total = sum(found["training"].get(name, 0.0) for name in ("alpha0", "alpha1"))
            place = found["model"], found["task"]["L"]
            totals.setdefault(place, set()).add(round(total, 9))
    assert len(totals) == 4 and len({frozenset(one) for one in totals.values()}) == 1


def edges(**more):
    return {"call": "phase_boundaries", "task.L": 100, "task.theta": 4.0, **more}


def iteration(alpha, theta=4.0):
    return {"call": "simulate_amp", "task.L": 100, "task.theta": theta, "alpha": alpha}


@pytest.mark.parametrize(
    ("alpha", "scored"), [(0.11, True), (0.13, False), (0.3, False), (0.6, False), (0.7, True)]
)
def test_what_is_near_a_jump_is_not_scored(alpha, scored):
    jumps = edges(verdict="jumps", possible=0.24, easy=0.32)
    assert clear(pd.DataFrame([jumps, iteration(alpha)])).tolist() == [False, scored]


def test_without_a_jump_all_is_scored_and_without_its_place_nothing():
    smooth = edges(verdict="smooth")
    assert clear(pd.DataFrame([smooth, iteration(0.3)])).tolist() == [False, True]
    assert clear(pd.DataFrame([smooth, iteration(0.3, theta=5.0)])).tolist() == [False, False]
    assert not clear(pd.DataFrame([iteration(0.3)])).any()
    assert clear(pd.DataFrame()).tolist() == []


def test_the_iteration_is_held_against_the_easy_limit():
    trials = [{**iteration(1.0), "d": 50, "test_error": one, "overlap": 0.5} for one in (0.2, 0.3)]
    numbers = {"test_error": 0.1, "amp_test_error": 0.25, "overlap": 0.9, "amp_overlap": 0.5}
    limit = {**iteration(1.0), "call": "bayes_optimal", **numbers}
    found = EXPERIMENT.compare(pd.DataFrame([edges(verdict="smooth"), limit, *trials]))
    assert found.theory.tolist() == [0.25, 0.5] and found.simulation.tolist() == [0.25, 0.5]


def test_the_iteration_agrees_with_theory(tmp_path):
    def wanted(unit):
        alpha, tokens = unit.arguments.get("alpha", 1.0), unit.arguments["task"]["L"]
        return (
            unit.call.endswith(("_limit", "_boundaries")) and tokens == 10 and alpha in (1.0, 4.0)
        )

    units = [unit for unit in EXPERIMENT.units(False) if wanted(unit)]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        table = store.to_pandas(units)
    scores = EXPERIMENT.compare(table)
    assert len(scores) == 2 * 2 and scores["z"].abs().max() < 5.0
    wrong = table.assign(amp_overlap=0.9 * table.amp_overlap)
    assert EXPERIMENT.compare(wrong)["z"].abs().max() > 5.0
