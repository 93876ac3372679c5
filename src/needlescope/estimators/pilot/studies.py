"""Studies in worlds that a pilot may come from, and the learning curve through them.

A study has a number of bags n, a strength and a place moved by v and w (`worlds`), and an error
with

    t = a + b u + c u² + e v + f w + s ε,     u = log n − log n₀.

What is known of a, …, f after the studies, and of v and w from the pilot, makes the uncertainty of
the curve: a draw has a strength and a place of its own. An error is Φ(t)-like, and its mean over ε
has t/√(1 + s²).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri

from ...planning.studies.curve import to_t
from ...planning.studies.measures import Measure
from .curves import PRIORS, Curves, posterior

STRENGTH, STRENGTH_SD, PLACE_SD = -1.2, 0.7, 0.2  # of t in v and in w
SCATTER, SCATTER_WEIGHT = 0.15, 2.0  # the prior of s, and how many studies it counts as
LEAST_ERROR = 5e-4  # that studies tell from none
MOST_TIMES = 4.0  # the pilot's bags, in a study
HERE = 3  # of the first studies, at the size of the largest part


class Asked(NamedTuple):
    """The number of bags of a study, and how far strength and place are moved."""

    n: int
    v: float
    w: float


Studies: TypeAlias = Callable[[list[Asked]], list[float]]
"""Make studies: errors, NaN where the classifier failed."""


def curve_of_studies(
    studies: Studies,
    target: tuple[float | None, float | None],
    sizes: tuple[int, int],
    se: tuple[float, float],
    measure: Measure,
    count: int,
    rng: np.random.Generator,
    room: int | None = None,
) -> Curves:
    """Make studies, the second half of them where they decide, and fit a learning curve.

    Parameters
    ----------
    studies
        What makes them.
    target
        The number of bags asked about, or the error.
    sizes
        Bags of the largest part of the pilot, and of all of it.
    se
        Of log θ, and of the place.
    measure, count, rng
        Of the error; how many studies; for the posterior.
    room
        The most bags that a study has room for, if that may be fewer than `MOST_TIMES` the pilot's.

    Examples
    --------
    >>> from ...planning.studies.measures import get_measure
    >>> from scipy.special import ndtr
    >>> def studies(asked):  # t = −1 − 0.2 log(n/100) − v
    ...     return [float(ndtr(-1.0 - 0.2 * np.log(n / 100) - v)) for n, v, w in asked]
    >>> rng, measure = np.random.default_rng(0), get_measure("error", 0.5)
    >>> curves = curve_of_studies(studies, (200, None), (85, 100), (0.1, 0.0), measure, 12, rng)
    >>> curves.error(200, measure).value.__round__(2)
    0.13
    """
    here, bags = sizes
    v, w = (rng.permutation(ndtri((np.arange(count) + 0.5) / count)) * float(size) for size in se)
    n, error = target
    most = round(MOST_TIMES * bags)
    most = most if room is None else max(min(most, room), here)
    elsewhere = int(np.clip(n, min(here, 20), most)) if n is not None else min(2 * bags, most)
    first = [here] * HERE + [elsewhere] * (count // 2 - HERE)
    asked = [Asked(*row) for row in zip(first, v, w, strict=False)]
    errors = studies(asked)
    if n is None:
        assert error is not None
        curves = _fit(asked, errors, bags, se, measure, rng)
        found = curves.bags(error, measure).value
        elsewhere = int(np.clip(found, max(here // 2, 8), most))
    more = [Asked(elsewhere, *row) for row in zip(v[len(first) :], w[len(first) :], strict=True)]
    errors += studies(more)
    return _fit(asked + more, errors, bags, se, measure, rng)


def _fit(
    asked: list[Asked],
    errors: list[float],
    bags: int,
    se: tuple[float, float],
    measure: Measure,
    rng: np.random.Generator,
) -> Curves:
    rows = np.array(asked, float)
    known = np.isfinite(errors)
    if not known.any():
        return Curves(float(bags), np.empty((0, 3)))
    rows, values = rows[known], np.asarray(errors)[known]
    t = to_t(np.clip(values, LEAST_ERROR, abs(measure.worst) * 1.3), measure)
    u = np.log(rows[:, 0] / bags)
    design = np.stack([np.ones_like(u), u, u**2, rows[:, 1], rows[:, 2]], axis=1)
    mean = np.append(PRIORS[0], [STRENGTH, 0.0])
    sd = np.append(PRIORS[1], [STRENGTH_SD, PLACE_SD])
    scatter = SCATTER
    for _ in range(20):  # s and the coefficients, in turn
        precision = design.T @ design / scatter**2 + np.diag(sd**-2.0)
        best = np.linalg.solve(precision, design.T @ t / scatter**2 + mean / sd**2)
        used = float(np.trace(np.linalg.solve(precision, design.T @ design))) / scatter**2
        left = float(((t - design @ best) ** 2).sum())
        weight = max(len(t) - used, 0.0) + SCATTER_WEIGHT
        scatter = float(np.sqrt((left + SCATTER_WEIGHT * SCATTER**2) / weight))
    draws = posterior(design, t, scatter**2 * np.eye(len(t)), mean, sd, rng)
    moved = draws[:, 3] * rng.standard_normal(len(draws)) * se[0]
    moved += draws[:, 4] * rng.standard_normal(len(draws)) * se[1]
    curve = draws[:, :3] + np.stack([moved, 0.0 * moved, 0.0 * moved], axis=1)
    return Curves(float(bags), curve / np.sqrt(1.0 + scatter**2))
