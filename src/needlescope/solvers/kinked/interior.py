"""Primal–dual interior-point method for losses with kinks.

A convex piecewise-quadratic loss of the margin u is ℓ(u) = s(u) + Σⱼ Jⱼ (u − kⱼ)₊ with s smooth, kⱼ
the kinks and Jⱼ the jumps of its slope there. The slope at a kink is a variable 0 ≤ θ ≤ J of its
own, and u − k = ξ − η is split in two non-negative parts. The minimiser obeys

    λ w + Σ cᵢ yᵢ tᵢ Fᵢ = 0,  Σ cᵢ yᵢ tᵢ = 0,  tᵢ = s'(uᵢ) + Σⱼ θᵢⱼ,  ξ (J − θ) = 0,  η θ = 0;

the method relaxes the two last zeros to μ and lets μ → 0, by Mehrotra's predictor and corrector.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...losses import KINK, PiecewiseQuadratic
from ..algebra.coordinates import Coordinates, Solver
from .fenchel import domain, excess, floor, slopes_at_knots

MOST_INTERIOR_STEPS = 80
TO_THE_BOUNDARY = 0.995  # how far towards the boundary a step may go
STALLED_STEPS = 12  # iterations without a better gap; fewer once the tolerance is reached
BEYOND = 1e-2  # the gap falls so fast in the end that two more digits cost an iteration or two


class Goal(NamedTuple):
    """What is minimised, apart from the features."""

    loss: PiecewiseQuadratic
    y: FloatArray
    c: FloatArray
    ridge: float
    tiny: float  # gaps are relative to the objective, or to this if it is more


class State(NamedTuple):
    """Coefficients, bias and slopes, with the duality gap and what it is relative to."""

    x: FloatArray
    b: float
    h: FloatArray  # F w
    t: FloatArray
    scale: float
    gap: float
    iterations: int


def judge(
    goal: Goal,
    space: Coordinates,
    x: FloatArray,
    b: float,
    h: FloatArray,
    t: FloatArray,
    iterations: int,
) -> State:
    """Return the state with its gap."""
    loss, y, c, ridge, tiny = goal
    t = np.clip(t, *domain(loss))
    u = y * (h + b)
    alpha = c * y * t
    off = ridge * x + space.pull(alpha)
    value = c @ (loss.value(u, 1) - floor(loss)) + 0.5 * ridge * space.inner(x, x)
    # The last term stands for what it costs to make Σα zero; the final certificate does it.
    gap = c @ excess(loss, u, t) + space.inner(off, off) / (2.0 * ridge)
    gap += abs(alpha.sum()) * (1.0 + np.abs(h + b).max())
    return State(x, b, h, t, max(float(value), tiny), float(gap), iterations)


class _Slack:
    """θ, J − θ, ξ and η of every sample and kink; J − θ is kept apart to spare its small values."""

    def __init__(self, kinks: FloatArray, jumps: FloatArray, u: FloatArray) -> None:
        self.kinks = kinks
        self.theta = np.tile(0.5 * jumps, (len(u), 1))
        self.rest = self.theta.copy()
        ahead = u[:, None] - kinks
        unit = 1.0 + np.abs(kinks).max()
        self.xi = np.maximum(ahead, 0.0) + unit
        self.eta = np.maximum(-ahead, 0.0) + unit

    def stiffness(self) -> FloatArray:
        result: FloatArray = 1.0 / (self.xi / self.rest + self.eta / self.theta)
        return result

    def pressure(self) -> FloatArray:
        result: FloatArray = self.xi * self.rest + self.eta * self.theta
        return result

    def steps(
        self, move: FloatArray, mu_xi: FloatArray | float, mu_eta: FloatArray | float
    ) -> tuple[FloatArray, FloatArray]:
        """Return the changes of ξ and η that go with a change of θ."""
        d_xi = (mu_xi + self.xi * move) / self.rest - self.xi
        d_eta = (mu_eta - self.eta * move) / self.theta - self.eta
        return d_xi, d_eta

    def length(self, move: FloatArray, d_xi: FloatArray, d_eta: FloatArray) -> float:
        """Return the longest step that keeps everything non-negative."""
        pairs = ((self.theta, move), (self.rest, -move), (self.xi, d_xi), (self.eta, d_eta))
        steepest = max(float(np.max(-change / now)) for now, change in pairs)
        return 1.0 / max(steepest, 1e-300)

    def advance(self, r: float, move: FloatArray, d_xi: FloatArray, d_eta: FloatArray) -> None:
        self.theta += r * move
        self.rest -= r * move
        self.xi += r * d_xi
        self.eta += r * d_eta


def _smooth_part(
    loss: PiecewiseQuadratic, jumps: FloatArray, u: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return s'(u) and s''(u)."""
    passed = (u[:, None] >= loss.knots) @ jumps
    return loss.derivative(u, 1) - passed, loss.second(u, 1)


