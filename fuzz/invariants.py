"""What must hold for every problem; each check returns a sentence on failure, None on success."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np

import needlescope as ns
from needlescope.losses import SQUARE
from needlescope.models import get_model
from needlescope.theory.law.ladder import LADDER
from needlescope.theory.law.limits import train_limit
from needlescope.theory.oracle.least_error import ORACLES
from needlescope.theory.saddle.problem import OrderParameters, Saddle
from needlescope.theory.saddle.solver import solve
from needlescope.theory.saddle.square import solve_square
from needlescope.theory.spectrum.directions import directions
from needlescope.theory.steps.schedule import follow

from .problems import STEPS, Problem

TOL = 1e-4  # what users get who ask for none
ROUGH = 5e-3  # of the oracles that an answer is compared with
POINTS = 2**10  # of one replicate on which a schedule is followed
UNRESOLVED = 1e-7  # oracle errors below this are not searched further
SHARP = 1e5  # κ at which softmax is as good as hard: other tokens come as close once in 10⁴ samples
COMPARED = ("test_error", "train_loss", "train_error")
Check = Callable[[Problem, ns.Outcome], str | None]


def answer(problem: Problem, **changes: object) -> ns.Outcome:
    """Predict, at the tolerance of this suite."""
    training = problem.training.replace(**changes)
    return ns.predict(problem.task, training, problem.model, query=problem.query, tol=TOL)


def seen(problem: Problem, result: ns.Outcome) -> ns.Query:
    """Return the query that an answer rests on."""
    if get_model(problem.model).has_query:
        return ns.Query(np.inf if result.kappa > 1e6 else result.kappa, result.cosine_q)
    return ns.Query(0.0, 0.0)


def sane(problem: Problem, result: ns.Outcome) -> str | None:
    """Residuals at 1e-8, finite numbers, probabilities in [0, 1], errors as small as asked."""
    for name in ("bias", "signal", "norm", "cosine", *COMPARED):
        both = getattr(result, name), getattr(result, f"{name}_se")
        if not np.isfinite(both).all():
            return f"{name} = {both[0]} ± {both[1]}"
    if not result.residual <= 1e-8:
        return f"residual {result.residual:.1e}"
    for name in ("test_error", "train_error"):
        if not -1e-12 <= getattr(result, name) <= 1.0 + 1e-12:
            return f"{name} = {getattr(result, name)}"
    if not (np.isfinite(result.train_loss) and result.train_loss >= -1e-12):
        return f"train_loss = {result.train_loss}"
    if not 2.0 * result.test_error_se <= TOL:
        return f"test_error_se = {result.test_error_se:.1e}"
    return None


def no_query_is_pooling(problem: Problem, result: ns.Outcome) -> str | None:
    """Any alignment with κ = 0 equals pooling."""
    cosine = seen(problem, result).cosine
    try:
        flat = answer(problem._replace(model="attention", query=ns.Query(0.0, cosine)))
        pooled = answer(problem._replace(model="pooled", query=None))
    except ns.NoMinimiser:
        return None
    gap = abs(flat.test_error - pooled.test_error)
    return None if gap < 1e-7 else f"kappa = 0 differs from pooling by {gap:.1e}"


def order_of_tokens(problem: Problem, result: ns.Outcome) -> str | None:
    """Permuting the tokens changes nothing, and all patterns at once are the uniform law."""
    small = problem.task.replace(L=min(problem.task.L, 7), R=min(problem.task.R, 3))
    small = small.replace(R=min(small.R, small.L))
    if comb(small.L, small.R) > 40:
        return None
    every = list(combinations(range(small.L), small.R))
    rng = np.random.default_rng(small.L)
    chances = rng.dirichlet(np.ones(len(every)))
    shuffle = rng.permutation(small.L)
    moved = [sorted(int(shuffle[k]) for k in item) for item in every]
    laws = {
        "uniform": "uniform",
        "listed": ns.Positions(every),
        "given": ns.Positions(every, chances),
        "moved": ns.Positions(moved, chances),
    }
    errors = {}
    for name, law in laws.items():
        try:
            errors[name] = answer(
                problem._replace(task=small.replace(positions=law), model="vectorized", query=None)
            ).test_error
        except ns.NoMinimiser:
            errors[name] = -1.0  # both of a pair must refuse, or neither
    for item, other in (("uniform", "listed"), ("given", "moved")):
        gap = abs(errors[item] - errors[other])
        if not gap <= 1e-6:
            return f"vectorized: {item} and {other} positions differ by {gap:.1e}"
    return None


def square_is_closed_form(problem: Problem, result: ns.Outcome) -> str | None:
    """The general solver, from elsewhere, finds the square loss's closed form."""
    query = seen(problem, result)
    kind = get_model(problem.model)
    limit = train_limit(kind, problem.task.whitened, query, LADDER[0])
    where = directions(kind, problem.task, query, None, limit)
    law, ridge = limit.law(problem.task.pi), problem.training.ridge
    delta = problem.training.alpha1 / limit.dim
    exact = solve_square(law, delta, ridge, where)
    start = OrderParameters(0.5 * exact.mu, 0.5 * exact.b, 2.0 * exact.rho, 3.0 * exact.t)
    free, _ = solve(Saddle(law, SQUARE, delta, ridge, spectrum=where), start)
    size = exact.rho + np.linalg.norm(exact.mu)
    gap = max(np.abs(free.mu - exact.mu).max(), abs(free.rho - exact.rho)) / size
    return None if gap < 1e-6 else f"square loss: solver and closed form differ by {gap:.1e}"


