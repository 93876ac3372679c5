"""Plans from pilot data: how little they tell is said."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.estimators.task.pilot import extrapolated
from tests.estimators.draws import draw


def test_a_plan_from_a_pilot_says_how_far_it_is_open():
    task = ns.Task(L=6, R=1, theta=5.0, pi=0.5)
    X, y, _ = draw(task, 10, 60, 1)
    found = ns.plan(pilot=(X, y), n=400, learner="pooled", resamples=2, seed=0, others=False)
    assert isinstance(found, ns.PilotPlan) and found.bags == 60 and found.n == 400
    assert abs(found.theta - 5.0) < 3.0 * found.theta_se + 0.3
    assert len(found.resampled) == 2 and found.low <= found.high
    assert list(found.measured) == [15, 30, 45]
    assert 0.0 < found.extrapolated < 0.5
    assert found.trust


def test_without_a_signal_there_is_nothing_to_plan_for():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="no signal was found in the 40 bags of the pilot"):
        ns.plan(pilot=(rng.standard_normal((40, 5, 8)), np.arange(40) % 2), error=0.1)


def test_errors_that_do_not_fall_lead_nowhere():
    assert extrapolated({25: (0.2, 0.01), 50: (0.25, 0.01)}, None, 0.1) == np.inf
