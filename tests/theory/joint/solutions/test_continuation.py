"""Where a point starts: from its neighbours on a curve of α."""

from __future__ import annotations

import numpy as np

import needlescope as ns
from needlescope.theory.joint.prediction import problem_of
from needlescope.theory.joint.solutions.continuation import Near, Neighbours, extrapolate
from needlescope.theory.joint.solutions.solver import Slopes

TASK = ns.Task(L=4, R=1, theta=4.0, pi=0.4)
SLOPES = Slopes(np.zeros(9), np.eye(9), np.zeros((2, 9)))


def problem(alpha, ridge=0.05, task=TASK):
    return problem_of(task, ns.Training.joint(alpha, ridge=ridge, ridge_q=0.05), "field")


def near(value, mark=0.0):
    return Near(np.full(9, value), SLOPES._replace(x=np.full(9, mark)))


def test_a_polynomial_is_continued():
    x = np.array([0.3, 1.0, 2.5])
    rows = np.stack([x**2 - x, 3.0 + 0.0 * x], axis=1)
    np.testing.assert_allclose(extrapolate(x, rows, 4.0), [12.0, 3.0])
    np.testing.assert_allclose(extrapolate(x, rows, 1.0), rows[1], atol=1e-12)


def test_without_a_neighbour_there_is_no_start():
    known = Neighbours()
    assert known.start(problem(1.0)) is None
    known.add(problem(1.0), near(1.0))
    assert known.start(problem(1.0, task=TASK.replace(theta=5.0))) is None


def test_a_curve_is_extrapolated_in_the_logarithm_of_alpha():
    known = Neighbours()
    for alpha in (16.0, 8.0, 4.0, 2.0):
        known.add(problem(alpha), near(np.log2(alpha) ** 2 if alpha < 16.0 else 99.0, alpha))
    start = known.start(problem(1.0))
    np.testing.assert_allclose(start.x, 0.0, atol=1e-12)  # by the three nearest
    assert (start.slopes.x == 2.0).all()


def test_beside_a_curve_there_is_no_start():
    """Along another parameter a path may lead from one solution to another."""
    known = Neighbours()
    known.add(problem(4.0, ridge=0.5), near(1.0))
    assert known.start(problem(4.0, ridge=0.45)) is None


def test_a_branch_that_has_ended_stays_so_along_a_curve():
    known = Neighbours()
    known.add(problem(4.0), near(1.0)._replace(fell_back=True))
    assert known.start(problem(2.0)).fell_back
