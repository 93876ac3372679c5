"""A trained query, and the uncertainty that it leaves in numbers computed from it.

A query that is given, or trained by two steps, is exact. After a schedule κ and s are integrals
with standard errors, which propagate by finite differences. A test error may change several times
as much as s (9 times, at θ = 50 and L = 100), where signal and noise tokens are equally likely to
have the largest weight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..errors import NotConverged
from ..models import Model
from ..models.checks import check_query
from ..query import SHARPEST, Query
from ..results.trained import as_query
from ..task import Task
from ..training import Training
from .alignment import align_one
from .law.ladder import ERRORS_WITHIN_TOL
from .spectrum.checks import check_steps
from .spectrum.directions import QueryParts
from .steps.schedule import uncertainty

# Shares of a tolerance for the query and for the law: their squares add up to 1.
QUERY_SHARE, LAW_SHARE = 0.6, 0.8
FIRST_UNCERTAINTY = 1e-2  # of a schedule's query, to estimate the sensitivity
MAX_EXCESS = 5.0  # of the foreseen uncertainty over the tolerance, beyond which we give up at once
LEAST_SHIFT = 1e-3  # of a finite difference: less is lost in the law's compression


class LearnedQuery(NamedTuple):
    """A query, and the standard errors of κ and s; of s for each of several signals."""

    query: Query
    kappa_se: float = 0.0
    cosine_se: float | tuple[float, ...] = 0.0
    parts: QueryParts | None = None  # where in the noise's spectrum it lies

    @property
    def exact(self) -> bool:
        """Whether all standard errors are zero."""
        return self.kappa_se == 0.0 and not np.any(self.cosine_se)

    @property
    def uncertainty(self) -> float:
        """The largest of these errors, that of κ as a relative one."""
        return uncertainty(np.array(self.cosine_se), self.query.kappa, self.kappa_se)

    def errors(self, numbers: Callable[[Query], FloatArray]) -> FloatArray:
        """Return upper bounds of the standard errors in ``numbers``: those of κ and s add up.

        >>> learned = LearnedQuery(Query(2.0, 0.5), 0.01, 0.001)
        >>> learned.errors(lambda query: np.array([query.kappa, query.cosine])).round(6)
        array([0.01 , 0.001])
        """
        kappa, s = float(self.query.kappa), np.ravel(self.query.cosines or self.query.cosine)
        base, result = numbers(self.query), np.zeros(1)
        relative = self.kappa_se / kappa if kappa > 0.0 else 0.0
        for place, error in enumerate((relative, *np.ravel(self.cosine_se).tolist()), -1):
            if error > 0.0:
                by = max(error, LEAST_SHIFT) * (
                    -1.0 if s[max(place, 0)] > 0.0 else 1.0
                )  # never beyond 1
                result = result + error * np.abs((numbers(self._moved(place, by)) - base) / by)
        return np.asarray(result)

    def _moved(self, place: int, by: float) -> Query:
        """Return the query with κ (place −1) changed by a relative step, or a cosine by a step."""
        query = self.query
        if place < 0:
            return query.replace(kappa=query.kappa + by * query.kappa)
        if query.cosines is None:
            return query.replace(cosine=query.cosine + by)
        cosines = [cosine + by * (k == place) for k, cosine in enumerate(query.cosines)]
        return query.replace(cosines=cosines)


NO_ERRORS = np.zeros(1)


def check_query_training(model: Model, task: Task, training: Training, query: Query | None) -> None:
    """Refuse a query that does not fit, or a training whose query the theory does not predict."""
    check_query(model, query, task)
    if query is None and model.has_query:
        training.need_alpha0("the query is trained on D0")
        training.need_one_query_step()
        check_steps(task, training)


def check_finite_kappa(model: Model, query: Query) -> None:
    """Refuse an infinite κ of a model whose weights grow with κ."""
    if not model.bounded and np.isinf(query.kappa):
        raise NotConverged(
            f"training ends at kappa above {SHARPEST:g}, where model={model.name!r} has no "
            "prediction, as its weights grow with kappa; take a smaller eta_q or beta"
        )


def learn_query(
    task: Task, training: Training, tol: float, numbers: Callable[[Query], FloatArray], what: str
) -> tuple[LearnedQuery, FloatArray]:
    """Return a (scalar) problem's trained query, and the errors that it leaves in ``numbers``.

    A schedule is integrated finely enough for the tolerance of the first number, called ``what`` in
    error messages. A rough integration first shows how fine that is.
    """
    target = max(0.5 * tol, FIRST_UNCERTAINTY)
    while True:
        row = align_one(task, training, target)
        query = as_query(row["kappa"], row["cosine_q"], row.get("cosines_q"))
        name = "cosine_q_se" if query.cosines is None else "cosines_q_se"
        learned = LearnedQuery(
            query, row.get("kappa_se", 0.0), row.get(name, 0.0), row.get("parts")
        )
        if learned.exact:
            return learned, NO_ERRORS
        errors = learned.errors(numbers)
        left, allowed = ERRORS_WITHIN_TOL * float(errors[0]), QUERY_SHARE * tol
        if left <= allowed:
            return learned, errors
        # the factor by which the finest lattice can reduce the errors
        least = row.get("finest", learned.uncertainty) / learned.uncertainty
        if learned.uncertainty > target or least * left > MAX_EXCESS * allowed:
            raise NotConverged(
                f"the uncertainty of the query after its schedule is at least "
                f"{least * learned.uncertainty:.1e}, which leaves {what} an uncertainty of "
                f"{least * left:.1e}, above tol={tol:g}; pass tol={4.0 * least * left:.1g} to "
                "accept it, or take shorter steps (eta_w, eta_q), or fewer"
            )
        target = 0.8 * learned.uncertainty * allowed / left
