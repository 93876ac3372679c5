"""Several signals seen through one query: a basis of what lies beside it, and mixtures of laws."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.models import ATTENTION, POOLED
from needlescope.theory.law.ladder import Level
from needlescope.theory.law.limits import sampled_limits, train_limit
from needlescope.theory.law.mixtures import orthogonal_parts

LEVEL = Level(2**9, 16)
TASK = ns.Task(L=6, R=2, theta=3.0, pi=0.4, signals=(0.2, 0.3, 0.5))
QUERY = ns.Query(1.5, cosines=(0.5, -0.3, 0.6))


@pytest.mark.parametrize("cosines", [(0.0, 0.0), (1.0, 0.0), (0.6, 0.8), (0.3, -0.2, 0.5)])
def test_what_lies_beside_the_query_has_the_right_products(cosines):
    rows = orthogonal_parts(cosines)
    expected = np.eye(len(cosines)) - np.outer(cosines, cosines)
    np.testing.assert_allclose(rows @ rows.T, expected, atol=1e-15)


def test_each_kind_has_the_law_of_one_signal_with_its_cosine():
    result = train_limit(ATTENTION, TASK, QUERY, LEVEL)
    single = TASK.replace(signals=None)
    start = 0
    for share, cosine in zip(TASK.signals, QUERY.cosines, strict=True):
        item = train_limit(ATTENTION, single, ns.Query(QUERY.kappa, cosine), LEVEL)
        here = slice(start, start + len(item.positive.A))
        start = here.stop
        np.testing.assert_array_equal(result.positive.m[here, 0], item.positive.m[:, 0])
        np.testing.assert_array_equal(result.positive.A[here], item.positive.A)
        np.testing.assert_array_equal(result.positive.weight[here], share * item.positive.weight)
        beside = np.linalg.norm(result.positive.m[here, 1:], axis=1)
        np.testing.assert_allclose(beside, np.abs(item.positive.m[:, 1]), rtol=1e-12)
    assert start == len(result.positive.A)


@pytest.mark.parametrize("model", [ATTENTION, POOLED])
def test_weights_add_up_and_every_part_has_as_many_directions(model):
    result = train_limit(model, TASK, QUERY, LEVEL)
    directions = TASK.kinds + model.has_query
    for nodes in (result.positive, result.negative, *(result.coarse or ())):
        assert nodes.m.shape == nodes.tau.shape == (len(nodes.A), directions)
        assert nodes.weight.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(nodes.replicas.sum(axis=1), 1.0)


def test_samples_are_mixed_as_their_compression_is():
    fine = train_limit(ATTENTION, TASK, QUERY, LEVEL).positive
    samples = [item.positive for item in sampled_limits(ATTENTION, TASK, QUERY, LEVEL)]
    mean = np.mean([sample.weight @ sample.m for sample in samples], axis=0)
    np.testing.assert_allclose(fine.weight @ fine.m, mean, rtol=1e-9, atol=1e-9)


def test_a_signal_that_never_comes_is_not_looked_for():
    left = TASK.replace(signals=(0.0, 0.5, 0.5))
    assert len(train_limit(ATTENTION, left, QUERY, LEVEL).positive.A) < len(
        train_limit(ATTENTION, TASK, QUERY, LEVEL).positive.A
    )
