"""A signal placed in the spectrum of the noise, and vectors in whitened coordinates.

The noise is Z = E Rᵀ with Σ = R Rᵀ: R is diagonal for a spectrum, a Cholesky factor for a matrix.
In whitened coordinates a direction w of the readout is Rᵀw, a signal is R⁻¹ξ.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from ...arrays import FloatArray
from ...noise import Noise
from ...task import Task


def placed(task: Task, d: int, rng: np.random.Generator) -> FloatArray:
    """Return a unit vector with the task's weights on each level, random within a level.

    >>> import needlescope as ns
    >>> task = ns.Task(8, 1, 4.0, 0.5, noise=ns.Noise(spectrum=[9.0, 1.0]), signal="loud")
    >>> abs(placed(task, 6, np.random.default_rng(0))).round(1)
    array([0.2, 0.2, 1. , 0. , 0. , 0. ])
    """
    noise, levels = task.noise, task.levels
    assert levels is not None
    if noise.covariance is not None and isinstance(task.signal, tuple):
        xi = np.array(task.signal)
        xi = xi / np.abs(xi).max()
        return np.asarray(xi / np.linalg.norm(xi))
    if noise.covariance is None:
        place = noise.spectrum.at_dimension(d)
    else:
        place = np.searchsorted(levels.s, noise.axes[0])
    xi = rng.standard_normal(d)
    xi *= np.sqrt(levels.weight / np.bincount(place, xi**2))[place]
    return xi if noise.covariance is None else np.asarray(noise.axes[1] @ xi)


def whitened_signal(noise: Noise, xi: FloatArray) -> FloatArray:
    """Return R⁻¹ξ."""
    return _solve(noise, xi, lower=True)


def from_whitened(noise: Noise, u: FloatArray) -> FloatArray:
    """Return R⁻ᵀu, the vector whose inner product with tokens is that of u with whitened ones."""
    return _solve(noise, u, lower=False)


def _solve(noise: Noise, vector: FloatArray, lower: bool) -> FloatArray:
    root = noise.root
    if root is None:
        return vector
    if root.ndim == 1:
        return np.asarray(vector / root)
    return np.asarray(solve_triangular(root, vector, lower=True, trans="N" if lower else "T"))
