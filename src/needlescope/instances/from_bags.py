"""From labelled bags, without labels of instances, to a task: its signal and one covariance.

Instances of negative bags are background: they give its mean and Σ₀. A positive bag has R signal
instances among its own; what it adds to the background's mean, divided by R, has the mean θξ:

    θξ = mean over positive bags of Σ_l (x_l − mean)/R

The covariance of signal instances is not estimated: they are taken to vary as the others do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..grid import whole
from ..noise import Noise
from ..task import Task
from .sets import LEAST, table
from .task import InstanceTask, check_varying, shrunk_covariance, strength


def task_from_bags(
    X: Sequence[Any], y: Any, *, R: int = 1, shrinkage: str | float = "ledoit_wolf"
) -> InstanceTask:
    """Estimate a task from labelled bags: the background from negatives, the signal from positives.

    Parameters
    ----------
    X : array (bags, instances, features), or sequence of arrays
        Bags of instances; of different sizes, L is their mean, rounded.
    y : array (bags,)
        True, or above zero, for positive bags; both labels must occur.
    R : int, default 1
        How many signal instances a positive bag has.
    shrinkage : "ledoit_wolf", "oas" or float in [0, 1], default "ledoit_wolf"
        As in `task_from_instances`.

    Returns
    -------
    InstanceTask
        Its ``signal`` counts positive bags, its ``theta_bias`` knows that each adds R instances to
        a whole bag of noise: it is much larger than with labels of instances.

    Raises
    ------
    ValueError
        If bags or labels cannot be read, if one label does not occur or R exceeds a positive bag's
        size, if there are fewer than ten background instances, or a feature does not vary.

    Examples
    --------
    >>> import numpy as np
    >>> import needlescope as ns
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((2000, 5, 6)), np.arange(2000) % 2
    >>> X[y > 0, 2] += 3.0 / np.sqrt(6.0)
    >>> result = ns.task_from_bags(X, y)
    >>> result.task.L, bool(abs(result.task.theta - 3.0) < 0.3), result.task.signal_noise is None
    (5, True, True)
    """
    if isinstance(X, str) or not hasattr(X, "__len__"):
        raise ValueError(f"X must be bags of instances, a table each, got {X!r:.60}")
    bags = [table(bag) for bag in X]
    positive = _labels(y, len(bags))
    sizes = np.array([len(bag) for bag in bags])
    widths = {bag.shape[1] for bag in bags}
    if len(widths) != 1:
        raise ValueError(
            f"X must have the same features in every bag, got {sorted(widths)} of them"
        )
    whole("R", R, 1)
    if sizes[positive].min() < R:
        raise ValueError(
            f"R must be at most the size of a positive bag, got {R} with a bag of "
            f"{sizes[positive].min()}"
        )
    background = np.concatenate([bag for bag, sign in zip(bags, positive, strict=True) if not sign])
    if len(background) < LEAST:
        raise ValueError(
            f"X must have at least {LEAST} instances in negative bags, got {len(background)}"
        )
    check_varying(background)
    mean = background.mean(axis=0)
    added = _added(bags, positive, mean) / R
    shift = added.mean(axis=0)
    covariance, share = shrunk_covariance(background, shrinkage)
    theta = strength(shift, mean)
    task = Task(
        *(round(sizes.mean()), R, theta, float(positive.mean())),
        noise=Noise(covariance=covariance),
        signal=tuple(shift),
    )
    spread = added.var(axis=0).sum() / len(added)
    spread += np.trace(covariance) * (sizes[positive].mean() / R) ** 2 / len(background)
    counts = len(background), int(positive.sum())
    return InstanceTask(task, mean, (share, share), *counts, float(spread / (2.0 * theta)))


def _added(bags: Sequence[FloatArray], positive: Any, mean: FloatArray) -> FloatArray:
    """Return the sum of what each positive bag has above the background's mean."""
    chosen = (bag for bag, sign in zip(bags, positive, strict=True) if sign)
    return np.array([(bag - mean).sum(axis=0) for bag in chosen])


def _labels(y: Any, count: int) -> Any:
    """Return which bags are positive, or refuse the labels."""
    labels = np.asarray(y)
    if labels.shape != (count,) or labels.dtype.kind not in "biuf":
        raise ValueError(
            f"y must be a number or True or False for each of {count} bags, got {y!r:.60}"
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        bag = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise ValueError(f"y must be finite, got {labels[bag]} for bag {bag}; drop such bags")
    positive = labels > 0
    if positive.all() or not positive.any():
        raise ValueError(
            f"y must have positive and negative bags, got {int(positive.sum())} of {count}"
        )
    return positive
