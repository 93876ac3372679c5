"""The array types of the package."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[Any]
Value = float | FloatArray


def project(rows: Any, vectors: Any) -> FloatArray:
    """Return ⟨x, v⟩ of each row x, computed in the precision of the rows.

    That an operation was invalid is not told. OpenBLAS multiplies what happens to lie on the stack
    beside a narrow table (5 numbers a row in single precision, AVX-512) and drops it again: the
    product is right, and the processor's flag is raised or not by what was called before. Rows and
    vectors are known to be finite where they enter.

    Examples
    --------
    >>> project(np.eye(2, dtype=np.float32), np.array([3.0, 4.0]))
    array([3., 4.])
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(rows @ vectors.astype(rows.dtype, copy=False), dtype=float)
