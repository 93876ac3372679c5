"""The weakest signal that can be learned: against the limit itself, on both sides."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns

POINTS = [  # L, R, π, α, error: smooth, beyond the jump, within it, many signal tokens
    (10, 1, 0.5, 1.0, 0.1),
    (100, 1, 0.5, 1.0, 0.1),
    (100, 1, 0.5, 0.1, 0.3),
    (30, 1, 0.5, 5.0, 0.1),
    (1000, 1, 0.3, 4.0, 0.2),
    (40, 15, 0.5, 0.5, 0.1),
]


@pytest.mark.sampled(15)
@pytest.mark.parametrize(("L", "R", "pi", "alpha", "error"), POINTS)
@pytest.mark.parametrize("which", ["", "amp_"])
def test_the_limit_meets_the_target_there(L, R, pi, alpha, error, which):
    task = ns.Task(L, R, 1.0, pi)
    result = ns.bayes_threshold(task, alpha, error)
    theta = getattr(result, f"{which}theta")
    assert 2.0 * getattr(result, f"{which}theta_se") <= 1e-2 * theta
    near = ns.bayes_optimal(task.replace(theta=theta * np.array([0.98, 1.02])), alpha)
    below, above = getattr(near, f"{which}test_error")
    assert below > error > above


def test_known_learnable_and_trained_come_in_this_order():
    task, training = ns.Task(30, 1, 1.0, 0.5), ns.Training(1.0, 1.0, ridge=0.1)
    known = ns.oracle_threshold(task, "bayes", 0.1, tol=1e-3).theta
    learned = ns.bayes_threshold(task, 2.0, 0.1)
    trained = ns.training_threshold(task, training, 0.1).theta
    assert known < learned.theta <= learned.amp_theta < trained


@pytest.mark.slow
def test_a_jump_leaves_one_strength_for_several_targets():
    task = ns.Task(1000, 1, 1.0, 0.5)
    result = ns.bayes_threshold(task, 1.0, [0.1, 0.2, 0.4])
    assert result.amp_theta == pytest.approx(result.amp_theta[0], rel=1e-6)
    assert (np.diff(result.theta) < 0.0).all()
    edge = ns.phase_boundaries(task.replace(theta=result.amp_theta[0]))
    assert edge.alpha_amp == pytest.approx(1.0, rel=4.0 * edge.alpha_amp_se + 1e-6)


def test_a_signal_in_all_tokens_has_a_closed_form():
    """q = απθ²L/(1 + απθ²L), and κ is √L times that of a single token."""
    alpha, pi, L = 2.0, 0.5, 7
    result = ns.bayes_threshold(ns.Task(L, L, 1.0, pi), alpha, 0.1).theta
    kappa = ns.oracle_threshold(ns.Task(L, L, 1.0, pi), "pooled", 0.1).theta
    q = alpha * pi * result**2 * L / (1.0 + alpha * pi * result**2 * L)
    assert result * np.sqrt(q) == pytest.approx(kappa, rel=1e-3)
