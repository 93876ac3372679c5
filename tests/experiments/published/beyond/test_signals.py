"""The experiment "signals": its units, and training against theory."""

from __future__ import annotations

import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.published.beyond.signals import DOTS, EXPERIMENT
from needlescope.experiments.stores.store import Store


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_lines(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)
    shares = {
        call: {tuple(unit.arguments["task"]["signals"]) for unit in units if unit.call == call}
        for call in ("align", "predict", "simulate")
    }
    assert shares["simulate"] < shares["align"] == shares["predict"]
    assert {one[0] for one in shares["simulate"]} == set(DOTS)


def test_simulation_agrees_with_theory(tmp_path):
    units = [
        unit
        for unit in EXPERIMENT.units(False)
        if unit.arguments["task"]["signals"] == [0.7, 0.3]
        and unit.arguments.get("model") != "pooled"
    ]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        scores = EXPERIMENT.compare(store.to_pandas(units))
    assert len(scores) == 3 and scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(EXPERIMENT.compare(store.to_pandas([]))) == 0
