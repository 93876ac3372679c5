"""The law of linear attention: its moments in closed form, by drawing tokens, and at its edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

import needlescope as ns
from needlescope.theory.law.attention import attention_limit
from needlescope.theory.law.ladder import Level
from needlescope.theory.law.linear import chi_square, linear_limit, normal

LEVEL = Level(1024, 32)
PROBLEMS = [
    (10, 1, 5.0, 0.7, 0.97),
    (40, 3, 5.0, 1.5, -0.4),
    (4, 4, 1.5, 1.0, 0.8),  # all tokens carry the signal
    (2, 1, 3.0, 2.0, 0.6),
    (1, 1, 2.0, 1.0, 0.5),
]


def drawn(problem, positive, n=100_000):
    """Scalars of linear attention from tokens, one after the other."""
    L, R, theta, kappa, s = problem
    g, v = np.random.default_rng(5).standard_normal((n, L)), np.arange(L) < R
    seen = g + theta * s * v * positive
    a = (1.0 + kappa * (seen - seen.mean(axis=1, keepdims=True))) / L
    mass = (a @ v) * positive
    along = theta * s * mass + (a * g).sum(axis=1) - g.mean(axis=1)
    return along, theta * np.sqrt(1.0 - s * s) * mass, (a * a).sum(axis=1)


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
@pytest.mark.parametrize("positive", [True, False])
def test_it_is_the_law_of_the_tokens(problem, positive):
    limit = linear_limit(*problem, LEVEL)
    nodes = limit.positive if positive else limit.negative
    assert nodes.weight.sum() == pytest.approx(1.0, abs=1e-12)
    samples = drawn(problem, positive)
    law = (nodes.m[:, 0], nodes.m[:, 1], nodes.A)
    for f in (
        lambda m1, m2, A: m1,
        lambda m1, m2, A: m2,
        lambda m1, m2, A: A,
        lambda m1, m2, A: m1 * m1,
        lambda m1, m2, A: m1 * m2,
        lambda m1, m2, A: np.tanh((m1 - 0.5) / np.sqrt(A)),
    ):
        seen = f(*samples)
        error = seen.std() / np.sqrt(len(seen))
        assert abs(seen.mean() - nodes.weight @ f(*law)) < 4.5 * error + 1e-9


def test_half_the_points_give_the_same_to_many_digits():
    limit = linear_limit(10, 1, 5.0, 0.7, 0.97, LEVEL)
    for fine, coarse in zip((limit.positive, limit.negative), limit.coarse, strict=True):
        value, rough = (item.weight @ np.tanh(item.m[:, 0] - 1.0) for item in (fine, coarse))
        assert 0.0 < abs(value - rough) < 1e-4


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize(("R", "kappa"), [(1, 10.0), (1, 1000.0), (2, 100.0)])
def test_a_pair_s_dip_is_resolved(R, kappa, positive):
    """1/√(2‖a‖²) of two tokens has a peak of width 1/κ where they are equal."""
    theta, s = 3.0, 0.7
    limit = linear_limit(2, R, theta, kappa, s, LEVEL)
    nodes = limit.positive if positive else limit.negative
    x = np.linspace(-9.0, 9.0, 2_000_001)  # (g₁ − g₂)/√2, which a signal in one token raises
    raised = x + theta * s / np.sqrt(2.0) * (R == 1 and positive)
    direct = np.exp(-0.5 * x**2) / np.sqrt(1.0 + kappa**2 * raised**2 / 2.0)
    direct = direct.sum() / np.exp(-0.5 * x**2).sum()
    assert nodes.weight @ (2.0 * nodes.A) ** -0.5 == pytest.approx(direct, rel=1e-3)


def test_at_kappa_zero_it_is_pooling():
    mine, other = (law(7, 3, 2.0, 0.0, 0.6, LEVEL) for law in (linear_limit, attention_limit))
    for item, point in ((mine.positive, other.positive), (mine.negative, other.negative)):
        for column in ("m", "tau", "A"):
            assert np.allclose(getattr(item, column), getattr(point, column), atol=1e-15)


def test_it_moves_with_kappa_as_softmax_does():
    kappa = 1e-3
    mine, other = (law(7, 3, 2.0, kappa, 0.6, LEVEL) for law in (linear_limit, attention_limit))
    for item, soft in ((mine.positive, other.positive), (mine.negative, other.negative)):
        for f in (lambda n: n.weight @ n.m[:, 0], lambda n: n.weight @ n.m[:, 1]):
            assert f(item) == pytest.approx(f(soft), abs=20 * kappa**2)


@pytest.mark.parametrize("degrees", [1, 2, 7, 1000, 10**6])
def test_rules_know_their_moments(degrees):
    r, weight = chi_square(degrees, 16)
    assert weight.sum() == pytest.approx(1.0)
    assert weight @ r == pytest.approx(degrees)
    assert weight @ (r - degrees) ** 2 == pytest.approx(2.0 * degrees)
    assert weight @ (r - degrees) ** 3 == pytest.approx(8.0 * degrees, rel=1e-4)
    x, weight = normal(16)
    assert [weight @ x**k for k in range(1, 7)] == pytest.approx([0, 1, 0, 3, 0, 15], abs=1e-9)


def test_a_test_error_with_narrow_steps_is_resolved():
    """A strong signal in two of three tokens, few samples: its readout needs few points, not it."""
    task = ns.Task(L=3, R=2, theta=47.418, pi=0.284641)
    training = ns.Training(alpha1=0.05, loss="squared_hinge", ridge=0.0052975)
    result = ns.predict(task, training, "linear", query=ns.Query(4.00372, -0.0741962))
    assert 2.0 * result.test_error_se <= 1e-4
    wrong = []
    for positive, share in ((True, task.pi), (False, 1.0 - task.pi)):
        along, across, A = drawn((3, 2, task.theta, 4.00372, -0.0741962), positive, 1_000_000)
        spread = np.sqrt(A * (result.rest**2 + result.signal_part**2) + result.query_part**2 / 3.0)
        score = result.query_part * along + result.signal_part * across + result.bias
        wrong.append(share * ndtr((-score if positive else score) / spread))
    mean = sum(item.mean() for item in wrong)
    error = np.sqrt(sum(item.var() / len(item) for item in wrong))
    assert abs(result.test_error - mean) <= 4.0 * error + 1e-4
