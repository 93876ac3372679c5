"""One pass for all requests: answers are those of each alone, and threads change no bit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from needlescope.estimators.engine.batched_pass import answer_all
from needlescope.estimators.engine.computation import run
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.estimators.engine.requests import (
    CovarianceProduct,
    Features,
    ProjectionStatistics,
)
from needlescope.estimators.engine.threads import ONE_THREAD, Threads
from tests.estimators.engine.fits import CONFIGURATIONS, TRAINED, WEIGHT, D, N, begin, prepared


def fit_all(threads):
    rows = prepared()
    fits = [begin(FoldData(rows, WEIGHT), item) for item in CONFIGURATIONS]
    run(rows, fits, threads)
    return [fit.results for fit in fits]


def test_threads_do_not_change_a_bit(small_blocks):
    with ThreadPoolExecutor(3) as pool:
        pairs = zip(fit_all(ONE_THREAD), fit_all(Threads(pool, 3)), strict=True)
        for (item,), (other,) in pairs:
            for a, b in zip((*item.model, item.scores), (*other.model, other.scores), strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("factor", [1, 40])
def test_answers_are_those_of_each_request_alone(factor, small_blocks, monkeypatch):
    """Whatever else is in the pass; in long bags, mixtures are products of their own."""
    monkeypatch.setattr(
        "needlescope.estimators.engine.batched_pass.LONG_BAG", 1 if factor == 40 else 10**6
    )
    rng, rows = np.random.default_rng(0), prepared()
    fold = FoldData(rows, WEIGHT)
    requests = [
        item
        for _ in range(3)
        for item in (
            Features(fold, rng.standard_normal((2, D))),
            CovarianceProduct(fold, rng.standard_normal(D), rng.standard_normal(N)),
            ProjectionStatistics(fold, rng.standard_normal(D)),
        )
    ]
    together = answer_all(rows, requests, ONE_THREAD)
    for request, result in zip(requests, together, strict=True):
        (alone,) = answer_all(rows, [request], ONE_THREAD)
        np.testing.assert_allclose(result, alone, rtol=1e-9, atol=1e-12)


def test_bags_that_no_request_wants_are_left_out(small_blocks):
    """Statistics are those of training bags in every block that has any, and zero elsewhere."""
    order = np.argsort(~TRAINED, kind="stable")
    rows, weight = prepared(used=order), WEIGHT[order]
    direction = np.random.default_rng(0).standard_normal(D)
    fold = FoldData(rows, weight, fold_id=0)
    (every,) = answer_all(
        rows, [ProjectionStatistics(FoldData(rows, weight), direction)], ONE_THREAD
    )
    (own,) = answer_all(rows, [ProjectionStatistics(fold, direction)], ONE_THREAD)
    used = weight > 0.0
    np.testing.assert_array_equal(own[:, used], every[:, used])
    assert (own[:, -5:] == 0.0).all() and (every[:, -5:] != 0.0).any()
    both = [ProjectionStatistics(fold, direction), Features(fold, direction[None])]
    statistics, features = answer_all(rows, both, ONE_THREAD)
    np.testing.assert_allclose(statistics, own, atol=1e-12)
    assert np.isfinite(features).all() and (features[-5:] != 0.0).any()
