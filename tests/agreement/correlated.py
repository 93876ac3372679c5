"""The points where the noise is correlated across tokens: pooling, and attention with a query."""

from __future__ import annotations

from typing import Any

import needlescope as ns

from .points import Point, point
from .spectra import GIVEN, TWO, A, H, N, P

NEXT = ns.Positions([(0, 1), (1, 2), (2, 3)])
APART = ns.Positions([(0, 5), (1, 4)], [0.7, 0.3])
COUNT = ns.SignalCount([1, 3], [0.6, 0.4])


def at(
    model: str, rho: float, loss: str, ridge: float, alpha1: float,
    *, L: int = 6, R: Any = 1, theta: float = 4.0, pi: float = 0.4, d: int = 100,
    task: dict[str, Any] | None = None, query: Any = GIVEN, spectrum: Any = None,
) -> Point:  # fmt: skip
    """Write a point in one line."""
    noise = ns.Noise(spectrum=spectrum, token_correlation=rho)
    tokens = ns.Task(L, R, theta, pi, noise=noise, **(task or {}))
    shared = {} if model == P else {"query": query}
    return point(model, "tokens", tokens, loss, ridge, alpha1, d=d, **shared)


CORRELATED = [
    at(P, 0.5, "logistic", 1e-2, 2.0),
    at(P, -0.6, "square", 1e-1, 1.5, R=2),
    at(P, 0.9, "squared_hinge", 1e-2, 3.0, theta=6.0),
    at(P, 0.4, "hinge", 1e-1, 2.0, spectrum=TWO, task={"signal": "loud"}),
    at(A, 0.5, "logistic", 1e-2, 2.0),
    at(A, -0.6, "square", 1e-1, 2.0),
    at(A, 0.9, "hinge", 1e-1, 2.0, theta=3.0),
    at(A, 0.3, "squared_hinge", 1e-2, 3.0, L=12, R=3, theta=2.5, query=ns.Query(2.0, 0.6)),
    at(A, 0.7, "logistic", 1e-2, 2.0, R=2, theta=2.5, task={"positions": NEXT}),
    at(A, 0.7, "logistic", 1e-2, 2.0, R=2, theta=2.5, task={"positions": APART}),
    at(A, 0.6, "logistic", 1e-1, 2.0, R=COUNT, theta=3.0),
    at(A, 0.5, "logistic", 1e-1, 2.0, spectrum=TWO, task={"signal": "quiet"}, theta=2.0),
    at(A, 0.8, "square", 0.0, 3.0, query=ns.Query(1.0, -0.5)),
    at(H, 0.5, "logistic", 1e-1, 2.0, query=ns.Query(1.0, 0.7)),
    at(H, -0.5, "square", 1e-1, 2.0, R=2, query=ns.Query(1.0, 1.0)),
    at(N, 0.6, "logistic", 1e-1, 2.0),
]
