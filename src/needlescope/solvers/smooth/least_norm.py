"""Square loss without ridge: the least-norm w among the minimisers, the limit λ → 0⁺.

With means μ, ȳ under the weights c, X = √c (F − μ) and t = √c (y − ȳ),

    w = X⁺ t,   b = ȳ − ⟨w, μ⟩,   X⁺ = (XᵀX)⁻¹ Xᵀ  or  Xᵀ (XXᵀ + σ √c √cᵀ)⁻¹.

The second form is for n ≤ p: the rows of X have a vanishing combination, √c, along which t has no
component, so adding any multiple σ of √c √cᵀ changes nothing but the rank. The answer is refined
with residuals in float64; should X lack rank beyond that, its singular values decide.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, svd

from ...arrays import FloatArray
from ..algebra.cholesky import gram_matrix, normal_matrix
from ..algebra.problem import Fit, Problem, gradient_scale, pulls
from ..algebra.products import Products
from .point import Point, at_point, origin
from .ridged import conclude

REFINEMENTS = 6
CONDITION = 1e-5  # smallest over largest pivot of a factor: XᵀX conditioned better than 1e10


class _Centred:
    """Products with X = √c (F − μ)."""

    def __init__(self, problem: Problem, products: Products) -> None:
        self.root = np.sqrt(problem.weight)
        self.products = products
        self.mean = products.backward(problem.weight)

    def backward(self, t: FloatArray) -> FloatArray:
        t = self.root * t
        result: FloatArray = self.products.backward(t) - self.mean * t.sum()
        return result

    def pseudo_inverse(self, problem: Problem) -> FloatArray | None:
        """Return the Cholesky factor on the smaller side, or None if it is near singular."""
        F, c = problem.F, problem.weight
        if self.products.n > self.products.p:
            H = normal_matrix(F, c, self.mean)
        else:
            H = gram_matrix(F, self.mean) * self.root
            H *= self.root[:, None]
            H += np.trace(H) * np.outer(self.root, self.root)
        try:
            factor = cho_factor(H, lower=False, check_finite=False)[0]
        except LinAlgError:
            return None
        pivots = np.diag(factor)
        return factor if pivots.min() > CONDITION * pivots.max() else None


def least_norm(problem: Problem, tolerance: float) -> Fit:
    """Return the minimiser of least norm at ridge zero, or raise NotConverged."""
    products = Products(problem.F)
    r = pulls(problem, np.zeros(products.n))
    pulled = products.survey(r, problem.weight, quick=False)
    scale = gradient_scale(r, pulled, products.row_squares)
    point = origin(products, r, pulled)
    if point.norm <= tolerance * scale:
        return conclude(point, scale, tolerance, 0)
    centred = _Centred(problem, products)
    factor = centred.pseudo_inverse(problem)
    if factor is None:
        return conclude(_by_singular_values(problem, products, centred), scale, tolerance, 1)
    steps = 0
    while point.norm > tolerance * scale and steps < REFINEMENTS:
        point = _refined(problem, products, centred, factor, point)
        steps += 1
    return conclude(point, scale, tolerance, steps)


def _refined(
    problem: Problem, products: Products, centred: _Centred, factor: FloatArray, point: Point
) -> Point:
    """Add X⁺ of what is left of t."""
    c, root = problem.weight, centred.root
    left = problem.y - point.z
    level = float(c @ left)
    t = root * (left - level)
    if products.n > products.p:
        step = cho_solve((factor, False), centred.backward(t), check_finite=False)
    else:
        step = centred.backward(cho_solve((factor, False), t, check_finite=False))
    b = point.b + level - float(step @ centred.mean)
    return at_point(problem, products, point.w + step, b)


def _by_singular_values(problem: Problem, products: Products, centred: _Centred) -> Point:
    """Return X⁺ t with the singular values that are rounding taken for zero."""
    root, mean = centred.root, centred.mean
    X = (problem.F - mean) * root[:, None]
    U, s, Vt = svd(X, full_matrices=False, overwrite_a=True, check_finite=False)
    kept = s > np.finfo(float).eps * max(X.shape) * s[0]
    level = float(problem.weight @ problem.y)
    w = ((root * (problem.y - level)) @ U[:, kept] / s[kept]) @ Vt[kept]
    return at_point(problem, products, w, level - float(w @ mean))
