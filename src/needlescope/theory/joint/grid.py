"""Joint training at the points of a grid: refusals, and each point from its neighbours."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...answer import Question
from ...grid import common_shape
from ...models import ATTENTION, Model
from ...models.checks import check_test
from ...query import Query
from ...results import Alignment, Outcome, gather
from ...task import Task
from ...training import Training
from ..common.grid_points import GridPoints
from ..common.provenance import of_joint
from .prediction import predict_point, problem_of
from .solutions.continuation import Near, Neighbours

LONGEST = 1000


def check_joint(
    task: Task, model: Model, query: Query | None, test_task: Task | None, d: int | None
) -> None:
    """Refuse what the equations of joint training do not cover."""
    if model is not ATTENTION:
        raise ValueError(
            f"joint training trains a softmax end to end, got model={model.name!r}; use "
            "model='attention', or leave ridge_q out"
        )
    if query is not None:
        raise ValueError(
            f"joint training would train the query that is given as {query!r}; leave out one of "
            "the two"
        )
    if d is not None:
        raise ValueError(
            f"d must be left out with joint training, got {d!r}: its equations answer in the "
            "limit; simulate trains at a dimension"
        )
    check_joint_task(task)
    if test_task is not None:
        check_test(model, task, test_task)


def check_joint_task(task: Task) -> None:
    """Refuse a task that the equations of joint training do not cover."""
    if np.max(task.L) > LONGEST:
        raise ValueError(
            f"joint training is solved for L up to {LONGEST:,}, got {np.max(task.L):,}: its "
            "equations take minutes there; simulate trains on longer samples"
        )
    if np.min(task.L) < 2:
        raise ValueError(
            f"joint training needs L of at least 2, got {np.min(task.L)}: a single token has all "
            "attention, and its query nothing to learn; use model='pooled'"
        )
    task.need_one_signal("joint training")
    task.need_alike_tokens("joint training")
    task.need_white("joint training")


def predict_joint(
    task: Task,
    training: Training,
    test_task: Task | None,
    options: dict[str, Any],
    first: Near | None = None,
) -> Outcome:
    """Predict what joint training reaches; the options are those of `predict` by name.

    A branch is followed as it is found: the informed one from much data to little. ``first`` is a
    solution near the first point.
    """
    test = task if test_task is None else test_task
    shape = common_shape(task, training, *([] if test_task is None else [test_task]))
    points = GridPoints(options["on_error"], shape, task, training, None, test_task)
    parts = zip(task.scalars(shape), training.scalars(shape), strict=True)
    problems = [problem_of(t, r, options["minimum"], options["start"]) for t, r in parts]
    provenance = {"provenance": of_joint(training.loss, task, test)}
    rows: list[dict[str, Any]] = [provenance | {"model": "attention"}] * len(problems)
    aligned: list[dict[str, Any]] = [provenance] * len(problems)
    neighbours, tests = Neighbours(), list(test.scalars(shape))
    towards = -1.0 if options["start"] == "informed" else 1.0
    for index in sorted(range(len(problems)), key=lambda k: (towards * problems[k].alpha, k)):
        problem = problems[index]
        with points.at(index):
            near = neighbours.start(problem) or first
            result = predict_point(problem, options["tol"], near, tests[index])
            neighbours.add(problem, result.near)
            rows[index] = rows[index] | result.outcome
            aligned[index] = aligned[index] | result.alignment
    points.warn(stacklevel=4)
    question = Question("predict", task, training, {"test_task": test_task} | options)
    alignment = gather(Alignment, aligned, shape, question)
    return dataclasses.replace(gather(Outcome, rows, shape, question), alignment=alignment)
