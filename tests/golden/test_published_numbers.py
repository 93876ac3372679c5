"""The numbers to meet, to the digits in which they are stated, but for three that were off.

The capacity of attention (22.06 for 22.29), one alignment (0.908 for 0.9075) and the oracle
errors at L = 1000 (0.262 and 0.261 for 0.2633 and 0.2631) disagreed with independent computations,
which are met here and in ``tests/theory``.
"""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
TRAINING = ns.Training(
    alpha0=4.0, alpha1=1.0, loss="logistic", ridge=1e-2, eta_w=1, eta_b=1, eta_q=10, beta=1
)
SPARSE = ns.Task(L=10, R=3, theta=6.0, pi=0.2)
SPARSE_TRAINING = ns.Training(alpha0=5.0, alpha1=1.0, eta_w=0.5, eta_b=0.5, eta_q=0.5)


def test_query_after_two_steps():
    result = ns.align(TASK, TRAINING)
    assert result.cosine_q == pytest.approx(0.9762, abs=5e-5)
    assert result.norm_q == pytest.approx(0.6843, abs=5e-5)


@pytest.mark.parametrize(("alpha0", "cosine"), [(0.5, 0.7016), (2.0, 0.9075), (5.0, 0.9613)])
def test_alignment_grows_with_data(alpha0, cosine):
    result = ns.align(SPARSE, SPARSE_TRAINING.replace(alpha0=alpha0))
    assert result.cosine_q == pytest.approx(cosine, abs=5e-5)


def test_constant_of_the_approach_to_full_alignment():
    assert ns.align(SPARSE, SPARSE_TRAINING).constant == pytest.approx(0.1997, abs=5e-5)


@pytest.mark.parametrize(
    ("model", "alpha1", "test_error", "train_loss"),
    [
        ("attention", 1.0, 0.045, 0.032),
        ("attention", 3.0, 0.032, 0.050),
        ("pooled", 1.0, 0.329, 0.211),
        ("pooled", 3.0, 0.274, 0.364),
        ("vectorized", 1.0, 0.427, 0.005),
        ("vectorized", 3.0, 0.387, 0.014),
    ],
)
def test_logistic_at_ridge_one_percent(model, alpha1, test_error, train_loss):
    result = ns.predict(TASK, TRAINING.replace(alpha1=alpha1), model)
    assert result.test_error == pytest.approx(test_error, abs=5.01e-4)
    assert result.train_loss == pytest.approx(train_loss, abs=5.01e-4)


@pytest.mark.parametrize(
    ("model", "test_error", "train_loss"),
    [("attention", 0.117, 0.055), ("pooled", 0.338, 0.154), ("vectorized", 0.407, 0.000)],
)
def test_square_at_vanishing_ridge(model, test_error, train_loss):
    query = ns.align(TASK, TRAINING).query if model == "attention" else None
    training = TRAINING.replace(loss="square", ridge=1e-5, alpha1=2.0)
    result = ns.predict(TASK, training, model, query=query)
    assert result.test_error == pytest.approx(test_error, abs=5.01e-4)
    assert result.train_loss == pytest.approx(train_loss, abs=5.01e-4)


def test_capacity_of_the_linear_models():
    assert ns.capacity(TASK, "pooled").alpha == pytest.approx(2.950, abs=5e-4)
    assert ns.capacity(TASK, "vectorized").alpha == pytest.approx(29.50, abs=5e-3)


def test_capacity_of_attention_against_plain_monte_carlo():
    """12 runs of 1.5 million samples gave 22.304 ± 0.024; an earlier note says 22.06."""
    result = ns.capacity(TASK, "attention", query=ns.align(TASK, TRAINING).query)
    assert result.alpha == pytest.approx(22.304, abs=3 * np.hypot(0.024, result.alpha_se))


def test_pooled_is_a_gaussian_mixture():
    """The outside check: public state-evolution code with an unpenalised bias, rare classes."""
    task = ns.Task(L=4, R=1, theta=4.0, pi=0.3)
    training = ns.Training(alpha0=1.0, alpha1=10.0, ridge=2.5e-4)
    assert ns.predict(task, training, "pooled").test_error == pytest.approx(0.165706, abs=5e-7)
