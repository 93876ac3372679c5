"""The best readout of a known law, against tokens drawn in the span of the signals."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.models import ATTENTION
from needlescope.models.segments import softmax
from needlescope.theory.law.ladder import Level
from needlescope.theory.law.limits import sampled_limits
from needlescope.theory.law.mixtures import mean_law, orthogonal_parts
from needlescope.theory.oracle.best_readout import best_readout

TASK = ns.Task(L=12, R=2, theta=3.5, pi=0.3, signals=(0.3, 0.7))
QUERY = ns.Query(1.2, cosines=(0.6, 0.8))


def law():
    return mean_law(
        [item.law(TASK.pi) for item in sampled_limits(ATTENTION, TASK, QUERY, Level(2**9, 16))]
    )


def test_its_error_is_that_of_a_classifier_of_tokens():
    result, n, rng = best_readout(law()), 200_000, np.random.default_rng(3)
    cosines = np.array(QUERY.cosines)
    w = np.column_stack([cosines, orthogonal_parts(QUERY.cosines)]) @ result.mu  # ⟨w, ξ_k⟩
    y = np.where(rng.random(n) < TASK.pi, 1.0, -1.0)
    X = rng.standard_normal((n, TASK.L, 2))  # tokens along the two signals; w and q lie there
    kind = rng.choice(2, n, p=TASK.signals)
    X[:, : TASK.R] += (TASK.theta * (y > 0.0)[:, None] * np.eye(2)[kind])[:, None]
    a = softmax(QUERY.kappa * (X @ cosines), 1)
    wrong = y * (np.einsum("nl,nlk,k->n", a, X, w) + result.b) <= 0.0
    assert abs(wrong.mean() - result.error) < 4.0 * np.sqrt(result.error / n) + 1e-3


def test_no_other_readout_is_better():
    result, rng, item = best_readout(law()), np.random.default_rng(4), law()
    for _ in range(40):
        mu = result.mu + 0.2 * rng.standard_normal(3)
        other = result._replace(mu=mu, b=result.b + 0.2 * rng.standard_normal())
        assert other.on(item) > result.error
    assert result.on(item) == pytest.approx(result.error, rel=1e-12)


@pytest.mark.parametrize(("pi", "expected"), [(0.01, 0.01), (0.99, 0.01)])
def test_where_nothing_can_be_seen_one_answer_serves_all(pi, expected):
    task = TASK.replace(theta=0.1, pi=pi)
    laws = [item.law(pi) for item in sampled_limits(ATTENTION, task, QUERY, Level(2**7, 16))]
    assert best_readout(mean_law(laws)).error == pytest.approx(expected, abs=1e-12)
