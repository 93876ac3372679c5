"""Losses by their values alone: where they have kinks, and the least of their envelope."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from needlescope.losses import Loss, PiecewiseQuadratic

LABELS = [1, -1]
SEARCH = 1e-7  # at a kink a bounded search errs by its step, √EPS, times the slope


def kinks(loss: Loss, y: int) -> np.ndarray:
    """The scores at which a loss is not twice differentiable."""
    return y * loss.knots if isinstance(loss, PiecewiseQuadratic) else np.zeros(0)


def brute_force_envelope(loss: Loss, c: float, g: float, y: int) -> float:
    """min_r ℓ(r; y) + (r − c)²/(2g), with nothing but the loss's values."""
    reach = 1.0 + g * 3.0 * (1.0 + abs(c))  # |r − c| = g|ℓ'(r)|, and |ℓ'| ≤ 3(1 + |c|) for all here
    result = minimize_scalar(
        lambda r: float(loss.value(np.array(r), y)) + (r - c) ** 2 / (2.0 * g),
        bounds=(c - reach, c + reach),
        method="bounded",
        options={"xatol": 1e-10, "maxiter": 2000},
    )
    return float(result.fun)
