"""A learning curve through simulated studies, with its uncertainty.

Let v be a measure, and r = (v − best)/(worst − best) its distance from no errors, relative to
knowing nothing. Studies at the coordinate x (the log of n, of θ, or minus that of L) have

    t = Φ⁻¹(r/2) = a + b u + c u² + σ ε,   u = x − x̄,   ε ~ N(0, 1),

where learning curves are nearly straight. The slope b has a prior, c one around 0, and σ one from
what studies of this kind scatter. So the posterior of (a, b, c) is normal given σ, and the answer
is where the curve meets the target: the mean E v, or the quantile of a study that is to meet it
with a given probability. Its uncertainty is the spread over draws of the posterior, where they
fall.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from ...arrays import FloatArray
from .measures import Measure

SLOPE_SD, BEND_SD, LEVEL_SD = 0.25, 0.08, 3.0  # of the priors, in t for each unit of x
SCATTER, SCATTER_WEIGHT = 0.06, 2.0  # the prior of σ, and how many studies it counts as
DRAWS = 400
GRID = 241
FLATTEST = -0.01  # a curve that falls less than that is none
CLIP = (1e-5, 0.75)  # of r/2
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
TAIL = 0.05  # on each side of an interval


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


class Curve(NamedTuple):
    """Draws of the posterior of a learning curve."""

    centre: float  # x̄
    draws: FloatArray  # of (a, b, c), a row each; the first is the mean
    scatter: float  # σ

    def at(self, x: FloatArray) -> FloatArray:
        """Return t of each draw at x, draws × places."""
        u = np.asarray(x) - self.centre
        return np.asarray(self.draws @ np.array([np.ones_like(u), u, u**2]))


def fit_curve(x: FloatArray, t: FloatArray, slope: float, rng: np.random.Generator) -> Curve:
    """Fit a curve to studies at x, with a prior slope.

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
    scatter = SCATTER
    for _ in range(20):  # σ and the coefficients, in turn
        precision = design.T @ design / scatter**2 + np.diag(scales**-2.0)
        mean = np.linalg.solve(precision, design.T @ t / scatter**2 + prior / scales**2)
        left = float(((t - design @ mean) ** 2).sum())
        used = float(np.trace(np.linalg.solve(precision, design.T @ design)) / scatter**2)
        weight = max(len(t) - used, 0.0) + SCATTER_WEIGHT
        scatter = float(np.sqrt((left + SCATTER_WEIGHT * SCATTER**2) / weight))
    root = np.linalg.cholesky(np.linalg.inv(precision))
    wide = np.sqrt(weight / rng.chisquare(weight, DRAWS))  # σ is not known either
    draws = mean + wide[:, None] * (rng.standard_normal((DRAWS, 3)) @ root.T)
    return Curve(centre, np.vstack([mean, draws]), scatter)


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
) -> Crossing:
    """Return where the mean, or the study at the quantile ``assurance``, meets the target.

    A draw that does not meet it within the limits counts with the upper one.
    """
    x = np.linspace(*limits, GRID)
    t = curve.at(x)
    if assurance is None:
        levels = from_t(t[..., None] + curve.scatter * NODES, measure)
        off = levels @ (WEIGHTS / WEIGHTS.sum()) - target
        off *= 1.0 if measure.falls else -1.0
    else:
        off = t + curve.scatter * float(ndtri(assurance)) - to_t(np.array(target), measure)
    falling = np.gradient(t, x, axis=1) < FLATTEST
    met = (off <= 0.0) & falling
    places = np.where(met.any(axis=1), np.argmax(met, axis=1), GRID - 1)
    rows = np.arange(len(t))
    before = np.maximum(places - 1, 0)
    here, there = off[rows, before], off[rows, places]
    falls = here > there
    share = np.where(falls, np.clip(here / np.where(falls, here - there, 1.0), 0.0, 1.0), 1.0)
    found = x[before] + share * (x[places] - x[before])
    reached = met.any(axis=1)
    found = np.where(reached, found, limits[1])
    spread = found[1:]
    low, high = np.quantile(spread, [TAIL, 1.0 - TAIL])
    return Crossing(
        float(found[0]), float(low), float(high), float(spread.std()), float((~reached[1:]).mean())
    )


def summary(curve: Curve, x: float, measure: Measure) -> tuple[float, float, float, float]:
    """Return the mean measure at x with its standard error, and what nine of ten studies have."""
    t = curve.at(np.array([x]))[:, 0]
    means = from_t(t[:, None] + curve.scatter * NODES, measure) @ (WEIGHTS / WEIGHTS.sum())
    ends = from_t(t[0] + curve.scatter * ndtri(np.array([TAIL, 1.0 - TAIL])), measure)
    low, high = sorted(ends.tolist())
    return float(means[0]), float(means[1:].std()), low, high
