"""Products F w and Fᵀ r over blocks of rows: exact in float64, quick in float32.

Reading F is what a product costs. The exact gradient therefore takes one pass, in blocks that
stay in the cache: rᵢ depends on the score of row i alone, so Fᵀ r follows F w block by block.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...arrays import FloatArray, project
from .problem import Features

PRODUCT_BLOCK = 2**17  # float64 numbers in a block: 1 MB, half of a common L2 cache
SINGLE_PANEL = 2**20  # float32 numbers in a panel of columns: fast for products with FFᵀ
COPY = 2**26  # at most this many numbers are copied to single precision: 256 MB
SINGLE_RANGE = 1e12  # row norms beyond this, or below its inverse, stay out of float32
CENTRED = 0.01  # a smaller mean, squared and relative to the rows, is none
SINGLE_PRECISION = 1e-6  # accuracy of a float32 difference
NEGLIGIBLE = 1e-30  # of the largest entry; smaller ones would be subnormal and slow


class Products:
    """Products with the features ``F``.

    Attributes
    ----------
    row_squares : ndarray
        ‖Fᵢ‖², from the one pass that `survey` makes.
    mean : ndarray
        The weighted mean of the rows, from the same pass.
    single : bool
        Whether the quick products are in single precision.
    usable : bool
        Whether the numbers in F are of a size that the quick products can handle.
    """

    def __init__(self, F: Features) -> None:
        self.F = F
        self.n, self.p = F.shape
        self.rows = max(1, PRODUCT_BLOCK // max(1, self.p))
        self.row_squares = np.zeros(self.n)
        self.mean = np.zeros(self.p)
        self.quick: Features = F
        self.single = F.dtype == np.float32
        self.usable = True

    def survey(self, r: FloatArray, weight: FloatArray, quick: bool) -> FloatArray:
        """Return Fᵀ r, and in the same pass measure F and prepare the quick products."""
        copy = quick and not self.single and self.F.size <= COPY
        single = np.empty(self.F.shape, np.float32) if copy else None
        sides, result = np.stack([r, weight]), np.zeros((2, self.p))
        with np.errstate(over="ignore", invalid="ignore"):
            for at, block in self.blocks():
                result += sides[:, at] @ block
                self.row_squares[at] = np.einsum("ij,ij->i", block, block)
                if single is not None:
                    single[at] = block
        check_finite(float(self.row_squares.sum()))
        largest = float(np.sqrt(self.row_squares.max()))
        fits = 1.0 / SINGLE_RANGE < largest < SINGLE_RANGE
        if single is not None and fits:
            self.quick, self.single = single, True
        self.mean = result[1]
        self.usable = fits or self.F.dtype == np.float64
        product: FloatArray = result[0]
        return product

    def centred_squares(self) -> FloatArray:
        """Return ‖Fᵢ − μ‖², roughly."""
        level = float(self.mean @ self.mean)
        if level <= CENTRED * float(self.row_squares.mean()):
            return self.row_squares
        squares = self.row_squares - 2.0 * self.quick_forward(self.mean) + level
        return np.maximum(squares, SINGLE_PRECISION * self.row_squares)

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield blocks of rows in double precision."""
        wide = self.F.dtype != np.float64
        room = np.empty((min(self.rows, self.n), self.p)) if wide else None
        for start in range(0, self.n, self.rows):
            at = slice(start, min(start + self.rows, self.n))
            if room is None:
                yield at, np.asarray(self.F[at], float)
            else:
                block = room[: at.stop - at.start]
                np.copyto(block, self.F[at])
                yield at, block

    def forward(self, w: FloatArray) -> FloatArray:
        """Return F w in double precision."""
        if self.F.dtype == np.float64:
            return np.asarray(self.F @ w)
        scores = np.empty(self.n)
        for at, block in self.blocks():
            scores[at] = block @ w
        return scores

    def backward(self, r: FloatArray) -> FloatArray:
        """Return Fᵀ r in double precision."""
        if self.F.dtype == np.float64:
            return np.asarray(r @ self.F)
        total = np.zeros(self.p)
        for at, block in self.blocks():
            total += r[at] @ block
        return total

    def quick_forward(self, w: FloatArray) -> FloatArray:
        """Return F w, in single precision where that is prepared."""
        size, short = self._short(w)
        return project(self.quick, short) * size

    def quick_backward(self, r: FloatArray) -> FloatArray:
        """Return Fᵀ r, in single precision where that is prepared."""
        size, short = self._short(r)
        return np.multiply(short @ self.quick, size, dtype=float)

    def quick_gram(self, a: FloatArray) -> FloatArray:
        """Return F Fᵀ a, panel of columns by panel, so that a panel is read once."""
        size, short = self._short(a)
        total = np.zeros(self.n, self.quick.dtype)
        width = max(64, SINGLE_PANEL // self.n)
        for start in range(0, self.p, width):
            panel = self.quick[:, start : start + width]
            total += project(panel, short @ panel)
        product: FloatArray = np.multiply(total, size, dtype=float)
        return product

    def _short(self, v: FloatArray) -> tuple[float, NDArray[np.floating]]:
        size = float(np.abs(v).max(initial=0.0))
        if not self.single or size == 0.0:
            return 1.0, v.astype(self.quick.dtype, copy=False)
        v = v / size
        v[np.abs(v) < NEGLIGIBLE] = 0.0
        return size, v.astype(np.float32)


def check_finite(total: float) -> None:
    """Refuse features of which some total is not finite."""
    if not np.isfinite(total):
        raise ValueError("F must be finite, but it holds nan, inf or numbers above 1e150")
