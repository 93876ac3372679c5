"""The solutions of the equations on a coarse lattice: followed from much data, or from little.

The equations may have several solutions. Two of them have a meaning:

- "informed": with infinitely many samples query and readout are the lowest minimum of the
  population (`population`). From there α falls to its value, Newton's method following the
  solution.
- "uninformed": with hardly any data every sample is fitted, and query and readout know little of
  the signal. From there α grows to its value. Where that solution ends before, and the population
  has another minimum, with a short query, α falls from that one.

A branch may end at a fold; what is found then belongs to the other one. With ten tokens both are
mostly the same solution, with a hundred they often are not (docs/joint.md).
"""

from __future__ import annotations

import numpy as np

from ....arrays import FloatArray
from ....errors import NotConverged
from ..equations.moments import Problem, moments, precision
from ..equations.order import Order, to_vector
from ..equations.samples import Samples
from .continuation import extrapolate
from .population import Population, population_minima
from .solver import COARSE, Start, lattice, newton

STARTS = ("informed", "uninformed")
MUCH, LITTLE = 1000.0, 0.1  # samples per dimension to start from, or
MARGIN = 2.0  # this factor beyond the value asked for
FACTOR = 0.45  # of α from one solution to the next
SLOWEST = 0.93  # a factor so close to 1 that the branch has ended
LAST = 1.2  # within this factor of its value α goes there at once
FAR = 1.5  # by which an unknown differs from the extrapolated one if it lies on another branch
ROUNDS = 12  # of iteration, where all fields are about those without training
DAMPED_STEPS, DAMPING = 25, 0.3
FLATTEST = 1e-3  # eigenvalue of the precision over α, below which it is taken as that


def coarse(problem: Problem, near: FloatArray | None = None) -> Start:
    """Return the solution on the coarse lattice, or raise `NotConverged`.

    Where the branch asked for ends before, it is the other one's.
    """
    samples = lattice(problem.task.L, COARSE, 1)
    if near is not None:
        try:
            at = newton(problem, Start(near, None), samples)
            if np.abs(at.x - near).max() < FAR:
                return at
        except NotConverged:
            pass
    order = (informed, collapsed, uninformed)
    for branch in order if problem.start == "informed" else order[::-1]:
        try:
            found = branch(problem, samples)
        except NotConverged as problem_met:
            last = str(problem_met).partition(";")[0]
        else:
            return found._replace(branch="informed" if branch is informed else "uninformed")
    raise NotConverged(
        "the replica-symmetric equations of joint training were not solved, neither from much data "
        f"nor from little ({last}); another ridge or ridge_q, mostly a larger one, makes them "
        "easier"
    )


def informed(problem: Problem, samples: Samples) -> Start:
    """Return the solution that is followed down from the lowest minimum of the population."""
    return _down(problem, samples, 0)


def collapsed(problem: Problem, samples: Samples) -> Start:
    """Return the solution that is followed down from another minimum, if there is one."""
    return _down(problem, samples, 1)


def uninformed(problem: Problem, samples: Samples) -> Start:
    """Return the solution that is followed up from little data."""
    bottom = problem._replace(alpha=min(LITTLE, problem.alpha / MARGIN))
    return _follow(bottom, _at_little_data(bottom, samples), problem.alpha, samples)


def _down(problem: Problem, samples: Samples, which: int) -> Start:
    minima = population_minima(problem, samples.q)
    if which >= len(minima):
        raise NotConverged("the population has a single minimum")
    top = problem._replace(alpha=max(MUCH, MARGIN * problem.alpha))
    return _follow(top, _at_much_data(top, minima[which], samples), problem.alpha, samples)


def _follow(problem: Problem, first: FloatArray, alpha: float, samples: Samples) -> Start:
    """Follow a solution to another α, in steps that shorten where it moves quickly."""
    at = newton(problem, Start(first, None), samples)
    here, factor, trail = problem.alpha, FACTOR, [(np.log(problem.alpha), at.x)]
    down = alpha < here
    while here != alpha:
        there = here * factor if down else here / factor
        if there < LAST * alpha if down else there > alpha / LAST:
            there = alpha
        log_alpha, x = zip(*trail[-2:], strict=True)
        guess = extrapolate(np.array(log_alpha), np.array(x), float(np.log(there)))
        try:
            reached = newton(problem._replace(alpha=there), Start(guess, at.jacobian), samples)
            if np.abs(reached.x - guess).max() > FAR:
                raise NotConverged("another solution was met")
        except NotConverged as problem_met:
            factor = np.sqrt(factor)
            if factor > SLOWEST:
                raise NotConverged(
                    f"the solution ends at alpha={here:.3g}: {problem_met}"
                ) from None
            continue
        at, here, factor = reached, there, max(FACTOR, factor**1.5)
        trail.append((np.log(here), at.x))
    return at


def _at_much_data(problem: Problem, minimum: Population, samples: Samples) -> FloatArray:
    """Return unknowns near a minimum of the population, with little noise."""
    M, b = minimum.M, minimum.b
    N = V = np.eye(2) / problem.alpha
    for _ in range(ROUNDS):
        order = Order(M, np.outer(M, M) + N, V, b)
        means = moments(problem, order, samples).pooled()
        values, vectors = np.linalg.eigh(precision(problem, order, means) / problem.alpha)
        inverse = (vectors / np.maximum(values, FLATTEST)) @ vectors.T / problem.alpha
        V = 0.5 * (V + inverse)
        N = 0.5 * (N + V @ (problem.alpha * means.gg[0]) @ V)
    return to_vector(Order(M, np.outer(M, M) + N, V, b))


def _at_little_data(problem: Problem, samples: Samples) -> FloatArray:
    """Return unknowns of a classifier that hardly knows the signal, after damped iteration."""
    pi, scale = problem.task.pi, np.sqrt(problem.penalty)
    order = Order(
        np.array([0.01, 0.1]),
        np.eye(2),
        np.diag(0.6 / problem.penalty),
        float(np.log(pi / (1 - pi))),
    )
    for _ in range(DAMPED_STEPS):
        means = moments(problem, order, samples).pooled()
        ratio = precision(problem, order, means) / np.outer(scale, scale)
        values, vectors = np.linalg.eigh(ratio)
        new = (vectors * np.maximum(values, 0.5)) @ vectors.T * np.outer(scale, scale)
        V, kept = np.linalg.inv(new), 1.0 - DAMPING
        M_hat = problem.alpha * problem.task.theta * means.gv[0]
        Q = V @ (np.outer(M_hat, M_hat) + problem.alpha * means.gg[0]) @ V
        shift = -float(means.slope[0] / max(means.bend[0], 1e-6))
        order = Order(
            kept * order.M + DAMPING * V @ M_hat,
            kept * order.Q + DAMPING * Q,
            np.linalg.inv(kept * np.linalg.inv(order.V) + DAMPING * new),
            order.b + float(np.clip(DAMPING * shift, -1.0, 1.0)),
        )
    return to_vector(order)
