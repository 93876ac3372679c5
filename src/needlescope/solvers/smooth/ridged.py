"""Losses with a slope that does not jump: ‖∇J(w, b)‖ ≤ tolerance ‖∇J(0, 0)‖, J convex and C¹.

Two methods share the work. Minimisation over a growing span (`subspace`) takes one pass over F
per iteration and wins wherever a few dozen iterations suffice; Newton's method with a factorised
Hessian (`newton`) costs as much as m/25 of those per step, m = min(n, p), and does not mind how
ill-conditioned the problem is. Small problems go to the second at once (with the square loss, that
needs one step, not so small ones too), others when the first is seen to need more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import PiecewiseQuadratic
from ..algebra.problem import Fit, Problem, gradient_scale, pulls
from ..algebra.products import Products
from .newton import DualNewton, newton
from .point import Point, at_point, origin
from .subspace import DualSpan, PrimalSpan, descend

SMALL = 160  # up to here factorising at every step costs less than iterating
SMALL_SQUARE = 1000  # and factorising once
FIRST, SHARE = 20, 15  # iterations granted to the span: 20 + m / 15


def minimise_smooth(problem: Problem, tolerance: float) -> Fit:
    """Return the minimiser for a ridge above zero, or raise NotConverged.

    Parameters
    ----------
    problem : Problem
        With a loss that is not kinked, weights above zero and a ridge above zero (or features
        of full column rank, on which the minimiser exists).
    tolerance : float
        On the gradient norm, relative to `gradient_scale`.
    """
    (fit,) = smooth_path(problem, [problem.ridge], tolerance)
    return fit


def smooth_path(problem: Problem, ridges: Iterable[float], tolerance: float) -> Iterator[Fit]:
    """Yield the minimiser for each of several ridges; what does not depend on them is shared.

    Newton's method starts each where the last one ended.
    """
    products = Products(problem.F)
    smaller = min(products.n, products.p)
    dual = products.n < products.p
    r = pulls(problem, np.zeros(products.n))
    iterate = smaller > (SMALL_SQUARE if _curvature_is_constant(problem) else SMALL)
    pulled = products.survey(r, problem.weight, quick=iterate)
    scale = gradient_scale(r, pulled, products.row_squares)
    target, newton_dual = tolerance * scale, None
    last = first = origin(products, r, pulled, dual)
    for ridge in ridges:
        stage, point, iterations = problem._replace(ridge=ridge), first, 0
        if last is not first and not iterate:
            point = at_point(stage, products, last.w, last.b)
        done = point.norm <= target
        if not done and iterate and products.usable:
            span = (DualSpan if dual else PrimalSpan)(stage, products, point)
            done = descend(span, target, FIRST + smaller // SHARE)
            point, iterations = span.base, span.iterations
        if not done:
            if dual and newton_dual is None:
                newton_dual = DualNewton(products, problem.weight)
            point, steps = newton(stage, products, newton_dual, point, target)
            iterations += steps
        last = point
        yield conclude(point, scale, tolerance, iterations)


def _curvature_is_constant(problem: Problem) -> bool:
    return isinstance(problem.loss, PiecewiseQuadratic) and len(problem.loss.knots) == 0


def conclude(point: Point, scale: float, tolerance: float, iterations: int) -> Fit:
    """Return the fit, or raise NotConverged with the residual that was reached."""
    residual = point.norm / scale if scale > 0.0 else 0.0
    if not residual <= tolerance:
        raise NotConverged(
            f"the training problem reached a gradient of {residual:.1e} relative to its size at "
            f"zero, not {tolerance:.0e}, in {iterations} iterations; try a larger ridge, or "
            "features of comparable size"
        )
    w: FloatArray = point.w
    return Fit(w, point.b, point.z, residual, iterations)
