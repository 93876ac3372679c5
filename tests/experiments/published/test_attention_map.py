"""The experiment "attention_map": its units, and simulation against theory on a small run."""

from __future__ import annotations

import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.published.attention_map import BY, EXPERIMENT
from needlescope.experiments.stores.store import Store


@pytest.mark.parametrize("full", [False, True])
def test_every_dot_has_its_line_and_two_sizes(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)

    def points(call):
        return {
            (u.arguments["task"]["theta"], *map(u.arguments["training"].get, ("eta_q", "alpha0")))
            for u in units
            if u.call == call
        }

    assert points("simulate_focus") < points("focus")
    sizes = {u.arguments["d"] for u in units if "d" in u.arguments}
    assert sizes == ({1000, 500} if full else {300, 150})


def test_simulation_agrees_with_theory(tmp_path):
    def wanted(unit):
        training = unit.arguments["training"]
        return training["alpha0"] in (1.0, 10.0) and training["eta_q"] == 10.0

    units = [unit for unit in EXPERIMENT.units(False) if wanted(unit)]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        table = store.to_pandas(units)
    scores = EXPERIMENT.compare(table)
    assert len(scores) == 3 * 2 * 2  # signals, amounts of data, quantities
    assert scores["z"].abs().max() < 5.0
    assert set(BY) <= set(table)
    wrong = table.assign(signal=table.signal.where(table.call != "focus", 0.7 * table.signal))
    assert EXPERIMENT.compare(wrong)["z"].abs().max() > 5.0
