"""The logistic loss."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ..arrays import FloatArray
from .base import Loss


class Logistic(Loss):
    """The logistic loss log(1 + e^{−yz})."""

    name = "logistic"
    of_margin = True
    lower_bound = 0.0

    def value(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return log(1 + e^{−yz})."""
        u = np.asarray(y * z, float)
        loss: FloatArray = np.maximum(-u, 0.0) + np.log1p(np.exp(-np.abs(u)))
        return loss

    def derivative(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return −y σ(−yz)."""
        slope: FloatArray = -y * expit(np.negative(y * z, dtype=float))
        return slope

    def second(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return σ(z) σ(−z)."""
        p = expit(-np.abs(z))
        curvature: FloatArray = p * (1.0 - p)
        return curvature

    def _prox_start(
        self,
        c: FloatArray,
        g: FloatArray,
        y: FloatArray | int,
        low: FloatArray,
        high: FloatArray,
    ) -> FloatArray:
        # In the margin u = yr the equation is u − gσ(−u) = v; (u, v) → (−u, −v − g) leaves it
        # unchanged, so take u ≥ 0. There log((u − v)/g) + log(1 + e^u) = 0 is close to linear.
        v = y * c
        mirrored = v < -0.5 * g
        v = np.where(mirrored, -v - g, v)
        u = np.maximum(v, 0.0) + np.log1p(g / (2.0 + np.abs(v)) * np.exp(-np.maximum(v, 0.0)))
        for _ in range(2):
            gap = np.maximum(u - v, 1e-300)
            u = u - (np.log(gap / np.maximum(g, 1e-300)) + np.logaddexp(0.0, u)) / (
                1.0 / gap + expit(u)
            )
            u = np.maximum(u, np.maximum(v, 0.0))
        return np.clip(np.where(mirrored, -y * u, y * u), low, high)
