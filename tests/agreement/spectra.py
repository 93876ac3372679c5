"""The points in noise with a spectrum: spectra, places of the signal, models, losses and ridges.

All are simulated on tokens, drawn with the eigenvalues. Spectra with many different eigenvalues are
of a number of them that divides d, so that both d of a point have the same spectrum.
"""

from __future__ import annotations

from typing import Any

import needlescope as ns

from .limit import LimitPoint
from .points import Point, point

A, P, V, H, N = "attention", "pooled", "vectorized", "hard", "linear"
TWO = ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2)
WIDE = ns.Spectrum([6.0, 1.5, 0.3, 0.05], [1, 3, 4, 2])  # not of mean 1
SPIKED = ns.Spectrum.spiked([8.0], share=0.04)
POWER = ns.Spectrum.power_law(0.4, 50)
STEEP = ns.Spectrum.power_law(0.7, 50)
SAMPLE = ns.Spectrum.marchenko_pastur(0.6, 50)
GIVEN, FULL = ns.Query(1.5, 0.8), ns.Query(1.0, 1.0)


def at(
    model: str, spectrum: ns.Spectrum, signal: Any, loss: str, ridge: float, alpha1: float,
    *, L: int = 6, R: int = 1, theta: float = 4.0, pi: float = 0.4, alpha0: float = 3.0,
    d: int = 100, **more: Any,
) -> Point:  # fmt: skip
    """Write a point in one line."""
    task = ns.Task(L, R, theta, pi, noise=ns.Noise(spectrum=spectrum), signal=signal)
    return point(model, "tokens", task, loss, ridge, alpha1, alpha0=alpha0, d=d, **more)


LINEAR = [
    at(P, spectrum, signal, loss, ridge, alpha1)
    for spectrum, signal, loss, ridge, alpha1 in (
        (TWO, "flat", "square", 1e-2, 2.0),
        (TWO, "quiet", "logistic", 1e-2, 2.0),
        (TWO, "loud", "hinge", 1e-1, 2.0),
        (TWO, (0.5, 0.5), "squared_hinge", 1e-1, 3.0),
        (WIDE, "flat", "logistic", 1e-1, 1.0),
        (WIDE, (0.1, 0.2, 0.3, 0.4), "square", 1.0, 0.5),
        (WIDE, "loud", "square", 1e-3, 4.0),
        (SPIKED, "flat", "logistic", 1e-3, 3.0),
        (SPIKED, "loud", "squared_hinge", 1e-2, 2.0),
        (POWER, "flat", "square", 1e-1, 1.5),
        (POWER, -1.0, "logistic", 1e-2, 1.5),
        (POWER, 1.0, "hinge", 3e-1, 2.0),
        (STEEP, 0.5, "logistic", 1e-1, 2.0),
        (STEEP, -0.5, "square", 1e-1, 2.0),
        (SAMPLE, "flat", "logistic", 1e-1, 2.0),
    )
] + [
    # its weights lie on few directions: at d = 100 and 200 what is left is of order 1/d², 2 z
    at(P, SAMPLE, -1.0, "squared_hinge", 1e-2, 1.0, d=200),
    at(P, TWO, "quiet", "square", 0.0, 0.5),
    at(P, WIDE, "flat", "square", 0.0, 0.6),
    at(P, POWER, "flat", "square", 0.0, 3.0),
    at(P, TWO, "flat", "logistic", 1e-1, 1.0, data="all"),
    at(V, TWO, "flat", "logistic", 1e-1, 3.0, L=4, d=50),
    at(V, POWER, -1.0, "square", 1e-1, 3.0, L=4, d=50),
    at(V, WIDE, "loud", "squared_hinge", 1e-1, 2.0, L=3, d=50),
]

