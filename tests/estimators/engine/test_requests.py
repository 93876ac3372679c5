"""Requests: what a pass computes, against formulas."""

from __future__ import annotations

import numpy as np

from needlescope.estimators.engine.batched_pass import answer_all
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.estimators.engine.requests import (
    CovarianceProduct,
    Features,
    ProjectionStatistics,
)
from needlescope.estimators.engine.threads import ONE_THREAD
from needlescope.models.blocks import Arrays

RNG = np.random.default_rng(0)
N, D = 40, 5
Y, WEIGHT = np.where(np.arange(N) % 2 == 0, 1.0, -1.0), np.full(N, 1.0 / N)


def test_each_request_against_its_formula():
    X = RNG.standard_normal((N, 7, D))
    rows = Arrays(X, Y)
    fold, direction, share = FoldData(rows, WEIGHT), RNG.standard_normal(D), RNG.standard_normal(N)
    requests = [
        CovarianceProduct(fold, direction, share),
        ProjectionStatistics(fold, direction),
        Features(fold, np.stack([direction, 0.0 * direction])),
    ]
    product, statistics, features = answer_all(rows, requests, ONE_THREAD)
    centred = X - X.mean(axis=1, keepdims=True)
    wanted = np.einsum("n,nld,nle,e->d", share / 7.0, centred, centred, direction)
    np.testing.assert_allclose(product, wanted)
    seen = X @ direction
    parts = (seen.mean(axis=1), (seen**2).mean(axis=1), seen.max(axis=1), seen.min(axis=1))
    np.testing.assert_allclose(statistics, np.stack(parts))
    a = np.exp(seen) / np.exp(seen).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(features[:, 0], np.einsum("nl,nld->nd", a, X))
    np.testing.assert_allclose(features[:, 1], X.mean(axis=1))


def test_requests_of_one_kind_and_fold_are_one_batch():
    rows = Arrays(RNG.standard_normal((N, 2, D)), Y)
    one, other = FoldData(rows, WEIGHT, fold_id=0), FoldData(rows, WEIGHT, fold_id=1)
    v = np.ones(D)
    kind = ProjectionStatistics(one, v).kind
    assert kind == ProjectionStatistics(one.part(np.arange(9)), 2.0 * v).kind
    assert kind != ProjectionStatistics(other, v).kind
    assert kind != Features(one, v[None]).kind
