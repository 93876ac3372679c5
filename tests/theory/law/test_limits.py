"""Which law belongs to which model: its own in closed form, or attention's at the query asked."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.models import ATTENTION, MODELS
from needlescope.query import Query
from needlescope.task import Task
from needlescope.theory.law.attention import attention_limit
from needlescope.theory.law.ladder import Level
from needlescope.theory.law.limits import nearby_limit, train_limit
from needlescope.theory.law.limits import test_limit as limit_on_test

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


def test_laws_in_the_cells_of_a_neighbour_move_smoothly():
    """Cells of their own jump between neighbours, which a small difference divides by its step."""
    task, query, level = Task(10, 1, 5.0, 0.5), Query(1.5, 0.8), Level(2**10, 32)
    like = task, query

    def law(kappa):
        return nearby_limit(ATTENTION, task, Query(kappa, 0.8), level, like).law(0.5)

    def mean(kappa):
        return float(law(kappa).weight @ np.tanh(law(kappa).m[:, 0]))

    plain, here = train_limit(ATTENTION, task, query, level).law(0.5), law(1.5)
    assert (here.m == plain.m).all() and (here.weight == plain.weight).all()
    slopes = [(mean(1.5 * (1.0 + by)) - mean(1.5)) / by for by in (1e-5, 1e-6)]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-2)
