"""Where the grids of an exported page lie, and which controls move on it.

Each line of the figure has a grid of its own, over the coordinates that it depends on. The query
that two steps train follows from a formula, which the page evaluates itself: attention is tabulated
over its alignment c and its strength κ, whatever the data that led to them.

    attention                  L, R, θ, π, c, κ, α1
    pooled                     L, s, π, α             s = Rθ/√L, the strength of the mean token
    vectorized                 L, R, s, π, α
    known                      L, R, θ, π
    bayes_optimal, amp         L, R, θ, π, α

Nodes are even in log L, ρ = log R/log L, log θ, log s, logit π, c, log κ and log α. L and R are
whole numbers, so that each L has nodes in ρ of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import FloatArray
from ..state import HIGHEST_ALPHA, LOWEST_ALPHA

LENGTHS = {
    2: (1, 2),
    5: (1, 2, 5),
    12: (1, 2, 5, 12),
    32: (1, 3, 10, 32),
    100: (1, 4, 20, 100),
}
"""The nodes in L, and of each those in R."""

FINER = {
    2: (1, 2),
    5: (1, 2, 3, 5),
    12: (1, 2, 4, 7, 12),
    32: (1, 2, 5, 12, 20, 32),
    100: (1, 2, 5, 15, 45, 100),
}
"""The same for lines that are quick to compute."""

MOST_SHARE_OF_TOKENS = 0.5  # with signal, but for all: between, a query that turns is too sharp
LEAST_SHARE, MOST_SHARE = 0.1, 0.98  # of the data, for the readout
LAST_NODE = 0.9  # of all data, of α1: cubics go on a little beyond it
ENDS = {
    "theta": (0.5, 10.0),
    "s": (0.05, 100.0),
    "pi": (0.05, 0.5),
    "c": (-1.0, 1.0),
    "kappa": (0.25, 8.0),
    "alpha1": (LEAST_SHARE * LOWEST_ALPHA, LAST_NODE * HIGHEST_ALPHA),
    "alpha": (LOWEST_ALPHA, HIGHEST_ALPHA),
}
"""The ranges of the other coordinates."""

LINES: dict[str, dict[str, int]] = {
    "attention": {"R": 0, "theta": 7, "pi": 4, "c": 7, "kappa": 5, "alpha1": 8},
    "pooled": {"s": 20, "pi": 7, "alpha": 12},
    "vectorized": {"R": 0, "s": 24, "pi": 5, "alpha": 10},
    "known": {"R": 0, "theta": 13, "pi": 5},
    "bayes_optimal": {"R": 0, "theta": 11, "pi": 5, "alpha": 12},
    "amp": {"R": 0, "theta": 11, "pi": 5, "alpha": 12},
}
"""Of each line its coordinates but L, and how many nodes each has; R has those of each L."""


def tokens(line: str) -> dict[int, tuple[int, ...]]:
    """Return the nodes in L of a line, and of each those in R.

    >>> tokens("pooled")[5], tokens("attention")[5], tokens("known")[5]
    ((1,), (1, 2, 5), (1, 2, 3, 5))
    """
    if "R" not in LINES[line]:
        return dict.fromkeys(LENGTHS, (1,))
    return LENGTHS if line == "attention" else FINER


def scaled(name: str, value: Any) -> Any:
    """Return the scale on which nodes are even.

    >>> float(scaled("pi", 0.5)), scaled("c", 0.25)
    (0.0, 0.25)
    """
    if name == "c":
        return value
    value = np.asarray(value, float)
    return np.log(value / (1.0 - value)) if name == "pi" else np.log(value)


def nodes(name: str, count: int) -> FloatArray:
    """Return the nodes of a coordinate.

    >>> nodes("c", 5).tolist()
    [-1.0, -0.5, 0.0, 0.5, 1.0]
    """
    low, high = (scaled(name, end) for end in ENDS[name])
    even = np.linspace(low, high, count)
    if name == "c":
        return even
    made = 1.0 / (1.0 + np.exp(-even)) if name == "pi" else np.exp(even)
    made[[0, -1]] = ENDS[name]  # not a rounding beside them
    return np.asarray(made)


MOVING = ("L", "R", "theta", "pi", "alpha0", "alpha1", "kappa", "d")
"""The controls that move; of d only units of practice depend."""

FIXED = {
    "noise": "the grids hold white noise",
    "kind": "the grids hold two gradient steps",
    "loss": "the grids hold one loss",
    "ridge": "the grids hold one ridge",
    "query": "the grids hold the strength κ, whatever steps lead to it",
    "eta_w": "the grids hold one first step",
    "eta_b": "the grids hold one first step",
    "eta_q": "the strength κ is given in its place",
    "beta": "the strength κ is given in its place",
}
"""The controls that do not, and why. Others do not matter while these are as they are."""
