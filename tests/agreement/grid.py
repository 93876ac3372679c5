"""The points: tasks, losses, ridges, samplers, alignments, and both sides of capacity."""

from __future__ import annotations

from typing import Any

import needlescope as ns

from .points import (
    ALL_TOKENS,
    EASY,
    LONG,
    MOSTLY,
    PAIR,
    PLACES,
    RARE,
    SHORT,
    VERY_RARE,
    WEAK,
    Point,
    point,
)

LOW, BLIND, AGAINST = ns.Query(1.0, 0.2), ns.Query(2.0, 0.0), ns.Query(1.5, -0.6)
HIGH, SHARP, FULL = ns.Query(1.5, 0.9), ns.Query(4.0, 0.95), ns.Query(1.0, 1.0)
HARD = ns.Query(float("inf"), 0.9)
HALF = {"eta_w": 0.5, "eta_b": 0.5, "eta_q": 0.5}
SEQUENTIAL = {"first_step": "sequential"}
A, P, V = "attention", "pooled", "vectorized"
H, N = "hard", "linear"
T, R = "tokens", "reduced"


def balanced(
    sampler: str, L: int, carriers: int, theta: float, pi: float, loss: str, alpha0: float,
    alpha1: float, eta_q: float, *, d: int = 100, **steps: Any,
) -> Point:  # fmt: skip
    """Write a point with balanced slopes; its step is such that κ is about one."""
    task, more = ns.Task(L, carriers, theta, pi), {"balanced": True, "eta_q": eta_q, **steps}
    return point(A, sampler, task, loss, 1e-2, alpha1, alpha0=alpha0, d=d, steps=more)


ATTENTION = [
    point(A, R, EASY, "logistic", 1e-2, 1.0, alpha0=4.0),
    point(A, T, EASY, "logistic", 1e-2, 3.0, alpha0=4.0),
    point(A, R, EASY, "logistic", 1e-3, 2.0, alpha0=0.5),
    point(A, R, EASY, "square", 1e-2, 2.0, alpha0=4.0),
    point(A, T, EASY, "square", 1e-1, 0.5, alpha0=1.0),
    point(A, R, EASY, "squared_hinge", 1e-2, 2.0, alpha0=1.0, steps=SEQUENTIAL),
    point(A, R, EASY, "hinge", 1e-1, 2.0, alpha0=4.0),
    point(A, R, RARE, "logistic", 1e-2, 2.0, alpha0=0.5, steps=HALF),
    point(A, T, RARE, "logistic", 1e-2, 1.0, alpha0=2.0, steps=HALF | SEQUENTIAL),
    point(A, R, RARE, "square", 1e-1, 1.0, alpha0=5.0, steps=HALF),
    point(A, R, SHORT, "logistic", 1e-2, 2.0, query=LOW),
    point(A, T, SHORT, "logistic", 1e-1, 6.0, query=LOW),
    point(A, R, SHORT, "square", 1e-3, 2.0, query=BLIND),
    point(A, R, SHORT, "squared_hinge", 1e-2, 8.0, query=AGAINST),
    point(A, T, SHORT, "hinge", 1e-1, 2.0, query=HIGH),
    point(A, R, SHORT, "logistic", 1.0, 1.0, query=FULL),
    point(A, R, VERY_RARE, "logistic", 1e-2, 6.0, query=HIGH),
    point(A, T, VERY_RARE, "squared_hinge", 1e-1, 3.0, query=HIGH),
    point(A, R, PAIR, "logistic", 1e-2, 3.0, alpha0=2.0),
    point(A, T, PAIR, "square", 1e-2, 5.0, query=SHARP),
    point(A, R, LONG, "logistic", 1e-2, 2.0, query=HIGH),
    point(A, R, LONG, "squared_hinge", 1e-2, 4.0, query=SHARP),
    point(A, R, ALL_TOKENS, "logistic", 1e-2, 2.0, alpha0=2.0),
    point(A, T, MOSTLY, "logistic", 1e-2, 4.0, alpha0=2.0),
    point(A, R, WEAK, "logistic", 1e-2, 4.0, alpha0=1.0),
    point(A, R, SHORT, "logistic", 1e-2, 2.0, query=HIGH, test_task=SHORT.replace(L=12)),
    point(A, R, EASY, "logistic", 1e-2, 2.0, alpha0=2.0, steps={"beta": 2.0}),
    point(A, T, SHORT, "logistic", 1e-2, 2.0, alpha0=2.0, steps={"beta": 0.5, "eta_w": 3.0}),
    point(A, R, SHORT, "square", 0.0, 3.0, query=HIGH),
    point(A, R, SHORT, "logistic", 1e-2, 2.0, query=HARD),
    point(A, T, EASY, "square", 1e-1, 3.0, query=HARD),
]

