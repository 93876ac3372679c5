"""The best readout of features whose law is known, with all weight in the special directions.

A readout μ along the special directions with a bias b has the test error

    E Φ(−y (μ·m + b)/√(τ·μ²)),

invariant under scaling of both, and not convex: BFGS starts from the linear discriminant and from
the query alone, each at the best of several thresholds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from ...arrays import FloatArray
from ...models.nodes import JointLaw
from ..saddle.measures import error_slope, test_error
from ..saddle.problem import OrderParameters

THRESHOLDS = np.linspace(-1.0, 3.0, 17)  # in units of the distance between the classes' means
CONSTANT_BIAS = 1e6  # stands for an infinite bias, which answers the same label to all samples


class BestReadout(NamedTuple):
    """A readout of unit norm, its bias and its error."""

    error: float
    mu: FloatArray
    b: float

    def on(self, law: JointLaw) -> float:
        """Return the error on another law of the same directions."""
        return test_error(law, OrderParameters(self.mu, self.b, 0.0, 1.0))


def best_readout(law: JointLaw, near: BestReadout | None = None) -> BestReadout:
    """Return the best readout of a law; ``near`` is that of a similar law to start from.

    Pooling reaches Φ(−θR/(2√L)):

    >>> import needlescope as ns
    >>> from needlescope.models.pooled import limit
    >>> result = best_readout(limit(ns.Task(L=4, R=1, theta=4.0, pi=0.5)).law(0.5))
    >>> round(result.error, 6)
    0.158655
    """
    blind = near is None or abs(near.b) >= CONSTANT_BIAS
    starts = _starts(law) if near is None or blind else [np.append(near.mu, near.b)]
    result = min((_descend(law, start) for start in starts), key=lambda item: item.error)
    share = float(law.weight[law.y > 0.0].sum())
    if result.error < min(share, 1.0 - share):
        return result
    return BestReadout(
        min(share, 1.0 - share), result.mu, float(np.copysign(CONSTANT_BIAS, share - 0.5))
    )


def _descend(law: JointLaw, start: FloatArray) -> BestReadout:
    def objective(x: FloatArray) -> tuple[float, FloatArray]:
        at = OrderParameters(x[:-1], float(x[-1]), 0.0, 1.0)
        return test_error(law, at), error_slope(law, at)[: len(x)]

    result = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-7})
    size = float(np.linalg.norm(result.x[:-1]))
    return BestReadout(float(result.fun), result.x[:-1] / size, float(result.x[-1]) / size)


def _starts(law: JointLaw) -> list[FloatArray]:
    """The linear discriminant, and the first direction alone, with the best of some thresholds."""
    w, positive = law.weight, law.y > 0.0
    up, down = (w[item] @ law.m[item] / w[item].sum() for item in (positive, ~positive))
    centred = law.m - np.where(positive[:, None], up, down)
    spread = (w[:, None] * centred).T @ centred + np.diag(w @ law.tau)
    result = []
    for mu in (np.linalg.solve(spread, up - down), np.eye(len(up))[0]):
        size = float(np.linalg.norm(mu))
        if not size > 0.0:
            continue
        mu = mu / size
        low, step = float(mu @ down), float(mu @ (up - down))
        spare = float(np.sqrt(mu @ spread @ mu))  # the unit where the means coincide
        biases = [-(low + x * (step if abs(step) > 1e-3 * spare else spare)) for x in THRESHOLDS]
        errors = [test_error(law, OrderParameters(mu, b, 0.0, 1.0)) for b in biases]
        result.append(np.append(mu, biases[int(np.argmin(errors))]))
    return result
