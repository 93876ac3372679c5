"""The law of attention's score x·softmax(κx), query and readout along ξ, by quadrature.

The score is below τ exactly when D = Σ_l h(x_l) < 0, h(x) = (x − τ) e^{κx}: a sum over independent
tokens, N(0, 1) or, on the R signal tokens of a positive sample, N(θ, 1). So its distribution
function is one Fourier integral of a product of L one-token integrals,

    P(D < 0) = ½ + α/π − (1/π) Im ∫ φ(e^{s − iα}) ds,
    φ(q) = (E e^{iq h(g)})^{L−R} (E e^{iq h(g + θ)})^R,  g ~ N(0, 1).

Both integrals converge geometrically under the trapezoid rule once their paths are bent: q runs
along a ray turned by −α, on which the edge of the law (h ≥ −e^{κτ−1}/κ) decays instead of
oscillating;
x runs through the minimum of h, at τ − 1/κ, along the steepest descent of e^{iqh}, its nodes
denser there. A few milliseconds give ten digits for any L.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

from ...arrays import FloatArray
from ..common.fourier import ComplexArray, fourier_cdf
from .counts import Count, most, pairs

RAY_ANGLE = 0.3  # α, for κ above 0.35
TOKEN_RANGE = 8.5  # standard deviations kept on either side of a token's mean
PATH_HEIGHT = 0.7  # of the path of x, in units of 1/κ
MAX_HEIGHT = 2.0  # of the path of x
CENTRE_SPACING = 1e-3  # node spacing at the minimum of h, relative to that elsewhere


class Probabilities(NamedTuple):
    """P(score < τ) for each label, and an estimate of their numerical error.

    Where R is random, positives are the mixture over it.
    """

    negative: float
    positive: float
    error: float


class Resolution(NamedTuple):
    """How finely the two integrals are resolved."""

    step: float  # of the logarithm of q
    spacing: float  # of the nodes of x, in units of min(1/κ, 1)
    tolerance: float  # truncation error at the ends


FINE = Resolution(0.1, 0.2, 1e-12)  # ten digits
ROUGH = Resolution(0.2, 0.35, 1e-8)  # five or more, at a fifth of the cost: for searches


def below(
    L: int, R: Count, theta: float, kappa: float, tau: float, resolution: Resolution = FINE
) -> Probabilities:
    """Return P(score < τ) for negative and positive samples, for κ > 0.

    A threshold tens of standard deviations from the scores gives a large ``error``.

    As κ → 0 the score becomes the mean token, which is normal:

    >>> chances = below(100, 1, 3.0, 1e-3, 0.0)
    >>> abs(chances.negative - 0.5) < 5e-3
    True
    """
    step, spacing, tolerance = resolution
    h, weights = _one_token(theta, kappa, tau, spacing)
    turn = RAY_ANGLE * min(1.0, kappa * MAX_HEIGHT / PATH_HEIGHT)
    size = np.abs(weights).T @ np.abs(h)
    counts, chances = zip(*pairs(R), strict=True)
    s = float(np.log(tolerance / (L * size[0] + most(R) * size[1])))

    def log_phi(q: ComplexArray) -> ComplexArray:
        cumulant = _log1p(np.expm1(1j * q[:, None] * h) @ weights)
        signal = ((L - r) * cumulant[:, 0] + r * cumulant[:, 1] for r in counts)
        return np.stack([L * cumulant[:, 0], *signal])  # negatives, positives of each R

    fine, coarse = fourier_cdf(log_phi, turn, s, step, tolerance)
    # the rule's error is squared when its step is halved
    error = float(np.square(fine - coarse).max()) + 10.0 * tolerance
    negative, *positive = np.clip(fine, 0.0, 1.0).tolist()
    return Probabilities(
        negative, sum(p * item for p, item in zip(chances, positive, strict=True)), error
    )


def hard(L: int, R: Count, theta: float, tau: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(score ≥ τ) of negatives and P(score < τ) of positives as κ → ∞: the largest token.

    >>> false_alarm, miss = hard(1, 1, 0.0, np.zeros(1))
    >>> false_alarm.item(), miss.item()
    (0.5, 0.5)
    """
    noise, signal = log_ndtr(tau), log_ndtr(tau - theta)
    parts = [chance * np.exp((L - r) * noise + r * signal) for r, chance in pairs(R)]
    return -np.expm1(L * noise), np.asarray(sum(parts[1:], parts[0]))


def _log1p(value: ComplexArray) -> ComplexArray:
    """log(1 + value), with a floor of −40."""
    gone = np.abs(1.0 + value) < 1e-17
    return np.where(gone, -40.0, np.log1p(np.where(gone, 0.0, value)))


def _one_token(
    theta: float, kappa: float, tau: float, step: float
) -> tuple[ComplexArray, ComplexArray]:
    """Values of h, scaled to a minimum of −1, and weights of the two token laws along the path."""
    z, dz = _path(kappa, tau, theta, step)
    laws = [np.exp(-0.5 * (z - mean) ** 2) * dz / np.sqrt(2.0 * np.pi) for mean in (0.0, theta)]
    weights = np.stack(laws, axis=1)
    kept = np.abs(weights).max(axis=1) > 1e-18
    y = kappa * (z[kept] - tau)
    return y * np.exp(y + 1.0), weights[kept]


def _path(kappa: float, tau: float, theta: float, step: float) -> tuple[ComplexArray, ComplexArray]:
    """Nodes x + iη(x) and their increments, from −TOKEN_REACH to θ + TOKEN_REACH."""
    unit = min(1.0 / kappa, 1.0)
    lowest = tau - 1.0 / kappa
    first, last = (-TOKEN_RANGE - lowest) / unit - 1.0, (theta + TOKEN_RANGE - lowest) / unit + 1.0
    y = first + step * np.arange(np.ceil((last - first) / step) + 1.0)
    bend = np.tanh(y)
    x = unit * (y - (1.0 - CENTRE_SPACING) * bend)
    dx = unit * step * (1.0 - (1.0 - CENTRE_SPACING) * (1.0 - bend**2))
    height = min(PATH_HEIGHT / kappa, MAX_HEIGHT)
    rise = np.tanh(x / height)
    return lowest + x + 1j * height * rise, dx * (1.0 + 1j * (1.0 - rise**2))
