"""Convex losses ℓ(z; y) of a score z and a label y = ±1.

| name | ℓ(z; y), with u = y z |
| --- | --- |
| square | ½ (1 − u)² = ½ (z − y)² |
| logistic | log(1 + e^{−u}) |
| hinge | (1 − u)₊ |
| squared_hinge | ½ (1 − u)₊² |

A loss of one's own is a subclass of `Loss` with `value`, `derivative` and `second` (all in the
score z); it gets a safeguarded proximal operator and works everywhere the built-in ones do. One
that is piecewise quadratic is an instance of `PiecewiseQuadratic`, whose Gaussian integrals are
exact.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from .arrays import FloatArray, IndexArray
from .errors import NotConverged

PROX_ITERATIONS = 200
KINK = 1e-12  # a smaller jump of the slope is rounding


class Segment(NamedTuple):
    """On low ≤ v ≤ high the Moreau envelope is ``level + slope x + ½ bend x²``, x = v − anchor."""

    low: FloatArray
    high: FloatArray
    anchor: float
    level: FloatArray
    slope: FloatArray
    bend: FloatArray

    def at(self, index: IndexArray) -> Segment:
        """Return the segment for some of the widths only."""
        low, high, level, slope, bend = (
            np.broadcast_to(one, np.shape(self.low))[index]
            for one in (self.low, self.high, self.level, self.slope, self.bend)
        )
        return Segment(low, high, self.anchor, level, slope, bend)


class Loss(ABC):
    """A convex loss, continuously differentiable (or piecewise quadratic) in the score.

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


