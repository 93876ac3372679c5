"""The solution: what it leaves, from where it is reached, and that nothing unconverged gets out."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.errors import NotConverged
from needlescope.theory.joint.equations.moments import moments, residual
from needlescope.theory.joint.equations.order import from_vector
from needlescope.theory.joint.prediction import problem_of
from needlescope.theory.joint.solutions import solver
from needlescope.theory.joint.solutions.branches import coarse
from needlescope.theory.joint.solutions.solver import COARSE_TOL, follow, lattice, refine

TASK = ns.Task(L=4, R=1, theta=4.0, pi=0.4)
PROBLEM = problem_of(TASK, ns.Training.joint(2.0, ridge=0.05, ridge_q=0.05), "field")


@pytest.fixture(scope="module")
def start():
    return coarse(PROBLEM)


def test_the_coarse_solution_solves(start):
    means = moments(PROBLEM, from_vector(start.x), lattice(4, solver.COARSE, 1))
    assert np.abs(residual(PROBLEM, start.x, means)).max() < COARSE_TOL


def test_replicates_scatter_around_the_solution(start):
    solved = refine(PROBLEM, start.x, 256)
    error = solved.each.std(axis=0, ddof=1) / np.sqrt(len(solved.each))
    assert (np.abs(solved.each.mean(axis=0) - solved.x) < error).all()
    assert solved.residual < 0.02
    means = moments(PROBLEM, from_vector(solved.each[3]), lattice(4, 256, 8)).of(3)
    own = np.abs(residual(PROBLEM, solved.each[3], means)).max()
    shared = np.abs(residual(PROBLEM, solved.x, means)).max()
    assert own < 0.3 * shared  # its own unknowns solve its own equations


def test_slopes_of_a_neighbour_lead_to_the_same_solution(start, monkeypatch):
    alone = refine(PROBLEM, start.x, 256)
    other = PROBLEM._replace(alpha=1.2 * PROBLEM.alpha)
    slopes = refine(other, coarse(other, start.x).x, 256).slopes
    monkeypatch.setattr(solver, "slopes_at", None)  # not needed
    after = follow(PROBLEM, alone.x + 0.01, 256, slopes)
    error = alone.each.std(axis=0, ddof=1) / np.sqrt(len(alone.each))
    assert (np.abs(after.each.mean(axis=0) - alone.each.mean(axis=0)) < 0.5 * error).all()
    np.testing.assert_allclose(after.each.std(axis=0), alone.each.std(axis=0), rtol=0.3)


def test_slopes_from_far_away_are_taken_anew(start):
    near = refine(PROBLEM, start.x, 256)
    slopes = near.slopes._replace(x=start.x + 1.0, jacobian=1.3 * near.slopes.jacobian)
    np.testing.assert_allclose(refine(PROBLEM, start.x, 256, slopes).each, near.each, atol=1e-9)


def test_slopes_that_lead_nowhere_are_taken_anew(start):
    near = refine(PROBLEM, start.x, 256)
    wrong = near.slopes._replace(x=start.x, jacobian=-near.slopes.jacobian)
    again = refine(PROBLEM, start.x, 256, wrong)
    np.testing.assert_allclose(again.x, near.x, atol=1e-9)


def test_a_start_that_is_no_solution_is_not_followed(start):
    slopes = refine(PROBLEM, start.x, 256).slopes
    assert follow(PROBLEM, start.x + 1.0, 256, slopes) is None


def test_what_does_not_settle_is_no_result(start, monkeypatch):
    monkeypatch.setattr(solver, "FINE_STEPS", 1)
    with pytest.raises(NotConverged, match="the equations of joint training end at a residual of"):
        refine(PROBLEM, start.x + 0.3, 256)
