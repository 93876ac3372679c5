"""Square loss in closed form: one scalar root, one small linear system (Corollary 2 at λ → 0).

With t = 1/γ, e = 1/(t + A) and φ = (m, 1):

    1/δ = λ/t + E[A/(t + A)]
    (E[e φφᵀ] + diag(λ/t + E[e τ], 0)) (μ, b) = E[e y φ]
    ρ² (1 − δ E[A² e²]) = δ E[A e² ((μ·m + b − y)² + τ·μ²)]

Everything stays finite as λ → 0⁺: below the interpolation point δ = 1 then t → 0 with λ/t = 1/δ − 1.
"""

from __future__ import annotations

import numpy as np

from ..errors import NoMinimiser
from ..models.nodes import Limit
from ..outcome import FloatArray
from .saddle import Point


def solve_square(limit: Limit, pi: float, delta: float, ridge: float) -> Point:
    """Return the order parameters of the square loss; λ = 0 means the limit λ → 0⁺."""
    A, w = _both(limit, pi, "A"), _both(limit, pi, "weight")
    y = np.concatenate([np.full(len(n.A), float(s)) for s, _, n in limit.labels(pi)])
    m, tau = _both(limit, pi, "m"), _both(limit, pi, "tau")
    t, over = _resolvent(A, w, delta, ridge)
    e = 1.0 / (t + A)
    phi = np.column_stack([m, np.ones(len(A))])
    matrix = (phi * (w * e)[:, None]).T @ phi
    k = m.shape[1]
    spots = np.arange(k)
    matrix[spots, spots] += over + (w * e) @ tau
    mu_b = np.linalg.solve(matrix, (w * e * y) @ phi)
    mu, b = mu_b[:k], float(mu_b[k])
    misfit = (m @ mu + b - y) ** 2 + tau @ (mu * mu)
    rest = 1.0 - delta * float(w @ (A * e) ** 2)
    if not rest > 0.0:
        raise NoMinimiser(_peak(delta))
    rho2 = delta * float((w * A * e * e) @ misfit) / rest
    return Point(mu, b, float(np.sqrt(rho2)), t)


def _resolvent(A: FloatArray, w: FloatArray, delta: float, ridge: float) -> tuple[float, float]:
    """Return t and λ/t with 1/δ = λ/t + E[A/(t + A)]; the right side falls in t."""
    if ridge == 0.0 and delta < 1.0:
        return 0.0, 1.0 / delta - 1.0
    if ridge == 0.0 and delta == 1.0:
        raise NoMinimiser(_peak(delta))
    tau = np.log(delta * ridge + max(delta - 1.0, 0.0) * float(A.min()) + 1e-300)
    # between t_low, where the right side is above 1/δ, and the root, Newton on log t is monotone
    for _ in range(200):
        t = float(np.exp(tau))
        share = A / (t + A)
        right = ridge / t + float(w @ share)
        slope = -ridge / t - float(w @ (share * (1.0 - share)))
        step = -(np.log(right * delta)) * right / slope
        tau += step
        if abs(step) < 1e-15 * (1.0 + abs(tau)):
            break
    t = float(np.exp(tau))
    return t, ridge / t


def _both(limit: Limit, pi: float, name: str) -> FloatArray:
    parts = [
        chance * getattr(nodes, name) if name == "weight" else getattr(nodes, name)
        for _, chance, nodes in limit.labels(pi)
    ]
    return np.concatenate(parts)


def _peak(delta: float) -> str:
    return (
        f"at ridge = 0 the square loss has its double-descent peak at one sample per weight "
        f"(δ = {delta:g}): the minimiser diverges there; use a ridge above 0 or another alpha1"
    )
