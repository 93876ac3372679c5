"""The test error against fresh samples."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.theory.joint.equations.error import fresh_error, fresh_scores
from needlescope.theory.joint.equations.order import Order
from needlescope.theory.joint.equations.samples import draw

TASK = ns.Task(L=6, R=2, theta=2.5, pi=0.3)
ORDER = Order(
    np.array([0.8, 1.5]), np.array([[1.6, 0.9], [0.9, 4.0]]), np.eye(2), -1.0
)  # fmt: skip


def test_it_is_the_share_of_fresh_samples_on_the_wrong_side():
    rng, n = np.random.default_rng(0), 200_000
    z = rng.standard_normal((2, 6, n))
    q, u = np.einsum("ij,jln->iln", ORDER.root, z)
    y = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    q[:2] += 2.5 * 0.8 * (y > 0)
    u[:2] += 2.5 * 1.5 * (y > 0)
    a = np.exp(q) / np.exp(q).sum(axis=0)
    wrong = y * ((a * u).sum(axis=0) - 1.0) < 0.0
    error = fresh_error(ORDER, TASK, draw(6, 1 << 12, 1).q)
    assert error == pytest.approx(wrong.mean(), abs=4 * np.sqrt(0.25 / n))


def test_a_random_number_of_signal_tokens_is_a_mixture():
    g = draw(6, 256, 1).q
    each = [fresh_error(ORDER, TASK.replace(R=R), g) for R in (1, 4)]
    both = fresh_error(ORDER, TASK.replace(R=ns.SignalCount([1, 4], [0.3, 0.7])), g)
    assert both == pytest.approx(0.3 * each[0] + 0.7 * each[1])


def test_labels_are_the_true_ones():
    g = draw(6, 64, 1).q
    assert fresh_error(ORDER, TASK.replace(label_noise=0.3), g) == fresh_error(ORDER, TASK, g)


def test_without_attention_it_is_that_of_pooling():
    tiny = ORDER._replace(M=np.array([0.0, 1.5]), Q=np.diag([1e-12, 4.0]))
    error = fresh_error(tiny, TASK, draw(6, 64, 1).q)
    spread = 2.0 / np.sqrt(6)
    from scipy.special import ndtr

    right = 0.3 * ndtr(-(2.5 * 1.5 / 3.0 - 1.0) / spread) + 0.7 * ndtr(-1.0 / spread)
    assert error == pytest.approx(right, abs=1e-6)


def test_scores_are_ranked_as_fresh_samples_are():
    rng, n = np.random.default_rng(1), 20_000
    z = rng.standard_normal((2, 2, 6, n))
    q, u = np.einsum("ij,kjln->ikln", ORDER.root, z)
    q[0, :2] += 2.5 * 0.8
    u[0, :2] += 2.5 * 1.5
    a = np.exp(q) / np.exp(q).sum(axis=1, keepdims=True)
    plus, minus = (a * u).sum(axis=1)
    scores = fresh_scores(ORDER, TASK, draw(6, 1 << 10, 1).q)
    assert scores.misranked() == pytest.approx(np.mean(minus > plus), abs=0.012)
