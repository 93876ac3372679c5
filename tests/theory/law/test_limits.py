"""Which law belongs to which model: its own in closed form, or attention's at the query asked."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.models import ATTENTION, MODELS
from needlescope.query import Query
from needlescope.task import Task
from needlescope.theory.law.attention import attention_limit
from needlescope.theory.law.ladder import Level
from needlescope.theory.law.limits import test_limit as limit_on_test
from needlescope.theory.law.limits import train_limit

TASK, OTHER = Task(L=6, R=2, theta=3.0, pi=0.3), Task(L=6, R=3, theta=2.0, pi=0.5)
QUERY, LEVEL = Query(1.5, 0.7), Level(256, 16)
CLOSED = [model for model in MODELS.values() if model.limit is not None]


def same(one, other):
    for mine, theirs in ((one.positive, other.positive), (one.negative, other.negative)):
        assert all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))
    assert one.dim == other.dim


@pytest.mark.parametrize("model", CLOSED, ids=lambda model: model.name)
def test_a_closed_law_needs_neither_query_nor_level(model):
    same(train_limit(model, TASK, QUERY, LEVEL), model.limit(TASK, TASK))
    same(limit_on_test(model, TASK, OTHER, QUERY, LEVEL), model.limit(TASK, OTHER))


def test_attention_sees_the_task_it_is_tested_on():
    for test, result in (
        (TASK, train_limit(ATTENTION, TASK, QUERY, LEVEL)),
        (OTHER, limit_on_test(ATTENTION, TASK, OTHER, QUERY, LEVEL)),
    ):
        same(result, attention_limit(test.L, test.R, test.theta, 1.5, 0.7, LEVEL))
