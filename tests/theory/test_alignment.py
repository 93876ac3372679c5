"""align: the two gradient steps against a simulation of them, and their limits."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import get_loss

LOSSES = ("square", "logistic", "hinge", "squared_hinge")


def two_steps(task, training, d, rng):
    """The actual gradients of the actual model on explicit tokens; returns cosines of w and q."""
    n, L = int(training.alpha0 * d), task.L
    loss = get_loss(training.loss)
    y = np.where(rng.random(n) < task.pi, 1, -1)
    X = rng.standard_normal((n, L, d))
    for i in np.flatnonzero(y > 0):
        X[i, rng.choice(L, task.R, replace=False), 0] += task.theta
    pooled = X.mean(axis=1)
    g = loss.derivative(np.zeros(n), y)
    bias = -training.eta_b * g.mean()
    if training.first_step == "sequential":
        g = loss.derivative(np.full(n, bias), y)
    w = -training.eta_w * (g @ pooled) / n
    h = loss.derivative(pooled @ w + bias, y)
    centred = X @ w
    centred -= centred.mean(axis=1, keepdims=True)
    q = -training.eta_q * training.beta / (n * L) * np.einsum("n,nl,nld->d", h, centred, X)
    return w[0], np.linalg.norm(w), q[0], np.linalg.norm(q)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("first_step", ["joint", "sequential"])
def test_two_gradient_steps_on_explicit_tokens_agree(loss, first_step):
    task = ns.Task(L=6, R=2, theta=4.0, pi=0.3)
    training = ns.Training(3.0, 1.0, loss=loss, first_step=first_step, eta_w=2.0, eta_q=3.0)
    theory = ns.align(task, training)
    rng = np.random.default_rng(7)
    runs = np.array([two_steps(task, training, 300, rng) for _ in range(12)])
    mean, error = runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    expected = [theory.signal_w, theory.norm_w, theory.signal_q, theory.norm_q]
    z = (mean - expected) / np.hypot(error, 1.0 / 300 * np.abs(expected))  # O(1/d) allowed
    assert np.abs(z).max() < 4.0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("first_step", ["joint", "sequential"])
def test_the_constant_is_the_limit_of_its_definition(loss, first_step):
    task = ns.Task(L=10, R=3, theta=6.0, pi=0.2)
    training = ns.Training(1e5, 1.0, loss=loss, first_step=first_step, eta_w=0.5, eta_b=0.5)
    found = ns.align(task, training)
    assert (1.0 - found.cosine_q) * 1e5 == pytest.approx(found.constant, rel=1e-3)


def test_grids_broadcast():
    found = ns.align(
        ns.Task(10, 1, np.array([[1.0], [5.0]]), 0.5), ns.Training([0.5, 2.0, 8.0], 1.0)
    )
    assert found.cosine_q.shape == (2, 3)
    assert (np.diff(found.cosine_q, axis=1) > 0.0).all()
    assert (np.diff(found.cosine_q, axis=0) > 0.0).all()


def test_without_a_signal_nothing_aligns():
    found = ns.align(ns.Task(10, 1, 0.0, 0.5), ns.Training(4.0, 1.0))
    assert found.cosine_q == 0.0
    assert found.constant == np.inf


def test_a_single_token_leaves_no_query():
    found = ns.align(ns.Task(1, 1, 3.0, 0.5), ns.Training(4.0, 1.0))
    assert found.norm_q == 0.0
    assert found.query == ns.Query(0.0, 0.0)


def test_beta_enters_the_step_and_the_softmax():
    one = ns.align(ns.Task(10, 1, 5.0, 0.5), ns.Training(4.0, 1.0, beta=1.0))
    two = ns.align(ns.Task(10, 1, 5.0, 0.5), ns.Training(4.0, 1.0, beta=2.0))
    assert two.norm_q == pytest.approx(2.0 * one.norm_q)
    assert two.kappa == pytest.approx(4.0 * one.kappa)
