"""The grids of the lines, as they are stored, and their interpolation.

A grid holds t of `values`, in 16 bits, at all nodes of `axes`. Between nodes it is interpolated by
cubics through the four nearest in each coordinate, or through all where there are fewer. What
``export.js`` does in the browser is done here in the same order, to measure the error and to test
the other.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from .axes import LINES, nodes, scaled, tokens
from .values import LOWEST_T, error_of

FILE = Path(__file__).with_name("grids.npz")
STEP = -LOWEST_T / 32_000  # of a stored t
UNKNOWN = -32_768  # stored where the theory has no answer
NEAREST = 4


class Grid(NamedTuple):
    """The values of a line: of each pair of L and R an array over the other coordinates."""

    line: str
    names: tuple[str, ...]  # of the coordinates but L and R
    values: dict[tuple[int, int], Any]

    def t(self, L: int, R: int, at: dict[str, float]) -> float:
        """Return the interpolated t."""
        weights = [
            cubic(scaled(name, nodes(name, LINES[self.line][name])), scaled(name, at[name]))
            for name in self.names
        ]
        lengths = np.array(list(tokens(self.line)))
        first, by_length = cubic(np.log(lengths), np.log(L))
        total = 0.0
        for length, weight in zip(lengths[first:].tolist(), by_length, strict=False):
            for count, share in self._tokens(length, np.log(R) / np.log(L)):
                if weight * share:
                    block = self.values[length, count]
                    total += weight * share * _contracted(block, weights)
        return total

    def error(self, L: int, R: int, at: dict[str, float]) -> float:
        """Return the interpolated test error."""
        return float(error_of(self.t(L, R, at), at["pi"]))

    def _tokens(self, length: int, rho: float) -> list[tuple[int, float]]:
        """Return the nodes in R of a node in L, and their weights."""
        counts = tokens(self.line)[length]
        if len(counts) == 1:
            return [(1, 1.0)]
        first, weights = cubic(np.log(counts) / np.log(length), rho)
        return list(zip(counts[first:], weights.tolist(), strict=False))


def cubic(places: FloatArray, x: float) -> tuple[int, FloatArray]:
    """Return the first of the four nearest nodes, and the weights of the cubic through them at x.

    Examples
    --------
    >>> cubic(np.arange(6.0), 2.5)
    (1, array([-0.0625,  0.5625,  0.5625, -0.0625]))
    """
    count = min(NEAREST, len(places))
    below = int(np.searchsorted(places, x))
    first = int(np.clip(below - count // 2, 0, len(places) - count))
    near = places[first : first + count]
    weights = [
        np.prod([(x - b) / (a - b) for j, b in enumerate(near) if j != i])
        for i, a in enumerate(near)
    ]
    return first, np.array(weights)


def _contracted(block: Any, weights: list[tuple[int, FloatArray]]) -> float:
    near = block[tuple(slice(first, first + len(each)) for first, each in weights)]
    value = np.where(near == UNKNOWN, np.nan, near * STEP)
    for _, each in reversed(weights):
        value = value @ each
    return float(value)


def stored(t: Any) -> Any:
    """Return t in 16 bits.

    >>> stored(np.array([0.0, -5.0, np.nan])).tolist()
    [0, -32000, -32768]
    """
    t = np.asarray(t, float)
    return np.where(np.isnan(t), UNKNOWN, np.round(t / STEP)).astype(np.int16)


@cache
def grids() -> dict[str, Grid]:
    """Return all grids.

    Examples
    --------
    >>> grid = grids()["attention"]
    >>> at = {"theta": 4.0, "pi": 0.5, "c": 0.9, "kappa": 2.0, "alpha1": 2.0}
    >>> round(grid.error(10, 1, at), 1)
    0.1
    """
    made = {}
    with np.load(FILE) as file:
        for line, counts in LINES.items():
            pairs = [(L, R) for L, Rs in tokens(line).items() for R in Rs]
            blocks = dict(zip(pairs, file[line], strict=True))
            made[line] = Grid(line, tuple(name for name in counts if name != "R"), blocks)
    return made
