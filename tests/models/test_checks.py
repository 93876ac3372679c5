"""What may be asked of a model: a query where it has one, a length that it can read."""

from __future__ import annotations

import pytest

from needlescope.models import MODELS
from needlescope.models.checks import check_query, check_test
from needlescope.query import Query
from needlescope.task import Task

COVERS = ("model",)  # has_query and fixed_length decide here
TASK = Task(L=10, R=1, theta=5.0, pi=0.5)


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.name)
def test_a_query_is_for_models_that_have_one(model):
    check_query(model, None, TASK)
    with pytest.raises(ValueError, match=r"query must be a needlescope\.Query.*got \(1, 1\)"):
        check_query(model, (1, 1), TASK)
    if model.has_query:
        check_query(model, Query(1.0, 1.0), TASK)
        return
    with pytest.raises(ValueError, match=f"with model='{model.name}', which has none"):
        check_query(model, Query(1.0, 1.0), TASK)


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.name)
def test_another_length_is_for_models_that_are_not_bound_to_one(model):
    check_test(model, TASK, TASK.replace(theta=1.0))
    longer = TASK.replace(L=[10, 20])
    if not model.fixed_length:
        check_test(model, TASK, longer)
        return
    with pytest.raises(ValueError, match=f"the {model.name} model has one weight for each of its"):
        check_test(model, TASK, longer)


def test_a_test_task_is_a_task():
    with pytest.raises(ValueError, match=r"test_task must be a needlescope\.Task"):
        check_test(MODELS["pooled"], TASK, 10)
