"""Joint training: the replica-symmetric equations against L-BFGS on all data, points and z-scores.

As for trained models (`points`): a classifier is trained at d and 2d, and what is left of both is
compared with the limit. Replica symmetry is no theorem. Where its map is stable and hardly any
sample may jump, the scores must look like those of exact equations; at the points `BEYOND`, where
that does not hold, deviations are small but larger than the errors (docs/joint.md).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import needlescope as ns

from .points import gap_and_error, pair

TRAINED = ("test_error", "train_loss", "signal", "norm", "bias")
QUERY = ("signal_q", "norm_q", "cosine_q")


class JointPoint(NamedTuple):
    """One comparison: a problem, and how it is simulated."""

    task: ns.Task
    training: ns.Training
    d: int = 50
    trials: int = 30

    @property
    def name(self) -> str:
        """What the point is called in a test report."""
        t, r = self.task, self.training
        return (
            f"L={t.L} R={t.R} theta={t.theta:g} pi={t.pi:g} {r.loss} alpha={r.alpha1:g} "
            f"ridge={r.ridge:g} ridge_q={r.ridge_q:g}"
        )


def at(
    L: int, R: int, theta: float, pi: float, loss: str, alpha: float, ridge: float, ridge_q: float
) -> JointPoint:  # fmt: skip
    """Write a point in one line."""
    return JointPoint(ns.Task(L, R, theta, pi), ns.Training.joint(alpha, loss, ridge, ridge_q))


WITHIN = [
    at(2, 1, 3.0, 0.4, "logistic", 4.0, 0.05, 0.05),
    at(2, 1, 3.0, 0.5, "square", 8.0, 0.02, 0.02),
    at(3, 2, 2.5, 0.3, "logistic", 2.0, 0.1, 0.1),
    at(10, 1, 5.0, 0.5, "logistic", 4.0, 0.02, 0.02),
    at(10, 1, 5.0, 0.5, "logistic", 0.5, 0.1, 0.1),
    at(10, 3, 4.0, 0.2, "logistic", 2.0, 0.05, 0.02),
    at(10, 2, 4.0, 0.5, "square", 2.0, 0.02, 0.1),
    at(20, 3, 3.5, 0.2, "square", 4.0, 0.1, 0.1),
    at(50, 2, 5.0, 0.5, "logistic", 1.0, 0.05, 0.05),
    at(50, 3, 5.0, 0.3, "logistic", 2.0, 0.1, 0.1),
    at(10, 1, 4.0, 0.1, "logistic", 8.0, 0.01, 0.01),
    at(10, 1, 5.0, 0.5, "logistic", 16.0, 0.01, 0.01),
    at(8, 1, 4.0, 0.5, "logistic", 3.0, 0.005, 0.2),
    at(15, 1, 4.5, 0.3, "logistic", 4.0, 0.05, 0.02),
    at(5, 2, 3.0, 0.5, "square", 16.0, 0.1, 0.02),
    at(12, 3, 3.0, 0.4, "logistic", 6.0, 0.03, 0.03),
]
BEYOND = [
    at(4, 1, 3.0, 0.5, "logistic", 6.0, 0.02, 0.005),
    at(5, 1, 4.0, 0.5, "logistic", 4.0, 0.01, 0.01),
    at(5, 1, 4.0, 0.5, "logistic", 2.0, 0.02, 0.02),
    at(10, 1, 5.0, 0.5, "logistic", 1.0, 0.02, 0.02),
    at(8, 2, 3.0, 0.3, "logistic", 3.0, 0.02, 0.02),
    at(5, 1, 4.0, 0.3, "square", 4.0, 0.05, 0.05),
    at(5, 1, 4.0, 0.3, "square", 8.0, 0.2, 0.01),
    at(20, 2, 4.0, 0.3, "logistic", 1.0, 0.02, 0.02),
    at(4, 1, 3.0, 0.5, "logistic", 16.0, 0.005, 0.005),
    at(6, 2, 3.0, 0.5, "logistic", 0.5, 0.01, 0.01),
    at(6, 1, 4.0, 0.2, "square", 1.0, 0.01, 0.01),
    at(3, 1, 4.0, 0.5, "logistic", 1.0, 0.2, 0.005),
    at(8, 1, 4.0, 0.5, "logistic", 3.0, 0.2, 0.005),
    at(30, 1, 5.0, 0.5, "square", 2.0, 0.05, 0.05),
    at(5, 3, 2.0, 0.5, "logistic", 4.0, 0.05, 0.05),
    at(10, 1, 3.5, 0.5, "logistic", 4.0, 0.03, 0.03),
    at(6, 1, 3.0, 0.5, "square", 3.0, 0.1, 0.1),
]
QUICK = [WITHIN[k]._replace(d=40, trials=20) for k in (0, 2)]


def joint_gaps(one: JointPoint, seed: Any) -> dict[str, tuple[float, float, float]]:
    """Return of each quantity its gap, the standard error of that, and its limit."""
    limit = ns.predict(one.task, one.training)
    small, large = (
        ns.simulate(
            one.task, one.training, d=d, trials=one.trials, seed=[*seed, d], starts=3, n_jobs=1
        )
        for d in (one.d, 2 * one.d)
    )
    result = {}
    for name in (*TRAINED, *QUERY):
        three = [item.alignment if name in QUERY else item for item in (small, large, limit)]
        gap, error = gap_and_error(*(pair(item, name) for item in three))
        result[name] = float(gap), float(error), float(getattr(three[2], name))
    return result


def joint_scores(one: JointPoint, seed: Any) -> dict[str, float]:
    """Return the z-score of each quantity at a point."""
    return {name: gap / error for name, (gap, error, _) in joint_gaps(one, seed).items()}