BALANCED = [
    balanced(T, 10, 1, 5.0, 0.03, "logistic", 12.0, 2.0, 800.0, d=60),
    balanced(R, 10, 1, 5.0, 0.03, "square", 20.0, 2.0, 400.0),
    balanced(R, 6, 2, 3.0, 0.05, "hinge", 12.0, 2.0, 250.0),
    balanced(T, 5, 1, 4.0, 0.05, "squared_hinge", 10.0, 3.0, 120.0, d=60),
    balanced(R, 10, 1, 3.5, 0.1, "logistic", 8.0, 4.0, 500.0),
    balanced(T, 8, 1, 4.0, 0.1, "hinge", 6.0, 2.0, 100.0, d=60),
    balanced(R, 10, 3, 4.0, 0.1, "squared_hinge", 2.0, 1.0, 30.0),
    balanced(R, 10, 1, 4.0, 0.1, "logistic", 6.0, 2.0, 300.0, first_step="sequential", eta_b=4.0),
    balanced(T, 6, 2, 4.0, 0.2, "square", 1.0, 2.0, 8.0),
    balanced(R, 6, 1, 4.0, 0.2, "hinge", 4.0, 2.0, 10.0, eta_w=3.0, first_step="sequential"),
    balanced(R, 20, 2, 4.0, 0.3, "logistic", 4.0, 1.0, 100.0),
    balanced(R, 10, 1, 5.0, 0.5, "logistic", 1.0, 2.0, 20.0),
    balanced(T, 4, 1, 4.0, 0.5, "hinge", 1.0, 2.0, 0.3, eta_w=10.0, beta=2.0),
    balanced(R, 8, 1, 4.0, 0.7, "squared_hinge", 2.0, 2.0, 3.0, eta_w=5.0),
    balanced(T, 5, 1, 3.0, 0.9, "logistic", 4.0, 3.0, 40.0),
    balanced(R, 10, 2, 3.0, 0.9, "square", 2.0, 2.0, 12.0),
    balanced(R, 6, 1, 4.0, 0.9, "hinge", 4.0, 3.0, 15.0),
]

KINDS = [
    point(H, R, EASY, "logistic", 1e-2, 1.0, alpha0=4.0),
    point(H, T, EASY, "logistic", 1e-2, 3.0, alpha0=1.0, steps={"eta_q": 0.1}),
    point(H, R, EASY, "square", 1e-1, 2.0, alpha0=2.0, steps=SEQUENTIAL),
    point(H, T, RARE, "squared_hinge", 1e-1, 2.0, alpha0=2.0, steps=HALF),
    point(H, R, SHORT, "hinge", 1e-1, 2.0, query=HIGH),
    point(H, T, VERY_RARE, "logistic", 1e-2, 6.0, query=LOW),
    point(H, R, LONG, "logistic", 1e-2, 3.0, query=HIGH, test_task=LONG.replace(L=20)),
    point(H, R, MOSTLY, "square", 1e-2, 4.0, query=AGAINST),
    point(N, R, EASY, "logistic", 1e-2, 1.0, alpha0=4.0),
    point(N, T, EASY, "logistic", 1e-2, 3.0, alpha0=1.0, steps={"beta": 2.0}),
    point(N, R, EASY, "square", 1e-2, 2.0, alpha0=2.0, steps=SEQUENTIAL),
    point(N, T, RARE, "squared_hinge", 1e-1, 2.0, alpha0=2.0, steps=HALF),
    point(N, R, RARE, "logistic", 1e-2, 1.0, query=SHARP),
    point(N, R, SHORT, "hinge", 1e-1, 2.0, query=HIGH),
    point(N, T, VERY_RARE, "logistic", 1e-2, 6.0, query=LOW),
    point(N, R, PAIR, "logistic", 1e-2, 3.0, alpha0=2.0),
    point(N, T, LONG, "square", 1e-2, 3.0, query=SHARP, d=50),
    point(N, R, LONG, "logistic", 1e-2, 3.0, query=HIGH, test_task=LONG.replace(L=20)),
    point(N, R, ALL_TOKENS, "squared_hinge", 1e-2, 2.0, query=AGAINST),
    point(N, R, SHORT, "square", 0.0, 3.0, query=FULL),
]

TWO = EASY.replace(signals=(0.5, 0.5))
UNEVEN = EASY.replace(signals=(0.2, 0.8))
THREE = RARE.replace(signals=(0.2, 0.3, 0.5))
FOUR = SHORT.replace(signals=(0.1, 0.2, 0.3, 0.4))
TWO_PLACES = PLACES.replace(signals=(0.3, 0.7))


