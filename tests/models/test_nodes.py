"""Nodes of both labels make one law; the score at each has a mean and a variance."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.models.nodes import Limit, Nodes


def test_the_score_of_a_node_has_its_mean_and_variance() -> None:
    m, tau = np.array([[1.0, 2.0]]), np.array([[0.1, 0.2]])
    one = Nodes(m, tau, np.array([0.3]), np.ones(1), np.ones((1, 1)))
    mean, V = Limit(one, one).law(0.5).score(np.array([3.0, -1.0]), 0.5, 2.0)
    assert mean.tolist() == [1.5, 1.5]
    assert pytest.approx([0.9 + 0.2 + 1.2] * 2) == V
