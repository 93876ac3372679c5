"""Random problems of joint training, and what must hold for each.

L 2…100, R 1…3, θ 0.5…8, π 0.1…0.5, α 0.5…16, both ridges 0.005…0.5, all losses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import needlescope as ns
from needlescope.theory.joint.prediction import JOINT_TOL

from .problems import Draws

LOSSES = ("logistic", "square", "squared_hinge", "hinge")
COMPARED = ("test_error", "train_loss", "train_error", "bias", "signal", "norm")
ERRORS = 4.0  # standard errors that are allowed
ROUGH = 5e-3  # of the Bayes-optimal error that a test error is compared with
STEP = 1.3  # factor of α to the neighbour on a curve
REMEDIES = ("a larger ridge", "another ridge or ridge_q", "above tol")  # a refusal names one


class Joint(NamedTuple):
    """One random problem."""

    task: ns.Task
    training: ns.Training

    def predict(self, **changes: object) -> ns.Outcome:
        """Predict, at the default tolerance."""
        return ns.predict(self.task, self.training.replace(**changes))


def draw(seed: int, index: int) -> Joint:
    """Return problem ``index`` of the sequence ``seed``; most are of at most 50 tokens."""
    draws = Draws(seed, index)
    spread, rng = draws.spread, draws.rng
    L = round(spread(50, 100)) if rng.random() < 0.05 else round(spread(2, 50))
    R = min(int(rng.integers(1, 4)), L)
    task = ns.Task(L, R, theta=spread(0.5, 8.0), pi=float(rng.uniform(0.1, 0.5)))
    loss = LOSSES[rng.integers(len(LOSSES))]
    ridges = {name: spread(0.005, 0.5) for name in ("ridge", "ridge_q")}
    return Joint(task, ns.Training.joint(spread(0.5, 16.0), loss, **ridges))


def check(problem: Joint) -> tuple[str, list[str]]:
    """Return what became of a problem, and what is wrong about it."""
    try:
        result = problem.predict()
    except ns.NotConverged as said:
        remedy = any(item in str(said) for item in REMEDIES)
        return f"not converged: {said}", [] if remedy else [f"no remedy in {str(said)!r}"]
    status = "converged"
    if result.notes:
        status = "converged, replica symmetry broken"
    failures = []
    for look in CHECKS:
        try:
            verdict = look(problem, result)
        except ns.NotConverged as said:
            status = f"{status}; its neighbour did not: {said}"
            continue
        if verdict is not None:
            failures.append(f"{look.__name__}: {verdict}")
    return status, failures


def _noise(name: str, *results: ns.Outcome) -> float:
    return ERRORS * float(np.linalg.norm([getattr(item, f"{name}_se") for item in results]))


def sane(problem: Joint, result: ns.Outcome) -> str | None:
    """Return what is not finite, out of its range or less exact than it says."""
    for name in COMPARED:
        both = getattr(result, name), getattr(result, f"{name}_se")
        if not np.isfinite(both).all():
            return f"{name} = {both[0]} ± {both[1]}"
    for name in ("test_error", "train_error", "jumping"):
        if not 0.0 <= getattr(result, name) <= 1.0:
            return f"{name} = {getattr(result, name)}"
    alignment = result.alignment
    assert alignment is not None
    for name, value in (("cosine", result.cosine), ("cosine_q", alignment.cosine_q)):
        if not abs(value) <= 1.0:
            return f"{name} = {value}"
    if not result.replicon >= 0.0:
        return f"replicon = {result.replicon}"
    if not 2.0 * result.test_error_se <= JOINT_TOL:
        return f"test_error_se = {result.test_error_se:.1e}"
    return None


def no_worse_than_pooling(problem: Joint, result: ns.Outcome) -> str | None:
    """A query of zero is one of those that training may choose."""
    task, training = problem
    try:
        pooled = ns.predict(task, training, "pooled")
    except ns.NoMinimiser:  # a hinge that leaves the bias free
        return None
    least = pooled.train_loss + 0.5 * training.ridge * pooled.norm**2
    penalty = 0.5 * (training.ridge * result.norm**2 + training.ridge_q * result.kappa**2)
    objective = result.train_loss + penalty
    alignment = result.alignment
    assert alignment is not None
    noise = _noise("train_loss", result) + ERRORS * float(
        np.hypot(
            training.ridge * result.norm * result.norm_se,
            training.ridge_q * result.kappa * alignment.norm_q_se,
        )
    )
    if objective <= least + noise + 1e-6:
        return None
    return f"objective {objective:.6f} ± {noise / ERRORS:.1e} above that of pooling, {least:.6f}"


def bayes_optimal_is_better(problem: Joint, result: ns.Outcome) -> str | None:
    """No training with as many samples reaches less than the Bayes-optimal learner."""
    limit = ns.bayes_optimal(problem.task, problem.training.alpha1, tol=ROUGH)
    noise = ERRORS * float(np.hypot(limit.test_error_se, result.test_error_se))
    if limit.test_error <= result.test_error + noise:
        return None
    return f"limit {limit.test_error:.6f} above training's {result.test_error:.6f}"


def a_curve_is_its_points(problem: Joint, result: ns.Outcome) -> str | None:
    """A point reached from its neighbours is the one that is reached alone.

    That is so where replica symmetry is stable; elsewhere the equations on a finite number of
    points have several solutions near each other (docs/joint.md).
    """
    if result.notes:
        return None
    alpha = problem.training.alpha1
    curve = problem.predict(alpha1=alpha * np.array([1.0, STEP, STEP**2]))
    for name in COMPARED:
        one, error = float(getattr(curve, name)[0]), float(getattr(curve, f"{name}_se")[0])
        gap = abs(one - getattr(result, name))
        noise = ERRORS * float(np.hypot(error, getattr(result, f"{name}_se")))
        if gap > noise + 1e-6:
            return (
                f"{name} is {getattr(result, name):.6f} alone, {one:.6f} ± {error:.1e} on a curve"
            )
    return None


def loss_falls_with_the_ridges(problem: Joint, result: ns.Outcome) -> str | None:
    """Smaller ridges, both in the same proportion, never raise the training loss."""
    ridges = {name: getattr(problem.training, name) / 1.5 for name in ("ridge", "ridge_q")}
    lower = problem.predict(**ridges)
    if lower.train_loss <= result.train_loss + _noise("train_loss", lower, result) + 1e-6:
        return None
    return (
        f"train loss rises from {result.train_loss:.6f} to {lower.train_loss:.6f} with less ridge"
    )


CHECKS: tuple[Callable[[Joint, ns.Outcome], str | None], ...] = (
    sane,
    no_worse_than_pooling,
    bayes_optimal_is_better,
    a_curve_is_its_points,
    loss_falls_with_the_ridges,
)