def seen(kappa: float, *cosines: float) -> ns.Query:
    """Write a query by its cosines with several signals."""
    return ns.Query(kappa, cosines=cosines)


TRAINED = [  # where the query is trained on them
    point(A, R, UNEVEN, "logistic", 1e-2, 2.0, alpha0=4.0, steps={"eta_q": 30.0}),
    point(A, T, TWO, "square", 1e-1, 2.0, alpha0=4.0),
    point(H, R, UNEVEN, "logistic", 1e-1, 2.0, alpha0=4.0, steps=SEQUENTIAL),
    point(N, R, UNEVEN, "square", 1e-1, 2.0, alpha0=4.0),
    point(A, R, THREE, "squared_hinge", 1e-1, 2.0, alpha0=8.0, steps={"balanced": True}),
    point(A, T, FOUR, "logistic", 1e-1, 2.0, alpha0=6.0, steps={"balanced": True, "eta_q": 40.0}),
]

SEVERAL = [
    point(A, T, TWO, "logistic", 1e-2, 2.0, query=seen(2.0, 0.6, 0.6)),
    point(A, R, TWO, "square", 1e-2, 3.0, query=seen(1.5, 0.9, 0.2)),
    point(A, R, TWO, "logistic", 1e-2, 2.0, query=seen(2.0, 0.0, 0.0)),
    point(A, T, UNEVEN, "hinge", 1e-1, 2.0, query=seen(3.0, -0.3, 0.8)),
    point(A, R, UNEVEN, "logistic", 1e-4, 1.0, query=seen(1.0, 0.0, 1.0)),
    point(A, R, THREE, "hinge", 1e-1, 2.0, query=seen(1.0, 0.5, 0.5, 0.5)),
    point(A, T, THREE, "squared_hinge", 1e-1, 3.0, query=seen(float("inf"), 0.2, 0.3, 0.9)),
    point(A, R, FOUR, "logistic", 1e-2, 2.0, query=seen(2.0, 0.5, 0.5, 0.5, 0.5)),
    point(A, T, FOUR, "square", 0.0, 3.0, query=seen(2.0, 0.1, 0.2, 0.3, 0.4)),
    point(A, R, TWO, "logistic", 1e-2, 2.0, query=seen(2.0, 0.6, 0.6),
          test_task=TWO.replace(L=6, signals=(0.0, 1.0))),
    point(H, R, TWO, "logistic", 1e-1, 2.0, query=seen(2.0, 0.6, 0.6)),
    point(N, T, THREE, "logistic", 1e-2, 2.0, query=seen(0.5, 0.9, -0.1, 0.2)),
    point(P, T, TWO, "logistic", 1e-2, 2.0),
    point(P, R, THREE, "hinge", 1e-1, 2.0),
    point(P, R, FOUR, "square", 1e-2, 2.0),
    point(P, T, UNEVEN, "squared_hinge", 1e-2, 1.0),
    point(V, R, TWO, "logistic", 1e-2, 2.0, d=50),
    point(V, T, TWO_PLACES, "square", 1e-1, 2.0, d=50),
]  # fmt: skip

GIVEN = ns.Task(8, ns.SignalCount([1, 2, 4], [0.5, 0.3, 0.2]), 4.0, 0.4)
BINOMIAL = ns.Task(8, ns.SignalCount.binomial(8, 0.2, at_least=0), 4.0, 0.45)
FLIPPED = ns.Task(8, 1, 5.0, 0.4, label_noise=0.15)
UNEVENLY = ns.Task(8, 2, 4.0, 0.3, label_noise=(0.3, 0.05))
BOTH = ns.Task(8, ns.SignalCount([0, 1, 3], [0.2, 0.5, 0.3]), 5.0, 0.4, label_noise=(0.1, 0.2))
EVERYTHING = ns.Task(
    6, ns.SignalCount([1, 2]), 5.0, 0.4, signals=(0.7, 0.3), label_noise=(0.05, 0.1)
)

