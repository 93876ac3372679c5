"""How far to trust the replica-symmetric equations: their stability, and samples that jump.

With G_lm = ∂g_l/∂ω_m = V⁻¹ (H⁻¹)_lm V⁻¹ − V⁻¹ δ_lm the response of a sample, replica symmetry is
stable where the linear map of symmetric 2×2 matrices

    C → α V Σ_{lm} E[G_lm C G_lmᵀ] V

has a spectral radius below 1. Where a minimum jumps as its field moves, the response goes as one
over the root of the distance to that place. Its mean square diverges with the logarithm of the
number of points: strictly, replica symmetry is broken as soon as some samples may jump. So the
radius is that of a typical set of points, the median over replicates of one size. How many samples
may jump, says the share of those whose minimum from the field is not their lowest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....arrays import FloatArray
from .fields import Fields, Hessian, Pull, load, lowest, minimum, pull_of
from .moments import Problem
from .order import Order
from .samples import Samples, chances, fields, kinds_of, labels

LOWER = 1e-6  # by which another minimum counts as lower
BASIS = np.array([[[1.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]])


class Stability(NamedTuple):
    """The spectral radius on a typical replicate, and the share of samples with a lower minimum."""

    replicon: float
    jumping: float


def stability(problem: Problem, order: Order, samples: Samples) -> Stability:
    """Return the stability of a solution, as far as these samples tell."""
    omega = fields(samples, order, problem.task)
    pull = pull_of(order.V, order.b, labels(samples, problem.task), problem.loss)
    n, kinds = samples.q.shape[1], len(kinds_of(problem.task))
    weight = chances(samples, problem.task)
    best, lower_by = lowest(omega, pull)
    h = best if problem.minimum == "lowest" else minimum(omega, pull)
    maps = np.empty((samples.replicates, 3, 3))
    for column, C in enumerate(BASIS):
        squares = weight * squared_response(h, pull, C)
        means = squares.reshape(2, 2, kinds, samples.replicates, -1).sum(axis=2).mean(axis=-1)
        moved = problem.alpha * np.einsum("ij,jkr,km->imr", order.V, means, order.V)
        maps[:, :, column] = moved[[0, 0, 1], [0, 1, 1]].T
    radii = np.abs(np.linalg.eigvals(maps)).max(axis=-1)
    return Stability(float(np.median(radii)), float(weight @ (lower_by > LOWER)) / n)


def squared_response(h: Fields, pull: Pull, C: FloatArray) -> FloatArray:
    """Return Σ_{lm} G_lm C G_lmᵀ of each sample, 2 × 2 × n.

    H⁻¹ = B − X K Xᵀ with blocks B_l, so G = A − Y K Yᵀ with A_l = V⁻¹B_lV⁻¹ − V⁻¹ and Y_l = V⁻¹X_l.
    """
    at = load(h, pull)
    hessian = Hessian(h, pull, at)
    inverse = np.linalg.inv(pull.V)
    B = np.array([[hessian.uu, hessian.qu], [hessian.qu, hessian.qq]])  # 2 × 2 × L × n
    A = np.einsum("ij,jkln,km->imln", inverse, B, inverse) - inverse[:, :, None, None]
    X = np.array([[hessian.x1.q, hessian.x2.q], [hessian.x1.u, hessian.x2.u]])  # 2 × k × L × n
    Y = np.einsum("ij,jkln->ikln", inverse, X)
    K = hessian.middle  # k × k × n
    own = np.einsum("ijln,jk,mkln->imn", A, C, A)
    YK = np.einsum("ikln,kpn->ipln", Y, K)
    cross = np.einsum("iaLn,ab,bpLn,mpLn->imn", A, C, Y, YK, optimize=True)
    W = np.einsum("akln,ab,bpln->kpn", Y, C, Y, optimize=True)
    outer = np.einsum("ikln,kpn,mpln->imn", YK, W, YK, optimize=True)
    return np.asarray(own - cross - cross.transpose(1, 0, 2) + outer)
