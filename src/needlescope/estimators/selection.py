"""Choice of a setting by held-out bags, and the scores they get: what calibration is fitted to.

The bags are cut into folds; each is scored by what was trained on the others, in every setting.
The setting with the least logarithmic loss is taken, and two numbers put its scores, each from a
classifier that has not seen the bag, on the scale of probabilities (Platt). Scores beyond the
middle 90 % of both classes are moved to its ends first: a few bags with features out of all
proportion would else decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from ..arrays import FloatArray, IndexArray
from .settings import Setting

MANY = 5000  # bags from which one part held out says enough
OUTSIDE = 0.05  # of the scores of a class, at either end
FLAT = 1e-3  # the least slope of a calibration: scores never change their order
PRIOR = 1e-4  # a ridge on both numbers, for scores that separate the classes


class Platt(NamedTuple):
    """A calibration: log odds = slope · score + intercept, for scores that bags held out had.

    Beyond ``low`` and ``high``, where nothing was seen, log odds grow like a logarithm only.
    """

    slope: float
    intercept: float
    low: float
    high: float

    def log_odds(self, scores: FloatArray) -> FloatArray:
        """Return calibrated scores, in the same order."""
        inside = np.clip(scores, self.low, self.high)
        beyond = self.slope * (scores - inside)
        beyond = np.sign(beyond) * np.log1p(np.abs(beyond))
        return np.asarray(self.slope * inside + self.intercept + beyond)


class Choice(NamedTuple):
    """The setting taken, the held-out losses of all, and the calibration."""

    setting: Setting
    losses: dict[Setting, float]
    calibration: Platt


AS_IS = Platt(1.0, 0.0, -np.inf, np.inf)


Train = Callable[[IndexArray, IndexArray], Iterator[tuple[Setting, FloatArray]]]
"""From bags to train on and bags held out: the scores of those held out, for each setting."""


def choose(
    train: Train,
    settings: list[Setting],
    y: FloatArray,
    weight: FloatArray,
    folds: int,
    random: np.random.RandomState,
) -> Choice:
    """Score held-out bags in every setting; return the best one and its calibration."""
    places = _folds(y, folds, random)
    if not places:  # too few bags of a class to hold one out: the first is the most cautious
        return Choice(settings[0], {}, AS_IS)
    held = np.concatenate([test for _, test in places])
    scores = {setting: np.empty(len(y)) for setting in settings}
    for known, test in places:
        for setting, found in train(known, test):
            scores[setting][test] = found
    share = weight[held] / weight[held].sum()
    losses = {}
    for setting, found in scores.items():
        middle = np.clip(found[held], *_ends(found[held], y[held]))
        losses[setting] = float(share @ np.logaddexp(0.0, -y[held] * middle))
    best = min(losses, key=lambda setting: losses[setting])
    alike = _one_scale(scores[best], [test for _, test in places])
    return Choice(best, losses, platt(alike[held], y[held], share))


def _one_scale(scores: FloatArray, parts: list[IndexArray]) -> FloatArray:
    """Return the scores of all parts on the scale of the middle one.

    Without an effective ridge, classifiers of bags that can be separated differ in nothing but
    their scale, by powers of ten; those of the largest would be all that a calibration sees.
    """
    sizes = [float(np.median(np.abs(scores[part]))) for part in parts]
    found, middle = scores.copy(), float(np.median(sizes))
    for part, size in zip(parts, sizes, strict=True):
        if size > 0.0:
            found[part] *= middle / size
    return found


def platt(scores: FloatArray, y: FloatArray, weight: FloatArray) -> Platt:
    """Fit two numbers that make probabilities of scores; the slope is positive.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.where(rng.random(4000) < 0.5, 1.0, -1.0)
    >>> found = platt(10.0 * (y + rng.standard_normal(4000)), y, np.full(4000, 1 / 4000))
    >>> bool(abs(found.slope - 0.2) < 0.02), bool(abs(found.intercept) < 0.1)
    (True, True)
    """
    low, high = _ends(scores, y)
    middle, size = float(np.median(scores)), max(high - low, 1e-300)
    x = (np.clip(scores, low, high) - middle) / size
    A = np.stack([x, np.ones(len(x))], axis=1)
    at = np.zeros(2)
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(y * (A @ at)))  # of the wrong label
        slope = A.T @ (-weight * y * p) + PRIOR * at
        curve = (A * (weight * p * (1.0 - p))[:, None]).T @ A + PRIOR * np.eye(2)
        step = np.linalg.solve(curve, slope)
        at = at - step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < 1e-8:
            break
    at[0] = max(at[0], FLAT)
    return Platt(float(at[0] / size), float(at[1] - at[0] * middle / size), low, high)


def _ends(scores: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Return the least and the largest score that the middle of either class has."""
    low, high = np.inf, -np.inf
    for part in (np.sort(scores[y < 0.0]), np.sort(scores[y > 0.0])):
        outside = int(OUTSIDE * (len(part) - 1))
        low, high = min(low, part[outside]), max(high, part[-1 - outside])
    return float(low), float(high)


def _folds(
    y: FloatArray, folds: int, random: np.random.RandomState
) -> list[tuple[IndexArray, IndexArray]]:
    fewest = int(min((y > 0.0).sum(), (y < 0.0).sum()))
    if fewest < 2 or folds < 2:
        return []
    splitter: Any = StratifiedKFold(min(folds, fewest), shuffle=True, random_state=random)
    if len(y) >= MANY:
        splitter = StratifiedShuffleSplit(1, test_size=0.2, random_state=random)
    return [(np.sort(known), np.sort(test)) for known, test in splitter.split(y, y)]
