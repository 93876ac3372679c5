"""The error of a trained classifier whose bias is moved, for another share of positives.

A readout is known by its order parameters; with them its error on any balance of classes, and at any
bias, is an integral over the same law of features.
"""

from __future__ import annotations

import numpy as np

from ..models import get_model
from ..outcome import Outcome
from ..query import Query
from ..task import Task
from ..theory.law.ladder import LADDER
from ..theory.law.limits import train_limit
from ..theory.saddle.measures import test_error
from ..theory.saddle.problem import Point
from .readouts import NONE, best_shift

LEVELS = LADDER[3].finer, LADDER[2].finer  # the second tells how far the first is known


def moved_error(task: Task, found: Outcome, pi: float) -> tuple[float, float, float]:
    """Return the least error with a share ``pi`` of positives, its doubt, and the bias's move for it.

    Examples
    --------
    Trained with as many positives as negatives, used where one in ten is positive:

    >>> import needlescope as ns
    >>> task = ns.Task(L=4, R=1, theta=4.0, pi=0.5)
    >>> found = ns.predict(task, ns.Training(alpha1=4.0, ridge=0.1), "pooled")
    >>> error, _, shift = moved_error(task, found, 0.1)
    >>> as_is = ns.predict(task, ns.Training(alpha1=4.0, ridge=0.1), "pooled",
    ...                    test_task=task.replace(pi=0.1)).test_error
    >>> round(float(as_is), 2), round(error, 2), round(shift, 1)
    (0.16, 0.07, -1.1)
    """
    model = get_model(found.model)
    query = Query(float(found.kappa), float(found.cosine_q)) if model.has_query else NONE
    parts = [found.query_part, found.signal_part] if model.has_query else [found.signal_part]
    point = Point(np.array(parts, float), float(found.bias), float(found.rest), 1.0)
    law, coarse = (train_limit(model, task, query, level).law(pi) for level in LEVELS)
    shift = best_shift(law, point)
    moved = point._replace(b=point.b + shift)
    error = test_error(law, moved)
    return error, abs(error - test_error(coarse, moved)), shift
