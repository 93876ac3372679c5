"""Square loss in closed form: one scalar root, one small linear system.

With t = 1/γ, e = 1/(t + A) and φ = (m, 1):

    1/δ = λ/t + E[A/(t + A)]
    (E[e φφᵀ] + diag(λ/t + E[e τ], 0)) (μ, b) = E[e y φ]
    ρ² (1 − δ E[A² e²]) = δ E[A e² ((μ·m + b − y)² + τ·μ²)]

With the f and D of `ridge` for noise with a spectrum, and a = E[A e], g_k = s_k/(λ/t + a s_k):

    δ = Σ p g      λ/t → D/t in the matrix
    ρ² (χ' − E[A² e²]) = E[A e² ((μ·m + b − y)² + τ·μ²)] + χ' μᵀD'μ,
    χ' − E[A² e²] = Σ p g (1 − a g)/Σ p g² + E[A t e²]

Everything but t stays finite as λ → 0⁺ below the interpolation point δ = 1: there t → 0 with
λ/t → 1/δ − 1.
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from ...models.nodes import JointLaw
from ..spectrum.directions import Directions
from .problem import OrderParameters
from .ridge import resolvent


def solve_square(
    law: JointLaw, delta: float, ridge: float, spectrum: Directions | None = None
) -> OrderParameters:
    """Return the order parameters of the square loss; without a ridge, δ must exceed 1."""
    A, w, y, m, k = law.A, law.weight, law.y, law.m, law.directions
    if spectrum is not None and spectrum.few is not None:  # χ = t E[A e] is not negative
        spectrum = spectrum.few
    if spectrum is None:
        t = _resolvent(A, w, delta, ridge)
    else:
        t = _resolvent_of(spectrum, A, w, delta, ridge)
    e = 1.0 / (t + A)
    phi = np.column_stack([m, np.ones(len(A))])
    matrix = (phi * (w * e)[:, None]).T @ phi
    spots = np.arange(k)
    if spectrum is None:
        matrix[spots, spots] += ridge / t + (w * e) @ law.tau
    else:
        at = resolvent(t, delta, ridge, spectrum)
        matrix[spots, spots] += (w * e) @ law.tau
        matrix[:k, :k] += at.D / t
    solution = np.linalg.solve(matrix, (w * e * y) @ phi)
    mu: FloatArray = solution[:k].astype(float)
    b = float(solution[k])
    misfit = (m @ mu + b - y) ** 2 + law.tau @ (mu * mu)
    # 1 − δ E[(Ae)²] = δ (λ/t + E[A t e²]): the second form does not cancel
    rest = ridge / t + float(w @ (A * t * e * e))
    pull = float((w * A * e * e) @ misfit)
    if spectrum is not None:
        bare = (ridge / t) / (ridge / t + float(w @ (A * e)) * spectrum.s)  # 1 − a g
        g = spectrum.s / (ridge / t + float(w @ (A * e)) * spectrum.s)
        left = float(spectrum.share @ (g * bare)) / float(spectrum.share @ g**2)
        rest = left + float(w @ (A * t * e * e))
        pull += at.slope * max(float(mu @ at.D1 @ mu), 0.0)
    return OrderParameters(mu, b, float(np.sqrt(pull / rest)), t)


def _resolvent_of(
    spectrum: Directions, A: FloatArray, w: FloatArray, delta: float, ridge: float
) -> float:
    """Return the t with δ = Σ p g, which increases with t, by Newton in logarithms."""
    s, p = spectrum.s, spectrum.share
    low = np.log(max(delta * ridge / float(p @ s), (delta - 1.0) * float(A.min())))
    high = np.log(delta / float(p @ (s / (ridge + float(w @ A) * s))))
    x = low
    for _ in range(200):
        t = float(np.exp(x))
        share = A / (t + A)
        f = 1.0 / (ridge / (t * s) + float(w @ share))
        total = float(p @ f)
        slope = float(p @ (f**2 * (ridge / (t * s) + float(w @ (share * (1.0 - share))))))
        step = float(np.log(delta / total)) * total / max(slope, 1e-300)
        low, high = (x, high) if step >= 0.0 else (low, x)
        slack = 1e-9 * (1.0 + abs(x))
        if not low - slack <= x + step <= high + slack:
            step = 0.5 * (low + high) - x
        x += step
        if abs(step) < 1e-15 * (1.0 + abs(x)):
            break
    return float(np.exp(x))


def _resolvent(A: FloatArray, w: FloatArray, delta: float, ridge: float) -> float:
    """Return the t with 1/δ = λ/t + E[A/(t + A)], by Newton in logarithms from below.

    Where A spans many scales the right side is flat between them, and a step may leave the bracket
    of the root: then the bracket is halved.
    """
    x = low = np.log(delta * ridge + max(delta - 1.0, 0.0) * float(A.min()))
    high = np.log(delta * (ridge + float(w @ A)))
    for _ in range(200):
        t = float(np.exp(x))
        share = A / (t + A)
        right = ridge / t + float(w @ share)
        slope = ridge / t + float(w @ (share * (1.0 - share)))
        step = float(np.log(right * delta)) * right / max(slope, 1e-300)
        low, high = (x, high) if step >= 0.0 else (low, x)
        slack = 1e-9 * (1.0 + abs(x))
        if not low - slack <= x + step <= high + slack:
            step = 0.5 * (low + high) - x
        x += step
        if abs(step) < 1e-15 * (1.0 + abs(x)):
            break
    return float(np.exp(x))
