"""Is attention worth it?"""

from __future__ import annotations

import numpy as np

import needlescope as ns


def test_attention_is_worth_it_for_a_needle():
    found = ns.compare(ns.Task(L=10, R=1, theta=5.0, pi=0.5), 400, 100)
    assert found.winner == "attention" and 0.2 < found.margin < 0.25
    assert found.bayes < found.bayes_optimal < found.attention < found.pooled < found.vectorized
    assert 10 < found.flip_n < 100 and 0.1 < found.flip_cosine < 0.5
    assert found.verdict.startswith("Attention is worth it: mean pooling errs 0.26, attention 0.0")
    assert "it would lose below" in found.verdict


def test_it_is_not_where_all_tokens_carry_the_signal():
    found = ns.compare(ns.Task(L=5, R=5, theta=1.5, pi=0.5), 4.0)
    assert found.winner == "pooled"
    assert found.verdict.startswith("Attention is not worth it")
    assert abs(found.attention - found.pooled) < 2e-3 or np.isfinite(found.flip_n)


def test_a_budget_without_a_dimension_is_bags_for_each():
    """At 77 and 400 there is no flip, which once was a TypeError."""
    task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    found = ns.compare(task, 77.0)
    assert found.winner == "attention" and np.isnan(found.flip_n)
    assert "it would lose below a cosine of 0." in found.verdict


def test_a_flip_is_on_the_side_that_the_verdict_says():
    found = ns.compare(ns.Task(L=3, R=2, theta=2.0, pi=0.5), 2.0)
    assert found.winner == "pooled" and found.flip_n > 2.0
    assert f"it would win beyond {found.flip_n:.3g} bags for each dimension" in found.verdict
