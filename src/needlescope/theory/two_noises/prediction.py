"""The prediction of a (scalar) problem whose signal tokens have a noise of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

from ...arrays import FloatArray
from ...errors import NotConverged
from ...lattice import REPLICATES
from ...losses import get_loss
from ...models import Model
from ...query import Query
from ...task import Task
from ...training import Training
from ..common.arguments import tol_not_met
from ..law.ladder import ERRORS_WITHIN_TOL
from .law import Law, law_of, true_law
from .pair import Direction, Pair, given_direction, pair_of
from .resolvent import resolvent
from .saddle import Point, Problem, Solved, envelope_at, solve
from .steps import two_steps

FEWEST, MOST = 2**10, 2**15  # lattice points of a replicate
MODELS = ("attention", "pooled")
SHARPEST_KAPPA = 100.0  # of a given query: beyond, attention is hard, and the law too rough
MEASURED = ("test_error", "train_loss", "train_error")


def check_two_noises(
    model: Model, training: Training, query: Query | None, same_test: bool, d: int | None
) -> None:
    """Refuse what this theory does not have."""
    if query is not None and np.any(np.asarray(query.kappa) > SHARPEST_KAPPA):
        raise ValueError(
            f"kappa must be at most {SHARPEST_KAPPA:g} with signal_noise, got "
            f"{np.max(query.kappa):g}; simulate takes it"
        )
    if model.name not in MODELS:
        raise ValueError(
            f"predict with signal_noise supports the models {', '.join(MODELS)}, got "
            f"model={model.name!r}; simulate takes it"
        )
    if not same_test:
        raise ValueError(
            "predict with signal_noise tests on the task that it trains on, got another "
            "test_task; leave it out"
        )
    if d is not None:
        raise ValueError(f"d must be left out with signal_noise, got {d}: its notes are not there")
    if np.any(np.asarray(training.ridge) == 0.0):
        raise ValueError(
            "ridge must be above 0 with signal_noise, got 0; give a small one, such as 1e-4"
        )


def predict_point(
    model: Model, task: Task, training: Training, query: Query | None, alpha: float, tol: float
) -> dict[str, Any]:
    """Return the fields of an outcome, refined until the test error is within the tolerance."""
    pair, direction, kappa = pair_of(task), None, 0.0
    if model.has_query:
        direction, kappa = _query(pair, task, training, query)
    points, start = FEWEST, None
    while True:
        row, start = _at_level(model, task, training, pair, direction, kappa, alpha, points, start)
        left = ERRORS_WITHIN_TOL * float(row["test_error_se"])
        if left <= tol:
            return row
        if points >= MOST:
            raise tol_not_met("uncertainty of the test error", left, tol)
        points *= 2 if left < 2.0 * tol else 4
        points = min(points, MOST)


def _query(
    pair: Pair, task: Task, training: Training, query: Query | None
) -> tuple[Direction, float]:
    """Return the query, of norm 1 where Σ₀ is white, and κ."""
    if query is not None:
        return given_direction(pair, query), float(query.kappa)
    steps = two_steps(task, training)
    if not np.isfinite(steps.fields["kappa"]):
        raise NotConverged("kappa is beyond floating point; take a smaller eta_q or beta")
    return steps.direction, float(steps.fields["kappa"])


def _at_level(
    model: Model,
    task: Task,
    training: Training,
    pair: Pair,
    direction: Direction | None,
    kappa: float,
    alpha: float,
    points: int,
    start: Point | None,
) -> tuple[dict[str, Any], Point]:
    """Return the fields with this many lattice points, and the solution."""
    loss, tau, s = get_loss(training.loss), 1.0, np.nan
    if direction is not None:
        tau = float(np.sqrt(direction.square(pair, pair.sigma[1])))
        s = float(direction.fixed @ pair.xi)
    tilt = task.theta * (0.0 if np.isnan(s) else s)
    law = law_of(model, task, kappa, tau, tilt, points)
    test = true_law(model, task, kappa, tau, tilt, points)
    problem = Problem(resolvent(pair, training.ridge, direction), law, loss, alpha)
    solved = solve(problem, start)
    values = _fields(problem, test, solved.at, pair.gain, s / pair.gain)
    errors = dict.fromkeys(values, 0.0)
    if model.has_query:
        errors = _errors(problem, test, solved, pair.gain, s / pair.gain)
    row: dict[str, Any] = {"residual": solved.residual, **values}
    row |= {f"{name}_se": error for name, error in errors.items()}
    row |= {"kappa": kappa if model.has_query else np.nan, "cosine_q": s / pair.gain}
    return row, solved.at


def _errors(
    problem: Problem, test: Law, solved: Solved, gain: float, cosine: float
) -> dict[str, float]:
    """Return standard errors: the problem solved on each replicate of the law."""
    rows, near = [], problem.near(solved.at)
    for index in range(REPLICATES):
        part = near._replace(law=problem.law.part(index, REPLICATES))
        at = solve(part, solved.at).at
        rows.append(_fields(part, test.part(index, REPLICATES), at, gain, cosine))
    return {
        name: float(np.std([row[name] for row in rows], ddof=1)) / np.sqrt(REPLICATES)
        for name in rows[0]
    }


def _fields(problem: Problem, test: Law, at: Point, gain: float, cosine: float) -> dict[str, float]:
    """Return errors, loss and order parameters, in coordinates in which Σ₀ is white."""
    e, mean, V, g = envelope_at(problem, at)
    law, loss = problem.law, problem.loss
    wrong = ndtr(law.y * (g * _slope_at_zero(problem) - mean) / np.sqrt(V))
    score = (test.m @ at.m + at.b) / np.sqrt(test.A @ at.nu2)
    norm, signal = float(np.sqrt(at.norm2)), float(at.m[0]) / gain
    part, along = signal, 0.0
    if len(at.m) > 1:
        along = float(at.m[1])
        across = np.sqrt(max((1.0 - cosine) * (1.0 + cosine), 0.0))
        part = (signal - cosine * along) / across if across > 1e-9 else 0.0
    return {
        "test_error": float(test.weight @ ndtr(-test.y * score)),
        "train_loss": float(law.weight @ np.maximum(e.value + g * e.g, loss.lower_bound)),
        "train_error": float(law.weight @ wrong),
        "bias": at.b,
        "signal": signal,
        "norm": norm,
        "cosine": signal / norm if norm > 0.0 else 0.0,
        "query_part": along if len(at.m) > 1 else np.nan,
        "signal_part": part,
        "rest": float(np.sqrt(max(norm**2 - along**2 - part**2, 0.0))),
        "gamma": float(at.gamma[0]),
    }


def _slope_at_zero(problem: Problem) -> FloatArray:
    zero = np.zeros(1)
    plus, minus = (float(problem.loss.derivative(zero, y)[0]) for y in (1, -1))
    return np.where(problem.law.y > 0.0, plus, minus)
