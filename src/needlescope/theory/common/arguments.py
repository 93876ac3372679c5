"""Arguments that several calls of the theory share: the tolerance, and the query of attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import NotConverged
from ...grid import real
from ...models import Model
from ...models.checks import check_query
from ...query import Query
from ...task import Task

NO_QUERY = Query(0.0, 0.0)


def check_tol(tol: Any) -> float:
    """Refuse a tolerance that is not one number in (0, 1]."""
    if np.ndim(tol):
        raise ValueError(f"tol must be one number, got {tol!r}")
    return float(real("tol", tol, 0.0, 1.0, open_low=True))


def tol_not_met(what: str, uncertainty: float, tol: float, why: str = "") -> NotConverged:
    """Return the error to raise for a number whose uncertainty exceeds the tolerance.

    >>> print(tol_not_met("uncertainty of the test error", 2e-3, 1e-3))
    the uncertainty of the test error is 2.0e-03, above tol=0.001; pass tol=0.003 to accept it
    """
    return NotConverged(
        f"the {what} is {uncertainty:.1e}, above tol={tol:g}{why}; "
        f"pass tol={1.5 * uncertainty:.1g} to accept it"
    )


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
