"""The experiment "phases": every ring is on its map, and every signal has its boundaries."""

from __future__ import annotations

import pytest

from needlescope.experiments.published.possible.phases import EXPERIMENT, TOKENS


@pytest.mark.parametrize("full", [False, True])
def test_every_ring_is_on_its_map(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)
    places = {"bayes_optimal": set(), "simulate_amp": set(), "phase_boundaries": set()}
    for unit in units:
        task = unit.arguments["task"]
        places[unit.call].add((task["L"], task["theta"], unit.arguments.get("alpha")))
    assert places["simulate_amp"] < places["bayes_optimal"]
    signals = {(L, theta) for L, theta, _ in places["bayes_optimal"]}
    assert signals < {(L, theta) for L, theta, _ in places["phase_boundaries"]}
    assert {L for L, _, _ in places["simulate_amp"]} == ({30, 100, 1000} if full else {30, 100})
    for L in TOKENS:
        own = [(theta, alpha) for one, theta, alpha in places["bayes_optimal"] if one == L]
        assert len(own) == len({theta for theta, _ in own}) * len({alpha for _, alpha in own})
