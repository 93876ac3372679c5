"""The iteration that reaches the limit of learning against state evolution: points and z-scores.

As for trained models (`points`): the iteration runs at d and 2d, and what is left of both is
compared with the limit, in units of the errors of trials and theory. A point that is followed until
it stands still is held against `bayes_optimal`; one that is stopped before, against state
evolution's overlap at that round and the Bayes error at the strength θ√q that it leaves.

The number of samples, αd, is whole at every point. Where it is rounded, the rounding is of order
1/d as well, but not the same at d and 2d. How many of them carry a signal is drawn, as it is in
data; its variance adds a part of order 1/d, which the extrapolation takes out with the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import needlescope as ns

from .points import TOL, gap_and_error, pair

ROUNDS = (1, 2, 3, 5)  # of the path that are scored
STANDS_STILL = 15  # iterations after which no point below moves
PLACES = ns.Positions([(0, 1), (1, 2), (0, 3)], [0.5, 0.3, 0.2])
NEIGHBOURS = ns.Positions([(k, k + 1, k + 2) for k in range(8)])
HALVES = ns.Positions([tuple(range(10)), tuple(range(10, 20))], [0.7, 0.3])


class LimitPoint(NamedTuple):
    """One comparison: a task, its α, and how it is simulated."""

    task: ns.Task
    alpha: float
    iterations: int
    d: int
    trials: int

    @property
    def name(self) -> str:
        """What the point is called in a test report."""
        t = self.task
        where = " given" if isinstance(t.positions, ns.Positions) else ""
        return (
            f"L={t.L} R={t.R}{where} theta={t.theta:g} pi={t.pi:g} alpha={self.alpha:g} "
            f"iterations={self.iterations}"
        )


def at(
    L: int, R: int, theta: float, pi: float, alpha: float, iterations: int = STANDS_STILL,
    *, d: int = 60, trials: int = 40, positions: Any = "uniform",
) -> LimitPoint:  # fmt: skip
    """Write a point in one line."""
    return LimitPoint(ns.Task(L, R, theta, pi, positions), alpha, iterations, d, trials)


LIMIT = [
    at(1, 1, 1.0, 0.1, 8.0),
    at(1, 1, 1.5, 0.5, 0.2, d=200),
    at(1, 1, 2.0, 0.8, 2.0),
    at(2, 1, 1.0, 0.5, 4.0),
    at(2, 1, 3.0, 0.4, 1.0),
    at(2, 2, 2.0, 0.3, 0.5, d=120),
    at(3, 1, 2.0, 0.2, 5.0),
    at(3, 2, 2.0, 0.6, 1.0),
    at(3, 3, 1.5, 0.5, 2.0),
    at(4, 1, 4.0, 0.3, 0.5, d=120),
    at(4, 2, 3.0, 0.5, 2.0),
    at(4, 3, 1.0, 0.8, 4.0),
    at(5, 1, 6.0, 0.8, 1.0),
    at(5, 4, 2.0, 0.5, 1.5),
    at(5, 5, 2.0, 0.1, 1.0, d=200),
    at(6, 2, 2.0, 0.3, 4.0),
    at(6, 3, 1.5, 0.6, 1.0, 3),
    at(8, 1, 2.5, 0.5, 8.0),
    at(8, 2, 3.0, 0.3, 1.5),
    at(8, 7, 1.0, 0.5, 1.0),
    at(10, 1, 4.0, 0.5, 2.0),
    at(10, 1, 4.0, 0.5, 1.0, 2),
    at(10, 1, 3.0, 0.8, 3.0, 3),
    at(10, 1, 5.0, 0.1, 8.0),
    at(10, 2, 4.0, 0.5, 0.4, d=100),
    at(10, 5, 1.5, 0.4, 2.0),
    at(10, 8, 1.0, 0.4, 1.0),
    at(10, 10, 1.0, 0.5, 0.5, d=80),
    at(12, 3, 2.5, 0.2, 4.0, 2),
    at(12, 5, 1.5, 0.5, 2.0),
    at(16, 4, 2.0, 0.5, 1.0),
    at(20, 1, 3.5, 0.5, 4.0),
    at(20, 1, 6.0, 0.2, 2.0, 3),
    at(20, 3, 3.0, 0.4, 1.0, 4),
    at(20, 15, 1.0, 0.5, 1.0),
    at(30, 1, 5.0, 0.5, 1.5),
    at(30, 2, 4.0, 0.1, 8.0, 4),
    at(30, 30, 0.5, 0.3, 0.2, d=300),
    at(50, 1, 4.0, 0.5, 2.0, 5),
    at(50, 5, 3.0, 0.5, 0.5, d=80),
    at(50, 25, 1.0, 0.4, 1.0),
    at(100, 1, 4.0, 0.5, 1.5),
    at(100, 1, 6.0, 0.5, 1.0, 3),
    at(100, 10, 2.0, 0.5, 0.5, d=80),
    at(100, 90, 0.3, 0.5, 0.4, d=100),
    at(4, 2, 2.5, 0.4, 2.0, positions=PLACES),
    at(4, 2, 1.5, 0.8, 0.5, 2, d=80, positions=PLACES),
    at(10, 3, 2.0, 0.5, 1.0, positions=NEIGHBOURS),
    at(10, 3, 3.0, 0.2, 2.0, 3, positions=NEIGHBOURS),
    at(20, 10, 1.0, 0.5, 1.0, positions=HALVES),
    at(5, 1, 1.5, 0.5, 3.0, 5),
    at(10, 1, 2.0, 0.5, 2.0, 5),
    at(12, 2, 1.5, 0.4, 2.0, 3),
]

# the last is weak enough to show what the correction does
QUICK = [LIMIT[k]._replace(d=40) for k in (2, 7, 16, 20, 45, 51)]


def limit_scores(one: LimitPoint, seed: Any) -> dict[str, float]:
    """Return the z-score of each quantity at a point, and of the path at some iterations."""
    small, large = (
        ns.simulate_amp(
            one.task, one.alpha, d, one.trials, [*seed, d], iterations=one.iterations, n_jobs=1
        )
        for d in (one.d, 2 * one.d)
    )
    limits = _limits(one)
    result = {}
    for name, limit in limits.items():
        gap, error = gap_and_error(pair(small, name), pair(large, name), limit)
        result[name] = float(gap / error)
    theory = ns.state_evolution(one.task, one.alpha, one.iterations, tol=TOL)
    gap, error = gap_and_error(*(pair(path, "path") for path in (small, large, theory)))
    for number in ROUNDS:
        if number <= one.iterations:
            result[f"round {number}"] = float(gap[number] / error[number])
    return result


def _limits(one: LimitPoint) -> dict[str, tuple[float, float]]:
    """Return the limits of what the last estimate is, each with its standard error."""
    if one.iterations == STANDS_STILL:
        limit = ns.bayes_optimal(one.task, one.alpha, tol=TOL)
        assert limit.phase == "easy"
        q, error = pair(limit, "overlap"), pair(limit, "test_error")
    else:
        path = ns.state_evolution(one.task, one.alpha, one.iterations, tol=TOL)
        q = (path.path[-1], path.path_se[-1])
        dimmed = one.task.replace(theta=one.task.theta * float(np.sqrt(q[0])))
        error = pair(ns.oracle(dimmed, "bayes", tol=TOL), "error")
    return {"overlap": q, "self_overlap": q, "test_error": error}
