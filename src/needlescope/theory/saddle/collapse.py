"""Losses with a kink near their collapsed phase, where the exact minimiser is w = 0.

With rare positives and much data the hinge loss prefers to answer b = −1 to everything: all
negatives sit at the kink, whose subgradients can balance any pull on w. To first order around
(w, b) = (0, b0) the loss of each label is a cone (a kink or a straight line), and F becomes
positively homogeneous. The collapse is certified when the minimum of that homogeneous convex
function over (μ, b) at ρ = 1, maximised over t, is not negative: then no direction leads down
from w = 0.

Close to the collapse w is tiny and all scores lie close to b0. There `solve_near_collapse` measures
the bias from b0, a distance that floating point resolves where b itself is too coarse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import Loss, PiecewiseQuadratic
from .problem import Local, OrderParameters, Saddle
from .solver import solve


@dataclass(frozen=True, repr=False)
class LossPair(Loss):
    """One loss for each label."""

    positive: Loss
    negative: Loss
    name: str = "pair"
    kinked: bool = False

    def of_label(self, y: int) -> Loss:
        """Return the loss of a label."""
        return self.positive if y > 0 else self.negative

    def value(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return the loss of a score."""
        return self.of_label(int(y)).value(z, y)

    def derivative(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return its first derivative."""
        return self.of_label(int(y)).derivative(z, y)

    def second(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return its second derivative."""
        return self.of_label(int(y)).second(z, y)


def solve_near_collapse(problem: Saddle, start: OrderParameters) -> tuple[OrderParameters, Local]:
    """Solve with the bias measured from the best constant answer, or raise NotConverged."""
    loss = problem.loss
    if not isinstance(loss, PiecewiseQuadratic) or not loss.kinked:
        raise NotConverged("the loss has no kink to expand about")
    bias = _best_constant(loss, _positives(problem))
    pair = LossPair(loss.about(bias, 1), loss.about(bias, -1), kinked=True)
    close = replace(problem, loss=pair)
    point, local = solve(close, start._replace(b=start.b - bias))
    return point._replace(b=bias + point.b), local._replace(
        chain=None
    )  # the chain is of the shifted loss


def collapsed_bias(problem: Saddle) -> float | None:
    """Return the bias of the collapsed minimiser, or None where w = 0 is not certified."""
    loss = problem.loss
    if not isinstance(loss, PiecewiseQuadratic) or not loss.kinked:
        return None
    law = problem.law
    bias = _best_constant(loss, _positives(problem))
    pair = LossPair(loss.cone(bias, 1), loss.cone(bias, -1))
    cone = Saddle(law, pair, problem.delta, 0.0)
    try:
        _, local = solve(
            cone, OrderParameters(np.zeros(law.directions), 0.0, 1.0, 1.0), fixed_rho=True
        )
    except NotConverged:
        return None
    return bias if local.value >= 0.0 else None


def _positives(problem: Saddle) -> float:
    return float(problem.law.weight[problem.law.y > 0.0].sum())


def _best_constant(loss: PiecewiseQuadratic, pi: float) -> float:
    candidates = np.concatenate([loss.knots, -loss.knots])
    values = pi * loss.value(candidates, 1) + (1.0 - pi) * loss.value(candidates, -1)
    return float(candidates[np.argmin(values)])
