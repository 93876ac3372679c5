"""Signal, norm and cosines of a vector, by its products with the signals."""

from __future__ import annotations

import pytest

import needlescope as ns
from needlescope.theory.common.cosines import cosine_fields

ONE = ns.Task(L=10, R=1, theta=5.0, pi=0.5)


def test_one_signal_has_one_cosine_whatever_the_scale():
    row = cosine_fields(ONE, "q", (-3.0,), 5.0, scale=2.0)
    assert row == {"signal_q": -6.0, "norm_q": 10.0, "cosine_q": pytest.approx(-0.6)}


def test_a_vector_of_zero_norm_has_cosine_zero():
    assert cosine_fields(ONE, "w", (0.0,), 0.0)["cosine_w"] == 0.0
