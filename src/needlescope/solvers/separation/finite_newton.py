"""Finite Newton method for φ(x) = ½ Σ (1 − aᵢ·x)₊², the shortfall of the margins aᵢ·x below one.

φ is quadratic between finitely many pieces, so Newton's method with an exact line search reaches
its minimum in finitely many steps (Mangasarian, Optim. Methods Softw. 17, 2002). From one step to
the next only a few rows enter or leave the Hessian Σ aᵢaᵢᵀ over the margins below one.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, lapack

from ...arrays import FloatArray
from ...errors import NotConverged

EPS = float(np.finfo(float).eps)
IDLE = 4  # steps that change nothing but rounding
JITTER = 1e-13  # of the mean curvature: enough for a Cholesky factor of too few rows


class FiniteNewton:
    """Minimises ½ Σ (1 − aᵢ·x)₊²; the Hessian is kept up to date by the rows that come and go."""

    def __init__(self, A: FloatArray) -> None:
        self.A = A
        self.largest = max(float(A.max()), -float(A.min()))
        self.idle = 0
        self.x = np.zeros(A.shape[1])
        self.m = np.zeros(len(A))
        self.iterations = 0
        self.inside = np.zeros(len(A), bool)
        self.H = np.zeros((A.shape[1], A.shape[1]))
        self._move(A.mean(axis=0))  # so that the first Hessian need not hold every row

    @property
    def short(self) -> FloatArray:
        """How much every margin falls short of one."""
        return np.maximum(1.0 - self.m, 0.0)

    def advance(self) -> bool:
        """Take a Newton step; say whether the last few still changed anything."""
        self.iterations += 1
        self._update()
        L = self._factor()
        d = cho_solve((L, True), self.short @ self.A, check_finite=False)
        before = float(self.short @ self.short)
        self._move(d)
        fell = float(self.short @ self.short) < before * (1.0 - 4.0 * EPS)
        self.idle = 0 if fell else self.idle + 1
        return self.idle < IDLE

    def _move(self, d: FloatArray) -> None:
        dm = self.A @ d
        step = _exact_step(self.m, dm)
        self.x = self.x + step * d
        self.m = self.A @ self.x if self.iterations % 8 == 0 else self.m + step * dm

    def _update(self) -> None:
        now = self.m < 1.0
        come, gone = now & ~self.inside, self.inside & ~now
        if come.sum() + gone.sum() >= now.sum() or self.iterations % 64 == 0:
            self.H[:] = 0.0
            come, gone = now, np.zeros(len(now), bool)
        for rows, sign in ((come, 1.0), (gone, -1.0)):
            if rows.any():
                B = self.A[rows]
                product = B.T @ B
                product *= sign
                self.H += product
        self.inside = now

    def _factor(self) -> FloatArray:
        jitter = JITTER * max(float(np.trace(self.H)) / len(self.H), 1e-300)
        diagonal = self.H.diagonal().copy()
        L: FloatArray
        for _ in range(8):
            self.H.flat[:: len(self.H) + 1] = diagonal + jitter
            L, failed = lapack.dpotrf(self.H.T, lower=1, clean=0)  # Hᵀ = H, in LAPACK's order
            self.H.flat[:: len(self.H) + 1] = diagonal
            if not failed:
                return L
            jitter *= 30.0
        raise NotConverged("the samples are too unevenly scaled to tell whether they are separable")


def _exact_step(m: FloatArray, dm: FloatArray) -> float:
    """Return the minimiser over s ≥ 0 of ½ Σ (1 − m − s dm)₊², by Newton inside a bracket."""
    start = float(np.maximum(1.0 - m, 0.0) @ dm)
    if start <= 0.0:
        return 0.0
    low, high, s = 0.0, np.inf, 1.0
    for _ in range(100):
        short = np.maximum(1.0 - m - s * dm, 0.0)
        slope, bend = -float(short @ dm), float(dm[short > 0.0] @ dm[short > 0.0])
        if abs(slope) <= 1e-14 * start:
            return s
        low, high = (s, high) if slope < 0.0 else (low, s)
        ahead = s - slope / bend if bend > 0.0 else np.inf
        if not low < ahead < high:
            ahead = 0.5 * (low + high) if high < np.inf else 2.0 * s
        if abs(ahead - s) <= 2.0 * EPS * s:
            return ahead
        s = ahead
    return s
