"""Minimise J over the span of all directions tried so far; each new one costs one pass over F.

With directions V and their scores Z = F V at hand, J restricted to w = w₀ + V a is a problem with
a few dozen features: one Newton step there costs next to nothing beside a product with F, needs
no line search through F, and makes conjugate directions of plain ones. The next direction is

* n ≥ p: the gradient g = Fᵀ r + λ w;
* n < p: in w = Fᵀ α, where g = Fᵀ ρ with ρ = r + λ α, the Newton step with FFᵀ replaced by its
  diagonal, −ρᵢ / (λ + Dᵢ ‖Fᵢ‖²): curvatures D that differ by orders of magnitude cost nothing.
  Where they jump, the exact step of every αᵢ alone instead, which sees the jump ahead of it: a
  proximal operator at zᵢ − ‖Fᵢ‖² αᵢ, the score of sample i without its own share.

Products may be in single precision: they only ever correct a base point whose scores and gradient
are recomputed exactly, in float64, every few digits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ...arrays import FloatArray
from ...losses import PiecewiseQuadratic
from ..algebra.cholesky import solve_positive
from ..algebra.problem import Problem, curvatures, objective, pulls, step_length
from ..algebra.products import Products
from .point import Point, at_point

DIGITS = 3e-5  # single precision is trusted to reduce the gradient by this much
DOUBLE_DIGITS = 1e-12
MOST_DIRECTIONS = 80  # before a clearance
KEPT_DIRECTIONS = 40  # after it
RISE = 1e-12  # of J, which is rounding
STALLED_FALL = 0.5  # an exact gradient that falls by less says that the products are too rough
BIAS_STEPS, BIAS_SLOPE = 30, 1e-3
PACE = 10  # iterations over which the pace is judged


class Span(ABC):
    """A base point, directions, and the products that J restricted to them needs."""

    dual: bool

    def __init__(self, problem: Problem, products: Products, base: Point) -> None:
        self.problem, self.products = problem, products
        size = products.n if self.dual else products.p
        self.directions = np.empty((MOST_DIRECTIONS, size))
        self.scores = np.empty((MOST_DIRECTIONS + 1, products.n))
        self.scores[0] = 1.0  # the bias
        self.inner = np.zeros(
            (MOST_DIRECTIONS + 1, MOST_DIRECTIONS + 1)
        )  # ⟨w, w'⟩ between directions
        self.count = 0
        self.iterations = 0
        self.calibration = 1.0  # of the estimated gradient norm
        self.squares = products.centred_squares() if self.dual else products.row_squares
        self.rebase(base)

    @abstractmethod
    def direction(self, r: FloatArray, curvature: FloatArray) -> tuple[FloatArray, float]:
        """Return the next direction and the gradient norm, estimated in the dual form."""

    @abstractmethod
    def slopes(self, r: FloatArray) -> FloatArray:
        """Return the slope of J along the bias and along every direction."""

    @abstractmethod
    def image(self, direction: FloatArray) -> FloatArray:
        """Return the scores of a direction."""

    @abstractmethod
    def metric(self, x: FloatArray, scores: FloatArray) -> FloatArray:
        """Return the m with ⟨w', w⟩ = m·x' for every x'."""

    def rebase(self, point: Point) -> None:
        """Take ``point`` as the base; the oldest directions go when there are too many."""
        if self.count == MOST_DIRECTIONS:
            self.directions[:KEPT_DIRECTIONS] = self.directions[
                MOST_DIRECTIONS - KEPT_DIRECTIONS :
            ].copy()
            self.scores[1 : KEPT_DIRECTIONS + 1] = self.scores[
                MOST_DIRECTIONS - KEPT_DIRECTIONS + 1 :
            ].copy()
            self.inner[1 : KEPT_DIRECTIONS + 1, 1 : KEPT_DIRECTIONS + 1] = self.inner[
                MOST_DIRECTIONS - KEPT_DIRECTIONS + 1 :, MOST_DIRECTIONS - KEPT_DIRECTIONS + 1 :
            ].copy()
            self.count = KEPT_DIRECTIONS
        self.base = point
        self.amounts = np.zeros(self.count + 1)
        self.z = point.z.copy()

    def refresh(self) -> bool:
        """Recompute scores and gradient exactly at the current position, the new base.

        Return False, and stay, if J turns out to have risen: the products are too rough.
        """
        problem, base = self.problem, self.base
        point = at_point(problem, self.products, *self.position(), self.dual)
        before = objective(problem, base.z, base.w)
        if not objective(problem, point.z, point.w) <= before + RISE * abs(before):
            return False
        self.rebase(point)
        norm = self.direction(point.r, curvatures(problem, point.z))[1]
        self.calibration = point.norm / norm if norm > 0.0 else 1.0
        return True

    def grow(self, direction: FloatArray) -> None:
        """Add a direction: the one product with F of an iteration."""
        direction = direction / np.linalg.norm(direction)
        scores = self.image(direction)
        k = self.count
        self.directions[k], self.scores[k + 1] = direction, scores
        self.count = k + 1
        inner = self.directions[: k + 1] @ self.metric(direction, scores)
        self.inner[k + 1, 1 : k + 2] = self.inner[1 : k + 2, k + 1] = inner
        self.amounts = np.append(self.amounts, 0.0)

    def newton_step(self) -> None:
        """Take one Newton step in the span."""
        problem, k = self.problem, self.count + 1
        Z, G = self.scores[:k], self.inner[:k, :k]
        r, D = pulls(problem, self.z), curvatures(problem, self.z)
        slopes = self.slopes(r)
        step = solve_positive((Z * D) @ Z.T + problem.ridge * G, -slopes)
        square = float(step @ G @ step)
        t = step_length(problem, self.z, r, step @ Z, float(step @ slopes), square)
        self.amounts = self.amounts + t * step
        self.z = self.base.z + self.amounts @ Z

    def position(self) -> tuple[FloatArray, float]:
        """Return the current x and b."""
        x = self.base.x + self.amounts[1:] @ self.directions[: self.count]
        return x, self.base.b + float(self.amounts[0])


