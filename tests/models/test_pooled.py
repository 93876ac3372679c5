"""Mean pooling: the mean of explicit tokens, and its law in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.models.pooled import features, limit
from needlescope.models.segments import Ragged
from needlescope.task import Task

TASK = Task(L=8, R=2, theta=3.0, pi=0.3)


def test_features_are_means_of_samples_of_any_length_and_no_query_matters():
    rows = np.random.default_rng(0).standard_normal((9, 2))
    segments = Ragged.at(np.array([0, 4, 9]))
    wanted = np.stack([rows[:4].mean(axis=0), rows[4:].mean(axis=0)])
    for q in (np.zeros(2), np.ones(2)):
        assert features(rows, segments, q, 5.0) == pytest.approx(wanted)


def test_r_tokens_of_l_carry_the_signal_and_noise_averages():
    result = limit(TASK)
    assert result.positive.m.tolist() == [[3.0 * 2 / 8]]
    assert result.negative.m.tolist() == [[0.0]]
    for nodes in (result.positive, result.negative):
        assert nodes.A.tolist() == [1.0 / 8] and nodes.tau.tolist() == [[1.0 / 8]]
    assert result.dim == 1


def test_the_law_is_that_of_the_test():
    longer = TASK.replace(L=16, R=1, theta=5.0)
    assert limit(TASK, longer).positive.m.tolist() == limit(longer).positive.m.tolist()
    assert limit(TASK, longer).positive.A.tolist() == [1.0 / 16]
