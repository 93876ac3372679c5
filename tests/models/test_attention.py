"""Attention's features: softmax at any sharpness, hard at none; nodes along query and signal."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.models.attention import attend, features, nodes
from needlescope.models.segments import Even, Ragged

ROWS = np.random.default_rng(0).standard_normal((12, 3))
Q = np.array([1.0, -2.0, 0.5])
SEGMENTS = {"even": Even(4), "ragged": Ragged.at(np.array([0, 1, 6, 12]))}


@pytest.mark.parametrize("name", SEGMENTS)
@pytest.mark.parametrize("beta", [0.3, 2.0])
def test_weights_are_in_proportion_to_exponentials(name, beta):
    segments = SEGMENTS[name]
    a = attend(ROWS, segments, Q, beta)
    e = np.exp(beta * ROWS @ Q)
    assert a == pytest.approx(e / segments.spread(segments.sum(e)))
    mixed = [segments.sum(a * column) for column in ROWS.T]
    assert features(ROWS, segments, Q, beta) == pytest.approx(np.stack(mixed, axis=1))


@pytest.mark.parametrize("name", SEGMENTS)
def test_hard_attention_is_the_limit_of_sharp_attention(name):
    hard = attend(ROWS, SEGMENTS[name], Q, np.inf)
    assert attend(ROWS, SEGMENTS[name], Q, 1e6) == pytest.approx(hard)
    assert set(hard.tolist()) == {0.0, 1.0}


@pytest.mark.parametrize("beta", [1.0, np.inf])
def test_without_a_query_all_tokens_weigh_alike(beta):
    assert attend(ROWS, Even(4), np.zeros(3), beta).tolist() == [0.25] * 12


def test_nodes_split_the_signal_between_the_query_and_what_is_across_it():
    theta, cosine, L = 3.0, -0.6, 5
    mass, score, A = np.array([0.7, 0.0]), np.array([1.1, 0.4]), np.array([0.5, 0.3])
    result = nodes(1.0 / L, theta, cosine, mass, score, A, np.full(2, 0.5), np.full((1, 2), 0.5))
    assert result.m == pytest.approx(
        np.array([[theta * cosine * 0.7 + 1.1, theta * 0.8 * 0.7], [0.4, 0.0]])
    )
    assert result.tau == pytest.approx(np.array([[1.0 / L, 0.5], [1.0 / L, 0.3]]))
    signal = np.linalg.norm(result.m - np.array([[1.1, 0.0], [0.4, 0.0]]), axis=1)
    assert signal == pytest.approx(theta * mass)  # none of it is lost