class PrimalSpan(Span):
    """Directions in w."""

    dual = False

    def direction(self, r: FloatArray, curvature: FloatArray) -> tuple[FloatArray, float]:
        """Return minus the gradient, as the exact one at the base plus a small correction."""
        base, moved = self.base, self.amounts[1:] @ self.directions[: self.count]
        g = base.g + self.products.quick_backward(r - base.r) + self.problem.ridge * moved
        return -g, float(np.hypot(np.linalg.norm(g), r.sum()))

    def slopes(self, r: FloatArray) -> FloatArray:
        """Return the slopes, as the exact ones at the base plus small corrections."""
        k = self.count + 1
        result = self.scores[:k] @ (r - self.base.r)
        result += self.problem.ridge * (self.inner[:k, :k] @ self.amounts)
        result[0] += self.base.r.sum()
        result[1:] += self.directions[: k - 1] @ self.base.g
        return result

    def image(self, direction: FloatArray) -> FloatArray:
        """Return F v."""
        return self.products.quick_forward(direction)

    def metric(self, x: FloatArray, scores: FloatArray) -> FloatArray:
        """Return w itself."""
        return x


class DualSpan(Span):
    """Directions in α, where w = Fᵀ α and the sum of α is zero because that of r is."""

    dual = True

    @property
    def jumps(self) -> bool:
        """Whether the curvature of the loss jumps, at knots."""
        loss = self.problem.loss
        return isinstance(loss, PiecewiseQuadratic) and len(loss.knots) > 0

    def direction(self, r: FloatArray, curvature: FloatArray) -> tuple[FloatArray, float]:
        """Return the step of every sample on its own, the bias eliminated."""
        squares, ridge = self.squares, self.problem.ridge
        alpha = self.position()[0]
        rho = r + ridge * alpha
        norm = float(np.sqrt(squares @ rho**2 + r.sum() ** 2))
        step = -rho / (ridge + curvature * squares)
        if self.jumps:
            step, curvature = self._alone(alpha)
        share = curvature / (ridge + curvature * squares)
        total = float(share.sum())
        return step - (float(step.sum()) / total if total > 0.0 else 0.0) * share, norm

    def _alone(self, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the step that minimises over each αᵢ alone, and the curvatures it ends at."""
        loss, y, c = self.problem.loss, self.problem.y, self.problem.weight
        squares = np.maximum(self.squares, np.finfo(float).tiny)
        others = self.z - squares * alpha  # the score of sample i without its own share
        alone = loss.prox(others, c * squares / self.problem.ridge, y)
        return (alone - others) / squares - alpha, c * loss.second(alone, y)

    def slopes(self, r: FloatArray) -> FloatArray:
        """Return aᵀ FFᵀ ρ; the sum of r along the bias."""
        result = self.scores[: self.count + 1] @ (r + self.problem.ridge * self.position()[0])
        result[0] = r.sum()
        return result

    def image(self, direction: FloatArray) -> FloatArray:
        """Return F Fᵀ a."""
        return self.products.quick_gram(direction)

    def metric(self, x: FloatArray, scores: FloatArray) -> FloatArray:
        """Return F Fᵀ α."""
        return scores


def descend(span: Span, target: float, budget: int) -> bool:
    """Iterate until the exact gradient norm is at most ``target``; False if that takes too long.

    Leaves the last exact point in ``span.base`` either way.
    """
    digits = DIGITS if span.products.single else DOUBLE_DIGITS
    _find_bias(span)
    norms: list[float] = []
    while span.iterations < budget:
        problem, z = span.problem, span.z
        direction, norm = span.direction(pulls(problem, z), curvatures(problem, z))
        norm *= span.calibration
        norms.append(norm)
        if norm <= max(0.5 * target, digits * span.base.norm) or span.count == MOST_DIRECTIONS:
            before = span.base.norm
            risen = not span.refresh()
            if span.base.norm <= target:
                return True
            if risen or span.base.norm > STALLED_FALL * before:
                return False
        else:
            if not direction.any() or _too_slow(norms, target, budget - span.iterations):
                break
            span.grow(direction)
            span.iterations += 1
        span.newton_step()
    span.refresh()
    return span.base.norm <= target


def _find_bias(span: Span) -> None:
    """Minimise over the bias alone, which takes no product with F."""
    for _ in range(BIAS_STEPS):
        span.newton_step()
        r = pulls(span.problem, span.z)
        if abs(r.sum()) <= BIAS_SLOPE * np.abs(r).sum():
            return


def _too_slow(norms: list[float], target: float, left: int) -> bool:
    """Whether the pace of the last iterations needs twice as many as are left."""
    if len(norms) <= PACE:
        return False
    gained = np.log(norms[-1 - PACE] / norms[-1])
    return bool(np.log(norms[-1] / target) * PACE > 2.0 * left * max(gained, 0.0))
