"""The equations: their means by plain sums, and a limit that is solved by hand."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import get_loss
from needlescope.theory.joint.equations import samples as points
from needlescope.theory.joint.equations.fields import minimum, pull_of
from needlescope.theory.joint.equations.moments import Problem, moments, precision, residual
from needlescope.theory.joint.equations.order import Order, to_vector
from needlescope.theory.joint.equations.samples import draw, fields, labels

TASK = ns.Task(L=3, R=1, theta=2.0, pi=0.3)
Q, V = np.array([[1.0, 0.4], [0.4, 4.0]]), np.array([[3.0, 0.5], [0.5, 6.0]])
ORDER = Order(np.array([0.5, 1.5]), Q, V, 0.2)
PROBLEM = Problem(TASK, 2.0, get_loss("logistic"), 0.05, 0.1)


def test_means_are_those_of_the_displacement():
    """With g_l = V⁻¹(h_l − ω_l), sample by sample."""
    nodes = draw(3, 64, 2)
    omega = fields(nodes, ORDER, TASK)
    h = minimum(omega, pull_of(ORDER.V, ORDER.b, labels(nodes, TASK), PROBLEM.loss))
    g = np.einsum("ij,jln->lni", np.linalg.inv(ORDER.V), np.array([h.q - omega.q, h.u - omega.u]))
    z = np.stack([nodes.q, nodes.u], axis=-1)
    chance = np.array([0.3, 0.7])
    by_label = g.reshape(3, 2, 2, 64, 2)  # tokens, labels, replicates, points, (q, u)
    z = z.reshape(3, 2, 64, 2)
    means = moments(PROBLEM, ORDER, nodes)
    products = np.einsum("lyrpi,lrpj->ijyrp", by_label, z)
    control = zero_by_differences(nodes).reshape(products.shape)
    share = (products * control).sum(axis=-1) / (control**2).sum(axis=-1)
    products -= np.clip(share, 0.0, 1.0)[..., None] * control
    gz = np.einsum("ijyrp,y->rij", products, chance) / 64
    gg = np.einsum("lyrpi,lyrpj,y->rij", by_label, by_label, chance) / 64
    gv = 0.3 * by_label[0, 0].mean(axis=1)
    np.testing.assert_allclose(means.gz, gz, atol=1e-6)
    np.testing.assert_allclose(means.gg, gg, atol=1e-6)
    np.testing.assert_allclose(means.gv, gv, atol=1e-6)


def zero_by_differences(nodes):
    """Σ_l g⁰_l z_lᵀ − (Σ_l ∂g⁰_l/∂ω_l) C of each sample, the derivatives by differences."""
    omega, y, loss = fields(nodes, ORDER, TASK), labels(nodes, TASK), PROBLEM.loss

    def pulled(q, u):
        a = np.exp(q) / np.exp(q).sum(axis=0)
        f = (a * u).sum(axis=0)
        slope = loss.derivative(f + ORDER.b, y)
        return np.array([-slope * a * (u - f), -slope * a])

    step, T = 1e-5, np.zeros((2, 2, len(y)))
    for token in range(3):
        moved = np.zeros((3, 1))
        moved[token] = step
        for j, (dq, du) in enumerate(((moved, 0.0), (0.0, moved))):
            up, down = pulled(omega.q + dq, omega.u + du), pulled(omega.q - dq, omega.u - du)
            T[:, j] += (up - down)[:, token] / (2.0 * step)
    z = [np.tile(item, 2) for item in (nodes.q, nodes.u)]
    products = np.array([[(g * item).sum(axis=0) for item in z] for g in pulled(*omega)])
    return products - np.einsum("ikn,kj->ijn", T, ORDER.root)


def test_the_control_variate_has_mean_zero():
    nodes = draw(3, 1 << 13, 8)
    each = zero_by_differences(nodes).reshape(2, 2, 2, 8, -1).mean(axis=-1)
    assert (np.abs(each.mean(axis=-1)) < 4.0 * each.std(axis=-1, ddof=1) / np.sqrt(8)).all()


def test_signal_tokens_are_counted_kind_by_kind():
    nodes = draw(3, 64, 2)
    counts = ns.SignalCount([1, 3], [0.75, 0.25])
    mixed = moments(PROBLEM._replace(task=TASK.replace(R=counts)), ORDER, nodes)
    each = [moments(PROBLEM._replace(task=TASK.replace(R=R)), ORDER, nodes) for R in (1, 3)]
    for one, few, many in zip(mixed, *each, strict=True):
        np.testing.assert_allclose(one, 0.75 * few + 0.25 * many, atol=1e-7)


def test_batches_of_replicates_change_nothing(monkeypatch):
    nodes = draw(3, 64, 4)
    whole = moments(PROBLEM, ORDER, nodes)
    monkeypatch.setattr(points, "AT_ONCE", 3 * 64)
    for one, other in zip(whole, moments(PROBLEM, ORDER, nodes), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)


def test_the_bend_is_the_derivative_of_the_slope_as_fields_follow():
    nodes, step = draw(3, 256, 1), 1e-4
    up, down = (
        moments(PROBLEM, ORDER._replace(b=ORDER.b + sign * step), nodes).slope[0]
        for sign in (1, -1)
    )
    bend = moments(PROBLEM, ORDER, nodes).bend[0]
    assert bend == pytest.approx((up - down) / (2 * step), rel=0.3)  # to first order in ℓ'


def test_unknowns_that_the_equations_imply_leave_nothing():
    """A residual is zero where the means are those of the unknowns, put together by hand."""
    nodes = draw(3, 64, 1)
    means = moments(PROBLEM, ORDER, nodes)
    left = residual(PROBLEM, to_vector(ORDER), means)
    M_hat = 2.0 * 2.0 * means.gv[0]
    Q = ORDER.V @ (np.outer(M_hat, M_hat) + 2.0 * means.gg[0]) @ ORDER.V
    implied = to_vector(Order(ORDER.V @ M_hat, Q, ORDER.V, ORDER.b))
    np.testing.assert_allclose(left[:5], (implied - to_vector(ORDER))[:5])
    root = np.linalg.cholesky(ORDER.V)
    balance = np.eye(2) - root.T @ precision(PROBLEM, ORDER, means) @ root
    np.testing.assert_allclose(left[5:8], [balance[0, 0], balance[1, 0], balance[1, 1]])
    assert np.sign(left[8]) == -np.sign(means.slope[0])


def test_the_response_is_by_steins_identity():
    """Without jumps it is the mean derivative of g in the field, here by differences."""
    tight = ORDER._replace(V=0.3 * ORDER.V)
    nodes, step = draw(3, 1 << 13, 1), 1e-4
    means = moments(PROBLEM, tight, nodes)
    V_hat = precision(PROBLEM, tight, means) - np.diag(PROBLEM.penalty)
    omega, pull = (
        fields(nodes, tight, TASK),
        pull_of(tight.V, 0.2, labels(nodes, TASK), PROBLEM.loss),
    )
    seen = np.zeros((2, 2))
    n = nodes.q.shape[1]
    weight = np.repeat([0.3, 0.7], n) / n
    for token in range(3):
        for part in range(2):
            g = []
            for sign in (1, -1):
                moved = [item.copy() for item in omega]
                moved[part][token] += sign * step
                h = minimum(type(omega)(*moved), pull)
                g.append([(x - y)[token] @ weight for x, y in zip(h, moved, strict=True)])
            change = (np.array(g[0]) - np.array(g[1])) / (2 * step)
            seen[:, part] -= 2.0 * np.linalg.inv(tight.V) @ change
    np.testing.assert_allclose(V_hat, seen, atol=0.02)
