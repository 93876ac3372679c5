"""Separability of random data: the convex problem behind capacity, a conjecture.

    1/α* = (1/dim) min over (μ, b) of E[(√U G − y(μ·m + b)/√A)₊²],   U = 1 + Σ_j τ_j μ_j²/A

(the readout scaled to ρ = 1). E(√U G + k)₊² = U [(1 + x²) Φ(x) + x φ(x)] with x = k/√U.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, ndtr

from ...arrays import FloatArray
from ...errors import NotConverged
from ...models.nodes import JointLaw, Nodes
from ..law.ladder import standard_error
from .envelope import density

MARGIN_STEPS = 200
MARGIN_TOLERANCE = 1e-10


class Margin(NamedTuple):
    """The minimum and its minimiser (μ, b)."""

    value: float
    at: FloatArray


def separability(law: JointLaw, start: FloatArray | None = None) -> Margin:
    """Minimise E[(√U G − y(μ·m + b)/√A)₊²]; zero means underflow."""
    at = np.zeros(law.directions + 1) if start is None else start
    value, gradient, hessian = _total(law, at)
    damping = 1e-8
    for _ in range(MARGIN_STEPS):
        if value < 1e-280:
            break
        # Newton on log f, whose scale does not shrink with f; |curvature| keeps it a descent
        slope = gradient / value
        sizes, axes = np.linalg.eigh(hessian / value - np.outer(slope, slope))
        sizes = np.abs(sizes)
        step = -axes @ ((axes.T @ slope) / (sizes + damping * sizes.max()))
        decrease = -float(step @ slope)
        if decrease <= MARGIN_TOLERANCE:
            break
        trial = at + step
        new = _total(law, trial)
        if new[0] <= value * np.exp(-0.1 * min(decrease, 1.0)):
            at, (value, gradient, hessian) = trial, new
            damping = max(0.1 * damping, 1e-15)
        elif damping > 1e8:
            break
        else:
            damping = max(10.0 * damping, 1e-10)
    else:
        raise NotConverged(f"the capacity did not converge: 1/alpha = {value:.3e} still decreases")
    return Margin(value, at)


def uncertainty(law: JointLaw, coarse: JointLaw, result: Margin) -> float:
    """Return the standard error of a minimum, at fixed minimiser: it matters to second order."""
    replicas = law.replicas @ shortfall(law, result.at)
    if len(replicas) == 1:
        return 0.0
    rows = np.append(replicas, _total(coarse, result.at)[0]) - result.value
    return float(standard_error(rows[:, None])[0])


def shortfall(law: JointLaw, at: FloatArray) -> FloatArray:
    """Return E(√U G + k)₊² at each node."""
    return _shortfall(law, at)[0]


def log_shortfall(nodes: Nodes, label: int, at: FloatArray) -> FloatArray:
    """Return log E(√U G + k)₊² at each node of a label, without underflow.

    Below x = −50 it is approximated by 2 φ(x)/|x|³ (to 1/400), which suffices to place draws.
    """
    x, U = _standardised(nodes, label, at)
    low, high = np.minimum(x, 0.0), np.maximum(x, 0.0)
    mills = np.sqrt(np.pi / 2.0) * erfcx(-low / np.sqrt(2.0))
    tail = np.where(low > -50.0, (1.0 + low**2) * mills + low, 2.0 / np.maximum(-low, 1.0) ** 3)
    below = np.log(np.maximum(tail, 1e-300)) - 0.5 * low**2 - 0.5 * np.log(2.0 * np.pi)
    above = np.log((1.0 + high**2) * ndtr(high) + high * density(high))
    return np.asarray(np.log(U) + np.where(x < 0.0, below, above))


def _standardised(
    law: JointLaw | Nodes, y: FloatArray | int, at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return x = k/√U and U at each node."""
    mu, b = at[:-1], at[-1]
    U = 1.0 + (law.tau @ (mu * mu)) / law.A
    return -y * (law.m @ mu + b) / np.sqrt(law.A * U), U


def _total(law: JointLaw, at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    f, fk, fU, fkk, fkU, fUU = _shortfall(law, at)
    w, root, spots = law.weight, np.sqrt(law.A)[:, None], np.arange(len(at) - 1)
    ratio = law.tau / law.A[:, None]
    Dk = -law.y[:, None] * np.column_stack([law.m, np.ones(len(w))]) / root
    DU = np.column_stack([2.0 * ratio * at[:-1], np.zeros(len(w))])
    gradient = (w * fk) @ Dk + (w * fU) @ DU
    hessian = Dk.T @ ((w * fkk)[:, None] * Dk + (w * fkU)[:, None] * DU)
    hessian += DU.T @ ((w * fkU)[:, None] * Dk + (w * fUU)[:, None] * DU)
    hessian[spots, spots] += 2.0 * (w * fU) @ ratio
    return float(w @ f), gradient, hessian


def _shortfall(law: JointLaw, at: FloatArray) -> tuple[FloatArray, ...]:
    """E(√U G + k)₊² at each node, with its derivatives in (k, U)."""
    x, U = _standardised(law, law.y, at)
    root = np.sqrt(U)
    phi = density(x)
    # Φ(x) = φ(x) √(π/2) erfcx(−x/√2) keeps its digits in the lower tail, where the terms cancel
    mills = np.sqrt(np.pi / 2.0) * erfcx(np.maximum(-x, -25.0) / np.sqrt(2.0))
    cdf = np.where(x < 25.0, phi * mills, 1.0)
    first = np.maximum(phi + x * cdf, 0.0)  # E(G + x)₊
    second = np.maximum(cdf + x * first, 0.0)  # E(G + x)₊²
    return U * second, 2.0 * root * first, cdf, 2.0 * cdf, phi / root, -0.5 * x * phi / U
