"""Learning curves around a plan: the tuned error of each learner by number of bags."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NotConverged
from ..results.planned import LearningCurves, Plan
from . import LEARNERS, USUAL
from .learners import ORACLES, get_learner
from .tuning.budget import Budget

POINTS = 7
RANGE_FACTOR = 8.0  # times fewer bags, and more


def learning_curves(result: Plan, points: int | None = None) -> LearningCurves:
    """Return the errors of all learners around a plan, as `needlescope.figures.plan` draws them.

    Errors are those of the rough search, of one signal; training has the balance of the task. Joint
    training is among them where the plan is for it. A classifier is not: its studies are in its
    plan.

    Parameters
    ----------
    result : Plan
        What `needlescope.plan` returned.
    points : int, optional
        How many numbers of bags, from an eighth of the plan's to eight times that.

    Raises
    ------
    ValueError
        If the plan has no number of bags.

    Examples
    --------
    >>> import needlescope as ns
    >>> plan = ns.plan(L=10, R=1, theta=5.0, pi=0.5, d=50, n=200, learner="pooled", interval=False,
    ...                others=False)
    >>> curves = learning_curves(plan, points=1)
    >>> sorted(curves.errors), len(curves.n)
    (['amp', 'attention', 'bayes_optimal', 'pooled', 'vectorized'], 1)
    """
    points = POINTS if points is None else points
    if not np.isfinite(result.n) or result.task is None:
        raise ValueError(
            "no number of bags reaches the target of this plan: there are no curves around it"
        )
    task, least = result.task.replace(signals=None), 10.0 / min(result.pi, 1.0 - result.pi)
    ends = max(result.n / RANGE_FACTOR, least), max(result.n, least) * RANGE_FACTOR
    bags = np.geomspace(*ends, points)
    errors: dict[str, tuple[float, ...]] = {}
    own = (result.learner,) if result.learner in LEARNERS else ()
    for name in dict.fromkeys((*USUAL, *own)):
        learner, row = get_learner(name, result.loss or "logistic"), []
        near: Any = None
        for count in bags:
            try:
                near = learner.tune(Budget(task, count / result.d, result.d), near)
                row.append(float(near.error))
            except NotConverged:
                row.append(np.nan)
        errors[name] = tuple(row)
    floors = {floor.name: float(floor.tune(Budget(task, 1.0)).error) for floor in ORACLES}
    return LearningCurves(tuple(bags.tolist()), errors, floors)
