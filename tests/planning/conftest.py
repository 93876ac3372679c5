"""A plan that several tests look at."""

from __future__ import annotations

import pytest

import needlescope as ns

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)


@pytest.fixture(scope="session")
def planned():
    """How many bags attention needs for a test error of 0.05 at d = 50."""
    question = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5, "d": 50, "error": 0.05}
    return ns.plan(**question, learner="attention", loss="square")
