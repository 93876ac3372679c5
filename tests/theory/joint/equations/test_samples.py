"""The points of the integrals: their law, and that parts are the whole."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.theory.joint.equations import samples as module
from needlescope.theory.joint.equations.order import Order
from needlescope.theory.joint.equations.samples import chances, draw, fields, kinds_of, labels

TASK = ns.Task(L=4, R=2, theta=3.0, pi=0.3)
ORDER = Order(
    np.array([0.5, 1.5]), np.array([[1.0, 0.4], [0.4, 4.0]]), np.eye(2), 0.0
)  # fmt: skip


def test_fields_have_the_moments_of_the_unknowns():
    points = draw(4, 1 << 12, 2)
    omega = fields(points, ORDER, TASK)
    n = points.q.shape[1]
    mean = np.array([omega.q[:, :n].mean(axis=1), omega.u[:, :n].mean(axis=1)])
    signal = TASK.theta * ORDER.M[:, None] * (np.arange(4) < 2)
    np.testing.assert_allclose(mean, signal, atol=0.02)
    for token in range(4):
        both = np.cov(omega.q[token, n:], omega.u[token, n:])
        np.testing.assert_allclose(both, ORDER.Q, atol=0.05)
    assert (labels(points, TASK) == np.repeat([1.0, -1.0], n)).all()


def test_kinds_share_the_samples_by_count_and_label():
    task = TASK.replace(R=ns.SignalCount([1, 3], [0.8, 0.2]), label_noise=(0.1, 0.25))
    kinds = kinds_of(task)
    assert sum(kind.chance for kind in kinds) == pytest.approx(1.0)
    share = {(kind.tokens, kind.label): kind.chance for kind in kinds}
    assert share[3, 1.0] == pytest.approx(0.3 * 0.2 * 0.9)
    assert share[3, -1.0] == pytest.approx(0.3 * 0.2 * 0.1)
    assert share[0, 1.0] == pytest.approx(0.7 * 0.25)
    points = draw(4, 8, 1)
    omega = fields(points, ORDER, task)
    for k, kind in enumerate(kinds):
        own = slice(k * 8, (k + 1) * 8)
        signal = omega.q[:, own] - ORDER.root[0, 0] * points.q
        expected = TASK.theta * ORDER.M[0] * (np.arange(4) < kind.tokens)
        np.testing.assert_allclose(signal.mean(axis=1), expected, atol=1e-12)
        assert (labels(points, task)[own] == kind.label).all()
        assert (chances(points, task)[own] == kind.chance).all()


def test_parts_are_the_whole(monkeypatch):
    points = draw(3, 64, 5)
    monkeypatch.setattr(module, "AT_ONCE", 2 * 3 * 64)
    parts = points.parts()
    assert [part.replicates for part in parts] == [2, 2, 1]
    np.testing.assert_array_equal(np.concatenate([part.q for part in parts], axis=1), points.q)
    np.testing.assert_array_equal(np.concatenate([part.u for part in parts], axis=1), points.u)
    assert all(part.points == 64 for part in parts)
