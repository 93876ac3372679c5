"""Convex losses that are quadratic between knots: their proximal operators are exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray, IndexArray
from ..grid import listed, unmasked
from .base import Loss

KINK = 1e-12  # a smaller jump of the slope is rounding
SQUARE_PIECE = (1.0, -1.0, 0.5)  # ½(1 − u)² = ½u² − u + ½


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
            np.broadcast_to(item, np.shape(self.low))[index]
            for item in (self.low, self.high, self.level, self.slope, self.bend)
        )
        return Segment(low, high, self.anchor, level, slope, bend)


def _numbers(name: str, values: Any) -> FloatArray:
    """Return numbers as an array, or refuse what is none."""
    unmasked(name, values)
    try:
        return np.array(values, float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be finite numbers, got {values!r}") from None


class PiecewiseQuadratic(Loss):
    """A convex loss that is quadratic between knots, as a function of the margin u = yz.

    Parameters
    ----------
    knots : sequence of float
        Increasing margins at which the pieces meet; may be empty.
    pieces : sequence of (a, b, c)
        For each interval from left to right, the loss ½ a u² + b u + c.
    name : str, default "piecewise"
        How the loss is called in results.

    Raises
    ------
    ValueError
        If the pieces do not fit the knots, do not meet, or are not convex.

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
        if not isinstance(name, str):
            raise ValueError(f"the name of a loss must be a word, got {name!r}")
        self.name = name
        rows = [_numbers("pieces", row) for row in listed("pieces", pieces, "triples (a, b, c)")]
        if any(np.shape(row) != (3,) for row in rows):
            raise ValueError(
                f"the pieces of the {name} loss must be triples (a, b, c), got {pieces!r}"
            )
        self.knots = _numbers("knots", listed("knots", knots, "margins")).ravel()
        self.pieces = np.array(rows, float).reshape(-1, 3)
        self._check()
        a, b, _ = np.diff(self.pieces, axis=0).T
        self.kinked = bool((a * self.knots + b > KINK).any())
        self.square = bool((self.pieces == SQUARE_PIECE).all())
        self.lower_bound = self._minimum()

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

    def _minimum(self) -> float:
        """Return the least value: at a knot or a vertex, or −∞ down a straight end."""
        (first, down, _), (last, up, _) = self.pieces[0], self.pieces[-1]
        if (first == 0.0 and down > 0.0) or (last == 0.0 and up < 0.0):
            return -np.inf
        curved = self.pieces[self.pieces[:, 0] > 0.0]
        places = np.concatenate([[0.0], self.knots, -curved[:, 1] / curved[:, 0]])
        return float(self.value(places, 1).min())

    def _piece(self, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        rows = self.pieces[np.searchsorted(self.knots, u, side="right")]
        return rows[..., 0], rows[..., 1], rows[..., 2]

    def value(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return ½ a u² + b u + c on the piece that holds u = yz."""
        u = np.asarray(y * z, float)
        a, b, c = self._piece(u)
        loss: FloatArray = (0.5 * a * u + b) * u + c
        return loss

    def derivative(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return y (a u + b); at a kink, the slope on its right."""
        u = np.asarray(y * z, float)
        a, b, _ = self._piece(u)
        slope: FloatArray = y * (a * u + b)
        return slope

    def second(self, z: FloatArray, y: FloatArray | int) -> FloatArray:
        """Return a on the piece that holds u = yz."""
        return self._piece(np.asarray(y * z, float))[0]

    def prox(
        self, c: FloatArray, g: FloatArray, y: FloatArray | int, tolerance: float = 0.0
    ) -> FloatArray:
        """Return the proximal operator, exactly."""
        v, g = np.broadcast_arrays(np.asarray(y * np.asarray(c, float)), np.asarray(g, float))
        slope = np.zeros(v.shape)
        for segment in self.segments(g):
            here = (v >= segment.low) & (v <= segment.high)
            slope = np.where(here, segment.slope + segment.bend * (v - segment.anchor), slope)
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

    def rounded(self, width: float) -> PiecewiseQuadratic:
        """Return the loss with a parabola of this width in place of each kink.

        At a kink k where the slope jumps by J, J (u − k + width/2)²/(2 width) replaces J (u − k)₊
        around k. It lies above by at most J width/8, which is at k.

        >>> loss = PiecewiseQuadratic([1.0], [(0.0, -1.0, 1.0), (0.0, 0.0, 0.0)]).rounded(0.5)
        >>> loss.kinked, loss.value(np.array([0.0, 1.0, 2.0]), 1).tolist()
        (False, [1.0, 0.0625, 0.0])
        """
        a, b, _ = np.diff(self.pieces, axis=0).T
        jumps = a * self.knots + b
        kinks = [(k, jump) for k, jump in zip(self.knots, jumps, strict=True) if jump > KINK]
        edges = np.unique(
            [*self.knots, *(k + end for k, _ in kinks for end in (-width / 2, width / 2))]
        )
        inside = 0.5 * (edges[1:] + edges[:-1])
        pieces = []
        for u in [edges[0] - 1.0, *inside, edges[-1] + 1.0]:
            piece = self.pieces[np.searchsorted(self.knots, u)].copy()
            for k, jump in kinks:
                if abs(u - k) < width / 2:
                    start = k - width / 2
                    piece += jump / width * np.array([1.0, -start, 0.5 * start**2])
                    piece -= (u > k) * jump * np.array([0.0, 1.0, -k])
            pieces.append(tuple(piece.tolist()))
        return PiecewiseQuadratic(edges.tolist(), pieces, name=self.name)

    def segments(self, g: FloatArray) -> list[Segment]:
        """List the segments of v = yc on which the prox is linear, from left to right.

        Between knots the derivative at the prox is (b + a v)/(1 + g a); while the prox stays at a
        kink k it is (v − k)/g.
        """
        g = np.asarray(g, float)
        result: list[Segment] = []
        low = np.full(g.shape, -np.inf)
        for index, (a, b, c) in enumerate(self.pieces):
            knot = self.knots[index] if index < len(self.knots) else np.inf
            slope = a * knot + b if knot < np.inf else 0.0
            high = knot + g * slope
            shrink = 1.0 / (1.0 + g * a)
            level = c - 0.5 * g * b * b * shrink
            result.append(Segment(low, high, 0.0, level, b * shrink, a * shrink))
            if knot == np.inf:
                break
            a_next, b_next, _ = self.pieces[index + 1]
            low = knot + g * (a_next * knot + b_next)
            if a_next * knot + b_next > slope:
                stiff = np.divide(1.0, g, out=np.zeros(g.shape), where=g > 0.0)
                level = np.full(g.shape, (0.5 * a * knot + b) * knot + c)
                result.append(Segment(high, low, float(knot), level, np.zeros(g.shape), stiff))
        return result
