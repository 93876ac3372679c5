"""What the calls of theory are asked, checked before any work."""

from __future__ import annotations

import numpy as np

from ...grid import real
from ...models import Model
from ...models.asked import check_query
from ...query import Query
from ...task import Task

NO_QUERY = Query(0.0, 0.0)


def check_tol(tol: float) -> float:
    """Refuse a tolerance that is not one number in (0, 1]."""
    if np.ndim(tol):
        raise ValueError(f"tol must be one number, got {tol!r}")
    return float(real("tol", tol, 0.0, 1.0, open_low=True))


def need_query(what: str, query: Query | None, model: Model, task: Task) -> Query:
    """Return the query of a model that has one, or refuse to go on without it."""
    check_query(model, query, task)
    if not model.has_query:
        return NO_QUERY
    if query is not None:
        return query
    raise ValueError(
        f"{what} depends on its query: pass query=Query(kappa, cosine), or "
        f"query=align(task, training).query, got {query!r}"
    )