BAGS = [
    point(A, R, GIVEN, "logistic", 1e-2, 1.5, alpha0=3.0),
    point(A, R, FLIPPED, "hinge", 1e-1, 1.5, alpha0=3.0),
    point(A, R, BOTH, "square", 1e-2, 2.0, alpha0=3.0),
    point(A, T, BINOMIAL, "logistic", 1e-2, 1.5, alpha0=3.0),
    point(A, T, UNEVENLY, "logistic", 1e-1, 2.0, alpha0=3.0, steps={"balanced": True}),
    point(A, T, BOTH, "squared_hinge", 1e-1, 2.0, query=HIGH),
    point(A, R, EVERYTHING, "logistic", 1e-1, 2.0, alpha0=4.0),
    point(A, T, EVERYTHING, "square", 1e-1, 2.0, alpha0=4.0),
    point(A, R, FLIPPED, "logistic", 1e-2, 2.0, query=HIGH,
          test_task=ns.Task(12, ns.SignalCount([1, 3]), 4.0, 0.2)),
    point(H, R, BINOMIAL, "logistic", 1e-1, 1.5, alpha0=3.0),
    point(H, T, FLIPPED, "square", 1e-1, 2.0, alpha0=3.0),
    point(N, R, BOTH, "logistic", 1e-1, 2.0, query=HIGH),
    point(N, R, GIVEN, "square", 1e-1, 2.0, query=LOW),
    point(P, T, GIVEN, "hinge", 1e-1, 2.0),
    point(P, R, BINOMIAL, "square", 1e-2, 2.0),
    point(P, R, FLIPPED, "logistic", 1e-2, 3.0),
    point(P, T, UNEVENLY, "squared_hinge", 1e-2, 2.0),
    point(P, R, BOTH, "logistic", 1e-3, 4.0, alpha0=1.0, data="all"),
    point(V, R, BOTH, "logistic", 1e-2, 3.0, d=50),
    point(V, T, UNEVENLY, "square", 1e-1, 4.0, d=50),
    point(V, R, BINOMIAL, "hinge", 1e-1, 3.0, d=50),
]  # fmt: skip

POOLED = [
    point(P, R, EASY, "logistic", 1e-2, 1.0),
    point(P, T, EASY, "logistic", 1e-2, 3.0),
    point(P, R, EASY, "logistic", 1e-4, 6.0),
    point(P, T, EASY, "square", 1e-2, 2.0),
    point(P, R, EASY, "square", 1e-5, 0.5),
    point(P, R, EASY, "square", 1e-5, 3.0),
    point(P, R, RARE, "square", 0.0, 0.5),
    point(P, T, EASY, "squared_hinge", 1e-2, 2.0),
    point(P, R, EASY, "hinge", 1e-2, 2.0),
    point(P, T, RARE, "logistic", 1e-2, 2.0),
    point(P, R, RARE, "squared_hinge", 1e-3, 4.0),
    point(P, R, RARE, "logistic", 1e-2, 1.0, alpha0=2.0, data="all"),
    point(P, T, RARE, "square", 1e-1, 1.0, alpha0=1.0, data="all"),
    point(P, R, SHORT, "logistic", 2.5e-4, 10.0),
    point(P, T, SHORT, "hinge", 1e-1, 4.0, d=50),
    point(P, R, VERY_RARE, "logistic", 1e-2, 5.0),
    point(P, R, VERY_RARE, "square", 1e-2, 3.0),
    point(P, T, PAIR, "logistic", 1e-1, 2.0),
    point(P, R, LONG, "logistic", 1e-2, 1.5),
    point(P, T, ALL_TOKENS, "squared_hinge", 1e-1, 2.0),
    point(P, R, MOSTLY, "logistic", 1e-3, 5.0, test_task=MOSTLY.replace(L=8, theta=2.5)),
    *TRAINED,
]

VECTORIZED = [
    point(V, R, EASY, "logistic", 1e-2, 1.0),
    point(V, T, EASY, "logistic", 1e-1, 2.0, d=50),
    point(V, R, EASY, "square", 1e-2, 2.0),
    point(V, T, EASY, "square", 1.0, 2.0, d=50),
    point(V, R, EASY, "squared_hinge", 1e-1, 2.0),
    point(V, R, EASY, "hinge", 1e-1, 1.0),
    point(V, R, RARE, "logistic", 1e-2, 2.0),
    point(V, T, RARE, "square", 1e-1, 3.0, d=50),
    point(V, R, SHORT, "logistic", 1e-2, 2.0),
    point(V, T, SHORT, "logistic", 1e-2, 14.0, d=50),
    point(V, R, SHORT, "square", 1e-3, 8.0, d=50),
    point(V, R, PAIR, "square", 0.0, 6.0, d=50),
    point(V, R, SHORT, "squared_hinge", 1e-2, 12.0, d=50),
    point(V, R, VERY_RARE, "logistic", 1e-1, 4.0),
    point(V, T, VERY_RARE, "logistic", 1e-2, 3.0, d=50),
    point(V, R, PAIR, "logistic", 1e-2, 6.0),
    point(V, T, PAIR, "hinge", 1e-1, 3.0, d=50),
    point(V, R, ALL_TOKENS, "logistic", 1e-2, 4.0),
    point(V, T, PLACES, "logistic", 1e-2, 3.0),
    point(V, R, PLACES, "square", 1e-1, 5.0),
    point(V, R, MOSTLY, "squared_hinge", 1e-1, 2.0, alpha0=1.0, data="all"),
]
