"""Schedules of steps on fresh batches: theory against steps that are taken, points and z-scores.

As for trained models (`points`): steps are taken at d and 2d, and what is left of both is compared
with the limit. The query and the readout after the last step are scored, and, after stage 4, the
test error. Batches are whole at every point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import needlescope as ns

from .points import TOL, gap_and_error, pair

STEPPED = ("signal_w", "norm_w", "cosine_w", "signal_q", "norm_q", "cosine_q")


class StepsPoint(NamedTuple):
    """One comparison: a problem, and how it is simulated."""

    task: ns.Task
    training: ns.Training
    d: int
    trials: int

    @property
    def name(self) -> str:
        """What the point is called in a test report."""
        t, r = self.task, self.training
        return (
            f"L={t.L} R={t.R} theta={t.theta:g} pi={t.pi:g} {r.loss} alpha0={r.alpha0:g} "
            f"beta={r.beta:g} {r.schedule}"
        )


def at(
    L: int, R: int, theta: float, pi: float, loss: str, alpha0: float, schedule: ns.Schedule,
    *, beta: float = 1.0, d: int = 60, trials: int = 40,
) -> StepsPoint:  # fmt: skip
    """Write a point in one line."""
    training = ns.Training(alpha0, 2.0, loss=loss, ridge=1e-1, beta=beta, schedule=schedule)
    return StepsPoint(ns.Task(L, R, theta, pi), training, d, trials)


even = ns.Schedule.even
STEPS = [
    at(10, 1, 5.0, 0.5, "logistic", 4.0, even(1)),
    at(10, 1, 5.0, 0.5, "logistic", 4.0, even(2, eta_b=4.0)),
    at(10, 1, 5.0, 0.5, "logistic", 6.0, even(3, 0.5, 4.0, 10.0), beta=0.5),
    at(10, 1, 4.0, 0.5, "logistic", 8.0, even(4, 0.5, 4.0, 3.0)),
    at(4, 1, 4.0, 0.3, "logistic", 6.0, even(6, 0.5, 1.0, 1.0)),
    at(4, 1, 4.0, 0.3, "square", 4.0, even(4, 0.3, 0.3, 0.5)),
    at(10, 3, 3.0, 0.2, "square", 5.0, even(5, 0.3, 0.3, 0.5), beta=2.0),
    at(6, 2, 3.0, 0.4, "hinge", 4.0, even(4, 0.5, 0.3, 1.0)),
    at(6, 2, 3.0, 0.4, "squared_hinge", 6.0, even(3, 0.2, 0.3, 1.0)),
    at(5, 4, 2.0, 0.8, "logistic", 4.0, even(4, 1.0, 1.0, 2.0)),
    at(3, 3, 1.5, 0.5, "logistic", 4.0, even(5, 1.0, 1.0, 2.0)),
    at(2, 1, 3.0, 0.4, "hinge", 3.0, even(3, 1.0, 0.5, 2.0)),
    at(8, 1, 4.0, 0.5, "logistic", 4.0, ns.Schedule((0.5, 0.25, 0.25), 1.0, 4.0, (0.0, 20.0, 5.0))),
    at(10, 2, 4.0, 0.5, "squared_hinge", 5.0, ns.Schedule((0.4, 0.6), (0.5, 0.0), 0.5, (0.0, 5.0))),
    at(40, 3, 4.0, 0.5, "logistic", 4.0, even(4, 1.0, 4.0, 20.0)),
    at(150, 2, 6.0, 0.5, "logistic", 4.0, even(4, 2.0, 4.0, 100.0), d=40, trials=20),
    at(200, 150, 0.5, 0.4, "logistic", 2.0, even(4, 1.0, 4.0, 30.0), d=40, trials=20),
    at(6, 1, 0.0, 0.5, "logistic", 4.0, even(4, 1.0, 4.0, 10.0)),
]  # fmt: skip

QUICK = [STEPS[k]._replace(d=40) for k in (5, 12)]


def steps_scores(one: StepsPoint, seed: Any) -> dict[str, float]:
    """Return the z-score of each quantity at a point, where it has one."""
    limits = ns.align(one.task, one.training), ns.predict(one.task, one.training, tol=TOL)
    small, large = (
        ns.simulate(one.task, one.training, "attention", d, one.trials, [*seed, d], n_jobs=1)
        for d in (one.d, 2 * one.d)
    )
    result = {}
    for name in (*STEPPED, "test_error"):
        limit = limits[name == "test_error"]
        simulated = [each if name == "test_error" else each.alignment for each in (small, large)]
        gap, error = gap_and_error(*(pair(each, name) for each in (*simulated, limit)))
        if error > 0.0:  # a query that no step has moved is zero in every trial
            result[name] = float(gap / error)
        else:
            assert gap == 0.0
    return result
