"""The loss of a score: what every convex loss supplies, and the proximal operator it gets."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ..arrays import FloatArray
from ..errors import NotConverged

PROX_ITERATIONS = 200


class Loss(ABC):
    """A convex loss, continuously differentiable (or piecewise quadratic) in the score.

    Training minimises (1/n) Σ ℓ + (λ/2)‖w‖², so the ridge is measured against the loss as it is
    written: the built-in square and squared hinge carry a ½.

    Examples
    --------
    A logistic loss with a softer slope:

    >>> import numpy as np
    >>> import needlescope as ns
    >>> class Soft(ns.Loss):
    ...     name = "soft"
    ...     def value(self, z, y):
    ...         return np.logaddexp(0.0, -0.5 * y * z)
    ...     def derivative(self, z, y):
    ...         return -0.5 * y / (1.0 + np.exp(np.clip(0.5 * y * z, -700, 700)))
    ...     def second(self, z, y):
    ...         return 0.0625 / np.cosh(np.clip(0.25 * z, -300, 300)) ** 2
    >>> float(Soft().prox(np.array(0.0), np.array(2.0), 1).round(4))
    0.4446
    """

    name: str = "custom"
    of_margin: bool = False
    """Whether ℓ(z; y) depends on yz alone; saying so halves the work."""
    kinked: bool = False
    """Whether the slope jumps somewhere."""
    square: bool = False
    """Whether this is ½(1 − yz)²: training then is a linear system, solvable without a ridge."""
    lower_bound: float = -np.inf
    """A value that the loss is never below, −∞ where none is known."""

    def of_label(self, y: int) -> Loss:
        """Return the loss that serves label ``y``: itself, unless the labels differ in kind."""
        return self

    @abstractmethod
    def value(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return ℓ(z; y)."""

    @abstractmethod
    def derivative(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return ∂ℓ/∂z."""

    @abstractmethod
    def second(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return ∂²ℓ/∂z²."""

    def prox(
        self, c: FloatArray, g: FloatArray, y: FloatArray | int, tolerance: float = 1e-15
    ) -> FloatArray:
        """Return argmin_r ℓ(r; y) + (r − c)²/(2g), the root of r + g ℓ'(r; y) = c.

        The root lies between c and c − g ℓ'(c), because ℓ' is non-decreasing; Newton steps that
        leave the bracket, or come from a point that was no progress, are replaced by bisection.
        """
        c, g = np.broadcast_arrays(np.asarray(c, float), np.asarray(g, float))
        if not g.any():
            return c.copy()
        slope = self.derivative(c, y)
        far = c - g * slope
        low, high = np.minimum(c, far), np.maximum(c, far)
        r = self._prox_start(c, g, y, low, high)
        last = np.full_like(c, np.inf)
        for _ in range(PROX_ITERATIONS):
            pull = g * self.derivative(r, y)
            gap = r + pull - c
            low = np.where(gap < 0.0, r, low)
            high = np.where(gap > 0.0, r, high)
            stretch = 1.0 + g * self.second(r, y)
            step = r - gap / stretch
            rounding = 4e-16 * (np.abs(c) + np.abs(r) + np.abs(pull)) / stretch
            settled = np.abs(step - r) <= tolerance * (1.0 + np.abs(r)) + rounding
            if settled.all():
                return np.clip(step, low, high)
            trusted = (step >= low) & (step <= high) & (np.abs(gap) <= 0.5 * last)
            r, last = np.where(trusted | settled, step, 0.5 * (low + high)), np.abs(gap)
        raise NotConverged(f"the prox of the {self.name} loss did not converge; is it convex?")

    def _prox_start(
        self,
        c: FloatArray,
        g: FloatArray,
        y: FloatArray | int,
        low: FloatArray,
        high: FloatArray,
    ) -> FloatArray:
        return c if np.all(np.isfinite(c)) else 0.5 * (low + high)

    def __repr__(self) -> str:
        """Name the loss."""
        return f"<{self.name} loss>"
