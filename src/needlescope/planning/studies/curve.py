"""A learning curve through simulated studies, with its uncertainty.

Let v be a measure, and r = (v − best)/(worst − best) its distance from no errors, relative to
knowing nothing. Studies at the coordinate x (the log of n, of θ, or minus that of L) have

    t = Φ⁻¹(r/2) = a + b u + c u² + s ε,   u = x − x̄,   E ε² = 1,   s² = σ² + ν²,

where learning curves are nearly straight; ν² is the mean variance that the finite number of fresh
bags adds to the scatter σ of trained classifiers. The slope b has a prior, c one around 0, and s
one from what studies of this kind scatter; the posterior of (a, b, c) given s is taken as normal.
The answer is where the curve meets the target: the mean E v, from s, or the quantile of a
classifier that is to meet it with a given probability, from σ. With few bags some classifiers fail
altogether, and ε is far from normal: its law is that of the residuals, with a dozen normal ones for
steadiness. The answer's uncertainty is the spread over draws of the posterior, where they fall.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ...arrays import FloatArray
from .measures import Measure

SLOPE_SD, BEND_SD, LEVEL_SD = 0.25, 0.08, 3.0  # of the priors, in t for each unit of x
SCATTER, SCATTER_WEIGHT = 0.06, 2.0  # the prior of s, and how many studies it counts as
DRAWS = 400
GRID = 121
FLATTEST = -0.01  # a curve that falls less than that is none
CLIP = (1e-5, 0.75)  # of r/2
TAIL = 0.05  # on each side of an interval
NODES, FINE = 9, 20  # groups of ε, of equal probability, and quantiles averaged in each
NORMAL_WEIGHT = 12.0  # how many residuals the normal law of ε counts as


def to_t(value: FloatArray, measure: Measure) -> FloatArray:
    """Return t of a measure.

    >>> from .measures import get_measure
    >>> to_t(np.array([0.5, 0.1]), get_measure("error", 0.5)).round(2)
    array([ 0.  , -1.28])
    """
    r = (np.asarray(value) - measure.best) / (measure.worst - measure.best)
    return np.asarray(ndtri(np.clip(0.5 * r, *CLIP)))


def from_t(t: FloatArray, measure: Measure) -> FloatArray:
    """Return the measure at t."""
    return np.asarray(measure.best + 2.0 * ndtr(t) * (measure.worst - measure.best))


def noise_in_t(value: FloatArray, noise: FloatArray, measure: Measure) -> FloatArray:
    """Return standard errors of a measure as those of its t, to first order.

    >>> from .measures import get_measure
    >>> noise_in_t(np.array([0.1]), np.array([0.01]), get_measure("error", 0.5)).round(3)
    array([0.057])
    """
    t = to_t(value, measure)
    density = np.exp(-0.5 * t**2) / np.sqrt(2.0 * np.pi)
    return np.asarray(noise / (2.0 * density * abs(measure.worst - measure.best)))


class Curve(NamedTuple):
    """Draws of the posterior of a learning curve; the first of each is the best guess."""

    centre: float  # x̄
    draws: FloatArray  # of (a, b, c), a row each
    total: FloatArray  # of s, for each row
    scatter: FloatArray  # of σ, for each row
    residuals: FloatArray  # of ε, with variance 1
    shifts: FloatArray  # standard normal, of what is not known of a quantile; the first is 0

    def at(self, x: FloatArray) -> FloatArray:
        """Return t of each draw at x, draws × places."""
        u = np.asarray(x) - self.centre
        return np.asarray(self.draws @ np.array([np.ones_like(u), u, u**2]))

    def mean(self, x: FloatArray, measure: Measure) -> FloatArray:
        """Return the mean of the measure for each draw at x, draws × places."""
        drawn = self.at(x)[..., None] + self.total[:, None, None] * self.nodes
        return np.asarray(from_t(drawn, measure).mean(axis=-1))

    def assured(self, x: FloatArray, share: float) -> FloatArray:
        """Return the t that this share of trained classifiers have or better."""
        z, count = float(ndtri(share)), len(self.residuals)
        density = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
        normal = 1.0 + 0.5 * z**2  # N times the variance of a + σz, which the draws have
        beyond = max(share * (1.0 - share) / density**2 - normal, 0.0)  # of a quantile of residuals
        unknown = self.share_of_residuals * np.sqrt(beyond / count) * self.shifts
        quantile = self.quantiles(np.array([share]))[0] + unknown
        return np.asarray(self.at(x) + (self.scatter * quantile)[:, None])

    @property
    def share_of_residuals(self) -> float:
        """The weight of the residuals beside the normal law."""
        return len(self.residuals) / (len(self.residuals) + NORMAL_WEIGHT)

    @property
    def nodes(self) -> FloatArray:
        """Groups of ε, of equal probability."""
        fine = self.quantiles((np.arange(NODES * FINE) + 0.5) / (NODES * FINE))
        groups = fine.reshape(NODES, FINE).mean(axis=1)
        return np.asarray((groups - groups.mean()) / groups.std())

    def quantiles(self, share: FloatArray) -> FloatArray:
        """Return quantiles of ε, between those of the residuals and of the normal law."""
        weight = self.share_of_residuals
        return np.asarray(weight * np.quantile(self.residuals, share) + (1 - weight) * ndtri(share))


def fit_curve(
    x: FloatArray,
    t: FloatArray,
    slope: float,
    rng: np.random.Generator,
    noise: FloatArray | float = 0.0,
) -> Curve:
    """Fit a curve to studies at x, with a prior slope; ``noise`` are standard errors of t.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = np.linspace(4.0, 6.0, 12)
    >>> curve = fit_curve(x, -0.3 * x + 0.05 * rng.standard_normal(12), -0.4, rng)
    >>> bool(abs(curve.draws[0, 1] + 0.3) < 0.1)
    True
    """
    centre = float(np.mean(x))
    u = x - centre
    design = np.array([np.ones_like(u), u, u**2]).T
    prior = np.array([float(np.mean(t)), slope, 0.0])
    scales = np.array([LEVEL_SD, SLOPE_SD, BEND_SD])
    total = SCATTER
    for _ in range(20):  # s and the coefficients, in turn
        precision = design.T @ design / total**2 + np.diag(scales**-2.0)
        mean = np.linalg.solve(precision, design.T @ t / total**2 + prior / scales**2)
        left = float(((t - design @ mean) ** 2).sum())
        used = float(np.trace(np.linalg.solve(precision, design.T @ design)) / total**2)
        weight = max(len(t) - used, 0.0) + SCATTER_WEIGHT
        total = float(np.sqrt((left + SCATTER_WEIGHT * SCATTER**2) / weight))
    root = np.linalg.cholesky(np.linalg.inv(precision))
    wide = np.sqrt(weight / rng.chisquare(weight, DRAWS))  # s is not known either
    draws = mean + wide[:, None] * (rng.standard_normal((DRAWS, 3)) @ root.T)
    totals = total * np.append(1.0, wide)
    scatter = np.sqrt(np.maximum(totals**2 - float(np.mean(np.square(noise))), 0.0))
    residuals = t - design @ mean
    residuals = residuals - residuals.mean()
    deviation = float(residuals.std())
    residuals = residuals / deviation if deviation > 0.0 else ndtri((np.arange(12) + 0.5) / 12)
    shifts = np.append(0.0, rng.standard_normal(DRAWS))
    return Curve(centre, np.vstack([mean, draws]), totals, scatter, residuals, shifts)


class Crossing(NamedTuple):
    """Where a curve meets the target: the best guess, an interval and its deviation, in x."""

    x: float
    low: float
    high: float
    deviation: float
    beyond: float  # share of draws that do not meet it within the limits


def crossing(
    curve: Curve,
    target: float,
    measure: Measure,
    limits: tuple[float, float],
    assurance: float | None = None,
    flat_start: bool = False,
) -> Crossing:
    """Return where the mean, or the study at the quantile ``assurance``, meets the target.

    A draw that does not meet it within the limits counts with the upper one. A curve must fall
    where it meets the target, but at the lower limit if ``flat_start``: there are studies there.
    """
    x = np.linspace(*limits, GRID)
    t = curve.at(x)
    if assurance is None:
        sign = 1.0 if measure.falls else -1.0
        off = np.asarray(sign * (curve.mean(x, measure) - target))
    else:
        off = curve.assured(x, assurance) - to_t(np.array(target), measure)
    falling = np.gradient(t, x, axis=1) < FLATTEST
    falling[:, 0] |= flat_start
    met: NDArray[np.bool_] = np.logical_and(off <= 0.0, falling)
    places = np.where(met.any(axis=1), np.argmax(met, axis=1), GRID - 1)
    rows = np.arange(len(t))
    before = np.maximum(places - 1, 0)
    here, there = off[rows, before], off[rows, places]
    falls: NDArray[np.bool_] = np.greater(here, there)
    drop = np.where(falls, here - there, 1.0)
    share = np.where(falls, np.clip(here / drop, 0.0, 1.0), 1.0)
    found = x[before] + share * (x[places] - x[before])
    reached = np.asarray(met.any(axis=1))
    found = np.where(reached, found, limits[1])
    spread = found[1:]
    low, high = np.quantile(spread, [TAIL, 1.0 - TAIL])
    return Crossing(
        float(found[0]), float(low), float(high), float(spread.std()), float((~reached[1:]).mean())
    )


class Summary(NamedTuple):
    """What a curve says of studies at one place."""

    mean: float
    mean_se: float
    low: float  # nine of ten trained classifiers are between low and high
    high: float
    deviation: float  # of trained classifiers
    assured: float  # what the assured share has or better; NaN without an assurance


def summary(curve: Curve, x: float, measure: Measure, assurance: float | None = None) -> Summary:
    """Return what the curve says of studies at x."""
    at = np.array([x])
    t, sigma = curve.at(at)[0, 0], curve.scatter[0]
    means = curve.mean(at, measure)[:, 0]
    ends = from_t(t + sigma * curve.quantiles(np.array([TAIL, 1.0 - TAIL])), measure)
    deviation = float(from_t(t + sigma * curve.nodes, measure).std())
    assured = np.nan
    if assurance is not None:
        assured = float(from_t(curve.assured(at, assurance)[:1, 0], measure)[0])
    low, high = sorted(ends.tolist())
    return Summary(float(means[0]), float(means[1:].std()), low, high, deviation, assured)
