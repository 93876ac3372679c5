"""The points where signal tokens have a noise of their own: on the same levels, at any d."""

from __future__ import annotations

from typing import Any

import needlescope as ns

from .points import Point, point

A, P = "attention", "pooled"
HIGH, EVEN, QUIET = (4.0, 0.25), (1.0, 1.0), (1.0, 3.0)
GIVEN, SHARP = ns.Query(1.5, 0.8), ns.Query(2.5, 0.5)
SHARES = (1, 4)


def at(
    model: str, first: Any, second: Any, signal: Any, loss: str, ridge: float, alpha1: float,
    *, L: int = 6, R: Any = 1, theta: float = 4.0, pi: float = 0.4, alpha0: float = 3.0,
    d: int = 100, label_noise: Any = None, **more: Any,
) -> Point:  # fmt: skip
    """Write a point in one line."""
    noises = [ns.Noise(spectrum=ns.Spectrum(s, SHARES)) for s in (first, second)]
    task = ns.Task(
        *(L, R, theta, pi),
        noise=noises[0], signal_noise=noises[1], signal=signal, label_noise=label_noise,
    )  # fmt: skip
    return point(model, "tokens", task, loss, ridge, alpha1, alpha0=alpha0, d=d, **more)


LINEAR = [
    at(P, HIGH, EVEN, "flat", "square", 0.1, 2.0),
    at(P, HIGH, QUIET, "loud", "logistic", 0.1, 2.0, R=3, theta=2.0),
    at(P, EVEN, (6.0, 6.0), "flat", "hinge", 0.1, 2.0, R=2),
    at(P, HIGH, (0.1, 8.0), "quiet", "squared_hinge", 0.01, 3.0, R=2, pi=0.2),
    at(P, EVEN, (9.0, 0.2), "loud", "square", 1.0, 0.5, R=ns.SignalCount([1, 4], [0.5, 0.5])),
    at(P, EVEN, (4.0, 2.0), 1.0, "logistic", 0.1, 2.0, R=2, label_noise=0.1),
]
ATTENDING = [
    at(A, HIGH, EVEN, "flat", "square", 0.1, 2.0, query=GIVEN),
    at(A, HIGH, QUIET, "loud", "logistic", 0.1, 2.0, R=2, theta=3.0, query=GIVEN),
    at(A, EVEN, (0.2, 4.0), "flat", "squared_hinge", 0.1, 2.0, query=ns.Query(2.0, 0.6)),
    at(A, HIGH, (8.0, 2.0), "quiet", "hinge", 0.2, 2.0, theta=3.0, query=SHARP),
    at(A, EVEN, (4.0, 4.0), "flat", "square", 0.01, 3.0, query=ns.Query(1.0, 0.0)),
    at(A, EVEN, (0.1, 0.1), "flat", "logistic", 0.1, 2.0, L=3, R=3, theta=2.0, query=GIVEN),
]
TRAINED = [
    at(A, first, second, signal, loss, ridge, 3.0, d=200, **{"alpha0": 4.0, **more})
    for first, second, signal, loss, ridge, more in (
        (HIGH, (0.5, 2.0), "flat", "square", 0.1, {}),
        (HIGH, (8.0, 0.1), "flat", "logistic", 0.1, {"R": 2, "theta": 3.0}),
        (EVEN, (4.0, 4.0), "flat", "square", 0.1, {"pi": 0.5, "steps": {"eta_q": 20.0}}),
        (EVEN, (5.0, 0.3), "loud", "hinge", 0.2, {"R": 2, "steps": {"balanced": True}}),
        (QUIET, (5.0, 0.3), "flat", "logistic", 0.2,
         {"R": 3, "alpha0": 2.0, "steps": {"first_step": "sequential", "eta_w": 0.5}}),
        (QUIET, (0.3, 0.3), "quiet", "squared_hinge", 0.1, {"label_noise": 0.05}),
    )
]  # fmt: skip
