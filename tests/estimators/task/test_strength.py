"""The strength of a signal from how far a trained direction finds it."""

from __future__ import annotations

import pytest

from needlescope.estimators.task.strength import strength
from needlescope.planning.expected.protocol import alignment
from needlescope.task import Task


def test_strength_inverts_the_alignment():
    task = Task(L=12, R=3, theta=2.0, pi=0.3)
    for direction in ("query", "readout"):
        shift = 2.0 * alignment(task, 3.0, direction)
        assert strength(task, shift, 3.0, direction) == pytest.approx(2.0, abs=1e-6)


def test_a_shift_that_is_too_large_or_hardly_seen_has_a_strength_too():
    task = Task(L=50, R=1, theta=2.0, pi=0.1)
    assert strength(task, 200.0, 3.0, "query") == 100.0
    for theta in (0.5, 1.0, 60.0):
        shift = theta * alignment(task.replace(theta=theta), 0.5, "readout")
        assert strength(task, shift, 0.5, "readout") == pytest.approx(theta, rel=1e-6)
