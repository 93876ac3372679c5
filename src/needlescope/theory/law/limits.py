"""Which limit law belongs to which model: its own in closed form, or an integral over a query's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...models import Model
from ...models.nodes import Limit
from ...query import Query
from ...task import Task
from .attention import attention_limit, attention_samples
from .ladder import Level
from .linear import linear_limit
from .several import Beside, beside_query, mixture


def train_limit(model: Model, task: Task, query: Query, level: Level) -> Limit:
    """Return the law of a model's features on a (scalar) task."""
    return test_limit(model, task, task, query, level)


def test_limit(model: Model, task: Task, test: Task, query: Query, level: Level) -> Limit:
    """Return the law on ``test`` of the features of a model trained on ``task``."""
    if model.limit is not None:
        return model.limit(task, test)
    kappa, law = sharpness(model, query), LAWS[model.name]
    kinds = [
        law(test.L, test.R, test.theta, kappa, cosine, level, beside)
        for _, cosine, beside in _kinds(test, query)
    ]
    return _joined(kinds, test, query)


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
        kinds = [
            attention_samples(task.L, task.R, task.theta, kappa, cosine, level.points, beside)
            for _, cosine, beside in _kinds(task, query)
        ]
        return [_joined(one, task, query) for one in zip(*kinds, strict=True)]
    return [train_limit(model, task, query, level)]


def _kinds(task: Task, query: Query) -> list[tuple[float, float, Beside]]:
    """List the kinds of positives that occur: share, cosine, and the signal beside the query."""
    if task.signals is None:
        return [(1.0, query.cosine, None)]
    rows = map(tuple, beside_query(query.cosines).tolist())
    found = zip(task.signals, query.cosines, rows, strict=True)
    return [kind for kind in found if kind[0] > 0.0]


def _joined(laws: Sequence[Limit], task: Task, query: Query) -> Limit:
    if task.signals is None:
        return laws[0]
    return mixture(laws, [share for share, _, _ in _kinds(task, query)])


LAWS: dict[str, Callable[[int, int, float, float, float, Level, Beside], Limit]] = {
    "attention": attention_limit,
    "hard": attention_limit,
    "linear": linear_limit,
}
"""By L, R, θ, κ, s, the level, and the signal beside the query, for the models that have one."""


test_limit.__test__ = False  # type: ignore[attr-defined]  # the name is not a test's
