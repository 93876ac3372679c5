"""Newton's method with the Hessian factorised on the smaller side of F.

* n ≥ p: with μ the mean of F under the curvatures D, b + ⟨w, μ⟩ and w decouple,
  s_w = −(Σ Dᵢ (Fᵢ − μ)(Fᵢ − μ)ᵀ + λ)⁻¹ (g_w − μ g_b).
* n < p: with S = √D, K = FFᵀ of rows less their mean, and g that of the shifted rows, the same
  step is s_w = −g/λ + Fᵀ u where u = S τ, (λ + S K S) τ = S (F g/λ − s_b), and s_b makes the sum
  of u equal g_b/λ. No p × p matrix is formed. (That sum being known, a multiple σ of the matrix of
  ones added to K merely shifts s_b by σ g_b/λ, and keeps K, whose rows are centred, regular.)

For the square loss, whose Hessian is constant, the first step is the closed form and the
following ones its iterative refinement.
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from ..algebra.cholesky import Factor, gram_matrix, normal_matrix
from ..algebra.problem import Problem, curvatures, objective, step_length
from ..algebra.products import Products
from .point import Point, at_point

MOST_NEWTON_STEPS = 100
IDLE, IDLE_STEPS = 1e-17, 5  # this many steps that each gain less than this part of J: rounding
SHORT, SHORT_STEPS = 0.3, 4  # this many steps shorter than this: the model is poor
LOWER = 0.1  # factor from one ridge to the next
NEAR_MINIMUM = 0.03


def _curvatures(problem: Problem, z: FloatArray) -> FloatArray:
    # Where the loss is straight at every sample there is no Newton step; a unit curvature makes
    # it a gradient step, and the line search does the rest.
    D = curvatures(problem, z)
    return D if D.any() else problem.weight


def _primal_step(problem: Problem, products: Products, point: Point) -> tuple[FloatArray, float]:
    D = _curvatures(problem, point.z)
    total = float(D.sum())
    mean = products.backward(D) / total
    H = normal_matrix(problem.F, D, mean)
    H[np.diag_indices(products.p)] += problem.ridge
    slope = float(point.r.sum())
    step = Factor(H).solve(mean * slope - point.g)
    return step, -slope / total - float(mean @ step)


class DualNewton:
    """FFᵀ of the rows less their mean, plus σ, computed once for all steps and ridges."""

    def __init__(self, products: Products, weight: FloatArray) -> None:
        self.products = products
        self.mean = products.backward(weight)
        self.K = gram_matrix(products.F, self.mean)
        self.sigma = float(np.trace(self.K)) / products.n
        self.K += self.sigma
        self.diagonal = np.diag(self.K).copy()

    def step(self, problem: Problem, point: Point) -> tuple[FloatArray, float]:
        """Return the step in w and in b."""
        ridge, mean = problem.ridge, self.mean
        S = np.sqrt(_curvatures(problem, point.z))
        scale = 1.0 / np.sqrt(ridge + S * S * self.diagonal)
        H = self.K * (S * scale)
        H *= (S * scale)[:, None]
        np.fill_diagonal(H, 1.0)
        slope = float(point.r.sum())
        g = (point.g - mean * slope) / ridge
        pulled = self.products.forward(g) - float(mean @ g)
        along, level = S * Factor(H, scale).solve(np.stack([S * pulled, S], axis=1)).T
        shift = (float(along.sum()) - slope / ridge) / float(level.sum())
        u = along - shift * level
        step = self.products.backward(u) - mean * u.sum() - g
        return step, shift + self.sigma * slope / ridge - float(mean @ step)


def newton(
    problem: Problem, products: Products, dual: DualNewton | None, point: Point, target: float
) -> tuple[Point, int]:
    """Iterate until the gradient norm is at most ``target`` or no step reduces J any more.

    Plain Newton steps come first. Should they not end soon (a loss with flat parts and a tiny
    ridge), the ridge is lowered from a large one by stages, each of which starts where the last
    one came near its minimum. ``dual`` is for n < p, else None.
    """
    point, steps = _iterate(problem, products, dual, point, target, SHORT_STEPS)
    if point.norm <= target or problem.ridge == 0.0:
        return point, steps
    ridge = float(problem.weight @ products.row_squares) / min(products.n, products.p)
    while (ridge := LOWER * ridge) > problem.ridge:
        stage = problem._replace(ridge=ridge)
        point = at_point(stage, products, point.w, point.b)
        near = NEAR_MINIMUM * ridge * float(np.linalg.norm(point.w))
        point, more = _iterate(stage, products, dual, point, near, MOST_NEWTON_STEPS)
        steps += more
    point = at_point(problem, products, point.w, point.b)
    point, more = _iterate(problem, products, dual, point, target, MOST_NEWTON_STEPS)
    return point, steps + more


def _iterate(
    problem: Problem,
    products: Products,
    dual: DualNewton | None,
    point: Point,
    target: float,
    patience: int,
) -> tuple[Point, int]:
    """Take Newton steps; give up after ``patience`` short ones on end, or where none gains."""
    short, idle, best = 0, 0, point
    least = IDLE * abs(objective(problem, point.z, point.w))  # J only falls from here
    for iteration in range(MOST_NEWTON_STEPS):
        if point.norm <= target:
            return point, iteration
        if short == patience or idle == IDLE_STEPS:
            return best, iteration
        if dual is not None:
            step, db = dual.step(problem, point)
        else:
            step, db = _primal_step(problem, products, point)
        first = float(point.g @ step) + db * float(point.r.sum())
        move = products.forward(step) + db
        t = step_length(problem, point.z, point.r, move, first, float(step @ step))
        if t == 0.0:
            return best, iteration
        short = short + 1 if t < SHORT else 0
        point = at_point(problem, products, point.w + t * step, point.b + t * db)
        if -t * first <= least:
            least = IDLE * abs(objective(problem, point.z, point.w))
        idle = idle + 1 if -t * first <= least else 0
        best = point if point.norm < best.norm or idle == 0 else best
    return best, MOST_NEWTON_STEPS
