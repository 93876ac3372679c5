"""What the saddle problem has beside its expectation: the ridge, and the data's pull on ρ.

White noise:       −ρ² t/(2δ) + (λ/2)(‖μ‖² + ρ²)

Noise with a spectrum, in whitened coordinates, where the ridge λ uᵀΣ⁻¹u is anisotropic: the other
components of u take their best values, and with f_k(χ) = s_k/(λ + χ s_k)

    ½ μᵀ D(χ) μ − ½ χ ρ²,    D = Q⁻¹ − χ 1,    Q = Σ_k f_k W_k,    t = δ / Σ_k p_k f_k

For s = 1 this is χ = t/δ − λ, D = λ 1: the form above. F is concave in χ, and t increases with χ
from 0 at χ = −λ/s_max, so the maximum over t is unique. With V = Σ (f_k − Q) W_k (f_k − Q), which
is zero where all directions are on one level, C the same sum times f_k, and T_j = Σ p_k f_k^j,

    D' = Q⁻¹ V Q⁻¹      D'' = 2 Q⁻¹ (V Q⁻¹ V − C) Q⁻¹
    χ' = δ/(t² T_2)     χ'' = 2χ'² T_3/T_2 − 2χ'/t
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ..spectrum.directions import Directions

ROOT_STEPS = 200
SETTLED = 4e-15  # a relative step of Newton: smaller ones are rounding, and go to and fro


class Penalty(NamedTuple):
    """Value, gradient, Hessian in (μ, b, ρ, t), and the sizes of the terms in each equation."""

    value: float
    slopes: FloatArray
    bends: FloatArray
    scale: FloatArray


class Resolvent(NamedTuple):
    """χ at some t, and D with the derivatives of both."""

    chi: float
    slope: float  # χ'
    bend: float  # χ''
    D: FloatArray
    D1: FloatArray
    D2: FloatArray


def isotropic(mu: FloatArray, rho: float, t: float, delta: float, lam: float) -> Penalty:
    """Return the terms for white noise."""
    k, pull = len(mu), t / delta
    value = 0.5 * lam * (float(mu @ mu) + rho * rho) - 0.5 * rho * rho * pull
    rest = [0.0, rho * (lam - pull), -0.5 * rho * rho / delta]
    bends = np.diag(np.concatenate([np.full(k, lam), [0.0, lam - pull, 0.0]]))
    bends[k + 1, k + 2] = bends[k + 2, k + 1] = -rho / delta
    norm = float(np.sqrt(mu @ mu + rho**2))
    scale = np.concatenate([np.full(k, lam * norm), [0.0, rho * (lam + pull), abs(rest[2])]])
    return Penalty(value, np.concatenate([lam * mu, rest]), bends, scale)


def anisotropic(
    mu: FloatArray, rho: float, t: float, delta: float, lam: float, where: Directions
) -> Penalty:
    """Return them for noise with a spectrum.

    >>> one = Directions(np.ones(1), np.ones(1), np.eye(2)[None])
    >>> mu = np.array([1.0, 2.0])
    >>> there = anisotropic(mu, 0.5, 2.0, 3.0, 0.1, one), isotropic(mu, 0.5, 2.0, 3.0, 0.1)
    >>> bool(np.allclose(there[0].bends, there[1].bends, atol=1e-14))
    True
    """
    k, at = len(mu), resolvent(t, delta, lam, where)
    inside = 0.5 * float(mu @ at.D1 @ mu)
    value = 0.5 * float(mu @ at.D @ mu) - 0.5 * at.chi * rho**2
    drop = inside - 0.5 * rho**2  # the derivative in χ
    slopes = np.concatenate([at.D @ mu, [0.0, -at.chi * rho, at.slope * drop]])
    bends = np.zeros((k + 3, k + 3))
    bends[:k, :k] = at.D
    bends[k + 1, k + 1] = -at.chi
    bends[:k, -1] = bends[-1, :k] = at.slope * (at.D1 @ mu)
    bends[k + 1, -1] = bends[-1, k + 1] = -at.slope * rho
    bends[-1, -1] = at.bend * drop + at.slope**2 * 0.5 * float(mu @ at.D2 @ mu)
    norm = float(np.sqrt(mu @ mu + rho**2))
    along = np.full(k, float(np.abs(at.D).sum(axis=1).max()) * norm)
    last = at.slope * (inside + 0.5 * rho**2)
    scale = np.concatenate([along, [0.0, rho * (abs(at.chi) + t / delta), last]])
    return Penalty(value, slopes, bends, scale)


def resolvent(t: float, delta: float, lam: float, where: Directions) -> Resolvent:
    """Return χ(t) and D(χ(t)) with their derivatives; NaN where they are beyond floating point."""
    with np.errstate(all="ignore"):
        return _resolvent(t, delta, lam, where)


def _resolvent(t: float, delta: float, lam: float, where: Directions) -> Resolvent:
    if where.few is not None and t * float(where.share @ where.s) >= delta * lam:  # χ ≥ 0
        where = where.few
    chi, f = _chi(t, delta, lam, where)
    p, W = where.share, where.W
    T2, T3 = float(p @ f**2), float(p @ f**3)
    slope = delta / (t * t * T2)
    bend = 2.0 * slope**2 * T3 / T2 - 2.0 * slope / t
    one, rows, top = np.eye(W.shape[1]), W.reshape(len(f), -1), float(np.abs(f).max())
    Q = (f @ rows).reshape(W.shape[1:])
    try:
        inverse = np.linalg.inv(Q / top) / top
    except np.linalg.LinAlgError:  # beyond floating point
        inverse = np.full(Q.shape, np.nan)
    # D = Q⁻¹ − χ = Q⁻¹ Σ (1 − χ f) W, and 1 − χ f = λ f/s: no cancellation
    D = inverse @ ((lam * f / where.s) @ rows).reshape(Q.shape)
    apart = f[:, None, None] * one - Q
    each = apart @ W @ apart
    V, third = each.sum(axis=0), np.tensordot(f, each, 1)
    D1 = inverse @ V @ inverse
    D2 = 2.0 * inverse @ (V @ inverse @ V - third) @ inverse
    return Resolvent(chi, slope, bend, 0.5 * (D + D.T), D1, D2)


def _chi(t: float, delta: float, lam: float, where: Directions) -> tuple[float, FloatArray]:
    """Return the root χ > −λ/s_max of Σ p f(χ) = δ/t, and f there.

    1/Σ p f is concave and increases in χ: Newton from the left, where a step never passes the root.
    The unknown is x = χ + λ/s_max, f = s/(λ (1 − s/s_max) + x s).
    """
    s, p, target = where.s, where.share, t / delta
    low = lam / float(s.max())
    rest = lam * (1.0 / s - 1.0 / float(s.max()))
    top = float(p[s == s.max()].sum())
    least = top * target if top > 0.0 else low
    x = max(least, target - float(p @ rest))  # 1/Σ p f is below x/top and Σ p (rest + x)
    for _ in range(ROOT_STEPS):
        f = 1.0 / (rest + x)
        total = float(p @ f)
        step = (target - 1.0 / total) * total**2 / float(p @ f**2)
        x = max(x + step, 1e-3 * x)
        if abs(step) <= SETTLED * x:
            return x - low, 1.0 / (rest + x)
    if not abs(step) <= 1e-12 * x:
        return np.nan, np.full(len(s), np.nan)
    return x - low, 1.0 / (rest + x)