class Logistic(Loss):
    """The logistic loss log(1 + e^{−yz})."""

    name = "logistic"
    of_margin = True

    def value(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return log(1 + e^{−yz})."""
        u = np.asarray(y * z, float)
        return np.maximum(-u, 0.0) + np.log1p(np.exp(-np.abs(u)))

    def derivative(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return −y σ(−yz)."""
        return -y * expit(np.negative(y * z, dtype=float))

    def second(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return σ(z) σ(−z)."""
        p = expit(-np.abs(z))
        return p * (1.0 - p)

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


class PiecewiseQuadratic(Loss):
    """A convex loss that is quadratic between knots, as a function of the margin u = yz.

    Parameters
    ----------
    knots : sequence of float
        Increasing margins at which the pieces meet; may be empty.
    pieces : sequence of (a, b, c)
        For each interval from left to right, the loss ½ a u² + b u + c.
    name : str
        How the loss is called in results.

    Examples
    --------
    Half an absolute deviation from the margin 1:

    >>> import numpy as np
    >>> import needlescope as ns
    >>> loss = ns.PiecewiseQuadratic([1.0], [(0, -0.5, 0.5), (0, 0.5, -0.5)], name="absolute")
    >>> loss.value(np.array([0.0, 1.0, 3.0]), 1).tolist()
    [0.5, 0.0, 1.0]
    """

    of_margin = True

    def __init__(
        self,
        knots: Sequence[float],
        pieces: Sequence[tuple[float, float, float]],
        name: str = "piecewise",
    ) -> None:
        self.name = name
        rows = list(pieces)
        if any(np.shape(row) != (3,) for row in rows):
            raise ValueError(
                f"the pieces of the {name} loss must be triples (a, b, c), got {pieces!r}"
            )
        self.knots = np.array(knots, float).ravel()
        self.pieces = np.array(rows, float).reshape(-1, 3)
        self._check()
        a, b, _ = np.diff(self.pieces, axis=0).T
        self.kinked = bool((a * self.knots + b > KINK).any())

    def _check(self) -> None:
        k, p = self.knots, self.pieces
        if len(p) != len(k) + 1 or not np.isfinite(p).all() or not np.isfinite(k).all():
            raise ValueError(
                f"a piecewise loss needs one finite (a, b, c) more than it has knots, "
                f"got {len(p)} pieces for {len(k)} knots"
            )
        if (np.diff(k) <= 0.0).any():
            raise ValueError(f"knots must increase, got {k.tolist()}")
        a, b, c = np.diff(p, axis=0).T
        if (np.abs((0.5 * a * k + b) * k + c) > 1e-9 * (1.0 + np.abs(p[:, 2]).max())).any():
            raise ValueError(f"the pieces of the {self.name} loss must meet at {k.tolist()}")
        if (p[:, 0] < 0.0).any() or (a * k + b < -1e-9).any():
            raise ValueError(f"the {self.name} loss must be convex, got pieces {p.tolist()}")

    def _piece(self, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        rows = self.pieces[np.searchsorted(self.knots, u, side="right")]
        return rows[..., 0], rows[..., 1], rows[..., 2]

    def value(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return ½ a u² + b u + c on the piece that holds u = yz."""
        u = np.asarray(y * z, float)
        a, b, c = self._piece(u)
        return (0.5 * a * u + b) * u + c

    def derivative(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return y (a u + b); at a kink, the slope on its right."""
        u = np.asarray(y * z, float)
        a, b, _ = self._piece(u)
        return y * (a * u + b)

    def second(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return a on the piece that holds u = yz."""
        return self._piece(np.asarray(y * z, float))[0]

    def prox(
        self, c: FloatArray, g: FloatArray, y: FloatArray | int, tolerance: float = 0.0
    ) -> FloatArray:
        """Return the proximal operator, exactly."""
        v, g = np.broadcast_arrays(np.asarray(y * np.asarray(c, float)), np.asarray(g, float))
        slope = np.zeros(v.shape)
        for one in self.segments(g):
            here = (v >= one.low) & (v <= one.high)
            slope = np.where(here, one.slope + one.bend * (v - one.anchor), slope)
        return y * (v - g * slope)

    def about(self, z: float, y: int) -> PiecewiseQuadratic:
        """Return the loss of label ``y`` as a function of the score's distance from ``z``."""
        u = y * z
        a, b, c = self.pieces.T
        moved = np.stack([a, a * u + b, (0.5 * a * u + b) * u + c], axis=1)
        return PiecewiseQuadratic((self.knots - u).tolist(), moved.tolist(), name=self.name)

    def cone(self, z: float, y: int) -> PiecewiseQuadratic:
        """Return the loss near the score ``z`` to first order: a kink or a straight line."""
        u = y * z
        left = self.pieces[np.searchsorted(self.knots, u - 1e-9)]
        right = self.pieces[np.searchsorted(self.knots, u + 1e-9)]
        slopes = [(0.0, float(a * u + b), 0.0) for a, b, _ in (left, right)]
        return PiecewiseQuadratic([0.0], slopes, name=self.name)

    def segments(self, g: FloatArray) -> list[Segment]:
        """List the segments of v = yc on which the prox is linear, from left to right.

        Between knots the derivative at the prox is (b + a v)/(1 + g a); while the prox stays at a
        kink k it is (v − k)/g.
        """
        g = np.asarray(g, float)
        found: list[Segment] = []
        low = np.full(g.shape, -np.inf)
        for index, (a, b, c) in enumerate(self.pieces):
            knot = self.knots[index] if index < len(self.knots) else np.inf
            slope = a * knot + b if knot < np.inf else 0.0
            high = knot + g * slope
            shrink = 1.0 / (1.0 + g * a)
            level = c - 0.5 * g * b * b * shrink
            found.append(Segment(low, high, 0.0, level, b * shrink, a * shrink))
            if knot == np.inf:
                break
            a_next, b_next, _ = self.pieces[index + 1]
            low = knot + g * (a_next * knot + b_next)
            if a_next * knot + b_next > slope:
                stiff = np.divide(1.0, g, out=np.zeros(g.shape), where=g > 0.0)
                level = np.full(g.shape, (0.5 * a * knot + b) * knot + c)
                found.append(Segment(high, low, float(knot), level, np.zeros(g.shape), stiff))
        return found


SQUARE = PiecewiseQuadratic([], [(1.0, -1.0, 0.5)], name="square")
LOGISTIC = Logistic()
HINGE = PiecewiseQuadratic([1.0], [(0.0, -1.0, 1.0), (0.0, 0.0, 0.0)], name="hinge")
SQUARED_HINGE = PiecewiseQuadratic([1.0], [(1.0, -1.0, 0.5), (0.0, 0.0, 0.0)], name="squared_hinge")
LOSSES: dict[str, Loss] = {loss.name: loss for loss in (SQUARE, LOGISTIC, HINGE, SQUARED_HINGE)}


def get_loss(loss: str | Loss) -> Loss:
    """Return the loss of that name, or the loss itself.

    Examples
    --------
    >>> get_loss("hinge")
    <hinge loss>
    """
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str) and loss in LOSSES:
        return LOSSES[loss]
    known = ", ".join(repr(name) for name in LOSSES)
    raise ValueError(f"loss must be one of {known} or a needlescope.Loss, got {loss!r}")


_CHECKED: set[int] = set()


def check_loss(loss: Loss) -> None:
    """Refuse a loss of one's own whose value and derivative, or labels, contradict each other.

    Examples
    --------
    >>> class Wrong(Logistic):
    ...     def value(self, z, y):
    ...         return 3.0 * super().value(z, y)
    >>> check_loss(Wrong())
    Traceback (most recent call last):
        ...
    ValueError: the derivative of the logistic loss is not that of its value: at score -3.1 ...
    """
    if type(loss) in (Logistic, PiecewiseQuadratic) or id(loss) in _CHECKED:
        return
    z, step = np.linspace(-3.1, 3.1, 13), 1e-5
    for y in (1, -1):
        stated = np.asarray(loss.derivative(z, y), float)
        seen = np.asarray(loss.value(z + step, y) - loss.value(z - step, y)) / (2.0 * step)
        off = np.abs(stated - seen) - 1e-3 * (1.0 + np.abs(seen))
        if not (off <= 0.0).all():
            k = int(np.argmax(off))
            raise ValueError(
                f"the derivative of the {loss.name} loss is not that of its value: at score "
                f"{z[k]:g} and label {y} it is {stated[k]:g}, by differences {seen[k]:g}"
            )
    if loss.of_margin and not np.allclose(loss.value(z, 1), loss.value(-z, -1), atol=1e-9):
        raise ValueError(
            f"the {loss.name} loss says of_margin = True, but its values at (z, +1) and (-z, -1) "
            "differ"
        )
    _CHECKED.add(id(loss))
