"""Evidence: the log of the mean odds, its slope, and what it makes of the theory's own bags."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import logsumexp

from needlescope.estimators.fitting.descent import Descent
from needlescope.estimators.fitting.families import LogMeanExpPaths
from needlescope.estimators.fitting.lockstep.conductor import alone
from needlescope.estimators.fitting.lockstep.sight import Sight
from needlescope.estimators.fitting.settings import Setting
from needlescope.estimators.fitting.steps import Scored
from needlescope.estimators.fitting.ways import evidence
from needlescope.estimators.fitting.ways.evidence import LogMeanExp
from needlescope.estimators.fitting.ways.slopes import walk
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays
from needlescope.models.segments import Even, Ragged

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((30, 7, 4)), np.where(np.arange(30) % 3 == 0, 1.0, -1.0)
WEIGHT = RNG.random(30)
WEIGHT /= WEIGHT.sum()


def test_it_is_the_log_of_the_mean_odds():
    q = RNG.standard_normal(4)
    result = evidence.scores(Arrays(X, Y), LogMeanExp(q[None], 0.3))
    np.testing.assert_allclose(result, logsumexp(X @ q, axis=1) - np.log(7) + 0.3)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3, 1e6])
def test_no_size_overflows(size):
    q = size * RNG.standard_normal(4)
    rows, starts = X.reshape(-1, 4), np.array([0, 1, 5, 210])
    a, result = evidence.look(rows, Ragged.at(starts), q)
    wanted = [logsumexp(rows[i:j] @ q) - np.log(j - i) for i, j in itertools.pairwise(starts)]
    np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-9)
    assert np.isfinite(a).all()


def test_no_instance_lowers_it_below_one_that_says_nothing():
    """Whatever replaces an instance of odds zero raises the evidence, or leaves it."""
    q = np.array([1.0, -2.0, 0.5, 0.0])
    item = X[:1].copy()
    item[0, 3] = -1e3 * q  # says nothing: odds e^{−5250}
    least = evidence.look(item[0], Even(7), q)[1][0]
    for instance in RNG.standard_normal((200, 4)) * 5.0:
        item[0, 3] = instance
        assert evidence.look(item[0], Even(7), q)[1][0] >= least


def slope(loss, at, ridge=0.3):
    """The objective of (q, b) and its gradient, as a descent is told of them."""
    data, down = Arrays(X, Y), Descent(at)
    sight = Sight(data, WEIGHT)
    ask = LogMeanExpPaths(sight, Setting(0.0, 0.0, pooling="log_mean_exp"), get_loss(loss)).ask
    alone(data, walk(down, lambda at, everyone: ask(at, all=everyone), ridge, [0]))
    return down.path[0]


@pytest.mark.parametrize("loss", ["logistic", "square", "squared_hinge"])
def test_slope(loss):
    at = RNG.standard_normal(5)
    error = check_grad(lambda x: slope(loss, x).value, lambda x: slope(loss, x).slope, at)
    assert error < 1e-5


def test_the_bias_is_where_slopes_balance():
    data, loss, q = Arrays(X, Y), get_loss("logistic"), RNG.standard_normal(4)
    model, scores = alone(data, evidence.balanced(Sight(data, WEIGHT), q, loss))
    np.testing.assert_allclose(scores, evidence.scores(data, model))
    assert abs(WEIGHT @ loss.derivative(scores, Y)) < 1e-9


def test_refining_lowers_the_loss_and_says_the_way():
    data, loss, way = (
        Arrays(X, Y),
        get_loss("logistic"),
        Setting(0.0, 0.1, 20, pooling="log_mean_exp"),
    )
    sight = Sight(data, WEIGHT)
    first, _ = alone(data, evidence.balanced(sight, RNG.standard_normal(4), loss))
    votes = LogMeanExpPaths(sight, way.candidate, loss)
    votes.start(0.1, Scored(first, evidence.scores(data, first)))
    (last,) = alone(data, votes.train([way]))
    path = votes.paths[0.1].path
    assert (np.diff([point.value for point in path]) < 0.0).all() and len(path) > 5
    np.testing.assert_allclose(path[0].at[:-1], first.q[0])
    np.testing.assert_allclose(last.scores, evidence.scores(data, last.model))
