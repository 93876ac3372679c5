"""M of `posterior_mass` for many signal tokens, by a contour integral.

With e_r the elementary symmetric polynomials of the other L − 1 tokens, the posterior probability
of a signal token x is

    p = σ(κx + log(e_{R−1}/e_R)),

and M = R E[p]. Both polynomials come from one contour through the saddle point at R − ½, midway:

    e_r = e^{K(u) − ru} I_r,  I_r = (1/π) ∫₀^π Re φ(t) e^{−irt} dt,  φ(t) = e^{K(u + it) − K(u)}.

φ is a product over the tokens that are kept one by one. The bulk enters as a Poisson number of
tokens, with cumulants corrected to fourth order: exact where few tokens of the bulk are uncertain,
and where many are, only small t matter.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ...arrays import FloatArray
from ...lattice import REPLICATES
from ..law.tokens import Tokens
from ..oracle.saddle_point import SaddlePointFormula, SaddlePoints, gauss
from ..oracle.symmetric import draw, token_groups

CONTOUR_NODES = 40
CONTOUR_RANGE = 8.5  # in standard deviations of the number of tokens: e^{−t²/2} is 2e-16 there
MAX_RATIO = 4.0  # of I_{R−1} to I_R, or of I_R to I_{R−1}: 2 and less but for rounding
TOKEN_RANGE, TOKEN_NODES = 8.5, 137  # of the trapezoidal rule over a normal variable


def many_signal_mass(L: int, R: int, points: int, kappa: float) -> FloatArray:
    """Return M at one κ, by each replicate.

    Examples
    --------
    >>> many_signal_mass(100, 20, 64, 0.0).mean().round(6)
    np.float64(4.0)
    """
    if kappa == 0.0:
        return np.full(REPLICATES, R * R / L)
    groups = token_groups(L - 1, R - 1, kappa, positive=True)
    saddle = SaddlePointFormula(kappa, R - 0.5, groups)
    nodes = np.linspace(-TOKEN_RANGE, TOKEN_RANGE, TOKEN_NODES)
    weight = np.exp(-0.5 * nodes * nodes)
    weight /= weight.sum()
    replicates = [draw(groups, points, index) for index in range(REPLICATES)]
    at = saddle.tilt([Tokens.joined(parts) for parts in zip(*replicates, strict=True)])
    among = at.u + _log_ratio(at, R)
    p = expit(kappa * (nodes + kappa) + among[:, None]) @ weight
    return np.asarray(R * p.reshape(REPLICATES, points).mean(axis=1))


def _log_ratio(at: SaddlePoints, R: int) -> FloatArray:
    """Return log(I_{R−1}/I_R) of each draw."""
    v = at.s * (1.0 - at.s)
    first, second, third, fourth = at.bulk[1:]
    second = np.maximum(second, 0.0)
    spread = np.sqrt(v.sum(axis=1) + second)
    end = np.minimum(np.pi, CONTOUR_RANGE / np.maximum(spread, 1e-3))
    x, w = gauss(CONTOUR_NODES)
    t = 0.5 * end[:, None] * (1.0 + x)
    turn = np.exp(1j * t)
    log = 1j * t * (first - R)[:, None] + second[:, None] * (turn - 1.0 - 1j * t)
    log += (third - second)[:, None] * (1j * t) ** 3 / 6.0
    log += np.minimum(fourth - second, 0.0)[:, None] * t**4 / 24.0
    phi = np.exp(log)
    for s in at.s.T:
        phi *= 1.0 + s[:, None] * (turn - 1.0)
    with_R, with_fewer = (np.real(phi) @ w), (np.real(phi * turn) @ w)
    ratio = with_fewer / np.where(with_R > 0.0, with_R, np.inf)
    return np.asarray(np.log(np.clip(ratio, 1.0 / MAX_RATIO, MAX_RATIO)))
