"""AMP on whitened tokens: the prior, the tokens, and that it pays to know the spectrum."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import SeedSequence
from scipy.special import softmax

import needlescope as ns
from needlescope.models.blocks import hold
from needlescope.simulation.amp.iteration import iterate
from needlescope.simulation.amp.problem import Problem
from tests.covariances import spread

NOISE = ns.Noise(spectrum=ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2))
TASK = ns.Task(8, 1, 3.0, 0.5, noise=NOISE, signal="flat")


def test_white_noise_has_no_prior() -> None:
    drawn = Problem.draw(ns.Task(8, 1, 3.0, 0.5), 30, np.random.default_rng(0))
    assert drawn.prior == 1.0
    assert drawn.signal is drawn.xi


@pytest.mark.parametrize("noise", [NOISE, ns.Noise(covariance=spread(40))])
def test_tokens_are_white_and_hold_the_whitened_signal(noise: ns.Noise) -> None:
    task = TASK.replace(noise=noise, signal="flat")
    drawn = Problem.draw(task, 40, np.random.default_rng(0))
    assert np.mean(drawn.prior) == pytest.approx(1.0)
    assert drawn.white.theta == pytest.approx(3.0 * task.levels.gain)
    X = hold(drawn.tokens(task, 4000, SeedSequence(1))).X.astype(float)
    assert (X - X.mean(axis=(0, 1))).var(axis=(0, 1)) == pytest.approx(
        1.0 + drawn.white.theta**2 * drawn.signal**2 * 7.0 / 64.0, rel=0.06
    )
    # a token has the signal with probability 1/8; four standard errors of 32,000 tokens
    mean = drawn.white.theta * drawn.signal / 8.0
    assert np.abs(X.mean(axis=(0, 1)) - mean).max() < 4.5 * 1.2 / np.sqrt(32_000)


def test_the_prior_helps_and_the_estimate_knows_its_overlap() -> None:
    aware, blind, size = [], [], []
    for seed in range(8):
        drawn = Problem.draw(TASK.replace(theta=2.0), 200, np.random.default_rng(seed))
        data = hold(drawn.tokens(TASK.replace(theta=2.0), 60, SeedSequence(seed)))
        theta = float(drawn.white.theta)
        *_, last = iterate(drawn.white, data, 15, theta=theta, prior=drawn.prior)
        *_, other = iterate(drawn.white, data, 15, theta=theta)
        aware.append((last.xi @ drawn.signal) ** 2 / (last.xi @ last.xi))
        blind.append((other.xi @ drawn.signal) ** 2 / (other.xi @ other.xi))
        size.append(last.xi @ last.xi)
    gap = np.array(aware) - size
    assert np.mean(aware) > np.mean(blind)
    assert abs(gap.mean()) < 4.0 * gap.std(ddof=1) / np.sqrt(8)
    alpha = 60 / 200 / TASK.pi
    limit = ns.bayes_optimal(TASK.replace(theta=2.0), alpha).amp_overlap
    assert abs(np.mean(aware) - limit) < 4.0 * np.std(aware, ddof=1) / np.sqrt(8)


def test_it_is_amp_with_these_variances() -> None:
    """The formulas, written out for all tokens at once."""
    drawn = Problem.draw(TASK, 60, np.random.default_rng(0))
    data = hold(drawn.tokens(TASK, 40, SeedSequence(3)), float)
    F, P, theta, alpha = data.X / np.sqrt(60.0), drawn.prior, float(drawn.white.theta), 40 / 60
    x, V, g = np.zeros(60), 1.0, np.zeros((40, 8))
    for estimate in iterate(drawn.white, data, 4, theta=theta, prior=P):
        p = softmax(theta * (F @ x - V * g), axis=1)
        g, s = theta * p, float(np.mean((p**2).sum(axis=1)))
        field = alpha * theta**2
        pulled = np.einsum("nl,nld->d", g, F) - x * field * (1.0 - s)
        x, V = P * pulled / (1.0 + P * field * s), np.mean(P / (1.0 + P * field * s))
        assert estimate.xi == pytest.approx(x / np.sqrt(60.0), rel=1e-6, abs=1e-9)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="d must leave a dimension for each of the 2 eigenvalues"):
        ns.simulate_amp(TASK, 1.0, d=2)
    with pytest.raises(ValueError, match="assumed_theta='learned' supports only tasks with white"):
        ns.simulate_amp(TASK, 1.0, d=20, assumed_theta="learned")
