"""The strength of a signal, from its shift along a trained direction."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from ...planning.expected.protocol import alignment
from ...task import Task

STRONGEST = 100.0  # the largest θ


def cosine_deviation(task: Task, alpha0: float, direction: str, dimension: float) -> float:
    """Return the relative deviation of the cosine s between data sets of a finite dimension.

    A direction a ξ + noise of d Gaussian numbers has a cosine that varies with the noise's length
    and with its part along ξ: (1 − s²) √(1/2 + (1 − s²)/s²)/√d.

    Examples
    --------
    >>> round(cosine_deviation(Task(L=10, R=1, theta=4.0, pi=0.5), 4.0, "query", 50.0), 4)
    0.0125
    """
    s2 = max(alignment(task, alpha0, direction) ** 2, 1e-12)
    return float((1.0 - s2) * np.sqrt((0.5 + (1.0 - s2) / s2) / dimension))


def strength(task: Task, shift: float, alpha0: float, direction: str, tol: float = 1e-9) -> float:
    """Return the θ at which the shift along a trained direction is t: θ s(θ) = t.

    Examples
    --------
    >>> task = Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> round(strength(task, 4.0 * alignment(task, 5.0, "query"), 5.0, "query"), 6)
    4.0
    """

    def excess(theta: float) -> float:
        return theta * alignment(task.replace(theta=theta), alpha0, direction) - shift

    low, high = 0.9 * shift, 1.25 * shift  # a cosine is at most 1
    while excess(high) <= 0.0:
        low, high = high, 2.0 * high
        if low >= STRONGEST:
            return STRONGEST
    return min(float(brentq(excess, low, high, xtol=tol)), STRONGEST)
