"""The iteration: one round is pooling, later ones attend, and corrections matter where told."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import SeedSequence

import needlescope as ns
from needlescope.models.blocks import hold
from needlescope.noise import STANDARD
from needlescope.simulation.amp.iteration import iterate
from needlescope.simulation.samples.data import Tokens
from needlescope.simulation.samples.sets import log_mean

TASK = ns.Task(L=8, R=1, theta=4.0, pi=0.5)


def data(task: ns.Task = TASK, n: int = 200, d: int = 100, seed: int = 0) -> tuple:
    xi = np.random.default_rng(seed).standard_normal(d)
    xi /= np.linalg.norm(xi)
    return xi, Tokens(task, np.ones(n), xi, STANDARD, SeedSequence(seed))


@pytest.mark.parametrize("corrected", [True, False])
def test_the_first_round_is_the_mean_token(corrected: bool) -> None:
    _, tokens = data()
    X = hold(tokens).X.astype(float)
    first = next(iterate(TASK, tokens, 1, corrected=corrected, theta=4.0))
    mean = X.mean(axis=(0, 1))
    assert first.xi @ mean == pytest.approx(
        np.linalg.norm(first.xi) * np.linalg.norm(mean), rel=1e-5
    )


def test_tokens_kept_or_made_again_are_the_same() -> None:
    _, tokens = data()
    *_, kept = iterate(TASK, hold(tokens), 6, theta=4.0)
    *_, made = iterate(TASK, tokens, 6, theta=4.0)
    assert made.xi == pytest.approx(kept.xi, abs=1e-5)


def test_a_round_is_the_formula() -> None:
    """Three iterations of the published iteration, token by token in double precision."""
    _, tokens = data(n=30, d=12)
    F = hold(tokens).X.astype(float) / np.sqrt(12)
    x, V, g, alpha = np.zeros(12), 1.0, np.zeros((30, 8)), 30 / 12
    for item in iterate(TASK, tokens, 3, theta=4.0):
        omega = F @ x - V * g
        p = np.exp(4.0 * omega)
        p /= p.sum(axis=1, keepdims=True)
        g, s = 4.0 * p, (p * p).sum(axis=1).mean()
        A = alpha * 16.0 * s
        x = (np.einsum("nl,nld->d", g, F) - x * alpha * 16.0 * (1.0 - s)) / (1.0 + A)
        V = 1.0 / (1.0 + A)
        assert item.xi == pytest.approx(x / np.sqrt(12), abs=2e-5)


def test_the_strength_is_learned_where_there_is_a_signal() -> None:
    xi, tokens = data(n=400, d=150)
    *_, last = iterate(TASK, hold(tokens), 20)
    assert last.theta == pytest.approx(4.0, abs=0.2)
    *_, told = iterate(TASK, hold(tokens), 20, theta=4.0)
    cosines = [item.xi @ xi / np.linalg.norm(item.xi) for item in (last, told)]
    assert cosines[0] == pytest.approx(cosines[1], abs=2e-3)


def test_a_signal_in_all_tokens_needs_no_correction() -> None:
    """Nothing is left to recognise, so both are the same posterior mean."""
    task = ns.Task(L=4, R=4, theta=1.5, pi=0.5)
    _, tokens = data(task)
    best, plain = (
        [item.xi for item in iterate(task, tokens, 3, corrected=corrected, theta=1.5)]
        for corrected in (True, False)
    )
    assert np.array(plain) == pytest.approx(np.array(best), rel=1e-6)


def test_plain_iteration_ends_where_its_objective_is_largest() -> None:
    """The mode of the posterior, with several signal tokens: every step from it goes down."""
    task = ns.Task(L=6, R=3, theta=2.0, pi=0.5)
    _, tokens = data(task, n=150, d=40)
    *_, last = iterate(task, tokens, 300, corrected=False, theta=2.0)
    X = hold(tokens).X.astype(float)

    def objective(xi: np.ndarray) -> float:
        evidence = log_mean(task, 2.0 * X @ xi).sum() - 0.5 * 150 * 3 * 4.0 * xi @ xi
        return float(evidence - 0.5 * 40 * xi @ xi)

    there, rng = objective(last.xi), np.random.default_rng(1)
    for _ in range(20):
        step = rng.standard_normal(40)
        for size in (1e-2, 1e-1):
            assert objective(last.xi + size * step / np.linalg.norm(step)) < there
    assert objective(1.02 * last.xi) < there and objective(0.98 * last.xi) < there
