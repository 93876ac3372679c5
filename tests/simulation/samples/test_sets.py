"""Means over sets and the posterior of tokens, against all sets written out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import needlescope as ns
from needlescope.simulation.samples.sets import log_mean, memberships


@pytest.mark.parametrize("R", range(1, 7))
def test_every_number_of_signal_tokens(R: int) -> None:
    logits = 3.0 * np.random.default_rng(R).standard_normal((5, 6))
    sets = list(combinations(range(6), R))
    weight = np.exp([[row[list(item)].sum() for item in sets] for row in logits])
    marks = np.array([[token in item for token in range(6)] for item in sets], float)
    expected = weight @ marks / weight.sum(axis=1, keepdims=True)
    result = memberships(ns.Task(6, R, 1.0, 0.5), logits)
    assert result == pytest.approx(expected, abs=1e-12)


def test_given_sets() -> None:
    positions = ns.Positions([(0, 1), (1, 2)], [0.75, 0.25])
    result = memberships(ns.Task(3, 2, 1.0, 0.5, positions), np.zeros((1, 3)))
    assert result == pytest.approx(np.array([[0.75, 1.0, 0.25]]))


def test_logits_of_any_size() -> None:
    logits = np.array([[1e4, 0.0, -1e4, 5.0]])
    assert memberships(ns.Task(4, 2, 1.0, 0.5), logits) == pytest.approx(
        np.array([[1.0, 1.0 / (1.0 + np.exp(5.0)), 0.0, 1.0 / (1.0 + np.exp(-5.0))]])
    )


@pytest.mark.parametrize("R", range(1, 6))
def test_a_mean_over_all_sets(R: int) -> None:
    logits = np.random.default_rng(0).standard_normal((4, 5))
    sums = [logits[:, list(combination)].sum(axis=1) for combination in combinations(range(5), R)]
    result = np.exp(log_mean(ns.Task(5, R, 1.0, 0.5), logits))
    assert result == pytest.approx(np.exp(sums).mean(axis=0))


def test_a_mean_over_given_sets() -> None:
    positions = ns.Positions([(0, 1), (1, 2)], [0.75, 0.25])
    result = log_mean(ns.Task(3, 2, 1.0, 0.5, positions), np.log([[4.0, 2.0, 1.0]]))
    assert np.exp(result) == pytest.approx([0.75 * 8.0 + 0.25 * 2.0])
