"""The array types of the package, and the memory that arrays take."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[Any]
Value = float | FloatArray
MEMORY = 1 << 30  # bytes that a trial or a file may take, by default


def in_bytes(count: float) -> str:
    """Return a number of bytes as it is read best.

    Examples
    --------
    >>> in_bytes(1 << 30), in_bytes(3 << 20)
    ('1 GiB', '3 MiB')
    """
    return f"{count / (1 << 30):.3g} GiB" if count >= 1 << 29 else f"{count / (1 << 20):.3g} MiB"


def project(rows: Any, vectors: Any) -> FloatArray:
    """Return ⟨x, v⟩ of each row x, computed in the precision of the rows.

    Floating-point warnings are ignored: OpenBLAS multiplies stack memory beside a narrow table (5
    numbers a row in single precision, AVX-512) and drops it again, so the product is right but the
    processor's flag may be raised. Rows and vectors are checked to be finite where they enter.

    Examples
    --------
    >>> project(np.eye(2, dtype=np.float32), np.array([3.0, 4.0]))
    array([3., 4.])
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(rows @ vectors.astype(rows.dtype, copy=False), dtype=float)
