"""The experiment "phases": every ring is on its map, and every signal has its boundaries."""

from __future__ import annotations

import pytest

from needlescope.experiments.published.possible.phases import EXPERIMENT, TOKENS


@pytest.mark.parametrize("full", [False, True])
def test_every_ring_is_on_its_map(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)
    places = {"learning_limit": set(), "simulate_limit": set(), "phase_boundaries": set()}
    for unit in units:
        task = unit.arguments["task"]
        places[unit.call].add((task["L"], task["theta"], unit.arguments.get("alpha")))
    assert places["simulate_limit"] < places["learning_limit"]
    signals = {(L, theta) for L, theta, _ in places["learning_limit"]}
    assert signals < {(L, theta) for L, theta, _ in places["phase_boundaries"]}
    assert {L for L, _, _ in places["simulate_limit"]} == ({30, 100, 1000} if full else {30, 100})
    for L in TOKENS:
        own = [(theta, alpha) for one, theta, alpha in places["learning_limit"] if one == L]
        assert len(own) == len({theta for theta, _ in own}) * len({alpha for _, alpha in own})
