"""Slopes of many models at once: those that the stages of training find one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from needlescope.estimators import Bags
from needlescope.estimators.bags.preprocessing import Preprocessor
from needlescope.estimators.bags.scaling import no_scaling
from needlescope.estimators.fitting.lockstep.conductor import alone
from needlescope.estimators.fitting.lockstep.sight import Sight
from needlescope.estimators.fitting.prepared import Prepared
from needlescope.estimators.fitting.ways.slopes import (
    AttentionSlope,
    EvidenceSlope,
)
from needlescope.losses import get_loss
from needlescope.models.gradient import State, attention_scores, gradient, pack, unpack

RNG = np.random.default_rng(0)
D = 4
BAGS = Bags.from_list([RNG.standard_normal((k, D)) for k in RNG.integers(1, 12, 30)])
Y = np.where(np.arange(30) % 3 == 0, 1.0, -1.0)
WEIGHT = np.where(np.arange(30) < 20, RNG.random(30), 0.0)
WEIGHT /= WEIGHT.sum()


def rows():
    return Prepared(BAGS, np.arange(30), Y, Preprocessor(no_scaling(D)), border=20)


def states():
    for heads in (1, 3, 2):
        yield State(RNG.standard_normal((heads, D)), RNG.standard_normal((heads, D)), 0.3 * heads)
    yield State(np.zeros((2, D)), np.zeros((2, D)), -1.0)


@pytest.mark.parametrize("loss", ["logistic", "square", "squared_hinge"])
def test_attention_has_the_slopes_of_the_stages(loss):
    data, goal, listed = rows(), get_loss(loss), list(states())
    sight = Sight(data, WEIGHT)

    def asks():
        return (yield [AttentionSlope(sight, goal, state) for state in listed])

    for state, result in zip(listed, alone(data, asks()), strict=True):
        wanted = gradient(data, state, goal, 1.0, weight=WEIGHT)
        assert result.loss == pytest.approx(wanted.loss)
        slope = pack(State(wanted.q, wanted.w, wanted.b))
        np.testing.assert_allclose(result.gradient, slope, atol=1e-12)
        np.testing.assert_allclose(result.scores, attention_scores(data, state, 1.0))
        again = unpack(pack(state), state.q.shape)
        np.testing.assert_array_equal(again.w, state.w)


@pytest.mark.parametrize("size", [1.0, 1e3, 1e6])
def test_evidence_is_the_log_of_the_mean_odds_at_any_size(size):
    data, q = rows(), size * RNG.standard_normal(D)

    def asks():
        return (yield [EvidenceSlope(Sight(data, WEIGHT), get_loss("logistic"), q, 0.5)])

    (result,) = alone(data, asks())
    wanted = [logsumexp(bag @ q) - np.log(len(bag)) + 0.5 for bag in BAGS]
    np.testing.assert_allclose(result.scores, wanted, rtol=1e-9)
    assert np.isfinite(result.gradient).all()


def test_evidence_for_the_negative_class_falls_with_its_odds():
    """Beside that for the other, in the same pass; its gradient is that of its loss."""
    data, q, loss = rows(), RNG.standard_normal(D), get_loss("logistic")
    sight, step = Sight(data, WEIGHT), 1e-5 * RNG.standard_normal(D)

    def asks():
        both = [EvidenceSlope(sight, loss, q, 0.5, sign) for sign in (1.0, -1.0)]
        return (
            yield [*both, *(EvidenceSlope(sight, loss, q + k * step, 0.5, -1.0) for k in (-1, 1))]
        )

    plain, against, before, after = alone(data, asks())
    np.testing.assert_allclose(against.scores - 0.5, 0.5 - plain.scores, atol=1e-12)
    assert after.loss - before.loss == pytest.approx(2.0 * against.gradient[:-1] @ step, rel=1e-5)


def test_bags_held_out_are_scored_if_asked():
    data, state, loss = rows(), next(states()), get_loss("logistic")
    sight, held = Sight(data, WEIGHT, training="own"), WEIGHT == 0.0
    wanted = attention_scores(data, state, 1.0)

    def asks():
        return (
            yield [
                AttentionSlope(sight, loss, state, **whom)
                for whom in ({}, {"all": True}, {"held": True})
            ]
        )

    own, everyone, others = alone(data, asks())
    np.testing.assert_allclose(own.scores[~held], wanted[~held])
    np.testing.assert_allclose(everyone.scores, wanted)
    np.testing.assert_allclose(others[held], wanted[held])
    np.testing.assert_allclose(own.gradient, everyone.gradient, atol=1e-12)
