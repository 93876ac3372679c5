"""Joint training: the replica-symmetric equations against L-BFGS on all data, points and z-scores.

As for trained models (`points`): a classifier is trained at d and 2d, and what is left of both is
compared with the limit. Replica symmetry is no theorem. Where its map is stable and hardly any
sample may jump, the scores must look like those of exact equations; at the points `BEYOND`, most of
which have many minima, deviations may be larger than the errors (docs/joint.md).
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
    # drawn at random, before anything of them was known (docs/joint.md)
    at(5, 3, 4.6, 0.36, "square", 0.63, 0.46, 0.053),
    at(11, 1, 4.4, 0.23, "logistic", 5.2, 0.026, 0.48),
    at(5, 1, 4.6, 0.28, "logistic", 0.83, 0.0098, 0.074),
    at(14, 3, 4.4, 0.44, "logistic", 6.8, 0.016, 0.026),
    at(5, 3, 2.5, 0.45, "square", 6.1, 0.0057, 0.18),
    at(41, 3, 3.6, 0.24, "logistic", 2.2, 0.079, 0.1),
    at(2, 1, 2.8, 0.28, "logistic", 13.0, 0.014, 0.016),
    at(2, 1, 3.9, 0.18, "square", 5.1, 0.044, 0.0098),
    at(38, 3, 4.8, 0.15, "square", 2.1, 0.01, 0.057),
    at(7, 2, 4.6, 0.3, "square", 0.78, 0.082, 0.15),
    at(4, 1, 4.6, 0.26, "logistic", 0.69, 0.32, 0.28),
    at(5, 3, 4.2, 0.2, "logistic", 1.1, 0.2, 0.073),
    at(12, 3, 2.8, 0.23, "logistic", 6.4, 0.45, 0.027),
    at(11, 3, 4.0, 0.18, "logistic", 6.4, 0.32, 0.02),
    at(2, 1, 3.1, 0.35, "logistic", 1.2, 0.021, 0.29),
    at(9, 3, 2.7, 0.34, "square", 2.9, 0.31, 0.35),
    at(2, 1, 3.0, 0.14, "logistic", 13.0, 0.0075, 0.12),
    at(8, 3, 4.2, 0.4, "square", 2.9, 0.095, 0.094),
    at(4, 2, 4.3, 0.43, "logistic", 5.1, 0.036, 0.35),
    at(8, 2, 3.4, 0.16, "logistic", 1.3, 0.45, 0.21),
    at(11, 2, 4.0, 0.47, "logistic", 5.4, 0.39, 0.17),
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
    # drawn at random, before anything of them was known (docs/joint.md)
    at(11, 2, 4.0, 0.22, "square", 4.0, 0.059, 0.033),
    at(4, 2, 3.8, 0.47, "logistic", 0.77, 0.17, 0.021),
    at(6, 1, 4.4, 0.36, "logistic", 1.6, 0.069, 0.022),
    at(8, 1, 2.9, 0.13, "logistic", 3.4, 0.069, 0.014),
    at(21, 1, 3.9, 0.48, "square", 3.9, 0.31, 0.012),
    at(12, 1, 2.8, 0.42, "logistic", 0.75, 0.13, 0.02),
    at(3, 1, 4.7, 0.24, "logistic", 0.61, 0.013, 0.0058),
    at(3, 1, 3.9, 0.48, "square", 0.52, 0.13, 0.016),
    at(15, 1, 4.8, 0.46, "square", 0.62, 0.29, 0.038),
    at(2, 1, 4.4, 0.28, "logistic", 3.0, 0.031, 0.0056),
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
