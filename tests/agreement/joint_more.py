"""Joint training beyond the plain task: other tests, flipped labels, random counts, hinges.

Compared as in `joint`. Where labels are flipped replica symmetry breaks earlier than without, so
these points have larger ridges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import needlescope as ns

from .joint import QUERY, TRAINED
from .points import gap_and_error, pair


class MorePoint(NamedTuple):
    """One comparison: a problem, a task to test on if it is another, and how it is simulated."""

    name: str
    task: ns.Task
    training: ns.Training
    test_task: ns.Task | None = None
    d: int = 50
    trials: int = 30


def joint(alpha: float, ridge: float, ridge_q: float, loss: str = "logistic") -> ns.Training:
    """Write a training in one line."""
    return ns.Training.joint(alpha, loss, ridge, ridge_q)


TASK = ns.Task(10, 1, 5.0, 0.5)
COUNTS = ns.SignalCount([1, 3], [0.7, 0.3])
MORE = [
    MorePoint("longer", TASK, joint(4.0, 0.02, 0.02), TASK.replace(L=30)),
    MorePoint("other", TASK, joint(2.0, 0.05, 0.05), ns.Task(20, 3, 3.5, 0.3)),
    MorePoint(
        "shorter",
        ns.Task(6, 2, 4.0, 0.4),
        joint(3.0, 0.05, 0.05, "square"),
        ns.Task(3, 1, 3.0, 0.2),
    ),
    MorePoint("counts", ns.Task(10, COUNTS, 4.5, 0.5), joint(4.0, 0.05, 0.05)),
    MorePoint("test counts", TASK, joint(4.0, 0.05, 0.05), ns.Task(12, COUNTS, 4.0, 0.4)),
    MorePoint("flips", TASK.replace(label_noise=0.1), joint(4.0, 0.2, 0.2)),
    MorePoint(
        "flips of one", ns.Task(8, 1, 5.0, 0.4, label_noise=(0.2, 0.0)), joint(6.0, 0.2, 0.1)
    ),
    MorePoint(
        "flips and counts",
        ns.Task(6, ns.SignalCount([1, 2], [0.5, 0.5]), 4.0, 0.4, label_noise=0.05),
        joint(4.0, 0.1, 0.1),
    ),
    MorePoint("squared hinge", TASK, joint(4.0, 0.02, 0.02, "squared_hinge")),
    MorePoint("squared hinge, 2", ns.Task(4, 1, 3.0, 0.3), joint(8.0, 0.1, 0.1, "squared_hinge")),
    MorePoint("squared hinge, 3", ns.Task(20, 3, 4.0, 0.5), joint(1.0, 0.1, 0.1, "squared_hinge")),
    MorePoint("squared hinge, 4", ns.Task(8, 2, 4.0, 0.4), joint(3.0, 0.1, 0.03, "squared_hinge")),
    MorePoint("hinge", TASK, joint(4.0, 0.05, 0.05, "hinge"), d=40),
    MorePoint("hinge, 2", ns.Task(4, 1, 4.0, 0.4), joint(2.0, 0.2, 0.1, "hinge"), d=40),
    MorePoint("hinge, 3", ns.Task(8, 2, 4.0, 0.4), joint(2.0, 0.05, 0.05, "hinge"), d=40),
    MorePoint("hinge, 4", ns.Task(20, 3, 4.0, 0.3), joint(1.0, 0.1, 0.1, "hinge"), d=40),
]
QUICK = [MORE[k]._replace(d=40, trials=20) for k in (2, 7)]


def more_scores(one: MorePoint, seed: Any) -> dict[str, float]:
    """Return the z-score of each quantity at a point."""
    limit = ns.predict(one.task, one.training, test_task=one.test_task)
    small, large = (
        ns.simulate(
            *(one.task, one.training),
            test_task=one.test_task,
            d=d,
            trials=one.trials,
            seed=[*seed, d],
            starts=3,
            n_jobs=1,
        )
        for d in (one.d, 2 * one.d)
    )
    result = {}
    for name in (*TRAINED, *QUERY):
        three = [item.alignment if name in QUERY else item for item in (small, large, limit)]
        gap, error = gap_and_error(*(pair(item, name) for item in three))
        result[name] = float(gap / error)
    return result
