"""Log-mean-exp pooling: the log of the mean odds, its gradient, and what instances add to it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import logsumexp

from needlescope.estimators import Bags
from needlescope.estimators.bags.preprocessing import Preprocessor
from needlescope.estimators.bags.scaling import no_scaling
from needlescope.estimators.candidates.log_mean_exp import (
    LogMeanExp,
    LogMeanExpModel,
    _InitialModels,
    _LogMeanExpLoss,
    _LogMeanExpPaths,
    log_mean_exp,
)
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.candidates.shared.refined import RefinedFit, _Refinement
from needlescope.estimators.engine.batched_pass import answer_all
from needlescope.estimators.engine.computation import compute
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.estimators.engine.prepared import PreparedBags
from needlescope.estimators.engine.threads import ONE_THREAD
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays
from needlescope.models.segments import Even, Ragged
from needlescope.solvers.minimise import minimise_path
from needlescope.solvers.smooth.lbfgs import LBFGS
from tests.estimators.candidates.known_query import KnownQuery

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((30, 7, 4)), np.where(np.arange(30) % 3 == 0, 1.0, -1.0)
WEIGHT = RNG.random(30)
WEIGHT /= WEIGHT.sum()
D = 4
BAGS = Bags.from_list([RNG.standard_normal((k, D)) for k in RNG.integers(1, 12, 30)])
TRAINED = np.where(np.arange(30) < 20, RNG.random(30), 0.0)
TRAINED /= TRAINED.sum()
ROWS = RNG.standard_normal((60, 3))
SHAPES = [Even(6), Ragged.at(np.array([0, 1, 3, 20, 60]))]


def uneven():
    """Return bags of several sizes, those held out last."""
    return PreparedBags(BAGS, np.arange(30), Y, Preprocessor(no_scaling(D)), border=20)


def test_it_is_the_log_of_the_mean_odds():
    q = RNG.standard_normal(4)
    result = LogMeanExpModel(q[None], 0.3).scores(Arrays(X, Y))
    np.testing.assert_allclose(result, logsumexp(X @ q, axis=1) - np.log(7) + 0.3)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3, 1e6])
def test_no_size_overflows(size):
    q = size * RNG.standard_normal(4)
    rows, starts = X.reshape(-1, 4), np.array([0, 1, 5, 210])
    a, result = log_mean_exp(rows, Ragged.at(starts), q)
    wanted = [logsumexp(rows[i:j] @ q) - np.log(j - i) for i, j in itertools.pairwise(starts)]
    np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-9)
    assert np.isfinite(a).all()


def test_no_instance_lowers_it_below_one_of_no_odds():
    """Whatever replaces an instance of odds zero raises the score, or leaves it."""
    q = np.array([1.0, -2.0, 0.5, 0.0])
    item = X[:1].copy()
    item[0, 3] = -1e3 * q  # odds e^{−5250}
    least = log_mean_exp(item[0], Even(7), q)[1][0]
    for instance in RNG.standard_normal((200, 4)) * 5.0:
        item[0, 3] = instance
        assert log_mean_exp(item[0], Even(7), q)[1][0] >= least


def objective(loss, at, ridge=0.3):
    """The objective of (q, b) and its gradient, as a minimisation is told of them."""
    data, minimisation = Arrays(X, Y), LBFGS(at)
    paths = _LogMeanExpPaths(FoldData(data, WEIGHT), get_loss(loss), LogMeanExp())
    paths.paths[ridge] = minimisation
    compute(data, _Refinement(paths, ridge, [0]))
    return minimisation.path[0]


@pytest.mark.parametrize("loss", ["logistic", "square", "squared_hinge"])
def test_gradient(loss):
    at = RNG.standard_normal(5)
    error = check_grad(
        lambda x: objective(loss, x).value, lambda x: objective(loss, x).gradient, at
    )
    assert error < 1e-5


def begun(q, ridges, loss):
    """Return the paths of a fold, and initial models from a query that is known."""
    paths = _LogMeanExpPaths(FoldData(Arrays(X, Y), WEIGHT), loss, LogMeanExp())
    initial = _InitialModels(paths, ridges)
    initial.required = [KnownQuery(q)]
    return paths, initial


def test_the_bias_is_where_slopes_balance():
    data, loss, q = Arrays(X, Y), get_loss("logistic"), RNG.standard_normal(4)
    _, initial = begun(q, [0.1], loss)
    compute(data, initial)
    ((model, scores),) = initial.results
    np.testing.assert_allclose(model.q[0], q)
    np.testing.assert_allclose(scores, model.scores(data))
    assert abs(WEIGHT @ loss.derivative(scores, Y)) < 1e-9


def test_refining_lowers_the_loss_and_keeps_the_path():
    data, loss, q = Arrays(X, Y), get_loss("logistic"), RNG.standard_normal(4)
    paths, initial = begun(q, [0.1], loss)
    fit = RefinedFit(paths, initial, [Configuration(LogMeanExp(), 0.1, 20)])
    compute(data, fit)
    (last,) = fit.results
    path = paths.paths[0.1].path
    assert (np.diff([point.value for point in path]) < 0.0).all() and len(path) > 5
    np.testing.assert_allclose(path[0].at[:-1], q)
    np.testing.assert_allclose(last.scores, last.model.scores(data))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_readout_of_the_mean_is_an_initial_query_of_each_ridge(sign):
    """Towards the class that has the signal; the readout of instances is the same for both."""
    data, ridges, loss = Arrays(X, Y), [1.0, 0.1], get_loss("logistic")
    candidate = LogMeanExp(init="mean", in_negatives=sign < 0.0)
    listed = [Configuration(candidate, ridge) for ridge in ridges]
    fit = candidate.fit(FoldData(data, WEIGHT), listed, loss, None)
    compute(data, fit)
    wanted = minimise_path(X.mean(axis=1), Y, loss, ridges, WEIGHT, tolerance=1e-4)
    for (model, scores), mean in zip(fit.results, wanted, strict=True):
        np.testing.assert_allclose(model.w[0], mean.w, rtol=1e-2, atol=1e-4)
        np.testing.assert_array_equal(model.q, sign * model.w)
        np.testing.assert_allclose(scores, model.scores(data))
        assert abs(WEIGHT @ loss.derivative(scores, Y)) < 1e-9


@pytest.mark.parametrize("size", [1.0, 1e3, 1e6])
def test_scores_of_a_pass_are_the_log_of_the_mean_odds_at_any_size(size):
    data, q = uneven(), size * RNG.standard_normal(D)
    request = _LogMeanExpLoss(FoldData(data, TRAINED), get_loss("logistic"), q, 0.5)
    (result,) = answer_all(data, [request], ONE_THREAD)
    wanted = [logsumexp(bag @ q) - np.log(len(bag)) + 0.5 for bag in BAGS]
    np.testing.assert_allclose(result.scores, wanted, rtol=1e-9)
    assert np.isfinite(result.gradient).all()


def test_scores_for_the_negative_class_fall_with_its_odds():
    """Those for the other are of the same pass; its gradient is that of its loss."""
    data, q, loss = uneven(), RNG.standard_normal(D), get_loss("logistic")
    fold, step = FoldData(data, TRAINED), 1e-5 * RNG.standard_normal(D)
    both = [_LogMeanExpLoss(fold, loss, q, 0.5, sign) for sign in (1.0, -1.0)]
    near = [_LogMeanExpLoss(fold, loss, q + k * step, 0.5, -1.0) for k in (-1, 1)]
    plain, against, before, after = answer_all(data, [*both, *near], ONE_THREAD)
    np.testing.assert_allclose(against.scores - 0.5, 0.5 - plain.scores, atol=1e-12)
    assert after.loss - before.loss == pytest.approx(2.0 * against.gradient[:-1] @ step, rel=1e-5)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("segments", SHAPES, ids=["even", "ragged"])
@pytest.mark.parametrize("size", [0.0, 1e-9, 1.0, 30.0, 1e4])
def test_contributions_add_up(segments, size, sign):
    q = size * RNG.standard_normal((2, 3))
    each, score = LogMeanExpModel(q[:1], -0.7, sign).contributions(ROWS, segments)
    assert np.isfinite(each).all()
    np.testing.assert_allclose(segments.sum(each), score, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shift", [-50.0, -3.0, 0.0, 3.0, 50.0])
def test_contributions_are_in_the_order_of_odds_and_even_odds_add_nothing(shift):
    seen = np.array([-2.0, -0.5, 0.0, 0.0, 1.0, 4.0]) + shift
    model = LogMeanExpModel(np.ones((1, 1)), 0.0)
    each, _ = model.contributions(seen[:, None], Even(6))
    assert (np.diff(each) >= -1e-12).all()
    assert (np.sign(each[np.abs(seen) > 1e-9]) * np.sign(seen[np.abs(seen) > 1e-9]) >= 0.0).all()
    assert np.abs(each[seen == 0.0]).max(initial=0.0) < 1e-12
