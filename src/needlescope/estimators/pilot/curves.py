"""Learning curves with their uncertainty: straight lines in t, with a slight bend.

With t = Φ⁻¹(r/2), where r is an error relative to that of the constant answer, and n₀ bags of the
pilot,

    t(n) = a + b u + c u²,     u = log n − log n₀.

Errors with a covariance, and priors of the coefficients, leave a normal posterior. Learning curves
fall: draws with b ≥ 0 are left out, and a curve stays where it is lowest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...planning.studies.curve import from_t, to_t
from ...planning.studies.measures import Measure

DRAWS = 2000
LEVEL_SD, SLOPE, SLOPE_SD, BEND_SD = 2.0, -0.3, 0.35, 0.1  # of the priors
FIRST_LEVEL = -0.5
LEAST_KEPT = 50  # draws that fall
TAIL = 0.05  # on each side of an interval
GRID = 241
FARTHEST = 64.0  # times the pilot's bags: beyond, a target counts as out of reach
NEAREST = 0.125  # times the pilot's bags, the fewest that are told


class Range(NamedTuple):
    """The median of draws, and the ends of nine of ten."""

    value: float
    low: float
    high: float


class Curves(NamedTuple):
    """Draws of learning curves: (a, b, c) in the rows."""

    n0: float
    draws: FloatArray

    def t(self, n: FloatArray) -> FloatArray:
        """Return t of each draw at n, draws × places."""
        u = np.log(np.asarray(n, float) / self.n0)
        a, b, c = (row[:, None] for row in self.draws.T)
        turn = np.where(c > 0.0, -b / (2.0 * np.maximum(c, 1e-12)), np.inf)
        least = np.where(c < 0.0, -b / (2.0 * np.minimum(c, -1e-12)), -np.inf)
        u = np.clip(u, least, turn)
        return np.asarray(a + b * u + c * u * u)

    def error(self, n: float, measure: Measure) -> Range:
        """Return the error at n.

        >>> from ...planning.studies.measures import get_measure
        >>> curves = Curves(100.0, np.array([[-1.0, -0.2, 0.0]]))
        >>> round(curves.error(200.0, get_measure("error", 0.5)).value, 3)
        0.127
        """
        return _range(from_t(self.t(np.array([n]))[:, 0], measure))

    def bags(self, error: float, measure: Measure) -> Range:
        """Return the number of bags for an error; infinite where it is out of reach.

        >>> from ...planning.studies.measures import get_measure
        >>> curves = Curves(100.0, np.array([[-1.0, -0.2, 0.0]]))
        >>> round(curves.bags(0.127, get_measure("error", 0.5)).value / 200.0, 1)
        1.0
        """
        n = np.geomspace(NEAREST * self.n0, FARTHEST * self.n0, GRID)
        above = self.t(n) - float(to_t(np.array(error), measure))
        met = above <= 0.0
        first = np.argmax(met, axis=1)
        rows, before = np.arange(len(met)), np.maximum(first - 1, 0)
        drop = above[rows, before] - above[rows, first]
        share = np.where(drop > 0.0, above[rows, before] / np.where(drop > 0.0, drop, 1.0), 0.0)
        found = np.log(n)[before] + share * (np.log(n)[first] - np.log(n)[before])
        return _range(np.where(met.any(axis=1), np.exp(found), np.inf))

    def moved(self, by: float) -> Curves:
        """Return the curves with t larger by a constant."""
        return Curves(self.n0, self.draws + np.array([by, 0.0, 0.0]))


def _range(values: FloatArray) -> Range:
    low, value, high = np.quantile(values, [TAIL, 0.5, 1.0 - TAIL], method="inverted_cdf")
    return Range(float(value), float(low), float(high))


def posterior(
    design: FloatArray,
    t: FloatArray,
    covariance: FloatArray,
    mean: FloatArray,
    sd: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Return draws of the coefficients of a design, whose second is a slope below zero.

    ``covariance`` is that of t, ``mean`` and ``sd`` are of the independent normal priors.

    Examples
    --------
    >>> u = np.linspace(-1.0, 1.0, 20)
    >>> design = np.stack([np.ones(20), u, u**2], axis=1)
    >>> draws = posterior(design, -1.0 - 0.3 * u, 1e-4 * np.eye(20), *PRIORS,
    ...                   np.random.default_rng(0))
    >>> draws.mean(axis=0).round(1) + 0.0
    array([-1. , -0.3,  0. ])
    """
    weight = np.linalg.inv(covariance)
    inverse = np.linalg.inv(design.T @ weight @ design + np.diag(sd**-2.0))
    centre = inverse @ (design.T @ weight @ t + mean / sd**2)
    root = np.linalg.cholesky(inverse)
    draws = np.empty((0, len(centre)))
    for _ in range(100):
        new = centre + rng.standard_normal((DRAWS, len(centre))) @ root.T
        draws = np.vstack([draws, new[new[:, 1] < 0.0]])
        if len(draws) >= DRAWS:
            return draws[:DRAWS]
    if len(draws) < LEAST_KEPT:  # errors that grow: as flat as a curve can be
        new[:, 1] = -1e-3 * np.abs(rng.standard_normal(DRAWS))
        return new
    return draws


PRIORS = (
    np.array([FIRST_LEVEL, SLOPE, 0.0]),
    np.array([LEVEL_SD, SLOPE_SD, BEND_SD]),
)
"""Mean and deviation of a, b and c."""
