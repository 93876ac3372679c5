"""Newton systems of a readout: (λ I + Fᵀ C F) dw + Fᵀ C 1 db = −g, 1ᵀ C (F dw + db 1) = −g_b.

`InFeatures` solves them with a p × p matrix, for n ≥ p. `InSamples` writes w = Fᵀx and solves them
with an n × n one, for p > n; it never looks at F again once FFᵀ is there. A vector of coefficients
is w in the first and x in the second; both turn n numbers α into the coefficients of Fᵀα.

Both centre the features. The bias takes up the shift, b + ⟨w, mean⟩, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy.linalg import cho_solve, lapack

from ...arrays import FloatArray
from .problem import Features

FEATURE_BLOCK = 2048  # rows or columns of F that are copied at one time
JITTER = 1e-15  # of the greatest diagonal entry, where rounding spoils a Cholesky factor


class Solver(Protocol):
    """Solves one Newton system for many right-hand sides (g, g_b)."""

    def __call__(self, g: FloatArray, g_b: float) -> tuple[FloatArray, float, FloatArray]:
        """Return dw by its coefficients, db, and F dw + db for the samples with curvature."""


class Coordinates(Protocol):
    """The features, as seen by a method that moves only inside their span."""

    size: int

    def scores(self, x: FloatArray) -> FloatArray:
        """Return F w."""

    def pull(self, alpha: FloatArray) -> FloatArray:
        """Return the coefficients of Fᵀα."""

    def inner(self, x: FloatArray, y: FloatArray) -> float:
        """Return the inner product of the two vectors with these coefficients."""

    def vector(self, x: FloatArray) -> FloatArray:
        """Return w itself."""

    def factor(self, curvature: FloatArray, ridge: float) -> Solver:
        """Factorise the system with C = diag(curvature); zeros are allowed, but not all zeros."""


class InFeatures:
    """The features themselves, for n ≥ p."""

    def __init__(self, F: Features) -> None:
        mean: FloatArray = F.mean(axis=0, dtype=np.float64)
        self.F: FloatArray = F - mean
        self.size = self.F.shape[1]

    def scores(self, x: FloatArray) -> FloatArray:
        """Return F w."""
        result: FloatArray = self.F @ x
        return result

    def pull(self, alpha: FloatArray) -> FloatArray:
        """Return Fᵀα."""
        result: FloatArray = alpha @ self.F
        return result

    def inner(self, x: FloatArray, y: FloatArray) -> float:
        """Return ⟨x, y⟩."""
        return float(x @ y)

    def vector(self, x: FloatArray) -> FloatArray:
        """Return w."""
        return x

    def factor(self, curvature: FloatArray, ridge: float) -> Solver:
        """Factorise in p dimensions, or in as many as there are curved samples if they are few."""
        active = np.flatnonzero(curvature)
        c = curvature[active]
        F = self.F if len(active) == len(curvature) else self.F[active]
        if len(active) < self.size:
            return _few(F, F @ F.T, c, ridge)
        # About the weighted mean of the features the bias decouples, without any cancellation.
        mean, root = (c @ F) / c.sum(), np.sqrt(c)[:, None]
        H = np.zeros((self.size, self.size))
        for start in range(0, len(c), FEATURE_BLOCK):
            X = F[start : start + FEATURE_BLOCK] - mean
            X *= root[start : start + FEATURE_BLOCK]
            H += X.T @ X
        H.flat[:: len(H) + 1] += ridge
        L = _cholesky(H)

        def solve(g: FloatArray, g_b: float) -> tuple[FloatArray, float, FloatArray]:
            dw = cho_solve((L, True), mean * g_b - g, check_finite=False)
            db = float(-g_b / c.sum() - mean @ dw)
            return dw, db, F @ dw + db

        return solve


def _cholesky(M: FloatArray) -> FloatArray:
    """Return the lower Cholesky factor, of M + a jitter if it has to be."""
    diagonal = M.diagonal().copy()
    L: FloatArray
    for jitter in (0.0, JITTER, 100.0 * JITTER):
        M.flat[:: len(M) + 1] = diagonal + jitter * diagonal.max()
        L, failed = lapack.dpotrf(M.T, lower=1, clean=0)  # Mᵀ = M, in LAPACK's order
        if not failed:
            return L
    raise np.linalg.LinAlgError("no Cholesky factor")


def _few(F: FloatArray, K: FloatArray, c: FloatArray, ridge: float) -> Solver:
    """Solve for μ = C (F dw + db 1) instead: (C⁻¹ + K/λ) μ = db 1 − F g/λ, 1ᵀμ = −g_b."""
    dual = _dual(K, c, ridge)

    def solve(g: FloatArray, g_b: float) -> tuple[FloatArray, float, FloatArray]:
        mu, db = dual(-(F @ g) / ridge, g_b)
        return -(g + mu @ F) / ridge, db, mu / c

    return solve


def _dual(
    K: FloatArray, c: FloatArray, ridge: float
) -> Callable[[FloatArray, float], tuple[FloatArray, float]]:
    """Solve (C⁻¹ + K/λ) μ = db 1 + r with 1ᵀμ = −g_b for (μ, db); overwrites K."""
    K /= ridge
    K.flat[:: len(K) + 1] += 1.0 / c
    L = _cholesky(K)
    item = cho_solve((L, True), np.ones(len(c)), check_finite=False)

    def solve(r: FloatArray, g_b: float) -> tuple[FloatArray, float]:
        mu = cho_solve((L, True), r, check_finite=False)
        db = float((-g_b - mu.sum()) / item.sum())
        return mu + db * item, db

    return solve


class InSamples:
    """The inner products of the samples, for p > n."""

    def __init__(self, F: Features) -> None:
        self.F = F
        self.size = len(F)
        self.mean = F.mean(axis=0, dtype=np.float64)
        self.K = np.zeros((len(F), len(F)))
        for start in range(0, F.shape[1], FEATURE_BLOCK):
            part = F[:, start : start + FEATURE_BLOCK] - self.mean[start : start + FEATURE_BLOCK]
            self.K += part @ part.T

    def scores(self, x: FloatArray) -> FloatArray:
        """Return F Fᵀ x."""
        return self.K @ x

    def pull(self, alpha: FloatArray) -> FloatArray:
        """Return α: it is its own coefficients."""
        return alpha

    def inner(self, x: FloatArray, y: FloatArray) -> float:
        """Return ⟨Fᵀx, Fᵀy⟩."""
        return float(x @ (self.K @ y))

    def vector(self, x: FloatArray) -> FloatArray:
        """Return Fᵀx of the centred features."""
        w: FloatArray = pulled(self.F, x) - float(x.sum()) * self.mean
        return w

    def factor(self, curvature: FloatArray, ridge: float) -> Solver:
        """Factorise in as many dimensions as there are curved samples."""
        active = np.flatnonzero(curvature)
        K = self.K[np.ix_(active, active)]
        c = curvature[active]
        dual = _dual(K, c, ridge)

        def solve(g: FloatArray, g_b: float) -> tuple[FloatArray, float, FloatArray]:
            mu, db = dual(-(self.K @ g)[active] / ridge, g_b)
            dx = -g / ridge
            dx[active] -= mu / ridge
            # FFᵀdx would do as well, but cancels: μ is accurate where the samples are stiff.
            return dx, db, mu / c

        return solve


def pulled(F: Features, alpha: FloatArray) -> FloatArray:
    """Return Fᵀα in double precision, without a copy of F in it."""
    parts = [
        alpha @ np.asarray(F[:, start : start + FEATURE_BLOCK], dtype=np.float64)
        for start in range(0, F.shape[1], FEATURE_BLOCK)
    ]
    return np.concatenate(parts)


def scored(F: Features, w: FloatArray) -> FloatArray:
    """Return F w in double precision, without a copy of F in it."""
    total = np.zeros(len(F))
    for start in range(0, F.shape[1], FEATURE_BLOCK):
        part = np.asarray(F[:, start : start + FEATURE_BLOCK], dtype=np.float64)
        total += part @ w[start : start + FEATURE_BLOCK]
    return total
