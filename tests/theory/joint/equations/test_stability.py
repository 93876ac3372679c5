"""The stability of replica symmetry, against responses taken by differences."""

from __future__ import annotations

import numpy as np

import needlescope as ns
from needlescope.losses import get_loss
from needlescope.theory.joint.equations.fields import Fields, minimum, pull_of
from needlescope.theory.joint.equations.moments import Problem
from needlescope.theory.joint.equations.order import Order
from needlescope.theory.joint.equations.samples import draw, fields, labels
from needlescope.theory.joint.equations.stability import squared_response, stability

V = np.array([[3.0, 0.7], [0.7, 2.0]])
L = 4


def response(omega, pull, step=1e-5):
    """Return G = ∂g/∂ω of one sample, 2 × L × 2 × L."""
    x, inverse = np.array(omega), np.linalg.inv(V)
    result = np.zeros((2, L, 2, L))
    for part in range(2):
        for token in range(L):
            g = []
            for sign in (1, -1):
                moved = x.copy()
                moved[part, token] += sign * step
                h = np.array(minimum(Fields(*moved), pull))
                g.append(inverse @ (h - moved)[:, :, 0])
            result[:, :, part, token] = (g[0] - g[1]) / (2 * step)
    return result


def test_the_square_of_the_response():
    rng = np.random.default_rng(0)
    pull = pull_of(V, 0.3, np.array([1.0]), get_loss("logistic"))
    omega = Fields(*rng.standard_normal((2, L, 1)))
    C = np.array([[1.3, -0.4], [-0.4, 0.6]])
    G = response(omega, pull)
    seen = np.einsum("iaxb,xy,jayb->ij", G, C, G)
    got = squared_response(minimum(omega, pull), pull, C)[:, :, 0]
    np.testing.assert_allclose(got, seen, atol=1e-6)


def test_large_ridges_are_stable():
    task = ns.Task(L=4, R=1, theta=2.0, pi=0.4)
    problem = Problem(task, 2.0, get_loss("logistic"), 1.0, 1.0)
    order = Order(np.array([0.1, 0.2]), np.diag([0.1, 0.2]), 0.4 * np.eye(2), 0.0)
    result = stability(problem, order, draw(4, 128, 1))
    assert 0.0 < result.replicon < 0.2
    assert result.jumping == 0.0


def test_loose_ties_let_samples_jump():
    task = ns.Task(L=4, R=1, theta=2.0, pi=0.4)
    problem = Problem(task, 2.0, get_loss("logistic"), 1.0, 1.0)
    order = Order(np.array([1.0, 2.0]), np.diag([9.0, 9.0]), 20.0 * np.eye(2), 0.0)
    assert stability(problem, order, draw(4, 128, 1)).jumping > 0.05


def test_the_radius_is_that_of_a_typical_replicate():
    """By the map itself, put together sample by sample on one replicate."""
    task = ns.Task(L=L, R=1, theta=2.0, pi=0.4)
    problem = Problem(task, 2.0, get_loss("logistic"), 1.0, 1.0)
    order = Order(np.array([0.5, 0.8]), np.diag([1.0, 2.0]), V, 0.1)
    nodes = draw(L, 16, 1)
    omega, y = fields(nodes, order, task), labels(nodes, task)
    total = np.zeros((2, 2, 2, 2))
    for k in range(32):
        own = Fields(omega.q[:, k : k + 1], omega.u[:, k : k + 1])
        G = response(own, pull_of(V, 0.1, y[k : k + 1], problem.loss))
        total += (0.4 if y[k] > 0 else 0.6) / 16 * np.einsum("iaxb,jayb->ijxy", G, G)
    moved = 2.0 * np.einsum("ij,jkxy,km->imxy", V, total, V)
    radius = np.abs(np.linalg.eigvals(moved.reshape(4, 4))).max()
    assert abs(stability(problem, order, nodes).replicon - radius) < 1e-4 * radius
