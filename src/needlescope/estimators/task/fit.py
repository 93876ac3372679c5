"""The task of the theory that fits labelled bags best: R, θ, π, and how many instances count.

1. Instances are centred, and scaled as those of negative bags, which are noise; their dimension
   is the participation ratio of that noise.
2. Directions trained without a bag show its signal (`signal`) as a `mixture`: R, and t = θ s.
3. The theory knows s for a task and a number of bags: θ solves θ s(θ) = t.

Noise that is not normal is put on the scale on which it is, and L counts instances that are
correlated within bags as fewer that are not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...planning.protocol import alignment
from ...task import Task
from ..bags.bags import Bags
from ..bags.scaling import Scaling, fit_scaling
from . import signal
from .mixture import LARGEST_SHIFT, Mixture, fit_mixture, not_normal, spread, to_normal
from .strength import cosine_deviation, strength

FOUND = 4.0  # standard errors from which a signal is taken to be one
MOST_SCALED_UP = 2.0  # by how much a feature is scaled up as noise, relative to all instances
SAME = 0.4  # of the predicted alignment, without which there is no direction of a signal
DEPARTING_ERRORS = 3.0  # standard errors from which noise is not normal, or is correlated


class Fitted(NamedTuple):
    """A task, how sure it is, and what it was told by; θ = 0 where there is no signal."""

    task: Task
    dimension: float
    noise: dict[str, float]
    alignment: dict[str, float]
    surprise: float = 0.0
    R: float = 0.0
    R_se: float = 0.0
    theta_se: float = 0.0
    spread: float = np.nan


class _View(NamedTuple):
    """What is seen along one kind of direction: noise, what positive bags show, and their fit."""

    seen: signal.Seen
    shape: dict[str, float]
    noise: FloatArray
    shown: FloatArray
    mixture: Mixture


def fit_task(
    bags: Bags, y: FloatArray, random: Any, folds: int, done: Callable[[], None]
) -> Fitted:
    """Estimate the task that bags with labels −1 and +1 are like.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((200, 8, 20)), np.where(np.arange(200) % 2, 1.0, -1.0)
    >>> X[y > 0.0, 0, 0] += 4.0
    >>> bags, random = Bags.from_array(X), np.random.RandomState(0)
    >>> found = fit_task(bags, y, random, 5, lambda: None)
    >>> found.task.R, bool(abs(found.task.theta - 4.0) < 3.0 * found.theta_se)
    (1, True)
    """
    n, size = len(bags), float(bags.lengths.mean())
    scaling = scaled_as_noise(bags, y)
    dimension = signal.dimension(bags, scaling, y, random)
    looked = signal.look(bags, scaling, y, random, done)
    pi = float((y > 0.0).mean())
    nothing = Task(L=max(round(size), 1), R=1, theta=0.0, pi=pi)
    if not looked:  # all instances are the same
        return Fitted(nothing, dimension, signal.NO_SHAPE, _cosines(np.nan, np.nan))
    surprise = signal.surprise(bags, y, looked)
    views = [_view(bags, y, seen) for seen in looked]
    view = max(views, key=lambda one: one.mixture.gain)
    measured = float(np.sqrt(max(view.seen.agreement, 0.0)))
    if surprise < FOUND:
        return Fitted(nothing, dimension, view.shape, _cosines(measured, np.nan), surprise)
    task, theta_se = _task(view, size, pi, n * (1.0 - 1.0 / folds) / dimension, dimension)
    expected = alignment(task, n / (2.0 * dimension), view.seen.direction)
    cosines = _cosines(measured, expected)
    if measured < SAME * expected:  # what differs is not along one direction
        return Fitted(nothing, dimension, view.shape, cosines, surprise)
    return Fitted(
        *(task, dimension, view.shape, cosines, surprise),
        R=view.mixture.share * size,
        R_se=view.mixture.share_se * size,
        theta_se=theta_se,
        spread=spread(view.shown.ravel(), view.noise.ravel(), view.mixture),
    )


def scaled_as_noise(bags: Bags, y: FloatArray) -> Scaling:
    """Centre all instances, and scale them as those of negative bags, which are noise."""
    n, negative = len(bags), np.flatnonzero(y < 0.0)
    noise_scale = fit_scaling(bags, negative, np.ones(len(negative)), 1.0).scale
    scaling = fit_scaling(bags, np.arange(n), np.ones(n), 1.0)
    # A feature that hardly changes in negatives would be all that is seen.
    return scaling._replace(scale=np.minimum(noise_scale, MOST_SCALED_UP * scaling.scale))


def _view(bags: Bags, y: FloatArray, seen: signal.Seen) -> _View:
    """Fit a mixture to what is seen, on a scale on which the noise is normal."""
    positive, along = np.repeat(y > 0.0, bags.lengths), seen.along
    shape = signal.shape(bags, y, along)
    if not_normal(shape, int((~positive).sum()), DEPARTING_ERRORS):
        along = np.stack([to_normal(one[~positive], one) for one in along])
    noise, shown = along[:, ~positive], along[:, positive]
    return _View(seen, shape, noise, shown, _mixture(noise, shown, _least(bags.lengths.mean())))


def _least(size: float) -> float:
    """Return the smallest share of instances that may carry a signal: half of one in a bag."""
    return 0.5 / float(size)


def _mixture(noise: FloatArray, shown: FloatArray, least: float) -> Mixture:
    """Fit a mixture to all repeats; where they differ, by chance of the folds, it is less sure."""
    found = fit_mixture(noise.ravel(), shown.ravel(), least, None, len(noise))
    each = [fit_mixture(*one, least) for one in zip(noise, shown, strict=True)]
    return found._replace(
        share_se=float(np.hypot(found.share_se, np.std([one.share for one in each], ddof=1))),
        shift_se=float(np.hypot(found.shift_se, np.std([one.shift for one in each], ddof=1))),
    )


def _task(
    view: _View, size: float, pi: float, alpha0: float, dimension: float
) -> tuple[Task, float]:
    """Return the task whose θ s(θ) is the shift that is seen, and the standard error of θ.

    It is infinite if the shift is the largest that is looked for: θ is that much, or more.
    """
    noise, shown, direction = view.noise, view.shown, view.seen.direction
    R = int(np.clip(round(view.mixture.share * size), 1, max(round(size), 1)))
    share = min(R / size, 1.0)
    shift = fit_mixture(noise.ravel(), shown.ravel(), _least(size), share, len(noise)).shift
    rho, rho_se = view.shape["correlation"], view.shape["correlation_se"]
    rho = rho if rho > DEPARTING_ERRORS * rho_se else 0.0
    L = max(round(size / (1.0 + (size - 1.0) * min(rho, 1.0))), 1)
    task = Task(L=L, R=int(np.clip(round(R * L / size), 1, L)), theta=1.0, pi=pi)
    task = task.replace(theta=strength(task, shift, alpha0, direction))
    if shift >= LARGEST_SHIFT:
        return task, np.inf
    varies = shift * cosine_deviation(task, alpha0, direction, dimension)
    # The zero and the unit of projections are a mean and a deviation of so many negatives.
    count = noise.shape[1] / (1.0 + (size - 1.0) * max(rho, 0.0))
    doubt = float(np.sqrt(view.mixture.shift_se**2 + varies**2 + (1.0 + 0.5 * shift**2) / count))
    low, high = (
        strength(task, max(t, 0.1 * shift), alpha0, direction)
        for t in (shift - doubt, shift + doubt)
    )
    return task, 0.5 * (high - low)


def _cosines(measured: float, predicted: float) -> dict[str, float]:
    return {"measured": measured, "predicted": predicted}
