"""Readouts and the model of attention: what instances add, the first bias, and features."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.candidates.shared.readout import (
    AttentionModel,
    attention_features,
    best_bias,
    readouts,
)
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import attention_scores
from needlescope.models.segments import Even, Ragged
from needlescope.solvers.minimise import minimise

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((60, 3))
SHAPES = [Even(6), Ragged.at(np.array([0, 1, 3, 20, 60]))]


@pytest.mark.parametrize("segments", SHAPES, ids=["even", "ragged"])
@pytest.mark.parametrize("size", [0.0, 1e-9, 1.0, 30.0, 1e4])
def test_contributions_add_up(segments, size):
    q = size * RNG.standard_normal((2, 3))
    model = AttentionModel(q, RNG.standard_normal((2, 3)), 0.4)
    each, score = model.contributions(ROWS, segments)
    assert np.isfinite(each).all()
    np.testing.assert_allclose(segments.sum(each), score, rtol=1e-9, atol=1e-9)


def test_the_first_bias_is_the_odds_by_weight():
    y = np.array([1.0, -1.0, -1.0])
    bias = best_bias(y, np.array([0.6, 0.3, 0.1]), get_loss("logistic"))
    assert bias == pytest.approx(np.log(0.6 / 0.4), rel=1e-6)


def test_scores_are_readouts_of_the_features():
    data = Arrays(ROWS.reshape(10, 6, 3), np.tile([-1.0, 1.0], 5))
    model = AttentionModel(RNG.standard_normal((2, 3)), RNG.standard_normal((2, 3)), 0.4)
    F = attention_features(data, model)
    assert F.shape == (10, 6)
    np.testing.assert_allclose(model.scores(data), F @ model.w.ravel() + 0.4)
    np.testing.assert_allclose(model.scores(data), attention_scores(data, model, 1.0))
    np.testing.assert_allclose(model.contributions(ROWS, Even(6))[1], model.scores(data))


def test_readouts_are_the_least_points_of_the_loss_for_each_ridge():
    F, y, weight = RNG.standard_normal((40, 6)), np.tile([-1.0, 1.0], 20), RNG.random(40)
    weight /= weight.sum()
    queries, ridges = RNG.standard_normal((2, 3)), [1.0, 0.1, 0.01]
    for ridge, (model, scores) in zip(
        ridges, readouts(F, y, queries, get_loss("logistic"), ridges, weight), strict=True
    ):
        wanted = minimise(F, y, "logistic", ridge, weight)
        np.testing.assert_allclose(model.w.ravel(), wanted.w, rtol=1e-2, atol=1e-3)
        np.testing.assert_allclose(scores, F @ model.w.ravel() + model.b)
        assert model.q is queries and model.w.shape == queries.shape
