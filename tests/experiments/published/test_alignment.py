"""The experiment "alignment": its units, and simulation against theory on a small run."""

from __future__ import annotations

import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.published.alignment import EXPERIMENT
from needlescope.experiments.stores.store import Store


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_line(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)
    lines = {u.arguments["training"]["alpha0"] for u in units if u.call == "align"}
    trials = [u.arguments for u in units if u.call == "simulate_alignment"]
    assert min(lines) == 0.1 and max(lines) == 100.0
    assert {trial["training"]["alpha0"] for trial in trials} <= lines
    assert {trial["d"] for trial in trials} == {1000 if full else 300}


def test_no_two_dots_share_a_seed():
    seeds = [tuple(u.arguments["seed"]) for u in EXPERIMENT.units(False) if "seed" in u.arguments]
    assert len(set(seeds)) == len(seeds) == 100


def test_simulation_agrees_with_theory(tmp_path):
    wanted = (1.0, 10.0, 100.0)
    units = [u for u in EXPERIMENT.units(False) if u.arguments["training"]["alpha0"] in wanted]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        scores = EXPERIMENT.compare(store.to_pandas(units))
    assert len(scores) == 6 and (scores["trials"] == 10).all()
    assert scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(EXPERIMENT.compare(store.to_pandas([]))) == 0
