"""How far a trained readout depends on samples that a finite training set rarely contains.

The order parameters p solve E[G(x; p)] = 0 over the law of a sample x. A little more weight on one
kind of sample moves the test error E by its influence

    I(x) = −∂E/∂p · H⁻¹ (G(x; p) − E[G]),     H = ∂E[G]/∂p

A training set of n samples rarely contains events of probability below 1/n. So the samples of
largest |I|, of total probability 1/n, are removed from the law, and the readout is trained again:
where its test error changes, the limit is approached slowly, and n samples are too few for it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from ...models.nodes import JointLaw
from .measures import error_slope, test_error
from .readout import Readout
from .solver import MAX_RESIDUAL, newton, solve


def influence(readout: Readout, test: JointLaw) -> FloatArray:
    """Return the influence on the test error of each node of the training law; its mean is zero."""
    assert readout.local is not None
    chain = readout.problem.chain(readout.point)
    pull = chain.pull_back(chain.e.m, chain.e.V, chain.e.g)
    pull -= readout.problem.law.weight @ pull
    slope = error_slope(test, readout.point)
    return np.asarray(-pull @ np.linalg.solve(readout.local.hessian.T, slope))


def rare_event_shift(readout: Readout, test: JointLaw, n: float) -> float:
    """Return the change of the test error without the samples of largest influence, 1/n in all.

    Where they are all of a class, the readout answers the other class; infinite if no readout can
    be trained without them.
    """
    if readout.local is None:
        return 0.0
    problem = readout.problem
    kept = _without(problem.law.weight, np.abs(influence(readout, test)), 1.0 / n)
    law, here = problem.law._replace(weight=kept), test_error(test, readout.point)
    for label in (1.0, -1.0):
        if not kept[law.y == label].any():
            return float(test.weight[test.y == label].sum()) - here
    other = replace(problem, law=law)
    point, local = newton(other, readout.point)
    if not local.residual <= MAX_RESIDUAL:
        try:
            point, local = solve(other, readout.point)
        except NotConverged:
            return np.inf
    return test_error(test, point) - here


def _without(weight: FloatArray, size: FloatArray, mass: float) -> FloatArray:
    """Remove the nodes of largest size from a law, up to a mass, and normalise the rest.

    >>> _without(np.array([0.5, 0.1, 0.4]), np.array([1.0, 3.0, 2.0]), 0.2).round(3)
    array([0.625, 0.   , 0.375])
    """
    order = np.argsort(-size)
    before = np.cumsum(weight[order]) - weight[order]
    gone = np.clip(mass - before, 0.0, weight[order])
    kept = weight.copy()
    kept[order] -= gone
    return np.asarray(kept / kept.sum())
