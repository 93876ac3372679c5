"""Which limit law belongs to which model, and the ladder of accuracies it is computed at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ...errors import NotConverged
from ...grid import choice, real
from ...models import pooled, vectorized
from ...models.nodes import Limit
from ...query import Query
from ...task import Task
from ...training import Training
from .attention import Level, attention_limit, ladder

MODELS = ("attention", "pooled", "vectorized")
NO_QUERY = Query(0.0, 0.0)
SURE = 2.0  # standard errors that must fit into the accuracy asked

T = TypeVar("T")


def check_task(task: Task) -> None:
    """Refuse a task that is none."""
    if not isinstance(task, Task):
        raise ValueError(f"task must be a needlescope.Task, got {task!r}")


def check_training(training: Training) -> None:
    """Refuse a training that is none."""
    if not isinstance(training, Training):
        raise ValueError(f"training must be a needlescope.Training, got {training!r}")


def check_accuracy(accuracy: float) -> float:
    """Refuse an accuracy that is not one number in (0, 1]."""
    if np.ndim(accuracy):
        raise ValueError(f"accuracy must be one number, got {accuracy!r}")
    return float(real("accuracy", accuracy, 0.0, 1.0, open_low=True))


def check_query(query: Query | None, model: str = "attention") -> None:
    """Refuse a query that is none, or that the model has no use for."""
    if query is not None and not isinstance(query, Query):
        raise ValueError(f"query must be a needlescope.Query(kappa, cosine), got {query!r}")
    if query is not None and model != "attention":
        raise ValueError(
            f"query is for model='attention', got {query!r} with model={model!r}, which has none; "
            "leave it out"
        )


def need_query(what: str, query: Query | None, model: str) -> Query:
    """Return the query of a model that has one, or refuse to go on without it."""
    check_query(query, model)
    if model != "attention":
        return NO_QUERY
    if query is not None:
        return query
    raise ValueError(
        f"{what} depends on its query: pass query=Query(kappa, cosine), or "
        f"query=align(task, training).query, got {query!r}"
    )


def train_limit(model: str, task: Task, query: Query, level: Level) -> Limit:
    """Return the law of a model's features on a (scalar) task."""
    choice("model", model, MODELS)
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
