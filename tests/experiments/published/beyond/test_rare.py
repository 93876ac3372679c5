"""The experiment "rare": its units, the steps of its dots, and training against theory."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.published.beyond.rare import DOTS, EXPERIMENT, STEPS, asked
from needlescope.experiments.stores.store import Store


def place(unit):
    found = unit.arguments["training"]
    return unit.arguments["task"]["pi"], found["balanced"], found["eta_q"]


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_line(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)
    lines = {place(unit) for unit in units if unit.call == "predict"}
    dots = {place(unit) for unit in units if unit.call == "simulate"}
    assert dots <= lines and {pi for pi, _, _ in dots} == set(DOTS)
    assert {balanced for _, balanced, _ in dots} == {False, True}


@pytest.mark.parametrize(("pi", "balanced"), [(0.1, True), (0.3, False), (0.5, True)])
def test_dots_take_the_step_that_errs_least(pi, balanced):
    task, training = (kind(**asked(pi, balanced)[name]) for name, kind in
                      (("task", ns.Task), ("training", ns.Training)))  # fmt: skip
    found = ns.predict(task, training.replace(eta_q=np.array(STEPS)), tol=2e-3)
    assert STEPS[int(np.argmin(found.test_error))] == DOTS[pi][balanced]


def test_simulation_agrees_with_theory(tmp_path):
    wanted = [(0.2, balanced, DOTS[0.2][balanced]) for balanced in (False, True)]
    units = [
        unit
        for unit in EXPERIMENT.units(False)
        if unit.call in ("predict", "simulate") and place(unit) in wanted
    ]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        scores = EXPERIMENT.compare(store.to_pandas(units))
    assert len(scores) == 6  # cosine, κ and error of both
    assert scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(EXPERIMENT.compare(store.to_pandas([]))) == 0
