"""Validation of a model's query, training and test task, for theory and simulation alike."""

from __future__ import annotations

import numpy as np

from ..grid import check_kind, common_shape
from ..query import Query
from ..task import Task
from ..training import Training
from .model import Model


def check_query(model: Model, query: Query | None, task: Task) -> None:
    """Refuse a query of the wrong type, for a model without one, or for another task."""
    if query is None:
        return
    if not isinstance(query, Query):
        raise ValueError(f"query must be a needlescope.Query(kappa, cosine), got {query!r}")
    if not model.has_query:
        raise ValueError(
            f"query is for attention, got {query!r} with model={model.name!r}, which has "
            "none; leave it out"
        )
    if not model.bounded and np.any(np.isinf(np.asarray(query.kappa))):
        raise ValueError(
            f"kappa must be finite with model={model.name!r}, whose weights grow with it, got "
            f"{query.kappa!r}"
        )
    if task.signals is None and query.cosines is not None:
        raise ValueError(
            f"cosines={query.cosines!r} is for a task of several signals, and this one has one; "
            "give a cosine"
        )
    if task.signals is not None and len(query.cosines or ()) != task.kinds:
        given = f"cosine={query.cosine!r}" if query.cosines is None else f"{query.cosines!r}"
        raise ValueError(
            f"the query must have {task.kinds} cosines, one for each of the task's signals, got "
            f"{given}; pass Query(kappa, cosines=(...))"
        )


def check_schedule(model: Model, training: Training, query: Query | None) -> None:
    """Refuse a schedule for linear attention, of which only the first step is that of softmax."""
    if query is None and not model.bounded and training.schedule is not None:
        raise ValueError(
            f"schedule must be left out with model={model.name!r}: its first step is that of "
            "softmax, later ones are not; give a query instead"
        )


def check_test(model: Model, task: Task, test: Task) -> None:
    """Refuse a test task of the wrong type, or one that the trained model cannot be tested on.

    Examples
    --------
    >>> from needlescope.models import get_model
    >>> task = Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> check_test(get_model("vectorized"), task, task.replace(L=20))
    Traceback (most recent call last):
    ValueError: the vectorized model has one weight for each of its L=10 tokens and cannot be ...
    """
    check_kind("test_task", test, Task)
    common_shape(task, test)
    if test.kinds != task.kinds:
        raise ValueError(
            f"test_task must have the signals of the task, of which there are {task.kinds}, got "
            f"signals={test.signals!r}; their weights may differ, and be 0 for those left out"
        )
    if test.laws_of_tokens != task.laws_of_tokens:
        raise ValueError(
            "test_task must have the noise and signal of the task, whose whitened coordinates the "
            f"readout is in, got noise={test.noise!r} and signal={test.signal!r:.80}"
            + ("" if task.signal_noise is None else f", signal_noise={test.signal_noise!r}")
        )
    if model.fixed_length and np.any(np.asarray(test.L) != np.asarray(task.L)):
        raise ValueError(
            f"the {model.name} model has one weight for each of its L={task.L} tokens and cannot "
            f"be tested at L={test.L}; give a test_task with the same L, or use pooled or attention"
        )
