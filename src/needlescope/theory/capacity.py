"""RareMinimum capacity: the largest n/d at which data are typically linearly separable.

Our derivation of the quantity of conjecture 1 (arXiv v1), not a theorem.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..answer import Question
from ..grid import check_kind, common_shape
from ..models import Model, get_model
from ..query import Query
from ..results import Capacity, gather
from ..task import Task
from .common.arguments import check_tol, need_query, tol_not_met
from .common.grid_points import GridPoints
from .common.groups import sample_groups
from .common.provenance import CAPACITY, of_limit
from .law.attention import attention_limit
from .law.ladder import ERRORS_WITHIN_TOL, ladder
from .law.limits import LAWS, sharpness, train_limit
from .law.normals import NormalLaw
from .saddle.margin import separability, uncertainty
from .saddle.rare_separability import RareMinimum, rare_separability
from .spectrum.checks import check_readout

LEAST_INVERSE = 1e-250  # 1/α* below this counts as zero


def capacity(
    task: Task,
    model: str = "attention",
    *,
    query: Query | None = None,
    tol: float = 5e-3,
    on_error: str = "raise",
) -> Capacity:
    """Return the separability capacity α*: the largest n/d at which data are typically separable.

    Our derivation of the quantity of conjecture 1 (arXiv v1): a conjecture, not a theorem; the
    result says so.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    model : "attention", "pooled", "vectorized", "hard" or "linear", default "attention"
    query : Query, optional
        Of a model with attention, required: for example ``align(task, training).query``.
    tol : float, default 5e-3
        Largest relative uncertainty of α*, twice ``alpha_se/alpha``, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    Capacity
        ``alpha`` is infinite where the error of the best linear rule underflows.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> result = ns.capacity(task, "pooled")
    >>> round(result.alpha, 2), result.provenance
    (2.95, 'conjecture: our derivation of the quantity of conjecture 1 (arXiv v1)')
    """
    check_kind("task", task, Task)
    task.need_one_signal("capacity")
    task.need_one_noise("capacity")
    kind = get_model(model)
    check_readout(task, kind)
    tol = check_tol(tol)
    given = need_query("the capacity of attention", query, kind, task)
    white = task.whitened  # only a ridge tells the directions of the noise apart
    shape = common_shape(task, given)
    points = GridPoints(on_error, shape, task, query)
    blank = {"model": model, "provenance": of_limit(kind, CAPACITY, task)}
    jobs = zip(white.scalars(shape), given.scalars(shape), strict=True)
    rows = points.solve(blank, jobs, _solve, kind, tol)
    options = {"query": query, "tol": tol, "on_error": on_error}
    return gather(Capacity, rows, shape, Question("capacity", task, None, options))


def _solve(task: Task, query: Query, model: Model, tol: float) -> dict[str, Any]:
    """Return the capacity of one task, or raise where the tolerance is not met."""
    kappa = sharpness(model, query) if model.has_query else 0.0
    if kappa > 0.0 and LAWS[model.name] is attention_limit and not task.token_correlation:
        inverse = _by_sampling(task, kappa, query.cosine, tol)
    else:
        inverse = _by_quadrature(task, query, model, tol)
    if inverse.value <= LEAST_INVERSE:
        return {"alpha": np.inf, "alpha_se": 0.0}
    alpha, uncertainty = 1.0 / inverse.value, ERRORS_WITHIN_TOL * inverse.relative
    if uncertainty > tol:
        what = f"relative uncertainty of the capacity, about {alpha:.2g},"
        raise tol_not_met(what, uncertainty, tol, " (rare samples limit a large capacity)")
    return {"alpha": alpha, "alpha_se": alpha * inverse.relative}


def _by_sampling(task: Task, kappa: float, cosine: float, tol: float) -> RareMinimum:
    """Return 1/α* of a sampled law, by importance sampling of its rare samples."""
    every = sample_groups(task)
    laws = [NormalLaw(task.L, item.tokens, task.theta, kappa, cosine, item.label) for item in every]
    return rare_separability(laws, [item.share for item in every], tol)


def _by_quadrature(task: Task, query: Query, model: Model, tol: float) -> RareMinimum:
    """Return 1/α* of a law with few nodes, refined until the tolerance is met."""
    # a tenth: levels are meant for errors near 0.1, and this quantity is near one
    for level in ladder(0.1 * tol, fine=True):
        limit = train_limit(model, task, query, level)
        law = limit.law(task.pi, task.flips)
        result = separability(law)
        if result.value <= LEAST_INVERSE:
            return RareMinimum(0.0, 0.0)
        coarse = limit.coarse_law(task.pi, task.flips)
        relative = uncertainty(law, coarse, result) / result.value
        if ERRORS_WITHIN_TOL * relative <= tol:
            break
    return RareMinimum(result.value / limit.dim, relative)