def interior(goal: Goal, space: Coordinates, tolerance: float) -> State:
    """Return the state with the least gap that the method reached, if it can below tolerance."""
    loss, y, c, ridge, _ = goal
    left, right = slopes_at_knots(loss)
    jumps = np.where(right - left > KINK, right - left, 0.0)
    x, b, h = np.zeros(space.size), 0.0, np.zeros(len(y))
    slack = _Slack(loss.knots[jumps > 0.0], jumps[jumps > 0.0], y * (h + b))
    best: State | None = None
    for iteration in range(MOST_INTERIOR_STEPS):
        u = y * (h + b)
        slope, bend = _smooth_part(loss, jumps, u)
        t = slope + slack.theta.sum(axis=1)
        now = judge(goal, space, x, b, h, t, iteration)
        best = now if best is None or now.gap < best.gap else best
        patience = 2 if best.gap <= tolerance * best.scale else STALLED_STEPS
        if best.gap <= BEYOND * tolerance * best.scale or iteration - best.iterations >= patience:
            break
        stiff = slack.stiffness()
        curvature = c * (bend + stiff.sum(axis=1))
        if not np.isfinite(curvature).all() or not (curvature > 0.0).all():
            break
        try:
            solve = space.factor(curvature, ridge)
        except np.linalg.LinAlgError:  # as far as rounding allows; the caller sees the gap
            break
        dx, db = _step(goal, space, slack, solve, x, u, t, stiff, curvature)
        x, b = x + dx, b + db
        h = space.scores(x)
    assert best is not None
    return best


def _step(
    goal: Goal,
    space: Coordinates,
    slack: _Slack,
    solve: Solver,
    x: FloatArray,
    u: FloatArray,
    t: FloatArray,
    stiff: FloatArray,
    curvature: FloatArray,
) -> tuple[FloatArray, float]:
    """Move the slacks; return the change of w and b."""
    _, y, c, ridge, _ = goal
    alpha = c * y * t
    g, g_b = ridge * x + space.pull(alpha), float(alpha.sum())
    ahead = u[:, None] - slack.kinks

    def direction(
        mu_xi: FloatArray | float, mu_eta: FloatArray | float
    ) -> tuple[FloatArray, float, FloatArray, FloatArray, FloatArray]:
        rho = mu_xi / slack.rest - mu_eta / slack.theta - ahead
        extra = -c * y * (stiff * rho).sum(axis=1)
        dx, db, df = solve(g + space.pull(extra), g_b + float(extra.sum()))
        # Stiff samples turn the rounding of df into slopes that do not balance: solve once more
        # for what is left.
        left = extra + curvature * df
        again = solve(ridge * dx + g + space.pull(left), g_b + float(left.sum()))
        dx, db, df = dx + again[0], db + again[1], df + again[2]
        move = stiff * ((y * df)[:, None] - rho)
        return dx, db, move, *slack.steps(move, mu_xi, mu_eta)

    *_, move, d_xi, d_eta = direction(0.0, 0.0)
    r = min(1.0, slack.length(move, d_xi, d_eta))
    count = 2 * len(slack.kinks)
    mu = float((c @ slack.pressure()).sum()) / count
    after = (slack.xi + r * d_xi) * (slack.rest - r * move)
    after += (slack.eta + r * d_eta) * (slack.theta + r * move)
    aim = mu * (float((c @ after).sum()) / count / mu) ** 3
    dx, db, move, d_xi, d_eta = direction(aim + d_xi * move, aim - d_eta * move)
    r = min(1.0, TO_THE_BOUNDARY * slack.length(move, d_xi, d_eta))
    slack.advance(r, move, d_xi, d_eta)
    return r * dx, r * db
