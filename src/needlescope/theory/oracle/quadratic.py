"""The least error of linear attention with a known ξ: query κξ, readout ξ, best κ and threshold.

With a = (1 + κ P x)/L the score is a·x = x̄ + (κ/L)‖Px‖². Mean and spread of normal tokens are
independent: √L x̄ ~ N(m, 1) and ‖Px‖² ~ χ²(L − 1) with non-centrality λ, where m = θR/√L and
λ = θ²R(1 − R/L) for positives, zero for negatives. So the score is a normal and a χ² in a ratio
that κ sets, T = cos(φ) √L x̄ + sin(φ) (‖Px‖² − L + 1)/√(2(L − 1)), and

    P(T < τ) = ½ + α/π − (1/π) Im ∫ ψ(e^{s − iα}) ds,    log ψ(q) = log E e^{iqT} − iqτ

in closed form; the trapezoid rule along a turned path gives it to rounding, as in `score`.
Positives are larger in both parts, so the readout is never −ξ. A coarse rule gives starting points;
a simplex search on the fine one minimises over φ and τ.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.optimize import minimize

from ...arrays import FloatArray
from .attention import AttentionRule
from .counts import Count, most, pairs

RAY_ANGLES = 0.3, -0.3, 0.1, -0.1  # α, tried in this order until PATH_TOL is met
STEP = 0.04  # of the logarithm of q, in proportion to α
COARSE_FACTOR = 2  # of the step in the coarse rule
LOG_Q_RANGE = -30.0, 12.0  # truncation error below rounding
ANGLES, TAUS = 9, 21  # of the coarse scan
ZOOMS = 3  # of the scan of thresholds, each around the best of the last
MAX_EVALUATIONS = 200  # of a simplex search, which takes 90 or so
PATH_TOL, COARSE_PATH_TOL = 1e-9, 1e-4  # uncertainty at which no other path is tried
MAX_UNCERTAINTY = 1e-5  # beyond it a threshold is skipped
COARSE_MAX_UNCERTAINTY = 1e-3  # the same for the coarse rule
MAX_LOG_TERM = 20.0  # beyond it rounding dominates
MIN_LOG_TERM = -45.0  # smaller terms are left out
LEAST_SQUARE = 1e-3  # distance of a threshold from the least of ‖Px‖²


def best_linear(L: int, R: Count, theta: float, pi: float) -> AttentionRule:
    """Return the best linear attention with κ ≥ 0, for L > 1.

    Its threshold is on x̄ + (κ/L)‖Px‖², on ‖Px‖²/L if κ = ∞.

    Where the signal hardly moves the mean token, the spread of the tokens is informative:

    >>> result = best_linear(100, 1, 6.0, 0.5)
    >>> round(result.error, 4), round(result.kappa, 1)
    (0.1271, 2.3)
    """
    errors = partial(_errors, L, R, theta, pi)
    angles = np.linspace(0.0, 0.5 * np.pi, ANGLES).tolist()
    starts = [_scan(errors, angle, *_range(L, most(R), theta, angle)) for angle in angles]
    result = [_descend(errors, start) for start in _local_minima(starts)]
    # the ends φ = 0 and π/2 are searched over the threshold alone
    result += [_descend(errors, start, turning=False) for start in (starts[0], starts[-1])]
    _, angle, tau = min(result)
    error, uncertainty = (float(error[0]) for error in errors(angle, np.array([tau])))
    bound = uncertainty + 1e-12  # that of the rule with half the nodes, an upper bound
    # T = cos(φ) √L (x̄ + (κ/L)‖Px‖²) − shift
    spread = np.sqrt(2.0 * (L - 1.0))
    raised = tau + np.sin(angle) * (L - 1.0) / spread
    if angle == 0.5 * np.pi:
        return AttentionRule(error, bound, np.inf, 1, float(raised * spread / L))
    kappa = np.tan(angle) * np.sqrt(L) / spread
    return AttentionRule(
        error, bound, float(kappa), 1, float(raised / (np.cos(angle) * np.sqrt(L)))
    )


_Rule = tuple[float, float, float]  # error, angle and threshold
_Errors = Callable[..., tuple[FloatArray, FloatArray]]


def _errors(
    L: int, R: Count, theta: float, pi: float, angle: float, taus: FloatArray, step: float = STEP
) -> tuple[FloatArray, FloatArray]:
    """Return the error at each threshold, and its uncertainty."""
    negative, noise_error = below(L, 0.0, 0.0, angle, taus, step)
    parts = [
        chance * np.stack(below(L, *_moved(L, r, theta), angle, taus, step))
        for r, chance in pairs(R)
    ]
    positive, signal_error = sum(parts[1:], parts[0])
    error = pi * positive + (1.0 - pi) * (1.0 - negative)
    return error, pi * signal_error + (1.0 - pi) * noise_error


def _moved(L: int, R: int, theta: float) -> tuple[float, float]:
    """Return m and λ of positives."""
    return theta * R / float(np.sqrt(L)), theta**2 * R * (1.0 - R / L)


def _range(L: int, R: int, theta: float, angle: float) -> tuple[float, float]:
    """Return an interval that contains the best threshold."""
    m, noncentral = _moved(L, R, theta)
    shift = np.cos(angle) * m + np.sin(angle) * noncentral / np.sqrt(2.0 * (L - 1.0))
    # no scores below ‖Px‖² = 0 and nine deviations of x̄
    low = max(-9.0, LEAST_SQUARE - np.sin(angle) * np.sqrt(0.5 * (L - 1.0)) - 9.0 * np.cos(angle))
    return low, shift + 9.0 * (1.0 + np.sqrt(noncentral / L))


def _scan(errors: _Errors, angle: float, low: float, high: float) -> _Rule:
    """Return roughly the best threshold at an angle."""
    least = low
    for _ in range(ZOOMS):
        taus = np.linspace(low, high, TAUS)
        error, uncertainty = errors(angle, taus, COARSE_FACTOR * STEP)
        error[uncertainty > COARSE_MAX_UNCERTAINTY] = 1.0
        at = int(error.argmin())
        width = (high - low) / (TAUS - 1)
        low, high = max(taus[at] - width, least), taus[at] + width
    return float(error[at]), angle, float(taus[at])


def _local_minima(starts: list[_Rule]) -> list[_Rule]:
    """Return the local minima over the angle."""
    padded = [(np.inf,), *starts, (np.inf,)]
    return [
        start for k, start in enumerate(starts) if start[0] <= min(padded[k][0], padded[k + 2][0])
    ]


def _descend(errors: _Errors, start: _Rule, turning: bool = True) -> _Rule:
    """Simplex search over angle and threshold, or over the threshold alone."""

    def at(x: FloatArray) -> tuple[float, float]:
        return (float(x[0]), float(x[1])) if turning else (start[1], float(x[0]))

    def error(x: FloatArray) -> float:
        angle, tau = at(x)
        if not 0.0 <= angle <= 0.5 * np.pi:
            return 1.0
        value, uncertainty = errors(angle, np.array([tau]))
        # add the uncertainty, or the search would exploit numerical error
        return float(value[0] + uncertainty[0]) if uncertainty[0] <= MAX_UNCERTAINTY else 1.0

    inwards = -0.05 if start[1] > 0.25 * np.pi else 0.05
    steps = np.array([[0.0, 0.0], [inwards, 0.0], [0.0, 0.02]])
    simplex = np.array(start[1:]) + steps if turning else start[2] + steps[::2, 1:]
    options = {"initial_simplex": simplex, "maxfev": MAX_EVALUATIONS, "xatol": 1e-5, "fatol": 1e-12}
    result = minimize(error, simplex[0], method="Nelder-Mead", options=options)
    return float(result.fun), *at(result.x)


def below(
    L: int, m: float, noncentral: float, angle: float, tau: FloatArray, step: float = STEP
) -> tuple[FloatArray, FloatArray]:
    """Return P(T < τ) at each τ, and its uncertainty: the difference to half of the nodes.

    At φ = 0 the score is normal:

    >>> below(10, 1.0, 0.0, 0.0, np.array([1.0, 2.0]))[0].round(6)
    array([0.5     , 0.841345])
    """
    result, uncertainty = np.zeros(len(tau)), np.full(len(tau), np.inf)
    for turn in RAY_ANGLES:
        left = np.flatnonzero(uncertainty > (PATH_TOL if step == STEP else COARSE_PATH_TOL))
        if len(left):
            path = _along(
                turn, step * abs(turn) / RAY_ANGLES[0], L, m, noncentral, angle, tau[left]
            )
            better = path[1] < uncertainty[left]
            result[left[better]], uncertainty[left[better]] = path[0][better], path[1][better]
    return np.clip(result, 0.0, 1.0), uncertainty


def _along(
    turn: float, step: float, L: int, m: float, noncentral: float, angle: float, tau: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return P(T < τ) along one path, and its uncertainty, which includes rounding."""
    mean, square = np.cos(angle), np.sin(angle) / np.sqrt(2.0 * (L - 1.0))
    q = np.exp(np.arange(*LOG_Q_RANGE, step) - 1j * turn)
    pole = 1.0 - 2j * q * square
    log_psi = 1j * q * mean * m - 0.5 * (q * mean) ** 2 - 0.5 * (L - 1.0) * np.log(pole)
    log_psi += 1j * q * square * (noncentral / pole - (L - 1.0))
    size = log_psi.real[:, None] + q.imag[:, None] * tau
    highest = size.max(axis=0)
    rounding = np.where(
        highest < MAX_LOG_TERM, 1e-16 * np.exp(np.minimum(highest, MAX_LOG_TERM)), np.inf
    )
    some = slice(int(np.flatnonzero((size > MIN_LOG_TERM).any(axis=1))[-1]) + 1)
    phase = log_psi.imag[some, None] - q.real[some, None] * tau
    terms = np.exp(np.minimum(size[some], MAX_LOG_TERM)) * np.sin(phase)
    fine, coarse = (
        0.5 + (turn - every * step * terms[::every].sum(axis=0)) / np.pi for every in (1, 2)
    )
    return fine, abs(fine - coarse) + rounding
