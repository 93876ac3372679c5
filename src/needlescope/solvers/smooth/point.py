"""A point (w, b) with its exact scores and gradient ∇J = (Fᵀ r + λ w, Σ rᵢ), rᵢ = cᵢ ℓ'(zᵢ; yᵢ)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ..algebra.problem import Problem
from ..algebra.products import Products


class Point(NamedTuple):
    """A point with its scores and gradient, in float64 from F itself."""

    x: FloatArray  # w, or α where w = Fᵀ α
    w: FloatArray
    b: float
    z: FloatArray  # scores
    r: FloatArray
    g: FloatArray  # the gradient in w
    norm: float  # of the gradient in (w, b)


def origin(products: Products, r: FloatArray, pulled: FloatArray, dual: bool = False) -> Point:
    """Return the point (0, 0), whose r and Fᵀ r are known."""
    z, w = np.zeros(products.n), np.zeros(products.p)
    return Point(z if dual else w, w, 0.0, z, r, pulled, _norm(pulled, r))


def at_point(
    problem: Problem, products: Products, x: FloatArray, b: float, dual: bool = False
) -> Point:
    """Return the point w = x, or w = Fᵀ x in the dual form."""
    w = products.backward(x) if dual else x
    scores, r, g = np.empty(products.n), np.empty(products.n), np.zeros(products.p)
    for at, block in products.blocks():  # F w and Fᵀ r in one pass
        scores[at] = block @ w
        r[at] = problem.weight[at] * problem.loss.derivative(scores[at] + b, problem.y[at])
        g += r[at] @ block
    g += problem.ridge * w
    return Point(x, w, b, scores + b, r, g, _norm(g, r))


def _norm(g: FloatArray, r: FloatArray) -> float:
    return math.hypot(math.sqrt(g @ g), r.sum())
