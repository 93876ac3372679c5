"""The law of the number of signal tokens."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import needlescope as ns


def test_values_are_sorted_and_those_that_never_occur_left_out():
    count = ns.SignalCount([3, 1, 7, 2], [0.2, 0.5, 0.0, 0.3])
    assert count.values == (1, 2, 3)
    assert count.probabilities == (0.5, 0.3, 0.2)
    assert count == ns.SignalCount((1, 2, 3), np.array([0.5, 0.3, 0.2]))
    assert hash(count) == hash(ns.SignalCount((1, 2, 3), (0.5, 0.3, 0.2)))
    assert eval(repr(count), {"SignalCount": ns.SignalCount}) == count


def test_without_probabilities_all_values_are_as_likely():
    assert ns.SignalCount([1, 4]).probabilities == (0.5, 0.5)


@pytest.mark.parametrize(("L", "p"), [(7, 0.3), (100, 0.02), (3000, 0.001), (50, 0.9)])
@pytest.mark.parametrize("least", [0, 1])
def test_binomial_counts_are_those_of_the_binomial_law(L, p, least):
    count = ns.SignalCount.binomial(L, p, at_least=least)
    law = binom(L, p)
    expected = law.pmf(count.values) / (1.0 - law.cdf(least - 1))
    assert count.probabilities == pytest.approx(expected, rel=1e-9)
    assert min(count.values) >= least and max(count.values) <= L
    assert count.mean == pytest.approx(L * p / (1.0 - law.cdf(least - 1)), rel=1e-9)


def test_a_law_of_one_value_is_that_number():
    task = ns.Task(L=10, R=ns.SignalCount([2, 3], [1.0, 0.0]), theta=5.0, pi=0.5)
    assert task == ns.Task(L=10, R=2, theta=5.0, pi=0.5)
    assert task.counts == ((2, 1.0),) and task.mean_count == 2


def test_a_task_of_a_random_count_is_a_grid_in_its_other_fields():
    count = ns.SignalCount([0, 2], [0.25, 0.75])
    task = ns.Task(L=[4, 8], R=count, theta=5.0, pi=0.5)
    assert task.shape == (2,) and [scalar.R for scalar in task.scalars((2,))] == [count, count]
    assert task.counts == ((0, 0.25), (2, 0.75)) and task.mean_count == 1.5
    assert repr(count) in repr(task)
