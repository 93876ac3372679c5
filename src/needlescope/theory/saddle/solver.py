"""The one solver of saddle problems.

Near the saddle, Newton on all stationarity equations at once (in μ, b, log ρ, log t) converges in a
few steps. Otherwise continuation leads there: from a large ridge down to the given one, and for a
loss with kinks from a rounded loss down to the sharp one. Where that fails (`nested`), the problem
is solved as a convex one: P(μ, b, ρ) = max_t F is convex, the inner maximum a root in log t, the
outer step a damped Newton step with the Schur-complement Hessian and a line search on P.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from .problem import Local, OrderParameters, Saddle
from .square import solve_square

MAX_RESIDUAL = 1e-8  # relative, of a returned solution
NEWTON_TARGET = 1e-9  # relative residual at which Newton stops
NEWTON_STEPS = 30
OUTER_STEPS = 100
INNER_STEPS = 60
LEAST_RIDGE = 1e-13  # of the continuation towards ridge = 0


def solve(
    problem: Saddle, start: OrderParameters, fixed_rho: bool = False
) -> tuple[OrderParameters, Local]:
    """Return the saddle point, polished as far as rounding allows, or raise NotConverged."""
    with np.errstate(all="ignore"):  # trial steps may overflow; the returned residual is checked
        residual = np.inf
        for attempt in (newton, _continuation, nested):
            try:
                point, local = attempt(problem, start, fixed_rho)
            except (ArithmeticError, ValueError, np.linalg.LinAlgError):  # beyond floating point
                continue
            if local.residual <= MAX_RESIDUAL:
                return point, local
            residual = local.residual
    raise NotConverged(
        f"the order parameters did not converge: relative residual {residual:.1e} for the "
        f"{problem.loss.name} loss at {problem.delta:g} samples per weight, "
        f"ridge={problem.ridge:g}; try less extreme values"
    )


def newton(
    problem: Saddle, point: OrderParameters, fixed_rho: bool = False
) -> tuple[OrderParameters, Local]:
    """Newton on all equations; returns the best point reached."""
    local = problem.local(point, fixed_rho)
    best = point, local
    patience = 4
    for _ in range(NEWTON_STEPS):
        if best[1].residual < NEWTON_TARGET or patience == 0:
            break
        step = _newton_step(point, local, fixed_rho)
        if step is None:
            break
        point = point.moved(step)
        local = problem.local(point, fixed_rho)
        if not np.isfinite(local.residual):
            break
        if local.residual < 0.5 * best[1].residual:
            best, patience = (point, local), 4
        else:
            patience -= 1
            if best[1].residual < MAX_RESIDUAL:
                break
    return best


def _newton_step(point: OrderParameters, local: Local, fixed_rho: bool) -> FloatArray | None:
    k = len(point.mu)
    size = point.rho + float(np.linalg.norm(point.mu)) + abs(point.b)
    column = np.concatenate([np.full(k + 1, size), [1.0, 1.0]])
    jacobian = local.hessian * np.concatenate([np.ones(k + 1), [point.rho, point.t]])
    jacobian = jacobian * column / local.scale[:, None]
    right = -local.gradient / local.scale
    if fixed_rho:
        jacobian[k + 1], right[k + 1] = 0.0, 0.0
        jacobian[k + 1, k + 1] = 1.0
    try:
        step = np.linalg.solve(jacobian, right)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(step).all():
        return None
    longest = float(np.abs(step).max())
    bounded: FloatArray = step * column * min(1.0, 2.0 / max(longest, 1e-300))
    return bounded


def _continuation(
    problem: Saddle, start: OrderParameters, fixed_rho: bool = False
) -> tuple[OrderParameters, Local]:
    """Follow the solution from a large ridge, and a rounded loss, to the given problem."""
    sharp = problem.loss.kinked
    easy = replace(problem, rounding=1.0 if sharp else 0.0)
    target = max(problem.ridge, LEAST_RIDGE)
    ridge, factor = max(target, 1.0), 10.0
    first = start
    if not fixed_rho:
        first = solve_square(problem.law, problem.delta, ridge, problem.spectrum)
    point, local = newton(replace(easy, ridge=ridge), first, fixed_rho)
    if local.residual > MAX_RESIDUAL:
        point, local = nested(replace(easy, ridge=ridge), first, fixed_rho)
    while ridge > target and factor > 1.05 and local.residual <= MAX_RESIDUAL:
        lower = max(ridge / factor, target)
        trial, local = newton(replace(easy, ridge=lower), point, fixed_rho)
        if local.residual <= MAX_RESIDUAL:
            point, ridge, factor = trial, lower, min(factor**1.5, 100.0)
        else:
            factor = factor**0.5
            local = local._replace(gradient=0.0 * local.gradient)
    if not sharp:
        return newton(problem, point, fixed_rho)
    width, factor = 1.0, 10.0
    while width > 1e-13 and factor > 1.02:
        lower = width / factor
        trial, local = newton(replace(problem, rounding=lower), point, fixed_rho)
        if local.residual <= MAX_RESIDUAL:
            point, width, factor = trial, lower, min(factor**1.5, 10.0)
            final, local = newton(problem, point, fixed_rho)
            if local.residual <= MAX_RESIDUAL:
                return final, local
        else:
            factor = factor**0.5
    return newton(problem, point, fixed_rho)


def nested(
    problem: Saddle, start: OrderParameters, fixed_rho: bool = False
) -> tuple[OrderParameters, Local]:
    """Minimise P = max_t F by damped convex Newton, and by plain Newton once it is near.

    For smooth or rounded losses: near a sharp kink P is almost kinked, and steps become short.
    """
    at, local = _inner(problem, start, fixed_rho)
    k = len(at.mu)
    damping, attempt = 1e-8, 1e-2
    for _ in range(OUTER_STEPS):
        if local.residual < attempt:
            point, polished = newton(problem, at, fixed_rho)
            if polished.residual < MAX_RESIDUAL:
                return point, polished
            attempt = 0.1 * local.residual
        units = problem.units(at)
        if fixed_rho:
            units[k + 1] = 0.0
        H = local.hessian[:-1, :-1]
        bend = local.hessian[-1, -1]
        if local.gradient[-1] >= -1e-6 * local.scale[-1] and bend < 0.0:
            H = H - np.outer(local.hessian[:-1, -1], local.hessian[-1, :-1]) / bend
        H = H * units[:, None] * units
        gradient = local.gradient[:-1] * units
        level = max(float(np.trace(np.abs(H))), 1e-300)
        for _ in range(40):
            step = -np.linalg.solve(H + damping * level * np.eye(k + 2), gradient)
            shrink = min(1.0, 0.9 * at.rho / max(-step[k + 1] * units[k + 1], 1e-300))
            shrink = min(shrink, 3.0 / max(float(np.abs(step).max()), 1e-300))
            move = shrink * step * units
            trial = OrderParameters(
                at.mu + move[:k], at.b + float(move[k]), at.rho + float(move[k + 1]), at.t
            )
            trial, new = _inner(problem, trial, fixed_rho)
            gain = shrink * float(step @ gradient)
            if new.value <= local.value + 0.1 * gain + 1e-14 * abs(local.value):
                damping = max(0.2 * damping, 1e-14)
                break
            damping = max(8.0 * damping, 1e-8)
        else:
            break
        at, local = trial, new
    return at, local


def _inner(problem: Saddle, at: OrderParameters, fixed_rho: bool) -> tuple[OrderParameters, Local]:
    """Maximise over t ≥ δλ: E[A ℓ'²]/t² falls in t, and must come down to ρ²/δ.

    With a spectrum the penalty's slope in t takes the place of −ρ²/(2δ).
    """
    floor = np.log(max(problem.least_t, 1e-290))
    low, high = -np.inf, np.inf
    x = max(np.log(at.t), floor)
    for _ in range(INNER_STEPS):
        at = at._replace(t=float(np.exp(x)))
        local = problem.local(at, fixed_rho)
        penalty = problem.penalty(at)
        push, bend = -float(penalty.slopes[-1]), float(penalty.bends[-1, -1])
        pull = max(local.gradient[-1] + push, 1e-300)
        gap = np.log(pull) - np.log(push) if push > 0.0 else np.inf
        if abs(gap) < 1e-10 or (gap < 0.0 and x <= floor):
            break
        if gap > 0.0:
            low = x
        else:
            high = x
        slope = (local.hessian[-1, -1] - bend) * at.t / pull
        slope += bend * at.t / push if push > 0.0 else 0.0
        new = x - gap / min(slope, -1e-3)
        new = min(max(new, x - 5.0, floor), x + 5.0)
        if not low < new < high:
            new = 0.5 * (low + high) if np.isfinite(low + high) else new
        if abs(new - x) < 1e-14 * (1.0 + abs(x)):
            break
        x = new
    return at, local
