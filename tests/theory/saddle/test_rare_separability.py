"""Capacities that rare samples carry, against quadrature over all samples of two or three tokens.

Attention sees tokens relative to their mean only: of two tokens one number is left, of three two.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import erfcx, logsumexp, ndtr

import needlescope as ns
from needlescope.theory.saddle import rare_separability as rare


def log_tail(x):
    """log E(G + x)₊²."""
    low, high = np.minimum(x, 0.0), np.maximum(x, 0.0)
    mills = np.sqrt(np.pi / 2.0) * erfcx(-low / np.sqrt(2.0))
    series = 2.0 / np.maximum(-low, 1.0) ** 3 * (1.0 - 6.0 / np.maximum(low**2, 36.0))
    tail = np.where(low > -60.0, (1.0 + low**2) * mills + low, series)
    below = np.log(tail) - 0.5 * low**2 - 0.5 * np.log(2.0 * np.pi)
    above = (1.0 + high**2) * ndtr(high) + high * np.exp(-0.5 * high**2) / np.sqrt(2.0 * np.pi)
    return np.where(x < 0.0, below, np.log(above))


def exact(task, query, reach, count):
    """The capacity by the trapezoid rule over what is left of the tokens."""
    L, theta, s = task.L, task.theta, query.cosine
    basis = np.linalg.svd(np.eye(L) - 1.0 / L)[0][:, : L - 1]
    x = np.linspace(-reach, reach, count)
    points = np.stack(np.meshgrid(*[x] * (L - 1)), axis=-1).reshape(-1, L - 1)
    log_weight = -0.5 * (points**2).sum(axis=1)
    log_weight -= logsumexp(log_weight)
    g, v = points @ basis.T, (np.arange(L) < task.R).astype(float)
    parts = []
    for y, chance in ((1.0, task.pi), (-1.0, 1.0 - task.pi)):
        z = g + theta * s * v * (y > 0.0)
        a = np.exp(query.kappa * (z - z.max(axis=1, keepdims=True)))
        a /= a.sum(axis=1, keepdims=True)
        mass = a @ v * (y > 0.0)
        along, across = theta * s * mass + (g * a).sum(axis=1), theta * np.sqrt(1 - s * s) * mass
        parts.append((y, np.log(chance), along, across, (a * a).sum(axis=1)))

    def value(at):
        terms = []
        for y, log_chance, along, across, A in parts:
            U = 1.0 + at[0] ** 2 / (L * A) + at[1] ** 2
            margin = -y * (at[0] * along + at[1] * across + at[2]) / np.sqrt(A * U)
            terms.append(log_chance + logsumexp(log_weight + np.log(U) + log_tail(margin)))
        return logsumexp(terms)

    at, least = np.array([0.3, 0.3, -0.3]), np.inf
    while True:
        simplex = at + np.vstack([np.zeros(3), np.diag(0.3 * np.abs(at) + 0.1)])
        options = {"xatol": 1e-6, "fatol": 1e-9, "initial_simplex": simplex}
        result = minimize(value, at, method="Nelder-Mead", options=options)
        if result.fun > least - 1e-8:
            return np.exp(-result.fun)
        at, least = result.x, result.fun


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("L", "R", "theta", "pi", "kappa", "cosine", "reach", "count"),
    [
        (2, 1, 3.0, 0.4, 1.0, 0.8, 12.0, 801),
        (2, 1, 12.0, 0.5, 2.0, 0.9, 20.0, 1601),
        pytest.param(2, 1, 25.0, 0.1, 1.0, 0.5, 30.0, 2401, marks=pytest.mark.slow),
        (2, 2, 10.0, 0.5, 3.0, 0.7, 20.0, 1601),
        pytest.param(2, 1, 30.0, 0.3, 8.0, 0.95, 40.0, 4001, marks=pytest.mark.slow),
        pytest.param(3, 1, 6.0, 0.5, 1.5, 0.9, 12.0, 241, marks=pytest.mark.slow),
        # two peaks: a positive whose noise token is large, or whose signal tokens are small
        pytest.param(3, 2, 12.0, 0.2, 3.0, 0.6, 20.0, 401, marks=pytest.mark.slow),
    ],
)
def test_few_tokens_by_quadrature(L, R, theta, pi, kappa, cosine, reach, count):
    """From a capacity of 6 to one of 10⁵⁰."""
    task, query = ns.Task(L, R, theta, pi), ns.Query(kappa, cosine)
    result = ns.capacity(task, query=query)
    assert result.alpha_se < 2.5e-3 * result.alpha
    assert abs(result.alpha - exact(task, query, reach, count)) < 4.5 * result.alpha_se


@pytest.mark.slow
def test_a_capacity_beyond_floating_point_is_infinite():
    assert ns.capacity(ns.Task(8, 8, 50.0, 0.5), query=ns.Query(1.0, 0.9)).alpha == np.inf


@pytest.mark.slow
def test_what_is_never_drawn_is_not_taken_for_nothing():
    """Among 8,192 plain draws of each label there is none that limits it."""
    result = ns.capacity(ns.Task(8, 2, 15.0, 0.2), query=ns.Query(10.0, 1.0))
    assert result.alpha == pytest.approx(4.12e17, rel=0.02)


def test_it_says_when_turns_do_not_agree(monkeypatch):
    monkeypatch.setattr(rare, "MAX_ITERATIONS", 1)
    with pytest.raises(ns.NotConverged, match=r"in 1 iterations: it is about .* and still changes"):
        ns.capacity(ns.Task(10, 3, 5.0, 0.5), query=ns.Query(0.6843, 0.9762))
