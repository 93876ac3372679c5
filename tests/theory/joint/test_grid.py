"""A grid goes through `predict`; its branches are followed where they come from."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.errors import NotConverged
from needlescope.theory.joint import grid
from needlescope.theory.joint.solutions import branches

TASK = ns.Task(L=3, R=1, theta=3.0, pi=0.5)


def test_a_branch_is_followed_from_where_it_starts(monkeypatch):
    """The informed one from much data to little, the uninformed one the other way."""
    seen, solve = [], grid.predict_point
    monkeypatch.setattr(
        grid,
        "predict_point",
        lambda problem, *more: (seen.append(problem.alpha), solve(problem, *more))[1],
    )
    training = ns.Training.joint([2.0, 8.0, 4.0], ridge=0.1, ridge_q=0.1)
    each = [ns.predict(TASK, training, start=start) for start in ("informed", "uninformed")]
    assert seen == [8.0, 4.0, 2.0, 2.0, 4.0, 8.0]
    np.testing.assert_allclose(each[0].test_error, each[1].test_error, atol=2e-3)


def test_a_solution_that_has_ended_is_said(monkeypatch):
    """Where the informed branch fails, the numbers are of the other one, and notes say so."""

    def ends(problem, nodes):
        raise NotConverged("ended")

    monkeypatch.setattr(branches, "informed", ends)
    outcome = ns.predict(TASK, ns.Training.joint([4.0, 3.0], ridge=0.1, ridge_q=0.1))
    assert (outcome.fell_back == 1.0).all()
    assert "the solution that is asked for has ended at 2 of 2 points" in " ".join(outcome.notes)


def test_a_second_minimum_of_the_population_is_said():
    task = ns.Task(L=60, R=1, theta=4.0, pi=0.5)
    outcome = ns.predict(task, ns.Training.joint(16.0, ridge=0.15, ridge_q=0.15), tol=2e-2)
    assert outcome.second_minimum > 0.01
    assert outcome.fell_back == 0.0
    (note,) = outcome.notes
    assert "the population's loss has a second minimum, with a short query" in note


@pytest.mark.slow
def test_a_grid_of_ridges_is_its_points():
    """Two solutions, and a path of ridges that would lead from one to the other."""
    task = ns.Task(L=30, R=1, theta=4.0, pi=0.5)
    ridges = np.array([0.36, 0.33, 0.305])
    grid_of = ns.predict(task, ns.Training.joint(4.0, ridge=ridges, ridge_q=ridges))
    for k, ridge in enumerate(ridges.tolist()):
        alone = ns.predict(task, ns.Training.joint(4.0, ridge=ridge, ridge_q=ridge))
        assert grid_of.test_error[k] == alone.test_error
