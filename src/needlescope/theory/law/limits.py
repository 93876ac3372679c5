"""Which limit law belongs to which model: its own in closed form, or an integral over a query's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...models import Model
from ...models.nodes import Limit
from ...query import Query
from ...task import Task
from .attention import attention_limit, attention_samples
from .ladder import Level
from .linear import linear_limit


def train_limit(model: Model, task: Task, query: Query, level: Level) -> Limit:
    """Return the law of a model's features on a (scalar) task."""
    return test_limit(model, task, task, query, level)


def test_limit(model: Model, task: Task, test: Task, query: Query, level: Level) -> Limit:
    """Return the law on ``test`` of the features of a model trained on ``task``."""
    if model.limit is not None:
        return model.limit(task, test)
    kappa, law = sharpness(model, query), LAWS[model.name]
    return law(test.L, test.R, test.theta, kappa, query.cosine, level)


def error_limit(model: Model, task: Task, test: Task, query: Query, level: Level) -> Limit:
    """Return the law that a test error is averaged over: of linear attention finer than others.

    A test error has steps, narrow ones where a signal is strong. Samples, which a law is compressed
    from, fall on both sides of them in proportion; the points of a quadrature do not.
    """
    finer = model.has_query and LAWS[model.name] is linear_limit
    return test_limit(model, task, test, query, level.finer if finer else level)


def sharpness(model: Model, query: Query) -> float:
    """Return the κ of a query as a model uses it: hard attention knows none but zero and infinity.

    Examples
    --------
    >>> from needlescope.models import HARD, LINEAR
    >>> sharpness(HARD, Query(0.5, 1.0)), sharpness(LINEAR, Query(0.5, 1.0))
    (inf, 0.5)
    """
    kappa = float(query.kappa)
    return np.inf if model.name == "hard" and kappa > 0.0 else kappa


def drawn(model: Model, task: Task, query: Query, level: Level) -> list[Limit]:
    """Return the law as it was drawn, one for each replicate, or as it is if nothing was."""
    kappa = sharpness(model, query) if model.has_query else 0.0
    if kappa > 0.0 and LAWS[model.name] is attention_limit:
        return attention_samples(task.L, task.R, task.theta, kappa, query.cosine, level.points)
    return [train_limit(model, task, query, level)]


LAWS: dict[str, Callable[[int, int, float, float, float, Level], Limit]] = {
    "attention": attention_limit,
    "hard": attention_limit,
    "linear": linear_limit,
}
"""By L, R, θ, κ, s and the level, for the models with a query."""


test_limit.__test__ = False  # type: ignore[attr-defined]  # the name is not a test's
