"""A smooth loss without ridge: Newton's method in the coordinates F − μ = U s Vᵀ, w = V β.

A minimiser exists only if no hyperplane separates the classes. The coordinates have full rank,
so it is unique in β unless the loss is flat along a direction; w = V β is the one of least norm.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigvalsh, svd

from ...errors import NoMinimiser
from ..algebra.cholesky import normal_matrix
from ..algebra.problem import Fit, Problem, curvatures, gradient_scale, pulls
from ..algebra.products import Products
from ..separation.separable import separability
from .point import at_point
from .ridged import conclude, minimise_smooth

FLAT_CURVATURE = 1e-13  # of the largest curvature


def minimise_unridged(problem: Problem, tolerance: float) -> Fit:
    """Return the minimiser at ridge zero, or raise NoMinimiser or NotConverged."""
    name = problem.loss.name
    if separability(problem.F, problem.y).separable:
        raise NoMinimiser(
            f"a hyperplane separates the classes, so the {name} loss has no single minimiser "
            "without a ridge; take a ridge above 0, or more samples"
        )
    mean = problem.weight @ problem.F
    U, s, Vt = svd(np.subtract(problem.F, mean, dtype=float), full_matrices=False)
    rank = int((s > np.finfo(float).eps * max(problem.F.shape) * s[0]).sum())
    reduced = problem._replace(F=np.ascontiguousarray(U[:, :rank] * s[:rank]))
    # The coordinates change the size of the gradient at zero, so ask for more and check below.
    fit = minimise_smooth(reduced, 0.1 * tolerance)
    _check_unique(reduced, fit)
    w = fit.w @ Vt[:rank]
    products = Products(problem.F)
    r = pulls(problem, np.zeros(products.n))
    pulled = products.survey(r, problem.weight, quick=False)
    scale = gradient_scale(r, pulled, products.row_squares)
    point = at_point(problem, products, w, fit.b - float(w @ mean))
    return conclude(point, scale, tolerance, fit.iterations)


def _check_unique(problem: Problem, fit: Fit) -> None:
    D = curvatures(problem, fit.scores)
    total = float(D.sum())
    if total > 0.0:
        H = normal_matrix(problem.F, D / total, (D / total) @ problem.F)
        values = eigvalsh(H, lower=False)
        if values[0] > FLAT_CURVATURE * values[-1]:
            return
    raise NoMinimiser(
        f"without a ridge the {problem.loss.name} loss is flat along a direction at its minimum, "
        "so the minimiser is not unique; take a ridge above 0"
    )
