"""All labels alike: w = 0 and b minimises ℓ(b; y), for any ridge, if that has a minimum."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from ..arrays import FloatArray
from ..errors import NoMinimiser
from .algebra.problem import Fit, Problem

FARTHEST_SCORE = 2.0**40
UNDERFLOWED_SLOPE = 1e-12  # a slope that fell below this before it is zero has underflowed


def one_class(problem: Problem) -> Fit:
    """Return w = 0 and a best bias, or raise NoMinimiser."""
    n, p = problem.F.shape
    b = _best_bias(problem, int(problem.y[0]))
    return Fit(np.zeros(p), b, np.full(n, b), 0.0, 0)


def _best_bias(problem: Problem, y: int) -> float:
    def slope(b: float) -> float:
        result: FloatArray = problem.loss.derivative(np.array([b]), y)
        return float(result[0])

    first = slope(0.0)
    if first == 0.0:
        return 0.0
    side = -np.sign(first)
    near, far, last = 0.0, float(side), first
    while abs(far) <= FARTHEST_SCORE:
        here = slope(far)
        if here * side > 0.0 or (here == 0.0 and abs(last) > UNDERFLOWED_SLOPE * abs(first)):
            return float(brentq(slope, near, far, xtol=1e-15))
        near, far, last = far, 2.0 * far, here
    raise NoMinimiser(
        f"all labels are {y:+d} and the {problem.loss.name} loss decreases without bound as the "
        "bias grows: there is no minimiser; train on samples of both classes"
    )
