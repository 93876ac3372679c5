"""Ridgeless square loss as α1 → ∞: the limit of the test error, and its 1/α1 rate.

Our derivation of the quantity of corollary 2 (arXiv v1).

As α1 → ∞ the closed form of `saddle.square` expands in ε = 1/t = dim/(α1 E[A]): with φ = (m, 1) and
D = diag(τ, 0), (μ, b) = x0 + ε x1, where

    E[φφᵀ + D] x0 = E[y φ]        E[φφᵀ + D] x1 = E[A(φφᵀ + D)] x0 − E[A y φ]

and ρ² = ε E[A((μ·m + b − y)² + τ·μ²)]/E[A]. Hence error = limit + rate/α1 + o(1/α1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..answer import Question
from ..arrays import FloatArray
from ..grid import check_kind, common_shape
from ..models import Model, get_model
from ..models.nodes import JointLaw
from ..query import Query
from ..results import Asymptote, gather
from ..task import Task
from .common.arguments import check_tol, need_query, tol_not_met
from .common.grid_points import GridPoints
from .common.provenance import ASYMPTOTE, of_limit
from .law.ladder import ERRORS_WITHIN_TOL, Level, ladder, standard_error
from .law.limits import sampled_limits
from .law.mixtures import mean_law
from .saddle.measures import error_slope, error_slope_rest, test_error
from .saddle.problem import OrderParameters
from .spectrum.checks import check_readout


def asymptote(
    task: Task,
    model: str = "attention",
    *,
    query: Query | None = None,
    tol: float = 1e-4,
    on_error: str = "raise",
) -> Asymptote:
    """Return the limit of the test error as α1 → ∞ and the constant of its 1/α1 approach.

    Our derivation of the quantity of corollary 2 (arXiv v1): the square loss without a ridge.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    model : "attention", "pooled", "vectorized", "hard" or "linear", default "attention"
    query : Query, optional
        Of a model with attention, required: for example ``align(task, training).query``.
    tol : float, default 1e-4
        Largest uncertainty of the limit, twice ``limit_se``, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    Asymptote
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> result = ns.asymptote(task, "pooled")
    >>> round(result.limit, 4), round(result.rate, 4)
    (0.2146, 0.3)
    """
    check_kind("task", task, Task)
    task.need_one_noise("asymptote")
    kind = get_model(model)
    check_readout(task, kind)
    tol = check_tol(tol)
    given = need_query("the limit of attention", query, kind, task)
    shape = common_shape(task, given)
    points = GridPoints(on_error, shape, task, query)
    blank = {"model": model, "provenance": of_limit(kind, ASYMPTOTE, task)}
    white = task.whitened  # only a ridge tells the directions of the noise apart
    jobs = zip(white.scalars(shape), given.scalars(shape), strict=True)
    rows = points.solve(blank, jobs, _solve, kind, tol)
    options = {"query": query, "tol": tol, "on_error": on_error}
    return gather(Asymptote, rows, shape, Question("asymptote", task, None, options))


def _solve(task: Task, query: Query, model: Model, tol: float) -> dict[str, Any]:
    """Refine the law level by level until the uncertainty is within the tolerance."""
    if task.theta == 0.0:  # without a signal the readout vanishes and the bias decides
        return {"limit": min(task.pi, 1 - task.pi), "limit_se": 0.0, "rate": 0.0, "rate_se": 0.0}
    for level in ladder(tol, fine=True):
        row = _at_level(task, query, model, level)
        uncertainty = ERRORS_WITHIN_TOL * row["limit_se"]
        if uncertainty <= tol:
            return row
    raise tol_not_met("uncertainty of the limit", uncertainty, tol)


def _at_level(task: Task, query: Query, model: Model, level: Level) -> dict[str, Any]:
    limits = sampled_limits(model, task, query, level)
    laws = [(limit.law(task.pi, task.flips), limit.law(task.pi)) for limit in limits]
    result, errors = _expand(*map(mean_law, zip(*laws, strict=True))), np.zeros(2)
    if len(laws) > 1:
        errors = np.std([_expand(*pair) for pair in laws], axis=0, ddof=1) / np.sqrt(len(laws))
    elif limits[0].coarse is not None:
        rough = limits[0]
        shift = _expand(rough.coarse_law(task.pi, task.flips), rough.coarse_law(task.pi)) - result
        errors = standard_error(np.stack([0.0 * shift, 0.0 * shift, shift]))
    dim = limits[0].dim
    names = ("limit", "limit_se", "rate", "rate_se")
    return dict(zip(names, (result[0], errors[0], dim * result[1], dim * errors[1]), strict=True))


def _expand(law: JointLaw, test: JointLaw) -> FloatArray:
    """Return the limit of the error on ``test``, and its derivative in 1/δ."""
    w, A, y, k = law.weight, law.A, law.y, law.directions
    phi = np.column_stack([law.m, np.ones(len(w))])

    def normal(weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        matrix = (phi * weight[:, None]).T @ phi
        matrix[np.arange(k), np.arange(k)] += weight @ law.tau
        return matrix, (weight * y) @ phi

    matrix, right = normal(w)
    x0 = np.linalg.solve(matrix, right)
    next_matrix, next_right = normal(w * A)
    x1 = np.linalg.solve(matrix, next_matrix @ x0 - next_right)
    misfit = (phi @ x0 - y) ** 2 + law.tau @ x0[:k] ** 2
    mean_A = float(w @ A)
    rho2 = float((w * A) @ misfit) / mean_A
    at = OrderParameters(x0[:k].astype(float), float(x0[k]), 0.0, 1.0)
    slope = error_slope(test, at)[: k + 1] @ x1 + error_slope_rest(test, at) * rho2
    return np.array([test_error(test, at), slope / mean_A])
