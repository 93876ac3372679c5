"""Which limit law belongs to which model: its own in closed form, or one that is sampled."""

from __future__ import annotations

from ...models import Model
from ...models.nodes import Limit
from ...query import Query
from ...task import Task
from .attention import attention_limit
from .ladder import Level


def train_limit(model: Model, task: Task, query: Query, level: Level) -> Limit:
    """Return the law of a model's features on a (scalar) task."""
    return test_limit(model, task, task, query, level)


def test_limit(model: Model, task: Task, test: Task, query: Query, level: Level) -> Limit:
    """Return the law on ``test`` of the features of a model trained on ``task``."""
    if model.limit is not None:
        return model.limit(task, test)
    return attention_limit(test.L, test.R, test.theta, query.kappa, query.cosine, level)


test_limit.__test__ = False  # type: ignore[attr-defined]  # the name is not a test's
