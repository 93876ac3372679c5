"""The unknowns as nine numbers, and back."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.errors import NotConverged
from needlescope.theory.joint.equations.order import Order, from_vector, to_vector

ORDER = Order(
    np.array([0.5, -2.0]),
    np.array([[1.0, -0.7], [-0.7, 5.0]]),
    np.array([[20.0, -1.0], [-1.0, 0.2]]),
    -3.0,
)


def test_nine_numbers_are_the_unknowns():
    again = from_vector(to_vector(ORDER))
    for one, other in zip(ORDER, again, strict=True):
        np.testing.assert_allclose(one, other)
    np.testing.assert_allclose(ORDER.root @ ORDER.root.T, ORDER.Q)


def test_the_scale_of_query_and_readout_moves_logarithms_alone():
    scale = np.array([1e-3, 7.0])
    scaled = ORDER._replace(M=scale * ORDER.M, Q=np.outer(scale, scale) * ORDER.Q)
    moved = to_vector(scaled) - to_vector(ORDER)
    assert moved[2] == pytest.approx(np.log(scale[0]))
    assert moved[4] == pytest.approx(np.log(scale[1]))
    np.testing.assert_allclose(np.delete(moved, [2, 3, 4]), 0.0, atol=1e-12)


def test_any_nine_numbers_are_unknowns():
    x = np.random.default_rng(0).standard_normal((50, 9))
    for row in x:
        order = from_vector(row)
        assert np.linalg.eigvalsh(order.Q)[0] > 0.0
        assert np.linalg.eigvalsh(order.V)[0] > 0.0


def test_a_matrix_that_is_not_positive_is_refused():
    with pytest.raises(NotConverged, match="left the range of their unknowns"):
        to_vector(ORDER._replace(V=-np.eye(2)))
