"""Which limit law belongs to which model, and the ladder of accuracies it is computed at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ..errors import NotConverged
from ..grid import real
from ..models import pooled, vectorized
from ..models.nodes import Limit
from ..query import Query
from ..task import Task
from ..training import Training
from .law import Level, attention_limit, ladder

MODELS = ("attention", "pooled", "vectorized")
NO_QUERY = Query(0.0, 0.0)
SURE = 2.0  # standard errors that must fit into the accuracy asked

T = TypeVar("T")


def check_kinds(task: Task, training: Training | None = None) -> None:
    """Refuse arguments that are not what their names say."""
    if not isinstance(task, Task):
        raise ValueError(f"task must be a needlescope.Task, got {task!r}")
    if training is not None and not isinstance(training, Training):
        raise ValueError(f"training must be a needlescope.Training, got {training!r}")


def check_accuracy(accuracy: float) -> float:
    """Refuse an accuracy that is not one number in (0, 1]."""
    if np.ndim(accuracy):
        raise ValueError(f"accuracy must be one number, got {accuracy!r}")
    return float(real("accuracy", accuracy, 0.0, 1.0, open_low=True))


def check_query(query: Query | None) -> None:
    """Refuse a query that is none."""
    if query is not None and not isinstance(query, Query):
        raise ValueError(f"query must be a needlescope.Query(kappa, cosine), got {query!r}")


def need_query(what: str, query: Query | None) -> Query:
    """Refuse to go on without a query."""
    if isinstance(query, Query):
        return query
    raise ValueError(
        f"{what} depends on its query: pass query=Query(kappa, cosine), or "
        f"query=align(task, training).query, got {query!r}"
    )


def train_limit(model: str, task: Task, query: Query, level: Level) -> Limit:
    """Return the law of a model's features on a (scalar) task."""
    if model == "pooled":
        return pooled.limit(task)
    if model == "vectorized":
        return vectorized.limit(task)
    return attention_limit(task.L, task.R, task.theta, query.kappa, query.cosine, level)


def test_limit(model: str, task: Task, test: Task, query: Query, level: Level) -> Limit:
    """Return the law on ``test`` of the features of a model trained on ``task``."""
    if model == "vectorized":
        return vectorized.limit(task, test)
    return train_limit(model, test, query, level)


test_limit.__test__ = False  # type: ignore[attr-defined]  # the name is not a test's


def settle(
    accuracy: float,
    compute: Callable[[Level], T],
    good: Callable[[T], bool],
    complaint: Callable[[T], str],
) -> T:
    """Climb the ladder until the result is good enough, or raise NotConverged."""
    for level in ladder(accuracy, fine=True):
        found = compute(level)
        if good(found):
            return found
    raise NotConverged(complaint(found))
