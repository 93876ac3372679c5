"""One joint step: against the numerical gradient of the population loss, and against plain draws.

The loss of a fresh sample depends on the parameters through the overlaps alone. Its derivatives in
them, by differences with the same draws, are the gradient: ∇w = ∂m_w ξ + 2 ∂W w + ∂C q, and so on.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

import needlescope as ns
from needlescope.lattice import replicate
from needlescope.losses import get_loss
from needlescope.theory.steps.step import Overlaps, Sizes, gradient, start, step

TASKS = [ns.Task(2, 1, 2.0, 0.4), ns.Task(3, 2, 1.5, 0.7), ns.Task(3, 3, 1.0, 0.5)]
# m_q, m_w, Q, W, C, b
STATE = np.array([0.8, 0.5, 1.5, 0.9, 0.6, -0.2])
BETA = 1.3
DRAWN = 2**13


def looked_at(task, state, y, index):
    """Return a, X w, g and u of drawn samples, R signal tokens first."""
    m_q, m_w, Q, W, C, _ = state
    z = ndtri(replicate(DRAWN, 2 * task.L, index))
    g, u = z[:, : task.L], z[:, task.L :]
    v = (np.arange(task.L) < task.R) * (y > 0)
    seen = task.theta * m_w * v + C / np.sqrt(Q) * g + np.sqrt(W - C * C / Q) * u
    a = np.exp(BETA * (task.theta * m_q * v + np.sqrt(Q) * g))
    return a / a.sum(axis=1, keepdims=True), seen, g, u, v


def population_loss(task, loss, state, index):
    total = 0.0
    for y, share in ((1, task.pi), (-1, 1.0 - task.pi)):
        a, seen, *_ = looked_at(task, state, y, index)
        score = (a * seen).sum(axis=1) + state[5]
        total += share * float(loss.value(score, y).mean())
    return total


def coefficients(task, loss, index):
    """Rows q and w, columns ξ, q, w; and ∇b: by differences of the loss."""
    by = []
    for k in range(6):
        ends = STATE + np.array([[1e-3], [-1e-3]]) * np.eye(6)[k]
        up, down = (population_loss(task, loss, end, index) for end in ends)
        by.append((up - down) / 2e-3)
    m_q, m_w, Q, W, C, b = by
    return np.array([[m_q, 2.0 * Q, C], [m_w, C, 2.0 * W]]), b


def at_state() -> Overlaps:
    m_q, m_w, Q, W, C, b = STATE
    return Overlaps(np.array([[1.0, m_q, m_w], [m_q, Q, C], [m_w, C, W]]), b)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("task", TASKS, ids=lambda item: f"L={item.L} R={item.R}")
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_with_batches_without_end_it_descends_the_population_loss(task, loss) -> None:
    kind, by = get_loss(loss), Sizes(0.3, 0.7, 1.1)
    moved = []
    for index in range(4):
        slope, b = coefficients(task, kind, index)
        K = np.eye(3)
        K[1:] -= np.array([[by.q], [by.w]]) * slope
        moved.append([*(K @ at_state().gram @ K.T).ravel(), STATE[5] - by.b * b])
    mean, error = np.mean(moved, axis=0), np.std(moved, axis=0, ddof=1) / 2.0
    result = step(at_state(), task, kind, BETA, np.inf, by, 2**12, 0)
    gap = np.array([*result.gram.ravel(), result.b]) - mean
    assert (np.abs(gap) <= 6.0 * error + 3e-4).all(), (gap, error)


@pytest.mark.parametrize("task", TASKS, ids=lambda item: f"L={item.L} R={item.R}")
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_a_batch_s_noise_is_that_of_drawn_samples(task, loss) -> None:
    kind, rows = get_loss(loss), []
    for index in range(4):
        noise = np.zeros(3)
        for y, share in ((1, task.pi), (-1, 1.0 - task.pi)):
            a, seen, *_ = looked_at(task, STATE, y, index)
            score = (a * seen).sum(axis=1)
            h2 = kind.derivative(score + STATE[5], y) ** 2
            c = a * (seen - score[:, None])
            sums = [(h2[:, None] * item).sum(axis=1).mean() for item in (c * c, a * c, a * a)]
            noise += share * np.array(sums)
        rows.append(noise)
    mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / 2.0
    _, _, Q, W, C, _ = STATE
    shared, beside = C / np.sqrt(Q), np.sqrt(W - C * C / Q)
    result = gradient(at_state(), task, kind, BETA, shared, beside, 2**13, 0).noise
    gap = np.array([result[0, 0], result[0, 1], result[1, 1]]) - mean
    assert (np.abs(gap) <= 6.0 * error + 1e-4).all(), (gap, error)


def test_where_all_tokens_carry_the_signal_it_does_not_turn_the_query() -> None:
    _, _, Q, W, C, _ = STATE
    shared, beside = C / np.sqrt(Q), np.sqrt(W - C * C / Q)
    pull = gradient(at_state(), TASKS[2], get_loss("logistic"), BETA, shared, beside, 256, 0)
    assert pull.along[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_steps_of_size_zero_change_nothing() -> None:
    result = step(at_state(), TASKS[0], get_loss("hinge"), BETA, 1.0, Sizes(0.0, 0.0, 0.0), 64, 0)
    assert (result.gram == at_state().gram).all() and result.b == STATE[5]


@pytest.mark.parametrize("loss", ["logistic", "square", "hinge", "squared_hinge"])
def test_the_first_step_is_the_paper_s(loss) -> None:
    task, training = ns.Task(10, 3, 6.0, 0.2), ns.Training(2.0, 1.0, loss=loss, eta_w=0.5)
    result = step(start(), task, get_loss(loss), 1.0, 2.0, Sizes(0.5, 1.0, 10.0), 64, 0)
    known = ns.align(task, training)
    assert result.m_w == pytest.approx(known.signal_w, rel=1e-12)
    assert result.norm_w == pytest.approx(known.norm_w, rel=1e-12)
    assert result.m_q[0] == result.norm_q == 0.0


def test_a_single_token_leaves_no_query() -> None:
    at = start()
    for _ in range(3):
        at = step(
            at, ns.Task(1, 1, 3.0, 0.5), get_loss("logistic"), 1.0, 2.0, Sizes(1, 1, 10), 64, 0
        )
    assert at.norm_q == pytest.approx(0.0, abs=1e-12) and at.m_w > 0.0
