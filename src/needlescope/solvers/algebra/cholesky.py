"""Positive definite systems H x = g, and weighted Gram matrices Xᵀ X and X Xᵀ block by block."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, lapack
from scipy.linalg.blas import dsyrk

from ...arrays import FloatArray
from .problem import Features

MATRIX_PANEL = 2**20  # float64 numbers in a block: large enough for the matrix product to be fast
SINGULAR = 1e-14  # eigenvalues below this part of the largest are taken for zero


class Factor:
    """A factorisation of the symmetric H of which the upper triangle is given (and used up).

    H is scaled to a unit diagonal, unless it has one by the ``scale`` given: then it is
    diag(scale) times what is to be inverted, on both sides. If it is singular to working accuracy,
    the directions in which it vanishes are left out of the solution.
    """

    def __init__(self, H: FloatArray, scale: FloatArray | None = None) -> None:
        if scale is None:
            diagonal = np.diag(H).copy()
            diagonal[~(diagonal > 0.0)] = 1.0
            scale = 1.0 / np.sqrt(diagonal)
            H = H * scale
            H *= scale[:, None]
        self._scale = scale
        self._vectors: FloatArray | None = None
        self._factor, failed = lapack.dpotrf(H, lower=0, clean=0)
        if failed:
            values, vectors = eigh(H, lower=False)
            kept = values > SINGULAR * len(H) * max(values[-1], 0.0)
            self._vectors = vectors[:, kept] / np.sqrt(values[kept])

    def solve(self, g: FloatArray) -> FloatArray:
        """Return H⁻¹ g; g may have several columns."""
        scale = self._scale if g.ndim == 1 else self._scale[:, None]
        if self._vectors is None:
            x, _ = lapack.dpotrs(self._factor, scale * g, lower=0)
        else:
            x = self._vectors @ (self._vectors.T @ (scale * g))
        return np.asarray(scale * x)


def solve_positive(H: FloatArray, g: FloatArray) -> FloatArray:
    """Return H⁻¹ g for a symmetric positive (semi)definite H."""
    return Factor(H).solve(g)


def normal_matrix(F: Features, weight: FloatArray, centre: FloatArray) -> FloatArray:
    """Return Σ dᵢ (Fᵢ − μ)(Fᵢ − μ)ᵀ, upper triangle, p × p in float64."""
    n, p = F.shape
    total = np.zeros((p, p), order="F")
    rows, root = max(1, MATRIX_PANEL // p), np.sqrt(weight)
    for start in range(0, n, rows):
        at = slice(start, start + rows)
        block = F[at] - centre
        block *= root[at, None]
        total = dsyrk(1.0, block.T, beta=1.0, c=total, overwrite_c=True)
    return np.asarray(total)


def gram_matrix(F: Features, centre: FloatArray) -> FloatArray:
    """Return the products ⟨Fᵢ − μ, Fⱼ − μ⟩, upper triangle, n × n in float64."""
    n, p = F.shape
    total = np.zeros((n, n), order="F")
    columns = max(1, MATRIX_PANEL // n)
    for start in range(0, p, columns):
        at = slice(start, start + columns)
        block = np.ascontiguousarray(F[:, at] - centre[at])
        total = dsyrk(1.0, block.T, beta=1.0, c=total, trans=True, overwrite_c=True)
    return np.asarray(total)
