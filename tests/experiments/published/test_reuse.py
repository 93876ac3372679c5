"""The experiment "reuse": its units, and the split against theory on a small run."""

from __future__ import annotations

import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.published.reuse import EXPERIMENT, PROTOCOLS
from needlescope.experiments.stores.store import Store


@pytest.mark.parametrize("full", [False, True])
def test_every_protocol_has_the_same_data_in_all(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)
    totals = {}
    for unit in units:
        if unit.call == "simulate":
            found = unit.arguments
            training = found["training"]
            fresh = 0.0 if found["reuse"] == "D0" else training["alpha1"]
            protocol = found["reuse"], training["query_steps"], found["starts"]
            totals.setdefault(protocol, set()).add(training["alpha0"] + fresh)
    assert len(totals) == len(PROTOCOLS)
    assert all(one == {1.0, 2.0, 4.0, 8.0, 16.0} for one in totals.values())


def test_only_the_split_is_compared(tmp_path):
    trained = [u for u in EXPERIMENT.units(False) if u.call != "bayes_optimal"]
    units = [u for u in trained if u.arguments["training"]["alpha1"] == 2.0]
    cheap = [u for u in units if not u.arguments.get("starts")]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(cheap, store, engine=local(1), progress=False).failed == 0
        table = store.to_pandas(cheap)
    assert (table["reuse"] == "D0").any()
    scores = EXPERIMENT.compare(table)
    assert len(scores) == 2 and scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(EXPERIMENT.compare(store.to_pandas([]))) == 0
