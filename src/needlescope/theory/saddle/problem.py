"""The training of the readout as a convex–concave problem in a few scalars.

    min over (μ, b, ρ), max over t:   F = E Ψ(μ·m + b, V, A/t) − ρ² t/(2δ) + (λ/2)(‖μ‖² + ρ²)

with V = Σ_j τ_j μ_j² + A ρ² and Ψ the smoothed Moreau envelope. F is concave in t, and its maximum
over t is convex in (μ, b, ρ), so its only stationary point is the answer (`solver` finds it). At
the saddle t ≥ δλ. Gradients and Hessians are in the order (μ, b, ρ, t). Noise with a spectrum
changes the terms beside the expectation (`ridge`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss
from ...models.nodes import JointLaw
from ..spectrum.directions import Directions
from .envelope import Envelope, envelope
from .ridge import Penalty, anisotropic, isotropic


class OrderParameters(NamedTuple):
    """A candidate solution: readout along the special directions, bias, rest norm, t = 1/γ."""

    mu: FloatArray
    b: float
    rho: float
    t: float

    @property
    def norm(self) -> float:
        """The norm of the readout."""
        return float(np.sqrt(self.mu @ self.mu + self.rho**2))

    def shifted(self, step: FloatArray) -> OrderParameters:
        """Add a small step in (μ, b, ρ, t)."""
        k = len(self.mu)
        return OrderParameters(
            self.mu + step[:k], *(np.array([self.b, self.rho, self.t]) + step[k:]).tolist()
        )

    def moved(self, step: FloatArray) -> OrderParameters:
        """Add a step in (μ, b, log ρ, log t)."""
        k = len(self.mu)
        return OrderParameters(
            self.mu + step[:k],
            self.b + float(step[k]),
            self.rho * float(np.exp(step[k + 1])),
            self.t * float(np.exp(step[k + 2])),
        )


class Chain(NamedTuple):
    """The envelope at the nodes, and how its arguments move with the unknowns."""

    e: Envelope
    mean: FloatArray
    V: FloatArray
    g: FloatArray
    Dm: FloatArray  # N × unknowns
    DV: FloatArray  # N × unknowns
    dg: FloatArray  # N: dg/dt

    def pull_back(self, m: FloatArray, V: FloatArray, g: FloatArray | float) -> FloatArray:
        """Turn derivatives in (m, V, g) at each node into derivatives in the unknowns."""
        rows = m[:, None] * self.Dm + V[:, None] * self.DV
        rows[:, -1] = g * self.dg
        return rows


class Local(NamedTuple):
    """F at a point with its gradient and Hessian, and the size of the terms in each equation.

    A term linear in a component of w is scaled by ‖w‖, so that a component may vanish.
    """

    value: float
    gradient: FloatArray
    hessian: FloatArray
    scale: FloatArray
    chain: Chain | None = None

    @property
    def residual(self) -> float:
        """The largest violation of a stationarity equation, relative to the terms in it."""
        return float(np.max(np.abs(self.gradient) / self.scale))


@dataclass(frozen=True)
class Saddle:
    """The problem for one law, loss, δ = samples per weight, and ridge λ.

    With ``rounding`` the loss is replaced by its Moreau envelope at that width, kinks rounded off:
    the envelope of an envelope is the envelope at the sum of the widths.
    """

    law: JointLaw
    loss: Loss
    delta: float
    ridge: float
    rounding: float = 0.0
    spectrum: Directions | None = None

    def chain(self, at: OrderParameters) -> Chain:
        """Evaluate the envelope at the nodes, with the derivatives of its arguments."""
        law, k = self.law, len(at.mu)
        mean, V = law.score(at.mu, at.b, at.rho)
        g = law.A / at.t + self.rounding
        Dm, DV = np.zeros((len(g), k + 3)), np.zeros((len(g), k + 3))
        Dm[:, :k], Dm[:, k] = law.m, 1.0
        DV[:, :k], DV[:, k + 1] = 2.0 * law.tau * at.mu, 2.0 * law.A * at.rho
        return Chain(envelope(self.loss, law.y, mean, V, g), mean, V, g, Dm, DV, -law.A / at.t**2)

    def local(self, at: OrderParameters, fixed_rho: bool = False) -> Local:
        """Evaluate F, gradient and Hessian; with ρ fixed, its equation counts as satisfied."""
        k, chain = len(at.mu), self.chain(at)
        part = self._expected(chain, at)
        penalty = self.penalty(at)
        scale = part.scale + penalty.scale
        gradient = part.gradient + penalty.slopes
        if fixed_rho:
            gradient[k + 1] = 0.0
        return Local(
            part.value + penalty.value,
            gradient,
            part.hessian + penalty.bends,
            np.where(scale > 0.0, scale, 1.0),
            chain,
        )

    def _expected(self, chain: Chain, at: OrderParameters) -> Local:
        """E Ψ with its derivatives and the scales of its terms."""
        e, w, k, law = chain.e, self.law.weight, len(at.mu), self.law
        Dm, DV, dg = chain.Dm, chain.DV, chain.dg
        gradient = (w * e.m) @ Dm + (w * e.V) @ DV
        gradient[-1] = (w * e.g) @ dg
        scale = np.abs(w * e.m) @ np.abs(Dm) + (w * e.V) @ DV
        scale[:k] = np.abs(w * e.m) @ np.abs(law.m) + 2.0 * at.norm * ((w * e.V) @ law.tau)
        scale[-1] = gradient[-1]
        left = (w * e.mm)[:, None] * Dm + (w * e.mV)[:, None] * DV
        right = (w * e.mV)[:, None] * Dm + (w * e.VV)[:, None] * DV
        hessian = Dm.T @ left + DV.T @ right
        mixed = (w * e.mg * dg) @ Dm + (w * e.Vg * dg) @ DV
        hessian[:, -1] += mixed
        hessian[-1, :] += mixed
        spots = np.arange(k)
        hessian[spots, spots] += 2.0 * (w * e.V) @ law.tau
        hessian[k + 1, k + 1] += 2.0 * float((w * e.V) @ law.A)
        hessian[-1, -1] = float((w * e.gg) @ dg**2) + 2.0 * float((w * e.g) @ -dg) / at.t
        return Local(float(w @ e.value), gradient, hessian, scale)

    def penalty(self, at: OrderParameters) -> Penalty:
        """The terms outside the expectation."""
        if self.spectrum is None:
            return isotropic(at.mu, at.rho, at.t, self.delta, self.ridge)
        return anisotropic(at.mu, at.rho, at.t, self.delta, self.ridge, self.spectrum)

    @property
    def least_t(self) -> float:
        """The t at which the data's pull vanishes, χ = 0: the saddle lies beyond."""
        mean = 1.0 if self.spectrum is None else float(self.spectrum.share @ self.spectrum.s)
        return self.delta * self.ridge / mean

    def units(self, at: OrderParameters) -> FloatArray:
        """Return steps in (μ, b, ρ) that change the scores by their own size, at least one."""
        law = self.law
        mean, V = law.score(at.mu, at.b, at.rho)
        size = max(1.0, float(np.sqrt(law.weight @ (mean**2 + V))))
        along = size / np.sqrt(law.weight @ (law.m**2 + law.tau))
        return np.concatenate([along, [size, size / np.sqrt(law.weight @ law.A)]])
