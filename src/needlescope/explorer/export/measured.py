"""How far the interpolated lines are from the theory, at random points between the nodes.

The points are drawn evenly on the scales of `axes`, over all that the controls reach. What the
theory says there is stored beside the grids, computed to half their tolerance.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...task import Task
from ...theory.alignment import align
from ...training import Training
from .axes import ENDS, LEAST_SHARE, LENGTHS, LINES, MOST_SHARE, MOST_SHARE_OF_TOKENS, scaled
from .grids import FILE, grids
from .values import TOL, error

POINTS, SEED = 400, 20
ALL_TOKENS = 0.2  # of the points have the signal in all tokens


class Point(NamedTuple):
    """Values of the controls."""

    L: int
    R: int
    theta: float
    pi: float
    alpha: float
    share: float  # of the data, for the readout
    kappa: float

    def at(self, line: str) -> dict[str, float]:
        """Return the coordinates of a line; the query is the one of two steps."""
        known = {
            **{"theta": self.theta, "pi": self.pi, "alpha": self.alpha, "kappa": self.kappa},
            **{"s": self.R * self.theta / self.L**0.5, "alpha1": self.share * self.alpha},
        }
        if line == "attention":
            task = Task(L=self.L, R=self.R, theta=self.theta, pi=self.pi)
            training = Training(alpha0=(1.0 - self.share) * self.alpha, alpha1=1.0)
            known["c"] = float(np.asarray(align(task, training).cosine_q))
        return {name: known[name] for name in LINES[line] if name != "R"}


class Interpolation(NamedTuple):
    """How large the absolute errors of an interpolated line are at most: half, 68 and 99 %."""

    median: float
    typical: float
    most: float
    points: int


def points(count: int = POINTS, seed: int = SEED) -> list[Point]:
    """Draw points between the nodes.

    >>> {point.R <= point.L / 2 or point.R in (1, point.L) for point in points(30)}
    {True}
    """
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        L = round(np.exp(rng.uniform(np.log(min(LENGTHS)), np.log(max(LENGTHS)))))
        most = max(L * MOST_SHARE_OF_TOKENS, 1.0)
        R = L if rng.random() < ALL_TOKENS else int(np.exp(rng.uniform(0.0, np.log(most + 0.5))))
        theta, pi, alpha, kappa = (
            _drawn(rng, name) for name in ("theta", "pi", "alpha", "kappa")
        )  # fmt: skip
        share = float(rng.uniform(LEAST_SHARE, MOST_SHARE))
        made.append(Point(L, R, theta, pi, alpha, share, kappa))
    return made


def _drawn(rng: np.random.Generator, name: str) -> float:
    even = rng.uniform(*(scaled(name, end) for end in ENDS[name]))
    return float(1.0 / (1.0 + np.exp(-even)) if name == "pi" else np.exp(even))


def truth(line: str, point: Point) -> float:
    """Return the theory's test error at a point.

    >>> round(truth("pooled", Point(10, 1, 4.0, 0.5, 4.0, 0.5, 1.5)), 2)
    0.32
    """
    return float(error(line, point.L, point.R, point.at(line), TOL / 2.0))


def interpolated(line: str, point: Point) -> float:
    """Return the interpolated test error at a point.

    >>> round(interpolated("pooled", Point(10, 1, 4.0, 0.5, 4.0, 0.5, 1.5)), 2)
    0.32
    """
    return grids()[line].error(point.L, point.R, point.at(line))


@cache
def differences(line: str) -> FloatArray:
    """Return interpolated minus true error at the stored points."""
    with np.load(FILE) as file:
        true = file[f"{line}_truth"]
    found = [interpolated(line, point) for point in points(len(true))]
    return np.asarray(np.array(found) - true)


def interpolation(line: str) -> Interpolation:
    """Return how far a line is from the theory.

    >>> interpolation("pooled").median < 1e-3
    True
    """
    size = np.abs(differences(line))
    size = size[~np.isnan(size)]
    median, typical, most = np.quantile(size, (0.5, 0.68, 0.99)).tolist()
    return Interpolation(median, typical, most, len(size))
