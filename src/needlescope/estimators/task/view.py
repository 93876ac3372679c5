"""What one kind of direction shows of a signal, and the task of the theory that it fits.

A `mixture` gives R, and the shift t = θ s; the theory knows s for a task and a number of bags, and
θ solves θ s(θ) = t. Noise that is not normal is put on the scale on which it is, and L counts
instances that are correlated within bags as fewer that are not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...task import Task
from ..bags.bags import Bags
from . import signal
from .mixture import LARGEST_SHIFT, Mixture, fit_mixture, not_normal, to_normal
from .strength import STRONGEST, cosine_deviation, strength

DEPARTING_ERRORS = 3.0  # standard errors from which noise is not normal, or is correlated


class View(NamedTuple):
    """What is seen along one kind of direction: noise, what positive bags show, and their fit."""

    seen: signal.Seen
    shape: dict[str, float]
    noise: FloatArray
    shown: FloatArray
    mixture: Mixture


def view_of(bags: Bags, y: FloatArray, seen: signal.Seen) -> View:
    """Fit a mixture to what is seen, on a scale on which the noise is normal."""
    positive, along = np.repeat(y > 0.0, bags.lengths), seen.along
    shape = signal.shape(bags, y, along)
    if not_normal(shape, int((~positive).sum()), DEPARTING_ERRORS):
        along = np.stack([to_normal(item[~positive], item) for item in along])
    noise, shown = along[:, ~positive], along[:, positive]
    return View(seen, shape, noise, shown, _mixture(noise, shown, _least(bags.lengths.mean())))


def _least(size: float) -> float:
    """Return the smallest share of instances that may carry a signal: half of one in a bag."""
    return 0.5 / float(size)


def _mixture(noise: FloatArray, shown: FloatArray, least: float) -> Mixture:
    """Fit a mixture to all repeats; where they differ, by chance of the folds, it is less sure."""
    result = fit_mixture(noise.ravel(), shown.ravel(), least, None, len(noise))
    if len(noise) == 1:
        return result
    each = [fit_mixture(*item, least) for item in zip(noise, shown, strict=True)]
    return result._replace(
        share_se=float(np.hypot(result.share_se, np.std([item.share for item in each], ddof=1))),
        shift_se=float(np.hypot(result.shift_se, np.std([item.shift for item in each], ddof=1))),
    )


def _inflation(shape: dict[str, float], size: float) -> float:
    """Return how many correlated instances of a bag count as one."""
    rho = shape["correlation"]
    rho = rho if rho > DEPARTING_ERRORS * shape["correlation_se"] else 0.0
    return 1.0 + (size - 1.0) * min(rho, 1.0)


class Protocol(NamedTuple):
    """How directions were trained, and how accurately θ is wanted."""

    size: float
    pi: float
    alpha0: float
    dimension: float
    tol: float


def protocol(bags: Bags, y: FloatArray, dimension: float, tol: float) -> Protocol:
    """Directions are trained on the bags of all folds but one."""
    alpha0 = len(bags) * (1.0 - 1.0 / signal.fold_count(y)) / dimension
    return Protocol(float(bags.lengths.mean()), float((y > 0.0).mean()), alpha0, dimension, tol)


def task_of(view: View, by: Protocol, R: int | None = None) -> tuple[Task, Mixture]:
    """Return the task whose θ s(θ) is the shift that is seen, and the mixture of that many R.

    R is by default the whole number next to the share that was found.
    """
    noise, shown, size = view.noise, view.shown, by.size
    if R is None:
        R = int(np.clip(round(view.mixture.share * size), 1, max(round(size), 1)))
    share = min(R / size, 1.0)
    result = fit_mixture(noise.ravel(), shown.ravel(), _least(size), share, len(noise))
    L = max(round(size / _inflation(view.shape, size)), 1)
    task = Task(L=L, R=int(np.clip(round(R * L / size), 1, L)), theta=1.0, pi=by.pi)
    theta = strength(task, result.shift, by.alpha0, view.seen.direction, by.tol)
    return task.replace(theta=theta), result


def doubt(view: View, by: Protocol, task: Task, result: Mixture) -> float:
    """Return the standard error of θ, as the model has it.

    It is infinite if the shift, or θ, is the largest that is looked for: it is that much, or more.
    """
    shift, direction = result.shift, view.seen.direction
    if shift >= LARGEST_SHIFT or task.theta >= STRONGEST:
        return np.inf
    varies = shift * cosine_deviation(task, by.alpha0, direction, by.dimension)
    # The zero and the unit of projections are a mean and a deviation of so many negatives.
    count = view.noise.shape[1] / _inflation(view.shape, by.size)
    wide = float(np.sqrt(view.mixture.shift_se**2 + varies**2 + (1.0 + 0.5 * shift**2) / count))
    low, high = (
        strength(task, max(t, 0.1 * shift), by.alpha0, direction, by.tol)
        for t in (shift - wide, shift + wide)
    )
    return float(np.hypot(0.5 * (high - low), _doubt_of_count(view, by, task.theta, result)))


def _doubt_of_count(view: View, by: Protocol, theta: float, result: Mixture) -> float:
    """Return by how much θ would be another with one instance more or less, if likely as well.

    A share between two whole numbers goes with either; they are weighed by their likelihood.
    """
    R, total, square = round(result.share * by.size), 1.0, 0.0
    for other in (R - 1, R + 1):
        if not 1 <= other <= round(by.size):
            continue
        task, fitted = task_of(view, by, other)
        weight = float(np.exp(min(fitted.gain - result.gain, 0.0)))
        total, square = total + weight, square + weight * (task.theta - theta) ** 2
    return float(np.sqrt(square / total))
