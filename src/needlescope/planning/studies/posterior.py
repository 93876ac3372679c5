"""The posterior of a learning curve and of the scatter around it, on a grid.

Studies have t = a + b u + c u² + s(u) ε with s² = σ² + ν² and log σ = l + γ u (`curve`). At each
(l, γ) the posterior of (a, b, c) is normal, and the evidence known in closed form. A study counts
as `HEAVY` normal ones in the posterior of l and γ, since ε has heavy tails.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray

# Priors: standard deviations of a, b and c, mean and deviation of l = log σ and of γ. Chosen, as
# HEAVY and TAIL, on searches resampled from recorded studies of 15 tasks.
PRIOR_SDS = np.array([3.0, 0.25, 0.2])
SCATTER, SCATTER_SD = float(np.log(0.12)), 0.6
TREND, TREND_SD = -0.8, 0.5
SCATTERS = (0.003, 1.0)  # σ is between
LEVELS = np.linspace(np.log(SCATTERS[0]), np.log(SCATTERS[1]), 40)  # a grid of l and γ
TRENDS = np.linspace(-2.8, 1.4, 29)
SIDE = 17  # points of the finer grid, in l and in γ
HEAVY = 0.5  # how many normal studies one counts as, in the posterior of l and γ


class Grid(NamedTuple):
    """The posterior on a grid of l and γ."""

    at: FloatArray  # l and γ of each point, two rows
    steps: FloatArray  # between points
    chance: FloatArray
    mean: FloatArray  # of (a, b, c) at each point
    precision: FloatArray

    def moments(self, k: int) -> tuple[float, float]:
        """Return the mean of l or γ and a deviation that is no less than half a step."""
        mean = float(self.chance @ self.at[k])
        deviation = float(np.sqrt(self.chance @ (self.at[k] - mean) ** 2))
        return mean, max(deviation, 0.5 * float(self.steps[k]))


def design_of(u: FloatArray) -> FloatArray:
    """Return (1, u, u²), places × 3."""
    return np.array([np.ones_like(u), u, u**2]).T


def posterior(design: FloatArray, t: FloatArray, prior: FloatArray, nu: float) -> Grid:
    """Return the posterior on a grid around its mean, which a wider grid finds.

    ``prior`` is the mean of (a, b, c), and ``nu`` is ν.

    Examples
    --------
    >>> u = np.linspace(-1.0, 1.0, 200)
    >>> t = 0.1 * np.exp(-0.9 * u) * np.random.default_rng(0).standard_normal(200)
    >>> grid = posterior(design_of(u), t, np.array([0.0, -0.35, 0.0]), 0.0)
    >>> [round(grid.moments(k)[0], 1) for k in (0, 1)]  # log 0.1 and −0.9
    [-2.3, -0.9]
    """
    rough = _on_grid(design, t, prior, nu, LEVELS, TRENDS)
    finer = (_around(*rough.moments(k), SIDE) for k in (0, 1))
    return _on_grid(design, t, prior, nu, *finer)


def _around(mean: float, deviation: float, count: int) -> FloatArray:
    return np.linspace(mean - 4.0 * deviation, mean + 4.0 * deviation, count)


def _on_grid(
    design: FloatArray,
    t: FloatArray,
    prior: FloatArray,
    nu: float,
    levels: FloatArray,
    trends: FloatArray,
) -> Grid:
    """Return the posterior of l, γ and, at each of these, of (a, b, c)."""
    inverse = np.diag(PRIOR_SDS**-2.0)
    level, trend = (each.ravel() for each in np.meshgrid(levels, trends))
    log_scatter = np.clip(level[:, None] + trend[:, None] * design[:, 1], *np.log(SCATTERS))
    weight = 1.0 / (np.exp(2.0 * log_scatter) + nu**2)  # of each study, at each point of the grid
    precision = np.einsum("gi,ij,ik->gjk", weight, design, design, optimize=True) + inverse
    pull = (weight * t) @ design + inverse @ prior
    mean = np.linalg.solve(precision, pull[..., None])[..., 0]
    evidence = (
        np.log(weight).sum(axis=1) - (weight * t**2).sum(axis=1) + (pull * mean).sum(axis=1)
        - np.linalg.slogdet(precision)[1]
    )  # fmt: skip
    from_priors = ((level - SCATTER) / SCATTER_SD) ** 2 + ((trend - TREND) / TREND_SD) ** 2
    log_chance = 0.5 * (HEAVY * evidence - from_priors)
    chance = np.exp(log_chance - log_chance.max())
    steps = np.array([levels[1] - levels[0], trends[1] - trends[0]])
    return Grid(np.array([level, trend]), steps, chance / chance.sum(), mean, precision)
