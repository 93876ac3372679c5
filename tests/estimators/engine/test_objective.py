"""Losses and gradients of many models in one pass: of training bags, and scores of others."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.candidates.attention import _AttentionLoss
from needlescope.estimators.engine.batched_pass import answer_all
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.estimators.engine.threads import ONE_THREAD
from needlescope.losses import get_loss
from needlescope.models.gradient import State, attention_scores
from tests.estimators.engine.fits import TRAINED, WEIGHT, D, prepared

STATE = State(np.linspace(-1.0, 1.0, D)[None], np.linspace(2.0, 1.0, D)[None], 0.3)
LOSS = get_loss("logistic")


@pytest.fixture
def data(small_blocks):
    """Bags with the held-out ones last, in several blocks."""
    return prepared(used=np.argsort(~TRAINED, kind="stable"))


def fold(data, **more):
    return FoldData(data, WEIGHT[data.used], **more)


def test_held_out_bags_are_scored_if_asked(data):
    own_bags = fold(data, fold_id="own")
    held = own_bags.weight == 0.0
    wanted = attention_scores(data, STATE, 1.0)
    requests = [
        _AttentionLoss(own_bags, LOSS, STATE, **whom)
        for whom in ({}, {"all": True}, {"held_out": True})
    ]
    own, everyone, others = answer_all(data, requests, ONE_THREAD)
    np.testing.assert_allclose(own.scores[~held], wanted[~held])
    np.testing.assert_allclose(everyone.scores, wanted)
    np.testing.assert_allclose(others[held], wanted[held])
    np.testing.assert_allclose(own.gradient, everyone.gradient, atol=1e-12)


def test_the_loss_is_of_training_bags_alone(data):
    own = fold(data)
    (result,) = answer_all(data, [_AttentionLoss(own, LOSS, STATE)], ONE_THREAD)
    scores = attention_scores(data, STATE, 1.0)
    np.testing.assert_allclose(result.scores, scores)
    assert result.loss == pytest.approx(own.weight @ LOSS.value(scores, data.y))
    assert result.gradient[-1] == pytest.approx(own.weight @ LOSS.derivative(scores, data.y))


def test_requests_for_other_bags_or_by_another_loss_are_other_batches(data):
    own = fold(data, fold_id=0)
    kind = _AttentionLoss(own, LOSS, STATE).kind
    assert kind == _AttentionLoss(fold(data, fold_id=0), LOSS, STATE._replace(b=1.0)).kind
    others = [
        _AttentionLoss(fold(data, fold_id=1), LOSS, STATE),
        _AttentionLoss(own, get_loss("square"), STATE),
        _AttentionLoss(own, LOSS, STATE, all=True),
        _AttentionLoss(own, LOSS, STATE, held_out=True),
    ]
    assert len({kind, *(item.kind for item in others)}) == 5
