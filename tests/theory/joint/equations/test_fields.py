"""The minimum of one sample: its gradient, its Hessian, and which minimum it is."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.errors import NotConverged
from needlescope.losses import get_loss
from needlescope.theory.joint.equations import fields
from needlescope.theory.joint.equations.fields import (
    Fields,
    Hessian,
    energy,
    gradient,
    load,
    lowest,
    minimum,
    pull_of,
)

V = np.array([[3.0, 0.7], [0.7, 8.0]])
SMOOTH = ("logistic", "square", "squared_hinge")


def samples(loss="logistic", n=200, L=5, scale=1.5, V=V):
    rng = np.random.default_rng(3)
    omega = Fields(*(scale * rng.standard_normal((2, L, n))))
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return omega, pull_of(V, -0.4, y, get_loss(loss))


def stacked(h):
    return np.concatenate([h.q, h.u])


def split(x):
    return Fields(*np.split(x, 2))


def by_differences(function, h, step=1e-5):
    """Return the derivatives of a function of (2L, n) numbers, the variable in the first axis."""
    x = stacked(h)
    moves = step * np.eye(len(x))[:, :, None]
    return np.array(
        [(function(split(x + e)) - function(split(x - e))) / (2.0 * step) for e in moves]
    )


@pytest.mark.parametrize("loss", SMOOTH)
def test_the_gradient_is_that_of_the_energy(loss):
    omega, pull = samples(loss)
    h = Fields(omega.q + 0.3, 0.8 * omega.u)
    seen = by_differences(lambda at: energy(at, omega, pull), h)
    np.testing.assert_allclose(stacked(gradient(h, omega, pull)), seen, atol=1e-7)


@pytest.mark.parametrize("loss", ["logistic", "square"])
def test_the_hessian_is_that_of_the_energy(loss):
    omega, pull = samples(loss, n=60)
    h = Fields(omega.q + 0.3, 0.8 * omega.u)
    dense = by_differences(lambda at: stacked(gradient(at, omega, pull)), h).transpose(2, 0, 1)
    hessian = Hessian(h, pull, load(h, pull))
    right = np.random.default_rng(0).standard_normal(stacked(h).shape)
    solved = stacked(hessian.solve(split(right)))
    np.testing.assert_allclose(np.einsum("nij,jn->in", dense, solved), right, atol=2e-5)
    positive = np.linalg.eigvalsh(dense)[:, 0] > 0.0
    assert 0 < positive.sum() < len(positive)  # the samples show both
    np.testing.assert_array_equal(hessian.positive, positive)


def test_a_whole_may_be_positive_though_a_block_is_not():
    omega, pull = samples(n=2000, scale=2.0)
    h = minimum(omega, pull)
    at = load(h, pull)
    assert Hessian(h, pull, at).positive.all()
    A, B, C = pull.ties
    d = at.a * (h.u - at.f)
    determinant = (A + at.slope * d) * C - (B + at.slope * at.a) ** 2
    assert (determinant < 0.0).any(axis=0).mean() > 0.01


@pytest.mark.parametrize("loss", SMOOTH)
def test_the_gradient_is_zero_at_the_minimum(loss):
    omega, pull = samples(loss, n=500)
    h = minimum(omega, pull)
    assert np.abs(stacked(gradient(h, omega, pull))).max() < 1e-6
    assert (energy(h, omega, pull) <= energy(omega, omega, pull)).all()


def test_without_a_loss_fields_stay():
    omega, pull = samples(V=1e-12 * np.eye(2))
    np.testing.assert_allclose(stacked(minimum(omega, pull)), stacked(omega), atol=1e-9)


def test_the_lowest_is_a_minimum_that_is_no_higher():
    omega, pull = samples(n=500, scale=2.0)
    first = minimum(omega, pull)
    best, lower_by = lowest(omega, pull)
    assert np.abs(stacked(gradient(best, omega, pull))).max() < 1e-6
    np.testing.assert_allclose(
        energy(first, omega, pull) - energy(best, omega, pull), lower_by, atol=1e-12
    )
    assert (lower_by >= 0.0).all()
    assert 0.0 < (lower_by > 1e-6).mean() < 0.5


def test_one_token_has_one_minimum():
    omega, pull = samples(L=1)
    assert lowest(omega, pull)[1].max() < 1e-9


def test_blocks_change_nothing(monkeypatch):
    omega, pull = samples(n=500)
    whole = minimum(omega, pull)
    monkeypatch.setattr(fields, "AT_ONCE", 100)
    monkeypatch.setattr(fields, "BLOCK", 300)
    np.testing.assert_allclose(stacked(minimum(omega, pull)), stacked(whole), atol=1e-7)
    again = minimum(omega, pull, whole)
    np.testing.assert_allclose(stacked(again), stacked(whole), atol=1e-6)


def test_samples_that_do_not_arrive_are_no_result(monkeypatch):
    monkeypatch.setattr(fields, "ITERATIONS", 2)
    with pytest.raises(NotConverged, match=r"fields of .* samples did not converge in 2 Newton"):
        minimum(*samples())
