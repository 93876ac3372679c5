"""The query that an answer rests on, and how far the answer is open because of it.

A query that is given, or trained by two steps, is exact. After a schedule it is an integral, and κ
and s have standard errors. How far they move a number is seen by moving them: near where signal and
noise tokens win by turns a test error changes several times as much as s (9 times, at θ = 50 and
L = 100).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..errors import NotConverged
from ..models import Model
from ..models.asked import check_query
from ..query import SHARPEST, Query
from ..results.trained import as_query
from ..task import Task
from ..training import Training
from .alignment import align_one
from .law.ladder import ERRORS_WITHIN_TOL
from .steps.schedule import uncertainty

# What of a tolerance the query may take, and what it leaves to the law: their squares add up to 1.
QUERY_SHARE, LAW_SHARE = 0.6, 0.8
FIRST_UNCERTAINTY = (
    1e-2  # uncertainty of a schedule's query that is enough to see what it leaves open
)
MAX_EXCESS = 5.0  # by how much an tol must be missed, as foreseen, not to be tried
LEAST_SHIFT = 1e-3  # how far a query is moved at least: less would be lost in the law's compression


class LearnedQuery(NamedTuple):
    """A query, and the standard errors of κ and s; of s for each of several signals."""

    query: Query
    kappa_se: float = 0.0
    cosine_se: float | tuple[float, ...] = 0.0

    @property
    def exact(self) -> bool:
        """Whether it leaves nothing open."""
        return self.kappa_se == 0.0 and not np.any(self.cosine_se)

    @property
    def uncertainty(self) -> float:
        """The largest of these errors, that of κ relative to it."""
        return uncertainty(np.array(self.cosine_se), self.query.kappa, self.kappa_se)

    def errors(self, numbers: Callable[[Query], FloatArray]) -> FloatArray:
        """Return the standard errors that are left in ``numbers``, at most: both may go together.

        Examples
        --------
        >>> known = LearnedQuery(Query(2.0, 0.5), 0.01, 0.001)
        >>> known.errors(lambda query: np.array([query.kappa, query.cosine])).round(6)
        array([0.01 , 0.001])
        """
        kappa, s = float(self.query.kappa), np.ravel(self.query.cosines or self.query.cosine)
        here, result = numbers(self.query), np.zeros(1)
        relative = self.kappa_se / kappa if kappa > 0.0 else 0.0
        for place, error in enumerate((relative, *np.ravel(self.cosine_se).tolist()), -1):
            if error > 0.0:
                by = max(error, LEAST_SHIFT) * (
                    -1.0 if s[max(place, 0)] > 0.0 else 1.0
                )  # never beyond 1
                there = numbers(self._moved(place, by))
                result = result + error * np.abs((there - here) / by)
        return np.asarray(result)

    def _moved(self, place: int, by: float) -> Query:
        """Return the query with another κ (place −1), by a part of it, or another cosine."""
        query = self.query
        if place < 0:
            return query.replace(kappa=query.kappa + by * query.kappa)
        if query.cosines is None:
            return query.replace(cosine=query.cosine + by)
        cosines = [cosine + by * (k == place) for k, cosine in enumerate(query.cosines)]
        return query.replace(cosines=cosines)


NO_ERRORS = np.zeros(1)


def check_query_training(model: Model, task: Task, training: Training, query: Query | None) -> None:
    """Refuse a query that does not fit, or a training that the theory cannot follow to one."""
    check_query(model, query, task)
    if query is None and model.has_query:
        training.need_alpha0("the query is trained on D0")
        training.need_one_query_step()


def check_finite_kappa(model: Model, query: Query) -> None:
    """Refuse steps that end where a model is not predicted."""
    if not model.bounded and np.isinf(query.kappa):
        raise NotConverged(
            f"the steps end at a kappa above {SHARPEST:g}, which model={model.name!r} is not "
            "predicted at, as its weights grow with it; take a smaller eta_q or beta"
        )


def learn_query(
    task: Task,
    training: Training,
    tol: float,
    numbers: Callable[[Query], FloatArray],
    what: str,
) -> tuple[LearnedQuery, FloatArray]:
    """Return a (scalar) problem's trained query, and the errors that it leaves in ``numbers``.

    A schedule is followed finely enough for the first of them, ``what``, at the tolerance asked:
    roughly at first, to see what that is, and no further where it cannot be.
    """
    sure = max(0.5 * tol, FIRST_UNCERTAINTY)
    while True:
        row = align_one(task, training, sure)
        query = as_query(row["kappa"], row["cosine_q"], row.get("cosines_q"))
        name = "cosine_q_se" if query.cosines is None else "cosines_q_se"
        known = LearnedQuery(query, row.get("kappa_se", 0.0), row.get(name, 0.0))
        if known.exact:
            return known, NO_ERRORS
        errors = known.errors(numbers)
        open_by, allowed = ERRORS_WITHIN_TOL * float(errors[0]), QUERY_SHARE * tol
        if open_by <= allowed:
            return known, errors
        # what a finer lattice can leave of the errors
        least = row.get("finest", known.uncertainty) / known.uncertainty
        if known.uncertainty > sure or least * open_by > MAX_EXCESS * allowed:
            raise NotConverged(
                "the query after its schedule can be known to about "
                f"{least * known.uncertainty:.1e} only, which leaves {what} open by "
                f"{least * open_by:.1e}, not by the tolerance of {tol:g} asked; pass "
                f"tol={4.0 * least * open_by:.1g} to accept that, or take shorter steps "
                "(eta_w, eta_q), or fewer"
            )
        sure = 0.8 * known.uncertainty * allowed / open_by
