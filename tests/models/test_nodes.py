"""Nodes of both labels make one law; the score at each has a mean and a variance."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.models.nodes import LimitLaw, Nodes, exact

ONE = exact(np.array([[2.0, 0.5]]), 0.25)
TWO = exact(np.array([[0.0, 0.0], [1.0, -1.0]]), 0.5, np.array([0.9, 0.1]))


def test_the_score_of_a_node_has_its_mean_and_variance() -> None:
    m, tau = np.array([[1.0, 2.0]]), np.array([[0.1, 0.2]])
    item = Nodes(m, tau, np.array([0.3]), np.ones(1), np.ones((1, 1)))
    mean, V = LimitLaw(item, item).law(0.5).score(np.array([3.0, -1.0]), 0.5, 2.0)
    assert mean.tolist() == [1.5, 1.5]
    assert pytest.approx([0.9 + 0.2 + 1.2] * 2) == V


def test_the_law_of_both_labels_lists_positives_first_by_their_probability() -> None:
    law = LimitLaw(ONE, TWO).law(0.2)
    assert law.y.tolist() == [1.0, -1.0, -1.0]
    assert law.weight == pytest.approx([0.2, 0.8 * 0.9, 0.8 * 0.1])
    assert law.m.tolist() == [[2.0, 0.5], [0.0, 0.0], [1.0, -1.0]]
    assert law.A.tolist() == [0.25, 0.5, 0.5]
    assert law.tau.tolist() == [[0.25, 0.25], [0.5, 0.5], [0.5, 0.5]]
    assert law.directions == 2


def test_replicates_of_one_label_go_with_the_exact_nodes_of_the_other() -> None:
    sampled = TWO._replace(replicas=np.array([[1.0, 0.0], [0.8, 0.2], [0.9, 0.1]]))
    law = LimitLaw(ONE, sampled).law(0.2)
    assert law.replicas == pytest.approx(
        np.array([[0.2, 0.8, 0.0], [0.2, 0.64, 0.16], [0.2, 0.72, 0.08]])
    )


def test_nodes_that_are_no_compression_are_their_own_coarse_law() -> None:
    exactly, compressed = LimitLaw(ONE, TWO), LimitLaw(ONE, TWO, coarse=(TWO, ONE))
    assert exactly.coarse_law(0.3).m.tolist() == exactly.law(0.3).m.tolist()
    assert compressed.coarse_law(0.3).m.tolist() == LimitLaw(TWO, ONE).law(0.3).m.tolist()
