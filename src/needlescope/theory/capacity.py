"""Capacity: the largest n/d at which data are typically linearly separable: a conjecture.

Our derivation of the quantity of conjecture 1 (arXiv v1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..answer import Question
from ..errors import NotConverged
from ..grid import check_kind, common_shape
from ..models import Model, get_model
from ..query import Query
from ..results import Capacity, gather
from ..task import Task
from .common.arguments import check_tol, need_query
from .common.grid_points import GridPoints
from .common.groups import sample_groups
from .common.provenance import CAPACITY, of_limit
from .law.attention import attention_limit
from .law.ladder import ERRORS_WITHIN_TOL, ladder
from .law.limits import LAWS, sharpness, train_limit
from .law.normals import NormalLaw
from .saddle.margin import separability, uncertainty
from .saddle.rare_separability import Separability, rare_separability

LEAST_INVERSE = 1e-250  # below it 1/α* counts as zero


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
        The query of the attention model, which cannot do without, such as
        ``align(task, training).query``.
    tol : float, default 5e-3
        Largest relative error of α* that is accepted, in (0, 1], from quasi-Monte Carlo.
    on_error : "raise" or "nan", default "raise"
        What becomes of a grid's point that cannot be solved: the call ends with its name, or the
        point is NaN and a `RuntimeWarning` counts what was lost.

    Returns
    -------
    Capacity
        ``alpha`` is infinite where the error of the best linear rule is below floating point.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If the tolerance is not met.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> found = ns.capacity(task, "pooled")
    >>> round(found.alpha, 2), found.provenance
    (2.95, 'conjecture: our derivation of the quantity of conjecture 1 (arXiv v1)')
    """
    check_kind("task", task, Task)
    task.need_one_signal("capacity")
    kind = get_model(model)
    tol = check_tol(tol)
    seen = need_query("the capacity of attention", query, kind, task)
    shape = common_shape(task, seen)
    points = GridPoints(on_error, shape, task, query)

    jobs = list(zip(task.scalars(shape), seen.scalars(shape), strict=True))
    blank = {"model": model, "provenance": of_limit(kind, CAPACITY, task)}
    rows: list[dict[str, Any]] = [blank] * len(jobs)
    for index, (item, given) in enumerate(jobs):
        with points.at(index):
            rows[index] = _solve(item, given, kind, tol)
    points.warn()
    options = {"query": query, "tol": tol, "on_error": on_error}
    return gather(Capacity, rows, shape, Question("capacity", task, None, options))


def _solve(task: Task, query: Query, model: Model, tol: float) -> dict[str, Any]:
    """Return the capacity of one task, or refuse to where it is not known well enough."""
    kappa = sharpness(model, query) if model.has_query else 0.0
    drawn = kappa > 0.0 and LAWS[model.name] is attention_limit
    if drawn:
        known = _by_drawing(task, kappa, query.cosine, tol)
    else:
        known = _by_quadrature(task, query, model, tol)
    uncertainty = ERRORS_WITHIN_TOL * known.relative
    alpha = 1.0 / known.value if known.value > LEAST_INVERSE else np.inf
    if np.isfinite(alpha) and uncertainty > tol:
        raise NotConverged(
            f"the capacity, about {alpha:.2g}, is known to a relative error of "
            f"{uncertainty:.1e} only: the larger it is, the rarer the samples that limit it, "
            f"and the fewer of them are drawn; pass tol={1.5 * uncertainty:.1g} to accept that"
        )
    return {
        "model": model.name,
        "alpha": alpha,
        "alpha_se": alpha * known.relative if np.isfinite(alpha) else 0.0,
        "provenance": of_limit(model, CAPACITY, task),
    }


def _by_drawing(task: Task, kappa: float, cosine: float, tol: float) -> Separability:
    """Return 1/α* of a law that is drawn, its rare samples where they are."""
    every = sample_groups(task)
    laws = [NormalLaw(task.L, item.tokens, task.theta, kappa, cosine, item.label) for item in every]
    return rare_separability(laws, [item.share for item in every], tol)


def _by_quadrature(task: Task, query: Query, model: Model, tol: float) -> Separability:
    """Return 1/α* of a law with few nodes, climbing its levels until it is known well enough."""
    # of a quantity near one, where errors are near a tenth
    for level in ladder(0.1 * tol, fine=True):
        limit = train_limit(model, task, query, level)
        law = limit.law(task.pi, task.flips)
        result = separability(law)
        if result.value <= LEAST_INVERSE:
            return Separability(0.0, 0.0)
        coarse = limit.coarse_law(task.pi, task.flips)
        relative = uncertainty(law, coarse, result) / result.value
        if ERRORS_WITHIN_TOL * relative <= tol:
            break
    return Separability(result.value / limit.dim, relative)
