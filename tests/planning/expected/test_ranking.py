"""The AUC that the theory predicts, beside scores that are drawn one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import roc_auc_score

import needlescope as ns
from needlescope.planning.expected.ranking import auc

TASK = ns.Task(L=6, R=2, theta=3.0, pi=0.1)


def scores(found, kappa, cosine, count, positive, rng):
    """Draw scores by the law of features: the query sees g, the readout what it attends to."""
    v = np.zeros(TASK.L)
    v[: TASK.R] = positive
    g = rng.standard_normal((count, TASK.L))
    a = softmax(kappa * (g + TASK.theta * cosine * v), axis=1)
    along = TASK.theta * cosine * (a @ v) + (a * g).sum(axis=1)
    beside = TASK.theta * np.sqrt(1.0 - cosine**2) * (a @ v)
    size = np.linalg.norm(a, axis=1) * np.hypot(found.signal_part, found.rest)
    mean = found.query_part * along + found.signal_part * beside
    return mean + size * rng.standard_normal(count)


@pytest.mark.parametrize(("kappa", "cosine"), [(0.5, 0.4), (3.0, 0.8)])
def test_attention_ranks_as_drawn_scores_do(kappa, cosine):
    training = ns.Training(alpha1=2.0, ridge=0.1)
    query = ns.Query(kappa, cosine)
    result = ns.predict(TASK, training, query=query, tol=2e-3)
    rng, count = np.random.default_rng(0), 20_000
    drawn = [scores(result, kappa, cosine, count, positive, rng) for positive in (0.0, 1.0)]
    seen = roc_auc_score(np.repeat([0, 1], count), np.concatenate(drawn))
    assert abs(auc(TASK, result) - seen) < 3.5 * np.sqrt(seen * (1.0 - seen) / count) + 2e-3
    rare = ns.predict(TASK, training, query=query, test_task=TASK.replace(pi=0.5), tol=2e-3)
    assert auc(TASK, rare) == auc(TASK, result)
