"""The task of the theory that fits the projections along one kind of direction.

A `mixture` gives R, and the shift t = θ s; the theory predicts s for a task and a number of bags,
and θ solves θ s(θ) = t. Noise that is not normal is transformed to a normal scale, and L is the
effective number of instances where these are correlated within bags.
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


class DirectionFit(NamedTuple):
    """Projections along one kind of direction, of negative and positive bags, and their mixture."""

    projections: signal.Projections
    shape: dict[str, float]
    noise: FloatArray
    positives: FloatArray
    mixture: Mixture


def fit_direction(bags: Bags, y: FloatArray, projections: signal.Projections) -> DirectionFit:
    """Fit a mixture to projections, on a scale on which the noise is normal."""
    positive, along = np.repeat(y > 0.0, bags.lengths), projections.along
    shape = signal.shape(bags, y, along)
    if not_normal(shape, int((~positive).sum()), DEPARTING_ERRORS):
        along = np.stack([to_normal(item[~positive], item) for item in along])
    noise, positives = along[:, ~positive], along[:, positive]
    mixture = _mixture(noise, positives, _least(bags.lengths.mean()))
    return DirectionFit(projections, shape, noise, positives, mixture)


def _least(size: float) -> float:
    """Return the smallest share of instances that may carry a signal: half of one in a bag."""
    return 0.5 / float(size)


def _mixture(noise: FloatArray, positives: FloatArray, least: float) -> Mixture:
    """Fit a mixture to all repeats; their scatter adds to its standard errors."""
    result = fit_mixture(noise.ravel(), positives.ravel(), least, None, len(noise))
    if len(noise) == 1:
        return result
    each = [fit_mixture(*item, least) for item in zip(noise, positives, strict=True)]
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
    """How directions were trained, and the tolerance of θ."""

    size: float
    pi: float
    alpha0: float
    dimension: float
    tol: float


def protocol(bags: Bags, y: FloatArray, dimension: float, tol: float) -> Protocol:
    """Directions are trained on the bags of all folds but one."""
    alpha0 = len(bags) * (1.0 - 1.0 / signal.fold_count(y)) / dimension
    return Protocol(float(bags.lengths.mean()), float((y > 0.0).mean()), alpha0, dimension, tol)


def task_of(fit: DirectionFit, by: Protocol, R: int | None = None) -> tuple[Task, Mixture]:
    """Return the task whose θ s(θ) is the fitted shift, and the mixture of that R.

    R is by default the whole number nearest to the fitted share.
    """
    noise, positives, size = fit.noise, fit.positives, by.size
    if R is None:
        R = int(np.clip(round(fit.mixture.share * size), 1, max(round(size), 1)))
    share = min(R / size, 1.0)
    result = fit_mixture(noise.ravel(), positives.ravel(), _least(size), share, len(noise))
    L = max(round(size / _inflation(fit.shape, size)), 1)
    task = Task(L=L, R=int(np.clip(round(R * L / size), 1, L)), theta=1.0, pi=by.pi)
    theta = strength(task, result.shift, by.alpha0, fit.projections.direction, by.tol)
    return task.replace(theta=theta), result


def theta_error(fit: DirectionFit, by: Protocol, task: Task, result: Mixture) -> float:
    """Return the standard error of θ by the model.

    It is infinite if the shift, or θ, is at the upper end of the search.
    """
    shift, direction = result.shift, fit.projections.direction
    if shift >= LARGEST_SHIFT or task.theta >= STRONGEST:
        return np.inf
    varies = shift * cosine_deviation(task, by.alpha0, direction, by.dimension)
    # The zero and the unit of projections are a mean and a deviation of this many negatives.
    count = fit.noise.shape[1] / _inflation(fit.shape, by.size)
    wide = float(np.sqrt(fit.mixture.shift_se**2 + varies**2 + (1.0 + 0.5 * shift**2) / count))
    low, high = (
        strength(task, max(t, 0.1 * shift), by.alpha0, direction, by.tol)
        for t in (shift - wide, shift + wide)
    )
    return float(np.hypot(0.5 * (high - low), _theta_error_of_R(fit, by, task.theta, result)))


def _theta_error_of_R(fit: DirectionFit, by: Protocol, theta: float, result: Mixture) -> float:
    """Return the standard error of θ from R, which may be one more or less.

    The neighbouring R are weighed by their likelihood.
    """
    R, total, square = round(result.share * by.size), 1.0, 0.0
    for other in (R - 1, R + 1):
        if not 1 <= other <= round(by.size):
            continue
        task, fitted = task_of(fit, by, other)
        weight = float(np.exp(min(fitted.gain - result.gain, 0.0)))
        total, square = total + weight, square + weight * (task.theta - theta) ** 2
    return float(np.sqrt(square / total))
