"""The Bayes error where one token carries the signal, by quadrature.

With R = 1 the Bayes rule answers + when S = Σ_l e^{θ x_l} exceeds c = L e^{θ²/2} (1 − π)/π: a sum
over independent tokens, N(0, 1) or, on the one signal token of a positive sample, N(θ, 1). So its
distribution function is one Fourier integral of a product of L one-token integrals, as in `score`,

    P(S < c) = ½ + α/π − (1/π) Im ∫ φ(q) e^{−iqc} ds,   q = e^{s − iα},
    φ(q) = (E e^{iq e^{θg}})^{L−1} E e^{iq e^{θ(g + lift)}},  g ~ N(0, 1), lift = 0 or θ.

On a line x + iη the one-token integrand decays as e^{−|q| e^{θx} sin(θη − α)}, where on the real
axis it oscillates; both trapezoid rules then converge geometrically.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..common.fourier import ComplexArray, fourier_cdf

TOKEN_RANGE = 9.0  # standard deviations kept on either side of a token's mean
PATH_HEIGHT = 0.9  # θη
MAX_HEIGHT = 2.0  # of η
RAY_ANGLE = 0.3  # α, at most
RAY_SHARE = 0.4  # of θη, which α does not exceed either
STEP = 0.1  # of the logarithm of q
SPACING = 0.2  # of the nodes of x, in units of min(1/θ, 1)
TRUNCATION = 1e-12  # of the integral at both ends
MAX_BLOCKS = 60
MAX_LOG_TERM = 10.0  # beyond it rounding would show in the sum
MAX_THETA = 8.0  # beyond it the integral over q becomes long


class Estimate(NamedTuple):
    """An error, and a bound on its numerical error, infinite where the rule does not apply."""

    error: float
    uncertainty: float


def bayes_error(L: int, theta: float, pi: float) -> Estimate:
    """Return the Bayes error for R = 1 and θ > 0.

    One token in all is a known direction, whose error is Φ(−θ/2):

    >>> round(bayes_error(1, 2.0, 0.5).error, 8)
    0.15865525
    >>> round(bayes_error(1000, 3.72, 0.5).error, 8)
    0.26303153
    """
    if theta > MAX_THETA:
        return Estimate(np.nan, np.inf)
    height, unit = min(PATH_HEIGHT / theta, MAX_HEIGHT), min(1.0 / theta, 1.0)
    turn = min(RAY_ANGLE, RAY_SHARE * theta * height)
    x = np.arange(-TOKEN_RANGE, theta + TOKEN_RANGE, SPACING * unit) + 1j * height
    laws = [np.exp(-0.5 * (x - mean) ** 2) for mean in (0.0, theta)]
    weights = SPACING * unit / np.sqrt(2.0 * np.pi) * np.stack(laws, axis=1)
    log_c = np.log(L) + 0.5 * theta * theta + np.log((1.0 - pi) / pi)
    h = np.exp(theta * x - log_c)
    size = np.abs(weights).T @ np.abs(h)
    s = float(np.log(TRUNCATION / (1.0 + L * size[0] + size[1])))

    def log_phi(q: ComplexArray) -> ComplexArray:
        cumulant = np.log1p(np.expm1(1j * q[:, None] * h) @ weights)
        positive = (L - 1) * cumulant[:, 0] + cumulant[:, 1]
        return np.stack([L * cumulant[:, 0], positive]) - 1j * q

    fine, coarse = fourier_cdf(log_phi, turn, s, STEP, TRUNCATION, MAX_LOG_TERM, MAX_BLOCKS)
    if np.isnan(fine[0]):
        return Estimate(np.nan, np.inf)
    negative, positive = fine
    # the rule's error is about squared when its step is halved; seen up to 20 times that
    gap = max(abs(negative - coarse[0]), abs(positive - coarse[1]))
    error = float(pi * positive + (1.0 - pi) * (1.0 - negative))
    return Estimate(error, 100.0 * float(gap * gap) + 10.0 * TRUNCATION)