ATTENDING = [
    at(A, spectrum, signal, loss, ridge, alpha1, query=query)
    for spectrum, signal, loss, ridge, alpha1, query in (
        (TWO, "flat", "square", 1e-1, 2.0, GIVEN),
        (TWO, "loud", "logistic", 1e-1, 2.0, GIVEN),
        (TWO, (0.5, 0.5), "hinge", 1e-1, 2.0, GIVEN),
        (WIDE, "flat", "logistic", 1e-2, 2.0, ns.Query(2.0, 0.5)),
        (WIDE, "quiet", "squared_hinge", 1e-1, 2.0, ns.Query(1.0, 0.3)),
        (WIDE, "loud", "square", 1.0, 1.0, ns.Query(1.5, -0.5)),
        (SPIKED, "loud", "logistic", 1e-2, 3.0, GIVEN),
        (SPIKED, "flat", "square", 1e-2, 3.0, FULL),
        (POWER, "flat", "logistic", 1e-1, 2.0, GIVEN),
        (POWER, 1.0, "squared_hinge", 1e-1, 2.0, FULL),
        (STEEP, "flat", "square", 1e-1, 2.0, GIVEN),
        (SAMPLE, 1.0, "logistic", 1e-1, 2.0, ns.Query(1.0, 0.0)),
        (SAMPLE, "flat", "hinge", 3e-1, 2.0, GIVEN),
    )
] + [
    at(H, TWO, "flat", "logistic", 1e-1, 2.0, query=ns.Query(1.0, 0.7)),
    at(H, WIDE, "flat", "square", 1e-1, 2.0, query=ns.Query(1.0, 0.7)),
    at(N, TWO, "loud", "logistic", 1e-1, 2.0, query=GIVEN),
    at(N, POWER, -1.0, "square", 1e-1, 2.0, query=GIVEN),
    at(A, TWO, "flat", "square", 0.0, 3.0, query=GIVEN),
    at(A, TWO, "flat", "logistic", 1e-1, 2.0, R=2, L=5, theta=3.0, query=GIVEN),
]

HALF = {"eta_w": 0.5, "eta_b": 0.5, "eta_q": 8.0}
TRAINED = [
    at(A, spectrum, signal, loss, ridge, 3.0, d=200, alpha0=4.0, **more)
    for spectrum, signal, loss, ridge, more in (
        (TWO, "flat", "square", 1e-1, {"pi": 0.5}),
        (TWO, "quiet", "square", 1e-1, {}),
        (TWO, "loud", "logistic", 1e-1, {}),
        (TWO, (0.5, 0.5), "logistic", 1e-1, {"steps": HALF}),
        (TWO, "flat", "hinge", 1e-1, {"steps": {"balanced": True}}),
        (WIDE, "flat", "square", 1e-1, {"pi": 0.5, "steps": HALF}),
        (WIDE, (0.1, 0.2, 0.3, 0.4), "logistic", 1e-1, {"steps": {"first_step": "sequential"}}),
        (SPIKED, "flat", "logistic", 1e-1, {"steps": HALF}),
        (POWER, "flat", "squared_hinge", 1e-1, {"pi": 0.5}),
        (POWER, -1.0, "square", 1e-1, {"R": 2, "theta": 3.0}),
        (SAMPLE, "flat", "logistic", 1e-1, {"steps": {"balanced": True, "eta_q": 30.0}}),
        (SAMPLE, 1.0, "square", 1e-1, {}),
    )
] + [
    at(H, TWO, "flat", "logistic", 1e-1, 3.0, d=200, alpha0=4.0),
    at(N, TWO, "flat", "square", 1e-1, 3.0, d=200, alpha0=4.0),
]


def learned(
    spectrum: ns.Spectrum, signal: Any, L: int, R: int, theta: float, alpha: float
) -> LimitPoint:
    """Write a point of AMP in one line."""
    task = ns.Task(L, R, theta, 0.5, noise=ns.Noise(spectrum=spectrum), signal=signal)
    return LimitPoint(task, alpha, 15, 100, 40)


AMP = [
    learned(TWO, "flat", 8, 1, 3.0, 1.0),
    learned(TWO, "quiet", 8, 1, 2.0, 1.0),
    learned(TWO, "loud", 8, 1, 5.0, 1.0),
    learned(TWO, (0.5, 0.5), 6, 2, 3.0, 0.6),
    learned(WIDE, "flat", 6, 1, 2.0, 1.0),
    learned(WIDE, (0.1, 0.2, 0.3, 0.4), 4, 1, 1.0, 2.0),
    learned(SPIKED, "flat", 8, 1, 4.0, 1.0),
    learned(POWER, "flat", 8, 1, 3.5, 1.0),
    learned(STEEP, -1.0, 8, 1, 2.0, 1.0),
    learned(SAMPLE, "flat", 10, 2, 2.0, 0.5),
]
