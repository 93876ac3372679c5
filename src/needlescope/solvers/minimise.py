"""Linear readouts: min over (w, b) of Σ cᵢ ℓ(⟨w, Fᵢ⟩ + b; yᵢ) + (λ/2)‖w‖².

| loss | ridge | method |
| --- | --- | --- |
| kinked (hinge) | any | `kinked.certified` |
| smooth | > 0 | `smooth.ridged`: growing span, then factorised Newton |
| square | 0 | `smooth.least_norm`: the solution of least norm |
| other smooth | 0 | `smooth.unridged`: the same as with a ridge, on the singular vectors of F |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..losses import Loss, check_loss, get_loss
from .algebra.problem import Features, Fit, Problem
from .algebra.products import Products, check_finite
from .kinked.certified import minimise_kinked
from .one_class import one_class
from .smooth.least_norm import least_norm
from .smooth.ridged import minimise_smooth, smooth_path
from .smooth.unridged import minimise_unridged


def minimise(
    F: Any,
    y: Any,
    loss: str | Loss,
    ridge: float,
    weight: Any = None,
    *,
    tolerance: float = 1e-9,
) -> Fit:
    """Train a linear readout on features, with a ridge on w and none on the bias.

    Parameters
    ----------
    F : array of shape (n, p)
        Features, float32 or float64 (anything else is converted to float64).
    y : array of shape (n,)
        Labels, −1 or +1.
    loss : str or Loss
        As in `needlescope.losses.get_loss`.
    ridge : float
        λ ≥ 0. Zero means the limit λ → 0⁺ for the square loss, the solution of least norm.
    weight : array of shape (n,), optional
        Non-negative weights c that sum to one; 1/n by default.
    tolerance : float, optional
        For a smooth loss, the norm of ∇J relative to its norm at (0, 0), in float64.

    Returns
    -------
    Fit
        w, b, the scores of all samples, the residual reached and the number of iterations.

    Raises
    ------
    NotConverged
        If the tolerance is not reached.
    NoMinimiser
        If the minimum is not attained, or not at a single point.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1.0, -1.0], 100)
    >>> F = rng.standard_normal((200, 3)) + np.outer(y, [1.0, 0.0, 0.0])
    >>> fit = minimise(F, y, "logistic", ridge=0.01)
    >>> fit.w.round(2).tolist(), fit.residual <= 1e-9
    ([1.84, -0.03, 0.24], True)
    """
    (fit,) = minimise_path(F, y, loss, [ridge], weight, tolerance=tolerance)
    return fit


def minimise_path(
    F: Any,
    y: Any,
    loss: str | Loss,
    ridges: Sequence[float],
    weight: Any = None,
    *,
    tolerance: float = 1e-9,
) -> list[Fit]:
    """Do as `minimise` for several ridges, best in falling order: much of the work is shared."""
    loss = get_loss(loss)
    check_loss(loss)
    F, y, c = _features(F), np.array(y, float), weight
    _check(F, y, ridges, tolerance)
    c = np.full(len(y), 1.0 / len(y)) if c is None else _weights(c, len(y))
    if (c > 0.0).all():
        return _solve(Problem(F, y, loss, 0.0, c), ridges, tolerance)
    used = c > 0.0
    fits = _solve(Problem(F[used], y[used], loss, 0.0, c[used]), ridges, tolerance)
    return [fit._replace(scores=Products(F).forward(fit.w) + fit.b) for fit in fits]


def _solve(problem: Problem, ridges: Sequence[float], tolerance: float) -> list[Fit]:
    """Choose the method; every weight is above zero."""
    one_label = bool((problem.y == problem.y[0]).all())
    if problem.loss.kinked or one_label:
        check_finite(
            float(np.sum(problem.F, dtype=float))
        )  # the other methods check in their first pass
    elif all(ridge > 0.0 for ridge in ridges):
        return list(smooth_path(problem, ridges, tolerance))
    return [_solve_one(problem._replace(ridge=ridge), one_label, tolerance) for ridge in ridges]


def _solve_one(problem: Problem, one_label: bool, tolerance: float) -> Fit:
    if problem.loss.kinked:
        return minimise_kinked(problem, tolerance)
    if one_label:
        return one_class(problem)
    if problem.ridge > 0.0:
        return minimise_smooth(problem, tolerance)
    if problem.loss.square:
        return least_norm(problem, tolerance)
    return minimise_unridged(problem, tolerance)


def _features(F: Any) -> Features:
    F = np.asarray(F)
    if F.dtype not in (np.float32, np.float64):
        F = F.astype(float)
    if F.ndim != 2 or 0 in F.shape:
        raise ValueError(f"F must be a table of n rows and p columns, got shape {F.shape}")
    # BLAS takes rows or columns that are contiguous; anything else it would copy every time.
    return F if F.itemsize in F.strides else np.ascontiguousarray(F)


def _weights(weight: Any, n: int) -> FloatArray:
    c = np.array(weight, float)
    if c.shape != (n,) or not (c >= 0.0).all() or not abs(c.sum() - 1.0) <= 1e-9:
        raise ValueError(
            f"weight must be {n} non-negative numbers that sum to one, got shape {c.shape} "
            f"and sum {c.sum():.12g}"
        )
    return c


def _check(F: Features, y: FloatArray, ridges: Sequence[float], tolerance: float) -> None:
    if y.shape != (len(F),) or not (np.abs(y) == 1.0).all():
        raise ValueError(f"y must be {len(F)} labels -1 or +1, got {y!r}")
    for ridge in ridges:
        if not 0.0 <= ridge < np.inf:
            raise ValueError(f"ridge must be a finite number of at least 0, got {ridge!r}")
    if not 0.0 < tolerance < 1.0:
        raise ValueError(f"tolerance must lie between 0 and 1, got {tolerance!r}")
