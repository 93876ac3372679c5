"""Stage 4 as a convex–concave problem in a few scalars (Theorems 4 and 5), and its one solver.

    min over (μ, b, ρ), max over t:   F = E Ψ(μ·m + b, V, A/t) − ρ² t/(2δ) + (λ/2)(‖μ‖² + ρ²)

with V = Σ_j τ_j μ_j² + A ρ² and Ψ the smoothed Moreau envelope. F is concave in t, and its maximum
over t is convex in (μ, b, ρ), so its only stationary point is the answer. Near it plain
Newton on all unknowns at once, in log ρ and log t, converges in a few steps; from afar the nested
problem is solved by convex Newton: an inner root in log t, an outer step with the Schur-complement Hessian
and a line search. At the saddle t ≥ δλ, so the inner maximum is sought there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import NotConverged
from ..losses import Loss
from ..models.nodes import Limit, Nodes
from ..outcome import FloatArray
from .envelope import envelope

RESIDUAL = 1e-8  # what a returned solution must satisfy
POLISH = 1e-12  # what Newton aims at
NEWTON_STEPS = 25
OUTER_STEPS = 200
INNER_STEPS = 80


class Point(NamedTuple):
    """A candidate solution: readout along the special directions, bias, rest norm, t = 1/γ."""

    mu: FloatArray
    b: float
    rho: float
    t: float

    def moved(self, step: FloatArray) -> Point:
        """Add a step in (μ, b, log ρ, log t)."""
        k = len(self.mu)
        return Point(
            self.mu + step[:k],
            self.b + float(step[k]),
            self.rho * float(np.exp(step[k + 1])),
            self.t * float(np.exp(step[k + 2])),
        )


class Local(NamedTuple):
    """F at a point with its gradient and Hessian in (μ, b, ρ, t), and each equation's own scale."""

    value: float
    gradient: FloatArray
    hessian: FloatArray
    scale: FloatArray

    @property
    def residual(self) -> float:
        """The largest violation of a stationarity equation, relative to the terms in it."""
        return float(np.max(np.abs(self.gradient) / self.scale))


@dataclass(frozen=True)
class Saddle:
    """The problem for one law, loss, class balance π, δ = samples per weight, and ridge λ."""

    limit: Limit
    loss: Loss
    pi: float
    delta: float
    ridge: float

    def local(self, at: Point) -> Local:
        """Evaluate F, gradient and Hessian."""
        k = len(at.mu)
        value, scale = 0.0, np.zeros(k + 3)
        gradient, hessian = np.zeros(k + 3), np.zeros((k + 3, k + 3))
        for y, chance, nodes in self.limit.labels(self.pi):
            part = _label_part(self.loss, y, nodes, at)
            value += chance * part.value
            gradient += chance * part.gradient
            hessian += chance * part.hessian
            scale += chance * part.scale
        lam, mu, rho, t = self.ridge, at.mu, at.rho, at.t
        value += 0.5 * lam * (float(mu @ mu) + rho * rho) - 0.5 * rho * rho * t / self.delta
        gradient[:k] += lam * mu
        gradient[k + 1] += rho * (lam - t / self.delta)
        gradient[k + 2] -= 0.5 * rho * rho / self.delta
        spots = np.arange(k)
        hessian[spots, spots] += lam
        hessian[k + 1, k + 1] += lam - t / self.delta
        hessian[k + 1, k + 2] -= rho / self.delta
        hessian[k + 2, k + 1] -= rho / self.delta
        scale[:k] += lam * np.abs(mu)
        scale[k + 1] += rho * (lam + t / self.delta)
        scale[k + 2] += 0.5 * rho * rho / self.delta
        return Local(value, gradient, hessian, np.where(scale > 0.0, scale, 1.0))

    def solve(self, start: Point) -> tuple[Point, Local]:
        """Return the saddle point, polished as far as rounding allows, or raise NotConverged."""
        point, local = self._newton(start)
        if local.residual > RESIDUAL:
            point = self._nested(start)
            point, local = self._newton(point)
        if not local.residual <= RESIDUAL:
            raise NotConverged(
                f"the order parameters did not converge: relative residual {local.residual:.1e} "
                f"for the {self.loss.name} loss at δ={self.delta:g}, ridge={self.ridge:g}, "
                f"pi={self.pi:g}; try a larger ridge"
            )
        return point, local

    def _newton(self, point: Point) -> tuple[Point, Local]:
        """Plain Newton on all equations; stops where it no longer gains."""
        local = self.local(point)
        for _ in range(NEWTON_STEPS):
            if local.residual < POLISH or not np.isfinite(local.residual):
                break
            k = len(point.mu)
            jacobian = local.hessian.copy()
            jacobian[:, k + 1] *= point.rho
            jacobian[:, k + 2] *= point.t
            row, column = local.scale, _column_scale(point)
            try:
                step = column * np.linalg.solve(
                    jacobian * column / row[:, None], -local.gradient / row
                )
            except np.linalg.LinAlgError:
                break
            if not np.isfinite(step).all():
                break
            step *= min(1.0, 2.0 / np.abs(step[k + 1 :]).max(initial=2.0))
            trial = point.moved(step)
            new = self.local(trial)
            if not new.residual < max(0.9 * local.residual, 1e-300):
                if local.residual > 1e-3 and np.isfinite(new.residual) and new.residual < 10.0:
                    point, local = trial, new
                    continue
                break
            point, local = trial, new
        return point, local

    def _inner(self, at: Point) -> tuple[Point, Local]:
        """Maximise over t ≥ δλ at fixed (μ, b, ρ): a root of log(E[A ℓ'²] δ/(ρ t)²) in log t."""
        floor = self.delta * self.ridge
        low, high = np.log(max(floor, 1e-300)), np.inf
        tau = max(np.log(at.t), low)
        for _ in range(INNER_STEPS):
            at = at._replace(t=float(np.exp(tau)))
            local = self.local(at)
            pull = local.gradient[-1] + 0.5 * at.rho**2 / self.delta  # Σ w A ℓ'²/(2 t²)
            gap = np.log(max(pull, 1e-300)) - np.log(0.5 * at.rho**2 / self.delta)
            if gap > 0.0:
                low = tau
            else:
                high = tau
                if tau <= np.log(max(floor, 1e-300)):
                    break
            if abs(gap) < 1e-9:
                break
            slope = local.hessian[-1, -1] * at.t / max(pull, 1e-300)
            step = tau - gap / slope if slope < 0.0 else np.inf
            if not low < step < high:
                step = 0.5 * (low + high) if np.isfinite(high) else tau + 2.0
                if low < -600.0 and gap < 0.0:
                    step = tau - 2.0
            step = min(max(step, tau - 4.0), tau + 4.0)
            tau = max(step, np.log(max(floor, 1e-300)))
        return at, local

    def _nested(self, start: Point) -> Point:
        """Convex Newton on max_t F over (μ, b, ρ)."""
        at, local = self._inner(start)
        k = len(at.mu)
        damping = 1e-10
        for _ in range(OUTER_STEPS):
            if local.residual < 1e-5:
                break
            at_floor = local.gradient[-1] < -1e-6 * local.scale[-1]
            H = local.hessian[:-1, :-1].copy()
            if not at_floor:
                H -= np.outer(local.hessian[:-1, -1], local.hessian[-1, :-1]) / local.hessian[-1, -1]
            size = np.abs(np.diag(H)) + 1e-300
            step = -np.linalg.solve(H + damping * np.diag(size), local.gradient[:-1])
            shrink = 1.0
            if step[k + 1] < -0.8 * at.rho:
                shrink = 0.8 * at.rho / -step[k + 1]
            slope = float(step @ local.gradient[:-1])
            for _ in range(40):
                trial = Point(
                    at.mu + shrink * step[:k],
                    at.b + shrink * float(step[k]),
                    at.rho + shrink * float(step[k + 1]),
                    at.t,
                )
                new_at, new = self._inner(trial)
                if new.value <= local.value + 1e-4 * shrink * slope + 1e-14 * abs(local.value):
                    break
                shrink *= 0.5
            else:
                damping = max(damping * 100.0, 1e-8)
                if damping > 1e6:
                    break
                continue
            damping = max(damping * 0.1, 1e-12)
            at, local = new_at, new
        return at


