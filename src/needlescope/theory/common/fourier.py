"""The distribution function of a sum of independent terms, as a Fourier integral along a ray.

    P(S < 0) = ½ + α/π − (1/π) Im ∫ φ(e^{s − iα}) ds,   φ the characteristic function of S.

On a ray that is turned by −α an edge of the law decays instead of oscillating.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...arrays import FloatArray

BLOCK, MAX_BLOCKS = 16, 10_000  # nodes of log q at a time, and blocks at most

ComplexArray = NDArray[np.complex128]


def fourier_cdf(
    log_phi: Callable[[ComplexArray], ComplexArray],
    turn: float,
    start: float,
    step: float,
    tolerance: float,
    max_log: float = np.inf,
    blocks: int = MAX_BLOCKS,
) -> tuple[FloatArray, FloatArray]:
    """Return ½ + α/π − (1/π) Im ∫ φ(e^{s − iα}) ds of each row, with a step and with twice it.

    The trapezoid rule ends where all terms are below the tolerance. NaN if a logarithm of a term
    reaches ``max_log``, or if the rule does not end.
    """
    s, sums = start, np.zeros((1, 2))  # even and odd nodes
    for _ in range(blocks):
        grid = s + step * np.arange(BLOCK)
        logs = log_phi(np.exp(grid - 1j * turn))
        if not logs.real.max() < max_log:
            break
        gone = logs.real.max(axis=0) < np.log(tolerance)
        terms = np.exp(logs[:, : gone.argmax()] if gone.any() else logs).imag
        even, odd = terms[:, ::2].sum(axis=1), terms[:, 1::2].sum(axis=1)
        sums = sums + np.stack([even, odd], axis=1)
        if gone.any():
            fine = 0.5 + (turn - step * sums.sum(axis=1)) / np.pi
            return fine, 0.5 + (turn - 2.0 * step * sums[:, 0]) / np.pi
        s = float(grid[-1]) + step
    return np.full(len(logs), np.nan), np.full(len(logs), np.nan)
