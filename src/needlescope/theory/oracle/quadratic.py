"""The least error of linear attention that knows ξ: query κξ, weights ξ, best κ and threshold.

With a = (1 + κ P x)/L the score is a·x = x̄ + (κ/L)‖Px‖². Mean and spread of normal tokens are
independent: √L x̄ ~ N(m, 1) and ‖Px‖² ~ χ²(L − 1) with non-centrality λ, where m = θR/√L and
λ = θ²R(1 − R/L) for positives, zero for negatives. So the score is a normal and a χ² in a ratio
that κ sets, T = cos(φ) √L x̄ + sin(φ) (‖Px‖² − L + 1)/√(2(L − 1)), and

    P(T < τ) = ½ + α/π − (1/π) Im ∫ ψ(e^{s − iα}) ds,    log ψ(q) = log E e^{iqT} − iqτ

in closed form; the trapezoid rule along a turned path gives it to rounding, as in `score`.
Positives are larger in both parts, so the weights are never −ξ.
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from .attention import Attention

TURN = 0.3  # α
STEP = 0.04  # of the logarithm of q
ENDS = -30.0, 12.0  # of that logarithm: what is left out is below rounding
ANGLES, TAUS = 9, 21  # of one look, each around the best of the one before
LOOKS = 5
DOUBT = 1e-5  # between a rule and one of half its nodes; beyond it a threshold is passed over
GROWTH = 12.0  # of terms, in logarithms: more of it only where the chance is next to nothing
EDGE = 1e-3  # a threshold this near the least of ‖Px‖² is none


def best_linear(L: int, R: int, theta: float, pi: float) -> Attention:
    """Return the best linear attention with κ ≥ 0, for L > 1.

    Its threshold is on x̄ + (κ/L)‖Px‖², on ‖Px‖²/L if κ = ∞.

    Examples
    --------
    Where the signal moves the mean of the tokens little, their spread tells more:

    >>> found = best_linear(100, 1, 6.0, 0.5)
    >>> round(found.error, 4), round(found.kappa, 2)
    (0.1271, 2.29)
    """
    low, high = 0.0, 0.5 * np.pi
    best = (np.inf, 0.0, 0.0, 0.0)
    for _ in range(LOOKS):
        angles = np.linspace(low, high, ANGLES)
        best = min(best, *(_best_threshold(L, R, theta, pi, float(one)) for one in angles))
        width = (high - low) / (ANGLES - 1)
        low, high = max(best[1] - width, 0.0), min(best[1] + width, 0.5 * np.pi)
    error, angle, tau, accuracy = best
    # T = cos(φ) √L (x̄ + (κ/L)‖Px‖²) − shift
    spread = np.sqrt(2.0 * (L - 1.0))
    raised = tau + np.sin(angle) * (L - 1.0) / spread
    if angle == 0.5 * np.pi:
        return Attention(error, accuracy, np.inf, 1, float(raised * spread / L))
    kappa = np.tan(angle) * np.sqrt(L) / spread
    return Attention(error, accuracy, float(kappa), 1, float(raised / (np.cos(angle) * np.sqrt(L))))


def _best_threshold(
    L: int, R: int, theta: float, pi: float, angle: float
) -> tuple[float, float, float, float]:
    """Return the least error at an angle, the angle, the threshold, and the error's accuracy."""
    m, noncentral = theta * R / np.sqrt(L), theta**2 * R * (1.0 - R / L)
    shift = np.cos(angle) * m + np.sin(angle) * noncentral / np.sqrt(2.0 * (L - 1.0))
    # below ‖Px‖² = 0 and nine deviations of x̄ there is nothing
    low = max(-9.0, EDGE - np.sin(angle) * np.sqrt(0.5 * (L - 1.0)) - 9.0 * np.cos(angle))
    least, high = low, shift + 9.0 * (1.0 + np.sqrt(noncentral / L))
    for _ in range(LOOKS):
        taus = np.linspace(low, high, TAUS)
        negative, coarse = below(L, 0.0, 0.0, angle, taus)
        positive, rough = below(L, m, noncentral, angle, taus)
        error = pi * positive + (1.0 - pi) * (1.0 - negative)
        doubt = np.maximum(abs(negative - coarse), abs(positive - rough))
        error[doubt > DOUBT] = 1.0
        at = int(error.argmin())
        width = (high - low) / (TAUS - 1)
        low, high = max(taus[at] - width, least), taus[at] + width
    accuracy = float(doubt[at] + 1e-12)  # of the rule with half the nodes: more than its own
    return max(float(error[at]), 0.0), angle, float(taus[at]), accuracy


def below(
    L: int, m: float, noncentral: float, angle: float, tau: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return P(T < τ) at each τ, and the same by half of the nodes.

    Examples
    --------
    At φ = 0 the score is normal:

    >>> below(10, 1.0, 0.0, 0.0, np.array([1.0, 2.0]))[0].round(6)
    array([0.5     , 0.841345])
    """
    mean, square = np.cos(angle), np.sin(angle) / np.sqrt(2.0 * (L - 1.0))
    found, growth = np.zeros((2, len(tau))), np.full(len(tau), GROWTH)
    for turn in (TURN, -TURN):
        q = np.exp(np.arange(*ENDS, STEP) - 1j * turn)
        pole = 1.0 - 2j * q * square
        log_psi = 1j * q * mean * m - 0.5 * (q * mean) ** 2 - 0.5 * (L - 1.0) * np.log(pole)
        log_psi += 1j * q * square * (noncentral / pole - (L - 1.0))
        exponent = log_psi[:, None] - 1j * q[:, None] * tau
        highest = exponent.real.max(axis=0)
        terms = np.exp(np.where(abs(exponent.real) < 700.0, exponent, -700.0)).imag
        tamer = highest < growth  # of the two paths, the one on which terms cancel less
        growth[tamer] = highest[tamer] - 1.0  # in doubt the first, on which e^{−iqτ} decays
        for row, every in enumerate((1, 2)):
            total = every * STEP * terms[::every, tamer].sum(axis=0)
            found[row, tamer] = np.clip(0.5 + (turn - total) / np.pi, 0.0, 1.0)
    return found[0], found[1]
