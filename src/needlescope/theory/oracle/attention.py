"""The least error of attention with a known ξ: query κξ, readout ±ξ, best κ, sign and threshold.

A small quasi-random sample of the score gives starting points; the error itself, a smooth function
of κ and the threshold, comes from the quadrature of `score`, and a simplex search minimises it.
Where positives are rare the best κ is infinite: only the largest token counts (`score.hard`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from ...arrays import FloatArray
from ...lattice import replicate
from ..law.tokens import Tokens
from . import score
from .counts import Count, pairs

SAMPLE_SIZE = 2**11
KAPPA_GRID = 10
WINDOW = 65  # neighbouring thresholds averaged over when a sample picks one
MAX_EVALUATIONS = 60
LEAST_ERROR = 1e-9  # a smaller error is not improved on


class AttentionRule(NamedTuple):
    """An attention classifier along ξ, its error, and a bound on its numerical error."""

    error: float
    error_se: float  # a bound on the numerical error
    kappa: float
    sign: int
    threshold: float


class _Candidate(NamedTuple):
    """A classifier in the search; ``offset`` is its threshold, standardised by negatives."""

    error: float
    log_kappa: float
    offset: float
    sign: int


def best_attention(L: int, R: Count, theta: float, pi: float) -> AttentionRule:
    """Return the best attention with κ > 0, for R < L and θ > 0.

    >>> result = best_attention(1000, 1, 3.72, 0.5)
    >>> f"{result.error:.4f} at kappa {result.kappa:.1f}"
    '0.2633 at kappa 2.4'
    """
    hard = hard_attention(L, R, theta, pi)
    if hard.error < LEAST_ERROR:
        return hard._replace(error_se=LEAST_ERROR)
    search = _Search(L, R, theta, pi)
    starts = search.starts()
    best = min(starts)
    for start in _local_minima(starts):
        best = min(best, search.descend(start))
    kappa = float(np.exp(best.log_kappa))
    tau = search.threshold(kappa, best.offset)
    error, bound = search.error(kappa, tau, best.sign, score.FINE)
    return min(hard, AttentionRule(error, bound, kappa, best.sign, best.sign * tau))


def hard_attention(L: int, R: Count, theta: float, pi: float) -> AttentionRule:
    """Return the best attention in the limit κ → ∞, where only the largest token counts.

    >>> round(hard_attention(10, 1, 4.0, 0.01).error, 5)
    0.00488
    """

    def error(tau: FloatArray) -> FloatArray:
        false_alarm, miss = score.hard(L, R, theta, tau)
        return pi * miss + (1.0 - pi) * false_alarm

    low, high = -6.0, max(theta, np.sqrt(2.0 * np.log(L))) + 10.0
    for _ in range(4):
        grid = np.linspace(low, high, 401)
        best = int(error(grid).argmin())
        low, high = grid[max(best - 2, 0)], grid[min(best + 2, 400)]
    tau = grid[best]
    return AttentionRule(float(error(tau)), 1e-12, np.inf, 1, float(tau))


class _Search:
    """The error over κ and threshold, and a sample of tokens to place the thresholds."""

    def __init__(self, L: int, R: Count, theta: float, pi: float) -> None:
        self.L, self.R, self.theta, self.pi = L, R, theta, pi
        # beyond the largest κ the hard limit takes over
        self.largest = 1.5 + 1.2 * float(np.sqrt(2.0 * np.log(L)))
        self.samples = [(_sample(L, r), chance) for r, chance in pairs(R) if 0 < r < L]
        few = slice(0, SAMPLE_SIZE, 4)
        self.few_signal, self.few_noise = (
            Tokens(item.n, item.g[few], item.z[few]) for item in self.samples[0][0]
        )

    def error(
        self, kappa: float, tau: float, sign: int, resolution: score.Resolution
    ) -> tuple[float, float]:
        """Return the error of a classifier and its numerical error bound."""
        negative, positive, bound = score.below(self.L, self.R, self.theta, kappa, tau, resolution)
        error = self.pi * positive + (1.0 - self.pi) * (1.0 - negative)
        return (error if sign > 0 else 1.0 - error), bound

    def threshold(self, kappa: float, offset: float) -> float:
        """Return the threshold ``offset`` standard deviations above the mean negative score."""
        scores = _scores(self.few_signal, self.few_noise, kappa, 0.0)
        return float(scores.mean() + offset * scores.std())

    def starts(self) -> list[_Candidate]:
        """One classifier for each κ on a grid, its sign and threshold picked on the sample."""
        low = min(0.3, max(0.25 * self.theta, 1e-3))
        points = []
        for kappa in np.geomspace(low, self.largest, KAPPA_GRID).tolist():
            sign, tau = _pick([self.scores(kappa, x) for x in (0.0, self.theta)], self.pi)
            origin = self.threshold(kappa, 0.0)
            offset = (tau - origin) / (self.threshold(kappa, 1.0) - origin)
            points.append(self._point(float(np.log(kappa)), offset, sign))
        return points

    def scores(self, kappa: float, lift: float) -> FloatArray:
        """Return the scores of a sample, mixed over R where it is random."""
        every = [_scores(*tokens, kappa, lift) for tokens, _ in self.samples]
        if len(every) == 1:
            return every[0]
        ends = SAMPLE_SIZE * np.cumsum([chance for _, chance in self.samples])
        owner = np.searchsorted(ends / ends[-1], np.arange(SAMPLE_SIZE) / SAMPLE_SIZE, side="right")
        mixed = np.random.default_rng(0).permutation(owner)  # lattice points are ordered
        return np.asarray(np.stack(every)[mixed, np.arange(SAMPLE_SIZE)])

    def descend(self, start: _Candidate) -> _Candidate:
        """Simplex search over log κ and the threshold."""

        def error(x: FloatArray) -> float:
            return self._point(float(x[0]), float(x[1]), start.sign).error

        x0 = np.array([start.log_kappa, start.offset])
        simplex = x0 + np.array([[0.0, 0.0], [0.3, 0.0], [0.0, 0.4]])
        options = {
            "initial_simplex": simplex,
            "maxfev": MAX_EVALUATIONS,
            "xatol": 5e-3,
            "fatol": 1e-7,
        }
        result = minimize(error, x0, method="Nelder-Mead", options=options)
        return _Candidate(float(result.fun), float(result.x[0]), float(result.x[1]), start.sign)

    def _point(self, log_kappa: float, offset: float, sign: int) -> _Candidate:
        kappa = float(np.exp(log_kappa))
        if not 1e-4 < kappa < 1.2 * self.largest or abs(offset) > 40.0:
            return _Candidate(1.0, log_kappa, offset, sign)
        error, bound = self.error(kappa, self.threshold(kappa, offset), sign, score.ROUGH)
        return _Candidate(error if bound < 1e-3 else 1.0, log_kappa, offset, sign)


def _sample(L: int, R: int) -> tuple[Tokens, Tokens]:
    """Draw the signal tokens and the noise tokens of a sample."""
    signal_dims = Tokens.dims(R)
    u = replicate(SAMPLE_SIZE, signal_dims + Tokens.dims(L - R), 0)
    return Tokens.draw(R, u[:, :signal_dims]), Tokens.draw(L - R, u[:, signal_dims:])


def _scores(signal: Tokens, noise: Tokens, kappa: float, lift: float) -> FloatArray:
    """x·softmax(κx) of each draw, with x = g + lift on the signal tokens."""
    s, n = signal.sums(kappa), noise.sums(kappa)
    high = s.top + lift
    top = np.maximum(high, n.top)
    share_s, share_n = np.exp(kappa * (high - top)), np.exp(kappa * (n.top - top))
    moment = share_s * (s.moment + lift * s.mass) + share_n * n.moment
    return np.asarray(moment / (share_s * s.mass + share_n * n.mass))


def _pick(scores: list[FloatArray], pi: float) -> tuple[int, float]:
    """The sign and threshold of least error on the sample, over a window of thresholds."""
    joined = np.concatenate(scores)
    order = joined.argsort(kind="stable")
    negative = order < len(scores[0])
    # moving up past a positive adds an error, past a negative removes one
    steps = np.where(negative, -(1.0 - pi), pi) / len(scores[0])
    error = (1.0 - pi) + np.cumsum(steps)
    smooth = np.convolve(error, np.full(WINDOW, 1.0 / WINDOW), mode="valid")
    sorted_scores = joined[order][WINDOW // 2 : WINDOW // 2 + len(smooth)]
    lowest, highest = int(smooth.argmin()), int(smooth.argmax())
    if 1.0 - smooth[highest] < smooth[lowest]:
        return -1, float(sorted_scores[highest])
    return 1, float(sorted_scores[lowest])


def _local_minima(starts: list[_Candidate]) -> list[_Candidate]:
    """The (at most two) lowest local minima over κ, except the last point of the grid.

    Errors that decrease up to the end of the grid decrease to the hard limit.
    """
    errors = [np.inf] + [start.error for start in starts]
    result = [
        start
        for k, start in enumerate(starts[:-1], start=1)
        if errors[k] <= min(errors[k - 1], errors[k + 1])
    ]
    return sorted(result)[:2]
