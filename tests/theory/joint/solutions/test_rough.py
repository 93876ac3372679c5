"""Rough solutions, from one problem to the next, against exact ones and against pooling."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import LOGISTIC
from needlescope.models import POOLED
from needlescope.planning.tuning.readouts import NO_QUERY, bias_deviation
from needlescope.theory.joint.equations.moments import Problem
from needlescope.theory.joint.solutions.rough import extrapolated, solve_roughly
from needlescope.theory.law.ladder import ROUGH
from needlescope.theory.law.limits import train_limit
from needlescope.theory.saddle.readout import train_readout

TASK = ns.Task(L=4, R=1, theta=4.0, pi=0.4)
PROBLEM = Problem(TASK, 2.0, LOGISTIC, 0.05, 0.05)


@pytest.fixture(scope="module")
def rough():
    return solve_roughly(PROBLEM)


def test_the_error_is_about_that_of_predict(rough):
    exact = ns.predict(TASK, ns.Training.joint(2.0, ridge=0.05, ridge_q=0.05))
    assert rough.scores.error(rough.bias, 0.4) == pytest.approx(exact.test_error, rel=0.03)


@pytest.mark.parametrize("moved", [{"ridge": 0.1}, {"ridge_q": 0.035}, {"alpha": 3.0}])
def test_a_neighbour_is_extrapolated(moved, rough):
    problem = PROBLEM._replace(**moved)
    there = solve_roughly(problem).x
    left = np.linalg.norm(extrapolated(rough, problem) - there)
    assert left < 0.35 * np.linalg.norm(rough.x - there)


def test_a_neighbour_of_another_task_leads_to_the_same_solution(rough):
    problem = PROBLEM._replace(task=TASK.replace(theta=5.0, L=6))
    near, far = solve_roughly(problem, rough), solve_roughly(problem)
    errors = [item.scores.error(item.bias, 0.4) for item in (near, far)]
    assert errors[0] == pytest.approx(errors[1], rel=5e-3)


def test_the_bias_of_a_data_set_is_off_as_with_pooling():
    """A query that cannot grow leaves pooling, whose equations are solved by other code."""
    problem = PROBLEM._replace(ridge_q=1e4)
    limit = train_limit(POOLED, TASK, NO_QUERY, ROUGH)
    pooled = bias_deviation(train_readout(limit, LOGISTIC, 0.4, 2.0, 0.05), 100.0)
    assert solve_roughly(problem).bias_deviation(100.0) == pytest.approx(pooled, rel=0.02)
    assert solve_roughly(problem).bias_deviation(np.inf) == 0.0
