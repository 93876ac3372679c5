"""Random problems for the limit of learning, and what must hold for each.

L 1…100,000, R 1…L, θ 0…50, π 0.001…0.999, α 0.01…200; and trainings with as many samples: none may
reach less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import needlescope as ns

from .invariants import ROUGH as TOL
from .invariants import UNRESOLVED
from .problems import LOSSES, Draws

MODELS = ("attention", "pooled", "vectorized")
ERRORS = 4.0  # standard errors that are allowed
TRAINED = 4096  # tokens up to which a training is predicted too


class Learning(NamedTuple):
    """One random problem: a task, samples, and a training of some model with as many."""

    task: ns.Task
    alpha: float
    training: ns.Training
    model: str


def draw(seed: int, index: int) -> Learning:
    """Return problem ``index`` of the sequence ``seed``; ends of ranges come up on purpose."""
    draws = Draws(seed, index)
    L = round(draws.one_of(*(draws.spread(1, 100_000) for _ in range(2)), draws.spread(1, 200)))
    alpha = draws.one_of(0.01, 200.0, *(draws.spread(0.01, 200.0) for _ in range(6)))
    share = draws.rng.uniform(0.2, 0.8)
    task, model = draws.task(L), MODELS[draws.rng.integers(len(MODELS))]
    training = ns.Training(
        alpha0=share * alpha,
        alpha1=(1.0 - share) * alpha,
        loss=LOSSES[draws.rng.integers(len(LOSSES))],
        ridge=draws.spread(1e-4, 1e2),
        eta_q=draws.spread(0.1, 1e5),
        balanced=bool(draws.rng.random() < 0.5),
    )
    return Learning(task, alpha, training, model)


def check(problem: Learning) -> tuple[str, list[str]]:
    """Return what became of a problem, and what is wrong about it."""
    try:
        return "converged", [item for item in (_limits(problem), _trained(problem)) if item]
    except ns.NotConverged as said:
        return f"not converged: {str(said).split(' here')[0]}", []


def _limits(problem: Learning) -> str | None:
    """Within its bounds, better with more of everything that helps, never better than known."""
    task, alpha = problem.task, problem.alpha
    more = {
        "alpha": (task, np.array([0.5, 1.0]) * alpha),
        "theta": (task.replace(theta=np.array([0.9, 1.0]) * task.theta), alpha),
        "pi": (task.replace(pi=np.array([0.8, 1.0]) * task.pi), alpha),
    }
    for name, asked in more.items():
        limit = ns.bayes_optimal(*asked, tol=TOL)
        q, noise = limit.overlap, ERRORS * limit.overlap_se.max() + 1e-9
        if not ((q >= 0.0) & (q <= 1.0)).all():
            return f"overlaps {q} outside 0..1"
        if q[1] < q[0] - noise or limit.amp_overlap[1] < limit.amp_overlap[0] - noise:
            return f"overlap falls from {q[0]:.6f} to {q[1]:.6f} as {name} grows"
        if (limit.amp_overlap > q + noise).any():
            return f"easy overlap {limit.amp_overlap} above what is possible, {q}"
        near = ERRORS * float(np.hypot(*limit.test_error_se)) + UNRESOLVED
        if name != "pi" and limit.test_error[1] > limit.test_error[0] + near:
            return f"error {limit.test_error} rises as {name} grows"
        if (limit.phase == "easy").any() and not np.allclose(
            q[limit.phase == "easy"], limit.amp_overlap[limit.phase == "easy"], atol=1e-12
        ):
            return f"easy, and yet {limit.amp_overlap} is not {q}"
    if task.R == task.L:
        field = alpha * task.pi * task.theta**2 * task.L
        if abs(q[1] - field / (1.0 + field)) > 1e-9:
            return f"overlap {q[1]} of a signal in all tokens, not {field / (1.0 + field)}"
    known = ns.oracle(task, "bayes", tol=TOL)
    near = ERRORS * np.hypot(limit.test_error_se[1], known.error_se) + UNRESOLVED
    if limit.test_error[1] < known.error - near:
        return f"limit {limit.test_error[1]:.6f} below the known signal's {known.error:.6f}"
    return None


def _trained(problem: Learning) -> str | None:
    """No training with as many samples reaches less."""
    if problem.task.L > TRAINED:
        return None
    try:
        result = ns.predict(problem.task, problem.training, problem.model, data="all", tol=TOL)
    except ns.NoMinimiser:
        return None
    limit = ns.bayes_optimal(problem.task, problem.alpha, tol=TOL)
    near = ERRORS * np.hypot(limit.test_error_se, result.test_error_se) + UNRESOLVED
    if limit.test_error > result.test_error + near:
        return f"limit {limit.test_error:.6f} above training's {result.test_error:.6f}"
    return None
