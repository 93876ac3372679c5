"""The training of a linear readout: min over (w, b) of Σ cᵢ ℓ(⟨w, Fᵢ⟩ + b; yᵢ) + (λ/2)‖w‖²."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import FloatArray
from ...losses import Loss

Features = NDArray[np.float32] | NDArray[np.float64]

CANCELLED = 1e-5
FLAT_SLOPE = 0.3  # a slope of J that has fallen to this part ends a line search
SLOPE_ROUNDING = 1e-15  # of the terms of a slope
TRIALS, LONGEST = 60, 1e6


class Problem(NamedTuple):
    """Features, labels and what to minimise; the bias is not penalised."""

    F: Any  # n × p, float32 or float64
    y: FloatArray  # n labels, −1 or +1
    loss: Loss
    ridge: float
    weight: FloatArray  # n non-negative weights c that sum to one


class Fit(NamedTuple):
    """A minimiser, with the evidence that it is one."""

    w: FloatArray
    b: float
    scores: FloatArray  # ⟨w, Fᵢ⟩ + b of every training sample
    residual: float  # gradient norm relative to its size at (0, 0); with kinks the relative gap
    iterations: int


def pulls(problem: Problem, z: FloatArray) -> FloatArray:
    """Return rᵢ = cᵢ ℓ'(zᵢ; yᵢ), so that ∇J = (Fᵀ r + λ w, Σ rᵢ)."""
    return problem.weight * problem.loss.derivative(z, problem.y)


def curvatures(problem: Problem, z: FloatArray) -> FloatArray:
    """Return Dᵢ = cᵢ ℓ''(zᵢ; yᵢ), the weights of the Hessian."""
    return problem.weight * problem.loss.second(z, problem.y)


def objective(problem: Problem, z: FloatArray, w: FloatArray) -> float:
    """Return J at the scores z of w."""
    loss = float(problem.weight @ problem.loss.value(z, problem.y))
    return loss + 0.5 * problem.ridge * float(w @ w)


def gradient_scale(r: FloatArray, pulled: FloatArray, row_squares: FloatArray) -> float:
    """Return the size that gradients are compared with: ‖∇J(0, 0)‖, unless its terms cancel.

    The gradient at (0, 0) is a sum of n terms rᵢ (Fᵢ, 1). Each is known to a relative 1e-16, so
    what is left of them after an almost perfect cancellation (zero, where both classes share
    their mean) is rounding and no measure of anything. The scale is therefore never less than
    10⁻⁵ of M = Σ |rᵢ| ‖(Fᵢ, 1)‖; without cancellation beyond that of n random signs,
    ‖∇J(0, 0)‖ is about M/√n, well above.
    """
    terms = float(np.abs(r) @ np.sqrt(row_squares + 1.0))
    return max(float(np.hypot(np.linalg.norm(pulled), r.sum())), CANCELLED * terms)


def step_length(
    problem: Problem,
    z: FloatArray,
    r: FloatArray,
    move: FloatArray,
    first: float,
    square: float,
) -> float:
    """Return a t at which J is almost least along a direction, 1 if that will do, 0 if none.

    The scores z, with pulls r, move by ``t * move`` and w by t times a step of squared norm
    ``square``; J starts with slope ``first``. No product with F is needed. J is convex along the
    line: its slope brackets the least point, and safeguarded false position finds it.
    """
    if not first < 0.0:
        return 0.0

    def slope(t: float) -> float:
        bent = float(move @ (pulls(problem, z + t * move) - r))
        return first + bent + problem.ridge * t * square

    rounding = SLOPE_ROUNDING * float(np.abs(move) @ np.abs(r))
    enough = max(FLAT_SLOPE * abs(first), rounding)
    low, at_low, high, at_high = 0.0, first, np.inf, np.inf
    t = 1.0
    for _ in range(TRIALS):
        here = slope(t)
        if abs(here) <= enough:
            return t
        if here < 0.0:
            low, at_low = t, here
        else:
            high, at_high = t, here
        if high == np.inf and low > LONGEST:
            break
        if high == np.inf:
            t = 4.0 * low
        else:
            share = at_low / (at_low - at_high)
            t = low + (high - low) * min(max(share, 0.1), 0.9)
    return low