def _label_part(loss: Loss, y: int, nodes: Nodes, at: Point) -> Local:
    """E Ψ for one label: value, gradient, Hessian in (μ, b, ρ, t), and scales."""
    m, tau, A, w = nodes.m, nodes.tau, nodes.A, nodes.weight
    k = len(at.mu)
    mean, V = nodes.score(at.mu, at.b, at.rho)
    e = envelope(loss, y, mean, V, A / at.t)
    Dm = np.zeros((len(A), k + 3))
    Dm[:, :k], Dm[:, k] = m, 1.0
    DV = np.zeros((len(A), k + 3))
    DV[:, :k], DV[:, k + 1] = 2.0 * tau * at.mu, 2.0 * A * at.rho
    dg = -A / (at.t * at.t)
    gradient = (w * e.m) @ Dm + (w * e.V) @ DV
    gradient[-1] = (w * e.g) @ dg
    scale = np.abs(w * e.m) @ np.abs(Dm) + np.abs(w * e.V) @ np.abs(DV)
    scale[-1] = gradient[-1]
    left = (w * e.mm)[:, None] * Dm + (w * e.mV)[:, None] * DV
    right = (w * e.mV)[:, None] * Dm + (w * e.VV)[:, None] * DV
    hessian = Dm.T @ left + DV.T @ right
    mixed = (w * e.mg * dg) @ Dm + (w * e.Vg * dg) @ DV
    hessian[:, -1] += mixed
    hessian[-1, :] += mixed
    spots = np.arange(k)
    hessian[spots, spots] += 2.0 * (w * e.V) @ tau
    hessian[k + 1, k + 1] += 2.0 * float((w * e.V) @ A)
    hessian[-1, -1] = float((w * e.gg) @ dg**2) + 2.0 * float((w * e.g) @ A) / at.t**3
    return Local(float(w @ e.value), gradient, hessian, scale)


def _column_scale(point: Point) -> FloatArray:
    size = np.sqrt(point.rho**2 + float(point.mu @ point.mu) + point.b**2) + 1e-300
    return np.concatenate([np.full(len(point.mu) + 1, size), [1.0, 1.0]])
