"""Small and large training problems, and the objective and its gradient from their definitions."""

from __future__ import annotations

import numpy as np

from needlescope.losses import PiecewiseQuadratic

HUBER = PiecewiseQuadratic(
    [-1.0, 1.0], [(0.0, -2.0, 1.0), (1.0, -1.0, 1.5), (0.0, 0.0, 1.0)], name="flat_huber"
)  # straight, curved, straight: no curvature at all far from the origin
SMALL = ((60, 20), (20, 60), (40, 40), (41, 40))
LARGE = ((900, 180), (180, 900), (220, 200), (200, 220))  # these go through the span
RIDGES = (10.0, 1e-2, 1e-5, 1e-8)


def sample(n, p, seed=0, rate=0.5, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < rate, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    F = rng.standard_normal((n, p))
    F[:, : min(3, p)] += shift * (y[:, None] > 0)
    return F, y


def objective(F, y, loss, ridge, c, w, b):
    return c @ loss.value(F @ w + b, y) + 0.5 * ridge * w @ w


def gradient(F, y, loss, ridge, c, w, b):
    r = c * loss.derivative(F @ w + b, y)
    return np.append(F.T @ r + ridge * w, r.sum())


def relative(F, y, loss, ridge, fit, c=None):
    """The residual that is promised, in float64."""
    F = np.asarray(F, float)
    c = np.full(len(y), 1.0 / len(y)) if c is None else c
    zero = gradient(F, y, loss, ridge, c, np.zeros(F.shape[1]), 0.0)
    here = gradient(F, y, loss, ridge, c, fit.w, fit.b)
    return np.linalg.norm(here) / np.linalg.norm(zero)
