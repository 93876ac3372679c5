"""Affine maps: one table of all bags is to a fold what a table of its own is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from needlescope.estimators.bags.preprocessing import Preprocessor
from needlescope.estimators.bags.scaling import Scaling, fit_scaling
from needlescope.estimators.candidates.attention import Attention
from needlescope.estimators.engine.affine import AffineMap
from needlescope.estimators.engine.bag_statistics import summaries
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import attention_scores
from tests.estimators.engine.fits import (
    BAGS,
    CONFIGURATIONS,
    TRAINED,
    WEIGHT,
    D,
    fitted,
    prepared,
    same,
)


def with_splits():
    """Go through the candidates, those of attention with each split of the bags."""
    for item in CONFIGURATIONS:
        attends = isinstance(item.candidate, Attention)
        for split in ("reuse", "split", "crossfit") if attends else ("reuse",):
            candidate = replace(item.candidate, split=split) if attends else item.candidate
            yield pytest.param(item._replace(candidate=candidate), id=f"{candidate.words}, {split}")


def means(scaling):
    return np.stack([scaling.apply(bag).mean(axis=0) for bag in BAGS])


@pytest.mark.parametrize("item", list(with_splits()))
def test_bags_of_no_weight_are_scored_and_not_trained_on(item):
    """One table of all bags, through an affine map, is to a fold what a table of its own is."""
    known = np.flatnonzero(TRAINED)
    scaling = fit_scaling(BAGS, known, WEIGHT[known], 0.3)
    kept = Scaling(np.full(D, 0.7), np.full(D, 0.4))
    rows, own = prepared(Preprocessor(kept)), prepared(Preprocessor(scaling), known)
    view = AffineMap.between(kept, scaling)
    result = fitted(FoldData(rows, WEIGHT, view, means(scaling)), item)
    wanted = fitted(FoldData(own, WEIGHT[known]), item)
    same(result._replace(scores=result.scores[known]), wanted, rtol=1e-5)
    whole = prepared(Preprocessor(scaling))
    np.testing.assert_allclose(result.scores, result.model.scores(whole), atol=1e-6)
    if item.candidate.pooling != "log_mean_exp":
        np.testing.assert_allclose(
            result.scores, attention_scores(whole, result.model, 1.0), atol=1e-6
        )


@pytest.mark.parametrize("whitened", [False, True])
def test_what_is_known_before_the_map_is_known_after_it(whitened):
    rng = np.random.default_rng(0)
    scale = rng.standard_normal((D, D)) if whitened else rng.uniform(0.5, 2.0, D)
    view = AffineMap(rng.standard_normal(D), scale)
    x, c, v = (
        rng.standard_normal((20, D)),
        rng.standard_normal((3, 20)),
        rng.standard_normal((2, D)),
    )
    seen = view.apply(x)
    directions, offsets = view.directions(v)
    np.testing.assert_allclose(x @ directions.T + offsets, seen @ v.T, atol=1e-12)
    np.testing.assert_allclose(view.sums(c @ x, c.sum(axis=1)), c @ seen, atol=1e-12)
    np.testing.assert_allclose(view.covariance(np.cov(x.T)), np.cov(seen.T), atol=1e-12)


def test_summaries_through_an_affine_map():
    X, y = np.random.default_rng(0).standard_normal((6, 8, 3)), np.tile([-1.0, 1.0], 3)
    X[y > 0.0, :, 1] *= 2.5
    scale, data = np.array([0.5, 2.0, 3.0]), Arrays(X, y)
    view = AffineMap(np.array([1.0, 0.0, -1.0]), scale)
    seen = Arrays(view.apply(X.reshape(-1, 3)).reshape(X.shape), y)
    np.testing.assert_allclose(view.summaries(summaries(data)), summaries(seen), atol=1e-12)
    turned = AffineMap(
        view.centre, np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    )
    seen = Arrays(turned.apply(X.reshape(-1, 3)).reshape(X.shape), y)
    np.testing.assert_allclose(summaries(data, turned.apply), summaries(seen), atol=1e-12)
