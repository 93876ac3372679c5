"""crossover: where attention equals pooling, and where it never does."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns

TASK = ns.Task(L=8, R=2, theta=3.0, pi=0.3)


def test_attention_equals_pooling_at_the_crossover():
    result = ns.crossover(TASK, kappa=1.0, tol=1e-3)
    assert result.verdict == "crosses"
    pooled = ns.asymptote(TASK, "pooled").limit
    for shift, sign in ((-0.05, -1.0), (0.05, 1.0)):
        query = ns.Query(1.0, result.cosine + shift)
        gain = pooled - ns.asymptote(TASK, "attention", query=query, tol=1e-3).limit
        assert np.sign(gain) == sign


def test_attention_never_wins_where_every_token_carries_the_signal():
    result = ns.crossover(ns.Task(5, 5, 2.0, 0.5), kappa=1.0, tol=1e-3)
    assert result.verdict == "never"
    assert np.isnan(result.cosine)


def test_crossover_after_a_given_training():
    training = ns.Training(2.0, 0.5)  # too few data for the limit to be near
    result = ns.crossover(TASK, 1.0, training=training, tol=2e-3)
    assert result.verdict == "crosses"
    pooled = ns.predict(TASK, training, "pooled").test_error
    for shift, sign in ((-0.05, -1.0), (0.05, 1.0)):
        query = ns.Query(1.0, result.cosine + shift)
        gain = pooled - ns.predict(TASK, training, query=query, tol=2e-3).test_error
        assert np.sign(gain) == sign


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kappa", [0.5, 3.0, np.inf])
def test_the_crossing_is_where_the_gain_changes_sign_at_the_accuracy_asked(kappa):
    """The scan is rough, the result is not: the gain at the crossing is zero within its error."""
    result = ns.crossover(TASK, kappa, tol=2e-4)
    pooled = ns.asymptote(TASK, "pooled").limit
    query = ns.Query(kappa, result.cosine)
    at_root = ns.asymptote(TASK, query=query, tol=2e-4)
    assert result.verdict == "crosses"
    assert abs(pooled - at_root.limit) < 1e-5  # the search ends within 1e-4 of the alignment
    full = ns.asymptote(TASK, query=ns.Query(kappa, 1.0), tol=2e-4)
    assert result.gain == pytest.approx(pooled - full.limit, abs=1e-12)


def test_tiny_errors_are_compared_too():
    """Pooling's is 1.3e-10 there, attention's nothing at all."""
    result = ns.crossover(ns.Task(L=10, R=1, theta=40.0, pi=0.5), 1.0, tol=1e-3)
    assert result.verdict == "crosses" and result.gain > 1e-10
