"""The readout where signal tokens have a noise of their own: a fixed point in a few scalars.

With R = (λ + χ₀Σ₀ + χ₁Σ₁)⁻¹, ⟨M⟩ = tr M/d, the vectors e of `law`, m_a = w·e_a and
ν_j² = wᵀΣ_jw − m_{2+j}² (no such part in pooling), a score has the mean m·φ + b and the variance
Σ_j A_jν_j² given a node (φ, A) of the law, and the prox the width γ = A₀γ₀ + A₁γ₁. With its slopes
ℓ' and E_a = E[ℓ'φ_a], F_a = E_a − χ_j m_a for the direction e_a of Σ_jq (χ = 0 for ξ),

    m = −G F,   G_ab = e_aᵀRe_b          E[ℓ'] = 0
    wᵀΣ_jw = FᵀG_jF + (1/δ) Σ_i E[A_iℓ'²] ⟨Σ_iRΣ_jR⟩,   G_j = e_aᵀRΣ_jRe_b
    γ_j = ⟨Σ_jR⟩/δ          χ_j = E[A_j ℓ''/(1 + γℓ'')]

Σ₁ = Σ₀ gives the equations of noise with a spectrum. A sweep takes Newton steps in (m, b) and in
ν², then renews γ; for the square loss both steps are exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import SQUARE, Loss
from ..saddle.envelope import Envelope, envelope
from .law import Law
from .resolvent import Resolvent, Tangent, tangent

SWEEPS = 2000
MAX_RESIDUAL = 1e-8  # of a returned solution, relative
TARGET = 1e-10  # at which the sweeps stop


class Point(NamedTuple):
    """A candidate: m, b, ν_j², γ_j."""

    m: FloatArray
    b: float
    nu2: FloatArray
    gamma: FloatArray

    @property
    def norm2(self) -> float:
        """WᵀΣ₀w, the squared norm where Σ₀ is white."""
        return float(self.nu2[0]) + (float(self.m[1] ** 2) if len(self.m) > 1 else 0.0)


class Solved(NamedTuple):
    """The solution, and the largest relative change that a further sweep makes."""

    at: Point
    residual: float


class Problem(NamedTuple):
    """The law, loss, δ = samples per weight and ridge λ, and what the equations need of R."""

    resolvent: Resolvent | Tangent
    law: Law
    loss: Loss
    delta: float

    def near(self, at: Point) -> Problem:
        """Return the problem with R replaced by its tangent, for laws that differ little."""
        if isinstance(self.resolvent, Tangent):
            return self
        return self._replace(resolvent=tangent(self.resolvent, _chi(self, at)[1]))


def solve(problem: Problem, start: Point | None = None) -> Solved:
    """Return the readout's order parameters, or raise NotConverged."""
    at = _start(problem) if start is None else start
    damping, last = 1.0, np.inf
    for _ in range(SWEEPS):
        try:
            new, change = _sweep(problem, at)
        except np.linalg.LinAlgError:  # beyond floating point
            break
        if not np.isfinite(change):
            break
        if change < TARGET:
            return Solved(new, change)
        damping = max(0.5 * damping, 0.02) if change > 0.999 * last else min(1.05 * damping, 1.0)
        at, last = _between(at, new, damping), change
    if last <= MAX_RESIDUAL:
        return Solved(at, last)
    raise NotConverged(
        f"the order parameters did not converge: a relative change of {last:.1e} for the "
        f"{problem.loss.name} loss at {problem.delta:g} samples per weight; try a larger ridge or "
        "less extreme values"
    )


def _start(problem: Problem) -> Point:
    if not problem.loss.square:
        return solve(problem._replace(loss=SQUARE)).at
    count = problem.law.m.shape[1]
    gamma = problem.resolvent.traces(np.ones(2)).first
    return Point(np.zeros(count), 0.0, 0.1 * gamma, gamma / problem.delta)


def _between(old: Point, new: Point, share: float) -> Point:
    """Return the point between two; variances and γ geometrically."""
    m = (1.0 - share) * old.m + share * new.m
    b = (1.0 - share) * old.b + share * new.b
    nu2, gamma = (
        getattr(old, name) ** (1.0 - share) * getattr(new, name) ** share
        for name in ("nu2", "gamma")
    )
    return Point(m, b, nu2, gamma)


def envelope_at(problem: Problem, at: Point) -> tuple[Envelope, FloatArray, FloatArray, FloatArray]:
    """Return the envelope at the nodes of the law, and mean, variance and γ there."""
    law = problem.law
    mean, V, g = law.m @ at.m + at.b, law.A @ at.nu2, law.A @ at.gamma
    return envelope(problem.loss, law.y, mean, V, g), mean, V, g


def _chi(problem: Problem, at: Point) -> tuple[Envelope, FloatArray]:
    """Return the envelope, and χ_j."""
    e, *_ = envelope_at(problem, at)
    return e, np.maximum(2.0 * (problem.law.weight * e.V) @ problem.law.A, 0.0)


def _sweep(problem: Problem, at: Point) -> tuple[Point, float]:
    """Return the next point, and the largest relative change on the way to it."""
    law, k = problem.law, len(at.m)
    e, chi = _chi(problem, at)
    w, A = law.weight, law.A
    pull = np.append(0.0, chi)[:k]  # χ of the direction Σ_jq
    at_chi = problem.resolvent.traces(chi)
    # Newton in (m, b): m + G(E(m, b) − χm) = 0 and E[ℓ'] = 0
    phi = np.column_stack([law.m, np.ones(len(w))])
    slope, bend = (w * e.m) @ phi, (phi * (w * e.mm)[:, None]).T @ phi
    F = slope[:k] - pull * at.m
    residual = np.append(at.m + at_chi.G @ F, slope[k])
    inner = bend[:k].copy()
    inner[:, :k] -= np.diag(pull)
    jacobian = np.vstack([np.eye(k, k + 1) + at_chi.G @ inner, bend[k:]])
    step = -np.linalg.solve(jacobian, residual)
    m, b = at.m + step[:k], at.b + float(step[k])
    F = F + inner @ step
    # Newton in ν²: E[A_iℓ'²] moves with m, b and ν²
    along = np.append(m[1:] ** 2, np.zeros(2))[:2]
    change = phi @ step
    noise = (-2.0 * w * (e.g + e.mg * change)) @ A
    if problem.loss.square:  # of which the second derivative in the mean does not vanish
        noise += (w * e.mm * e.mm * change**2) @ A
    noise_bend = -2.0 * (A * (w * e.Vg)[:, None]).T @ A
    fixed = np.array([F @ G @ F for G in at_chi.squares])
    T = at_chi.second / problem.delta
    right = fixed - along + T @ (noise - noise_bend @ at.nu2)
    nu2 = np.linalg.solve(np.eye(2) - T @ noise_bend, right)
    nu2 = np.where(nu2 > 0.0, nu2, 0.5 * at.nu2)
    nu2 = np.clip(nu2, 1e-2 * at.nu2, 1e2 * at.nu2)
    gamma = at_chi.first / problem.delta
    size = np.sqrt(float(np.max(nu2))) + float(np.abs(m).max()) + abs(b)
    moves = [np.abs(step).max() / size, np.abs(nu2 / at.nu2 - 1.0).max()]
    moves.append(np.abs(gamma / at.gamma - 1.0).max())
    return Point(m, b, nu2, gamma), float(np.max(moves))
