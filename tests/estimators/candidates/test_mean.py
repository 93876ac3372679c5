"""Mean pooling: a readout of mean instances, known without a pass."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.candidates.mean import Mean
from needlescope.estimators.candidates.registry import offered
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.candidates.shared.search_space import SearchSpec
from needlescope.estimators.engine.computation import compute
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays
from needlescope.solvers.minimise import minimise
from tests.estimators.draws import needles

X, Y = needles(n=40)


@pytest.mark.parametrize("n_queries", [1, 3])
def test_the_readout_is_of_the_means_and_of_several_queries_the_first_has_it(n_queries):
    data, candidate = Arrays(X, 2.0 * Y - 1.0), Mean(n_queries=n_queries)
    fold = FoldData(data, np.full(40, 1 / 40))
    listed = [Configuration(candidate, ridge) for ridge in (1.0, 0.01)]
    fit = candidate.fit(fold, listed, get_loss("logistic"), None)
    assert fit.ask() is None  # there is nothing to wait for
    compute(data, fit)
    for item, (model, scores) in zip(listed, fit.results, strict=True):
        wanted = minimise(X.mean(axis=1), data.y, "logistic", item.ridge)
        assert model.q.shape == model.w.shape == (n_queries, 4)
        assert not model.q.any() and not model.w[1:].any()
        np.testing.assert_allclose(model.w[0], wanted.w, rtol=1e-2, atol=1e-4)
        np.testing.assert_allclose(scores, X.mean(axis=1) @ model.w[0] + model.b)
        np.testing.assert_allclose(model.scores(data), scores)


def test_one_mean_is_offered_with_as_many_queries_as_asked_for():
    for n_queries, count in ((1, 1), (5, 5), ("auto", 1)):
        ((item, _),) = offered(SearchSpec(pooling="mean", n_queries=n_queries), 10)
        assert item == Mean(n_queries=count) and not item.attends
