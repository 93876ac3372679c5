"""How far data are from the theory, and what that says of an estimate."""

from __future__ import annotations

from needlescope.estimators.task.departures import Departure, trust


def test_trust_follows_the_measured_errors():
    def levels(kurtosis, error):
        return {
            "kurtosis": Departure(0.0, 0.0, kurtosis, ""),
            "error, pooled": Departure(0.0, 0.0, error, "", "error"),
        }

    assert trust(levels(2, 0), True).endswith("though its assumptions are off (kurtosis)")
    assert trust(levels(0, 1), True).startswith("take the theory as a rough guide")
    assert trust(levels(2, 2), True).startswith("do not trust the theory's numbers")
    assert trust(levels(0, 0), False).startswith("no signal was found")
    assert trust(levels(0, 2), False, guessing=False).startswith("the theory's two steps found no")
