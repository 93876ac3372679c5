"""Ridgeless square loss with much data (Corollary 2), and where attention starts to win.

As α1 → ∞ the closed form of `square` expands in ε = 1/t = dim/(α1 E[A]): with φ = (m, 1) and
D = diag(τ, 0), (μ, b) = x0 + ε x1, where

    E[φφᵀ + D] x0 = E[y φ]        E[φφᵀ + D] x1 = E[A(φφᵀ + D)] x0 − E[A y φ]

and ρ² = ε E[A((μ·m + b − y)² + τ·μ²)]/E[A]. Hence error = limit + rate/α1 + o(1/α1).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..grid import choice, common_shape
from ..models.nodes import Law
from ..outcome import Asymptote, gather
from ..query import Query
from ..task import Task
from .law import Level, standard_error
from .laws import (
    MODELS,
    NO_QUERY,
    SURE,
    check_accuracy,
    check_kinds,
    need_query,
    settle,
    train_limit,
)
from .measures import error_slope, error_slope_rest, test_error
from .saddle import Point


def asymptote(
    task: Task, model: str = "attention", *, query: Query | None = None, accuracy: float = 1e-4
) -> Asymptote:
    """Return the limit of the test error as α1 → ∞ and the constant of its 1/α1 approach.

    For the square loss without a ridge; the attention model needs its ``query``.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> found = ns.asymptote(task, "pooled")
    >>> round(found.limit, 4), round(found.rate, 4)
    (0.2146, 0.3)
    """
    check_kinds(task)
    choice("model", model, MODELS)
    accuracy = check_accuracy(accuracy)
    query = need_query("the limit of attention", query) if model == "attention" else NO_QUERY
    shape = common_shape(task, query)
    rows = [
        settle(
            accuracy,
            partial(_asymptote_one, *pair, model),
            lambda row: SURE * row["limit_se"] <= accuracy,
            lambda row: (
                f"the limit is known to ±{SURE * row['limit_se']:.1e} only; "
                f"pass accuracy={1.5 * SURE * row['limit_se']:.1g} to accept that"
            ),
        )
        for pair in zip(task.scalars(shape), query.scalars(shape), strict=True)
    ]
    return gather(Asymptote, rows, shape)


def _asymptote_one(task: Task, query: Query, model: str, level: Level) -> dict[str, Any]:
    if task.theta == 0.0:  # nothing to learn: the readout vanishes, the bias decides
        row = {"limit": min(task.pi, 1.0 - task.pi), "limit_se": 0.0, "rate": 0.0, "rate_se": 0.0}
        return {"model": model, **row, "provenance": "theorem"}
    limit = train_limit(model, task, query, level)
    law = limit.law(task.pi)
    found = _expand(law)
    errors = np.zeros(2)
    if len(law.replicas) > 1:
        others = [_expand(law._replace(weight=one)) for one in law.replicas]
        errors = standard_error(np.array([*others, _expand(limit.coarse_law(task.pi))]) - found)
    return {
        "model": model,
        "limit": found[0],
        "limit_se": errors[0],
        "rate": limit.dim * found[1],
        "rate_se": limit.dim * errors[1],
        "provenance": "theorem",
    }


def _expand(law: Law) -> FloatArray:
    """Return the limit of the error, and its derivative in 1/δ."""
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
    at = Point(x0[:k].astype(float), float(x0[k]), 0.0, 1.0)
    slope = error_slope(law, at)[: k + 1] @ x1 + error_slope_rest(law, at) * rho2
    return np.array([test_error(law, at), slope / mean_A])
