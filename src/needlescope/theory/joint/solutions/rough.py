"""The equations of joint training solved roughly, from one problem to the next, for a search.

On the coarse lattice alone, the same for all problems, so that what differs between neighbours is
known better than the numbers themselves. A neighbour's solution x and Jacobian J lead to the next
one: the equations r(x) = 0 know α and both ridges, λ, outside of their means, so

    x → x − J⁻¹ ∂r/∂log(α, λ) · Δlog(α, λ)

costs no samples. Newton's method goes on from there with the same Jacobian, and the step that its
tolerance leaves out is taken last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....arrays import FloatArray
from ....errors import NotConverged
from ..equations.error import Scores, fresh_scores
from ..equations.moments import FLATTEST, Moments, Problem, moments, residual
from ..equations.order import from_vector
from .branches import coarse
from .solver import COARSE, JACOBIAN_REPLICATES, Start, differences, lattice, newton

LOG_STEP = 1e-3  # of the difference that gives a derivative in the logs
FARTHEST = 2.0  # the largest change of an unknown that is extrapolated


class Rough(NamedTuple):
    """A problem, its unknowns on the coarse lattice, and what neighbours go on from."""

    problem: Problem
    x: FloatArray
    jacobian: FloatArray
    means: Moments
    scores: Scores  # of fresh samples

    @property
    def bias(self) -> float:
        """The bias."""
        return from_vector(self.x).b

    def bias_deviation(self, samples: float) -> float:
        """Return how far the bias of a data set is from its limit, as a standard deviation.

        The mean slope over n samples has a variance of E[ℓ'²]/n, which moves the bias by what
        bends the loss.
        """
        if not np.isfinite(samples):
            return 0.0
        bend = max(float(self.means.bend[0]), FLATTEST)
        return float(np.sqrt(self.means.power[0] / samples)) / bend


def solve_roughly(problem: Problem, near: Rough | None = None) -> Rough:
    """Return the solution on the coarse lattice, from a neighbour's if there is one.

    Examples
    --------
    >>> import needlescope as ns
    >>> from needlescope.losses import LOGISTIC
    >>> first = Problem(ns.Task(L=4, R=1, theta=4.0, pi=0.5), 2.0, LOGISTIC, 0.05, 0.05)
    >>> next_one = first._replace(ridge=0.1)
    >>> one, other = solve_roughly(next_one, solve_roughly(first)), solve_roughly(next_one)
    >>> bool(abs(one.scores.error(one.bias, 0.5) - other.scores.error(other.bias, 0.5)) < 1e-3)
    True
    """
    samples = lattice(problem.task.L, COARSE, 1)
    x, J, _ = _start(problem, near)

    def at(x: FloatArray) -> FloatArray:
        return residual(problem, x, moments(problem, from_vector(x), samples).pooled())

    means = moments(problem, from_vector(x), samples).pooled()
    left = residual(problem, x, means)
    if J is None:
        J = differences(at, x, left)
    x = x - np.linalg.solve(J, left)
    g = lattice(problem.task.L, COARSE, JACOBIAN_REPLICATES).q
    return Rough(problem, x, J, means, fresh_scores(from_vector(x), problem.task, g))


def _start(problem: Problem, near: Rough | None) -> Start:
    """Return the solution to the tolerance of Newton's method."""
    if near is None:
        return coarse(problem)
    try:
        samples = lattice(problem.task.L, COARSE, 1)
        return newton(problem, Start(extrapolated(near, problem), near.jacobian), samples)
    except NotConverged:
        return coarse(problem, near.x)


def extrapolated(near: Rough, problem: Problem) -> FloatArray:
    """Return a neighbour's unknowns, moved to another amount of data and other ridges."""
    old = near.problem
    names = ("alpha", "ridge", "ridge_q")
    moved = {
        name: getattr(old, name) * (getattr(problem, name) / getattr(old, name)) ** LOG_STEP
        for name in names
    }
    slope = residual(old._replace(**moved), near.x, near.means)
    slope = (slope - residual(old, near.x, near.means)) / LOG_STEP
    step = -np.linalg.solve(near.jacobian, slope)
    return np.asarray(near.x + step * min(1.0, FARTHEST / max(float(np.abs(step).max()), 1e-300)))
