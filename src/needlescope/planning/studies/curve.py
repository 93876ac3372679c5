"""A learning curve through simulated studies, with its uncertainty.

Let v be a measure, and r = (v − best)/(worst − best) its distance from no errors, relative to
knowing nothing. Studies at the coordinate x (the log of n, of θ, or minus that of L) have

    t = Φ⁻¹(r/2) = a + b u + c u² + s(u) ε,   u = x − x̄,   E ε² = 1,
    s² = σ² + ν²,   log σ = l + γ u,

where ν² is the mean variance that the finite number of fresh bags adds to the scatter σ of trained
classifiers. Scatter falls as fast as the error does: with few bags some classifiers fail
altogether. (a, b, c), l and γ have normal priors; the posterior of (l, γ) is computed on a grid,
where a study counts half since ε has heavy tails, and that of (a, b, c) is normal at each of its
points. The answer is where the curve meets the target:

- the mean E v, from s and the law of ε: that of the residuals, with a dozen normal ones for
  steadiness;
- or the quantile of a classifier that is to meet it with a given probability. The law of ε changes
  along the curve, so this is a quantile regression of what was measured, less what ν adds.

The answer's uncertainty is the spread over draws of the posterior, where they fall.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ...arrays import FloatArray
from .measures import Measure
from .posterior import PRIOR_SDS, SCATTERS, design_of, posterior

DRAWS = 400
GRID = 121
FLATTEST = -0.01  # a curve that falls less than that is none
CLIP = (1e-5, 0.75)  # of r/2
TAIL = 0.05  # on each side of an interval of trained classifiers
ANSWER_TAIL = 0.035  # of the draws, on each side of an answer: curves are parabolas only nearly
BANDWIDTH = 0.4  # of the density of ε at a quantile
NEAREST = 0.005  # in ε: distances from a quantile count as at least that
QUANTILE_STEPS = 60
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
    levels: FloatArray  # of l, for each row
    trends: FloatArray  # of γ, for each row
    noise: float  # ν
    prior: FloatArray  # the mean of (a, b, c)
    x: FloatArray  # of the studies
    t: FloatArray
    shifts: FloatArray  # standard normal, of the coefficients of a quantile, for each draw

    def design(self, x: FloatArray) -> FloatArray:
        """Return (1, u, u²) at x, places × 3."""
        return design_of(np.asarray(x) - self.centre)

    def at(self, x: FloatArray) -> FloatArray:
        """Return t of each draw at x, draws × places."""
        return np.asarray(self.draws @ self.design(x).T)

    def scatter(self, x: FloatArray) -> FloatArray:
        """Return σ of each draw at x, draws × places."""
        exponent = self.levels[:, None] + self.trends[:, None] * (np.asarray(x) - self.centre)
        return np.asarray(np.exp(np.clip(exponent, *np.log(SCATTERS))))

    def total(self, x: FloatArray) -> FloatArray:
        """Return s of each draw at x, draws × places."""
        return np.hypot(self.scatter(x), self.noise)

    def mean(self, x: FloatArray, measure: Measure) -> FloatArray:
        """Return the mean of the measure for each draw at x, draws × places."""
        drawn = self.at(x)[..., None] + self.total(x)[..., None] * self.nodes
        return np.asarray(from_t(drawn, measure).mean(axis=-1))

    def assured(self, x: FloatArray, share: float) -> FloatArray:
        """Return the t that this share of trained classifiers have or better."""
        added = self.total(x) - self.scatter(x)  # by the noise of fresh bags
        measured = self.quantile_draws(share) @ self.design(x).T
        return np.asarray(measured - self.quantiles(np.array([share]))[0] * added)

    def quantile_draws(self, share: float) -> FloatArray:
        """Return (a, b, c) of a quantile of what is measured, for each draw.

        Quantile regression with the prior of the curve, by majorisation (Hunter and Lange 2000);
        its covariance is that of sample quantiles.
        """
        design, s = self.design(self.x), self.total(self.x)[0]
        z = self.quantiles(np.array([share]))[0]
        steep = self._density(z, share) / (share * (1.0 - share) * s)  # of the check loss
        inverse = np.diag(PRIOR_SDS**-2.0)
        best = self.draws[0] + np.array([z * s.mean(), 0.0, 0.0])
        for _ in range(QUANTILE_STEPS):
            weight = steep / (2.0 * (abs(self.t - design @ best) + NEAREST * s))
            pull = design.T @ (weight * self.t + steep * (share - 0.5)) + inverse @ self.prior
            best = np.linalg.solve((design.T * weight) @ design + inverse, pull)
        precision = (design.T * (steep**2 * share * (1.0 - share))) @ design + inverse
        root = np.linalg.cholesky(np.linalg.inv(precision))
        wide = np.exp(self.levels - self.levels[0])[1:, None]  # s is not known either
        return np.vstack([best, best + wide * (self.shifts @ root.T)])

    def _density(self, z: float, share: float) -> float:
        """Return the density of ε at its quantile z, between a kernel estimate and the normal."""
        kernel = float(np.exp(-0.5 * ((self.residuals - z) / BANDWIDTH) ** 2).mean()) / BANDWIDTH
        normal, weight = float(np.exp(-0.5 * ndtri(share) ** 2)), self.share_of_residuals
        return (weight * kernel + (1.0 - weight) * normal) / float(np.sqrt(2.0 * np.pi))

    @property
    def residuals(self) -> FloatArray:
        """Values of ε of the studies, with variance 1."""
        result = (self.t - self.design(self.x) @ self.draws[0]) / self.total(self.x)[0]
        result = result - result.mean()
        deviation = float(result.std())
        return np.asarray(
            result / deviation if deviation > 0.0 else ndtri((np.arange(12) + 0.5) / 12)
        )

    @property
    def share_of_residuals(self) -> float:
        """The weight of the residuals beside the normal law."""
        return len(self.t) / (len(self.t) + NORMAL_WEIGHT)

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
    bend: float = 0.0,
) -> Curve:
    """Fit a curve to studies at x; ``noise`` are standard errors of t.

    ``slope`` and ``bend`` are the means of the priors of b and c.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = np.linspace(4.0, 6.0, 12)
    >>> curve = fit_curve(x, -0.3 * x + 0.05 * rng.standard_normal(12), -0.4, rng)
    >>> bool(abs(curve.draws[0, 1] + 0.3) < 0.1)
    True
    """
    centre, nu = float(np.mean(x)), float(np.sqrt(np.mean(np.square(noise))))
    design, prior = design_of(np.asarray(x) - centre), np.array([float(np.mean(t)), slope, bend])
    grid = posterior(design, t, prior, nu)
    row = rng.choice(len(grid.chance), DRAWS, p=grid.chance)
    root = np.linalg.cholesky(np.linalg.inv(grid.precision[row]))
    draws = grid.mean[row] + np.einsum("gij,gj->gi", root, rng.standard_normal((DRAWS, 3)))
    within = rng.uniform(-0.5, 0.5, (2, DRAWS)) * grid.steps[:, None]
    levels, trends = (
        np.append(grid.chance @ v, v[row] + w) for v, w in zip(grid.at, within, strict=True)
    )
    shifts = rng.standard_normal((DRAWS, 3))
    return Curve(
        centre, np.vstack([grid.chance @ grid.mean, draws]), levels, trends, nu, prior,
        np.asarray(x), np.asarray(t), shifts,
    )  # fmt: skip


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
    where it meets the target, but at the lower limit if ``flat_start``: there are studies there,
    and all of the curve meets it.
    """
    x = np.linspace(*limits, GRID)
    t = curve.at(x) if assurance is None else curve.assured(x, assurance)
    if assurance is None:
        sign = 1.0 if measure.falls else -1.0
        off = np.asarray(sign * (curve.mean(x, measure) - target))
    else:
        off = t - to_t(np.array(target), measure)
    falling = np.gradient(t, x, axis=1) < FLATTEST
    falling[:, 0] |= flat_start & ~np.greater(off, 0.0).any(axis=1)  # no hill after it
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
    low, high = np.quantile(spread, [ANSWER_TAIL, 1.0 - ANSWER_TAIL])
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
    scatter: float  # σ


def summary(curve: Curve, x: float, measure: Measure, assurance: float | None = None) -> Summary:
    """Return what the curve says of studies at x."""
    at = np.array([x])
    t, sigma = curve.at(at)[0, 0], curve.scatter(at)[0, 0]
    means = curve.mean(at, measure)[:, 0]
    ends = from_t(t + sigma * curve.quantiles(np.array([TAIL, 1.0 - TAIL])), measure)
    deviation = float(from_t(t + sigma * curve.nodes, measure).std())
    assured = np.nan
    if assurance is not None:
        assured = float(from_t(curve.assured(at, assurance)[:1, 0], measure)[0])
    low, high = sorted(ends.tolist())
    return Summary(
        float(means[0]), float(means[1:].std()), low, high, deviation, assured, float(sigma)
    )
