"""From labelled instances to a task of the theory: means and covariances of both kinds.

    mean of the background;  Σ₀, Σ₁: covariances of background and signal;
    θξ = mean of the signal − mean of the background

Covariances are shrunk towards a multiple of the identity by Ledoit and Wolf's rule unless told
otherwise: it needs no Gaussian instances, as the rule of Chen et al. ("oas") does, and it is
positive definite also where instances are fewer than features. Means are not shrunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from ..arrays import FloatArray
from ..grid import check_kind, choice, single
from ..noise import Noise
from ..task import Task
from .sets import read_instances

RULES = ("ledoit_wolf", "oas")
ROUNDING = 1e-12  # of means: a smaller difference is none


@dataclass(frozen=True, eq=False)
class InstanceTask:
    """A task estimated from labelled instances, and the coordinates that it is in.

    Attributes
    ----------
    task
        The task: `predict` takes it as it is, and ``task.whitened``.
    mean
        The mean of background instances. The task is about instances less this mean.
    shrinkage
        The share of the identity in the covariance of background and of signal instances.
    background, signal
        The numbers of instances.
    theta_bias
        By how much the length of a difference of two estimated means exceeds the true one, on
        average: (tr Σ₀/n₀ + tr Σ₁/n₁)/(2θ). θ is not corrected for it.

    Examples
    --------
    >>> import needlescope as ns
    >>> tumours = ns.task_from_instances("breast_cancer", L=10)
    >>> tumours.signal, round(tumours.task.theta, 2), round(tumours.theta_bias, 2)
    (212, 6.04, 0.02)
    """

    task: Task
    mean: FloatArray
    shrinkage: tuple[float, float]
    background: int
    signal: int
    theta_bias: float

    def transform(self, X: Any, whiten: bool = False) -> FloatArray:
        """Return instances less the background's mean; whitened by its covariance, if asked."""
        X = np.asarray(X, float)
        if X.ndim == 0 or X.shape[-1] != len(self.mean):
            raise ValueError(
                f"X must have {len(self.mean)} features in its last axis, got an array of shape "
                f"{X.shape}"
            )
        centred = X - self.mean
        if not whiten:
            return np.asarray(centred)
        rows = centred.reshape(-1, centred.shape[-1])
        return np.asarray(
            solve_triangular(self.task.noise.root, rows.T, lower=True).T.reshape(centred.shape)
        )


def task_from_instances(
    instances: Any,
    is_signal: Any = None,
    *,
    L: int,
    R: Any = 1,
    pi: float = 0.5,
    shrinkage: str | float = "ledoit_wolf",
) -> InstanceTask:
    """Estimate the task of bags made of labelled instances: its signal, and both covariances.

    Parameters
    ----------
    instances : array (instances, features), "digits" or "breast_cancer"
        Instances as classifiers will see them, or a set that comes with scikit-learn. Standardise
        features first: ridge and shrinkage treat them alike.
    is_signal : array of bool (instances,), optional
        Which of them are signal; the others are background. Left out with a set by name.
    L : int
        Instances in a bag.
    R : int or SignalCount, default 1
        Signal instances in a positive bag, as in `Task`.
    pi : float, default 0.5
        The share of positive bags.
    shrinkage : "ledoit_wolf", "oas" or float in [0, 1], default "ledoit_wolf"
        How much of each covariance is replaced by a multiple of the identity.

    Returns
    -------
    InstanceTask

    Raises
    ------
    ValueError
        If the instances cannot be read, if a feature does not vary over the background, or if
        fewer than ten instances are of one kind.

    Examples
    --------
    How well do pooling and attention find a handwritten three among nine other digits?

    >>> import needlescope as ns
    >>> digits = ns.task_from_instances("digits", L=10)
    >>> round(digits.task.theta, 2), round(digits.task.whitened.theta, 2)
    (4.46, 3.95)
    >>> training = ns.Training(alpha0=10.0, alpha1=10.0, loss="square", ridge=0.1)
    >>> for model in ("pooled", "attention"):
    ...     print(f"{ns.predict(digits.task.whitened, training, model, tol=1e-3).test_error:.2f}")
    0.29
    0.09
    """
    X, marks = read_instances(instances, is_signal)
    background, signal = X[~marks], X[marks]
    check_varying(background)
    mean = background.mean(axis=0)
    shift = signal.mean(axis=0) - mean
    first, second = (shrunk_covariance(rows, shrinkage) for rows in (background, signal))
    theta = strength(shift, mean)
    task = Task(
        *(L, R, theta, pi),
        noise=Noise(covariance=first[0]),
        signal=tuple(shift),
        signal_noise=Noise(covariance=second[0]),
    )
    spread = np.trace(first[0]) / len(background) + np.trace(second[0]) / len(signal)
    counts = len(background), len(signal)
    return InstanceTask(task, mean, (first[1], second[1]), *counts, float(spread / (2.0 * theta)))


def strength(shift: FloatArray, mean: FloatArray) -> float:
    """Return the length of a difference of means, or refuse one that is rounding.

    >>> strength(np.array([3.0, 4.0]), np.ones(2))
    5.0
    """
    theta = float(np.linalg.norm(shift))
    if theta <= ROUNDING * (1.0 + float(np.linalg.norm(mean))):
        raise ValueError(
            "instances must differ in their means, got signal and background with the same; a "
            "linear readout sees no other difference"
        )
    return theta


def check_varying(background: FloatArray) -> None:
    """Refuse a background with a feature that does not vary."""
    flat = np.flatnonzero(background.min(axis=0) == background.max(axis=0))
    if len(flat):
        raise ValueError(
            "instances must have features that vary over the background, got the same value of "
            f"feature {flat[0]} everywhere ({len(flat)} such features); drop them"
        )


def shrunk_covariance(rows: FloatArray, shrinkage: Any) -> tuple[FloatArray, float]:
    """Return a shrunk covariance, and the share of the identity in it."""
    from sklearn import covariance

    if isinstance(shrinkage, str):
        matrix, share = getattr(covariance, choice("shrinkage", shrinkage, RULES))(rows)
        return np.asarray(matrix), float(share)
    share = single("shrinkage", shrinkage, 0.0, 1.0)
    matrix = np.atleast_2d(np.cov(rows, rowvar=False, bias=True))
    return np.asarray(covariance.shrunk_covariance(matrix, share)), share


def one_covariance(task: Task) -> Task:
    """Return the task whose signal tokens have the noise of the others.

    >>> import needlescope as ns
    >>> one_covariance(ns.Task(4, 1, 2.0, 0.5, signal_noise=ns.Noise(spectrum=[4.0]))).whitened
    Task(L=4, R=1, theta=2.0, pi=0.5, positions='uniform')
    """
    check_kind("task", task, Task)
    return task.replace(signal_noise=None)
