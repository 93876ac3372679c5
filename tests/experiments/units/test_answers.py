"""Every call has its main numbers, and a simulation those of its theory."""

from __future__ import annotations

from needlescope.experiments.units.answers import ANSWERS, THEORY_OF, VERDICTS
from needlescope.experiments.units.calls import CALLS, SIMULATED


def test_every_call_has_main_numbers() -> None:
    assert set(ANSWERS) == set(CALLS) >= set(VERDICTS)
    assert all(ANSWERS.values())


def test_a_simulation_and_its_theory_share_the_first_number() -> None:
    for simulation, theory in THEORY_OF.items():
        assert simulation in SIMULATED and theory in CALLS and theory not in SIMULATED
        assert ANSWERS[simulation][0] == ANSWERS[theory][0]