def loss_falls_with_ridge(problem: Problem, result: ns.Outcome) -> str | None:
    """A smaller ridge never raises the training loss."""
    try:
        lower = answer(problem, ridge=problem.training.ridge / 3.0)
    except ns.NoMinimiser:
        return None
    excess = lower.train_loss - result.train_loss
    noise = 2.0 * (lower.train_loss_se + result.train_loss_se)
    same_law = lower.train_loss_se == result.train_loss_se == 0.0
    allowed = 1e-7 * result.train_loss + (1e-12 if same_law else 1e-12 + noise)
    return None if excess <= allowed else f"train loss rises by {excess:.1e} as the ridge falls"


def no_one_beats_the_oracles(problem: Problem, result: ns.Outcome) -> str | None:
    """Bayes ≤ oracle attention, and each model's oracle ≤ what training reaches."""
    bayes = ns.oracle(problem.task, "bayes", tol=ROUGH)
    attention = ns.oracle(problem.task, "attention", tol=ROUGH)
    noise = 4.0 * np.hypot(bayes.error_se, attention.error_se) + UNRESOLVED
    if bayes.error > attention.error + noise:
        return f"Bayes error {bayes.error:.5f} above oracle attention {attention.error:.5f}"
    known = problem.model if problem.model in ORACLES else "bayes"
    if known == "hard" and result.kappa == 0.0:
        known = "pooled"  # to a query of zero no token is the largest
    floor = ns.oracle(problem.task, known, tol=ROUGH)
    noise = 4.0 * np.hypot(floor.error_se, result.test_error_se) + UNRESOLVED
    if floor.error > result.test_error + noise:
        return (
            f"oracle {floor.model} {floor.error:.5f} above what training reaches, "
            f"{result.test_error:.5f}"
        )
    return None


def capacities_scale(problem: Problem, result: ns.Outcome) -> str | None:
    """α* of pooling is α* of the vectorized model over L."""
    pooled = ns.capacity(problem.task, "pooled").alpha
    flat = ns.capacity(problem.task, "vectorized").alpha / problem.task.L
    same = pooled == flat or abs(pooled - flat) <= 1e-8 * pooled
    return None if same else f"capacities {pooled} and {flat} differ"


def schedules_are_sane(problem: Problem, result: ns.Outcome) -> str | None:
    """Steps on fresh batches end somewhere that exists, and one of size zero changes nothing."""
    training, schedule = problem.training, problem.training.schedule
    if problem.protocol != "schedule" or schedule is None:
        return None
    item = follow(problem.task, training, POINTS, 0)
    for name, signal, norm in (("q", item.m_q, item.norm_q), ("w", item.m_w, item.norm_w)):
        if not abs(signal) <= norm * (1.0 + 1e-9):
            return f"⟨{name}, ξ⟩ = {signal} and ‖{name}‖ = {norm} after {schedule.steps} steps"
    sizes = {name: [*schedule.sizes(name, getattr(training, name)), 0.0] for name in STEPS}
    idle = ns.Schedule([*(0.5 * np.array(schedule.shares)), 0.5], **sizes)
    more = training.replace(alpha0=2.0 * training.alpha0, schedule=idle)
    gap = np.abs(follow(problem.task, more, POINTS, 0).gram - item.gram) / np.abs(item.gram).max()
    return None if gap.max() < 1e-9 else f"a step of size zero moves (ξ, q, w) by {gap.max():.1e}"


def hard_is_the_sharpest_softmax(problem: Problem, result: ns.Outcome) -> str | None:
    """The hard model is attention as κ → ∞."""
    if problem.model != "hard" or result.kappa == 0.0:
        return None
    if problem.task.noise is not None and problem.query is None:
        return None  # a trained query is not random beside the signal, a given one is
    query = ns.Query(SHARP, seen(problem, result).cosine)
    try:
        soft = answer(problem._replace(model="attention", query=query))
    except ns.NoMinimiser:
        return None
    for name in COMPARED:
        values, errors = (
            [getattr(item, end) for item in (soft, result)] for end in (name, f"{name}_se")
        )
        noise = 4.0 * np.hypot(*errors) + 1e-6 + 1e-4 * abs(values[1])
        if abs(values[0] - values[1]) > noise:
            return f"{name} of hard attention {values[1]:.6g}, of softmax {values[0]:.6g}"
    return None


CHECKS: tuple[Check, ...] = (
    sane,
    no_query_is_pooling,
    order_of_tokens,
    square_is_closed_form,
    loss_falls_with_ridge,
    no_one_beats_the_oracles,
    capacities_scale,
    schedules_are_sane,
    hard_is_the_sharpest_softmax,
)
