"""The experiment "length": its units, and simulation against theory on a small run."""

from __future__ import annotations

import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.published.length import EXPERIMENT, KAPPAS, L
from needlescope.experiments.stores.store import Store


def place(unit):
    found = unit.arguments
    return found["model"], found.get("query", {}).get("kappa"), found["test_task"]["L"]


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_line(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)
    lines = {place(unit) for unit in units if unit.call == "predict"}
    dots = {place(unit) for unit in units if unit.call == "simulate"}
    assert dots <= lines
    assert {length for _, _, length in dots} >= {L // 4, L, 64 * L}
    assert {kappa for _, kappa, _ in dots} == {*KAPPAS, None}
    assert all(unit.arguments["task"]["L"] == L for unit in units)


def test_simulation_agrees_with_theory_at_another_length(tmp_path):
    wanted = [("attention", 2.0, 4 * L), ("pooled", None, 4 * L)]
    units = [unit for unit in EXPERIMENT.units(False) if place(unit) in wanted]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        scores = EXPERIMENT.compare(store.to_pandas(units))
    assert len(scores) == 2  # pooling has no κ, and is compared all the same
    assert scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(EXPERIMENT.compare(store.to_pandas([]))) == 0
