"""Attention: the gradient of many models at once, and queries that are added one by one."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import Bags
from needlescope.estimators.bags.preprocessing import Preprocessing, Preprocessor
from needlescope.estimators.bags.scaling import no_scaling
from needlescope.estimators.candidates.attention import (
    RANDOM_FEATURES_ITERATIONS,
    Attention,
    _AttentionLoss,
)
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.candidates.shared.readout import attention_features
from needlescope.estimators.candidates.shared.search_space import SearchSpace, SearchSpec
from needlescope.estimators.engine.batched_pass import answer_all
from needlescope.estimators.engine.computation import compute
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.estimators.engine.prepared import PreparedBags
from needlescope.estimators.engine.threads import ONE_THREAD
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import State, attention_scores, gradient, pack, unpack
from needlescope.solvers.minimise import minimise
from tests.estimators.hay import kinds

RNG = np.random.default_rng(0)
D = 4
BAGS = Bags.from_list([RNG.standard_normal((k, D)) for k in RNG.integers(1, 12, 30)])
Y = np.where(np.arange(30) % 3 == 0, 1.0, -1.0)
WEIGHT = np.where(np.arange(30) < 20, RNG.random(30), 0.0)
WEIGHT /= WEIGHT.sum()


def states():
    for heads in (1, 3, 2):
        yield State(RNG.standard_normal((heads, D)), RNG.standard_normal((heads, D)), 0.3 * heads)
    yield State(np.zeros((2, D)), np.zeros((2, D)), -1.0)


@pytest.mark.parametrize("loss", ["logistic", "square", "squared_hinge"])
def test_the_gradient_is_that_of_each_model_alone(loss):
    data = PreparedBags(BAGS, np.arange(30), Y, Preprocessor(no_scaling(D)), border=20)
    goal, listed, fold = get_loss(loss), list(states()), FoldData(data, WEIGHT)
    requests = [_AttentionLoss(fold, goal, state) for state in listed]
    for state, result in zip(listed, answer_all(data, requests, ONE_THREAD), strict=True):
        wanted = gradient(data, state, goal, 1.0, weight=WEIGHT)
        assert result.loss == pytest.approx(wanted.loss)
        slope = pack(State(wanted.q, wanted.w, wanted.b))
        np.testing.assert_allclose(result.gradient, slope, atol=1e-12)
        np.testing.assert_allclose(result.scores, attention_scores(data, state, 1.0))
        again = unpack(pack(state), state.q.shape)
        np.testing.assert_array_equal(again.w, state.w)


def fitted(candidate, X, y, *configurations):
    """Return the results of a fit to bags of equal weight."""
    data = Arrays(X, y)
    fit = candidate.fit(
        FoldData(data, np.full(len(y), 1.0 / len(y))),
        [Configuration(candidate, *item) for item in configurations],
        get_loss("logistic"),
        np.random.RandomState(0),
    )
    compute(data, fit)
    return data, fit.results


@pytest.mark.parametrize("n_queries", [1, 3])
@pytest.mark.parametrize("append_mean", [False, True])
def test_the_readout_is_the_best_for_all_queries_and_the_mean_comes_last(n_queries, append_mean):
    X, y = kinds(3, 120, np.random.default_rng(0))
    candidate = Attention(n_queries=n_queries, append_mean=append_mean)
    y = 2.0 * y - 1.0
    data, results = fitted(candidate, X, y, (0.3,), (0.03,))
    for ridge, (model, scores) in zip((0.3, 0.03), results, strict=True):
        assert model.q.shape == model.w.shape == (n_queries + append_mean, 8)
        zero = ~model.q.any(axis=1)
        assert zero.tolist() == [False] * n_queries + [True] * append_mean
        F = attention_features(data, model)
        wanted = minimise(F, y, "logistic", ridge)
        np.testing.assert_allclose(scores, F @ wanted.w + wanted.b, atol=1e-2)
        np.testing.assert_allclose(scores, model.scores(data))
        np.testing.assert_allclose((X @ model.q[:n_queries].T).std(axis=(0, 1)), 2.0)


def test_refined_models_have_the_scores_they_say():
    X, y = kinds(2, 60, np.random.default_rng(0))
    candidate, signs = Attention(n_queries=2, append_mean=True), 2.0 * y - 1.0
    data, results = fitted(candidate, X, signs, (0.1,), (0.1, 4), (0.01, 4))
    losses = []
    for (model, scores), ridge in zip(results, (0.1, 0.1, 0.01), strict=True):
        np.testing.assert_allclose(scores, model.scores(data))
        size = (model.q**2).sum() + (model.w**2).sum()
        losses.append(np.logaddexp(0.0, -signs * scores).mean() + 0.5 * ridge * size)
    assert losses[1] < losses[0]


def space(width=10, preprocessing=None, **fixed):
    return SearchSpace(SearchSpec(**fixed), preprocessing or Preprocessing(), width)


def test_the_mean_is_appended_where_it_is_worth_it():
    found = {(item.init, item.append_mean) for item in Attention.offered(space())}
    assert found == {
        ("two_steps", False),
        ("two_steps", True),
        ("contrastive_pca", True),
        ("amp", True),
    }
    quick = {(item.init, item.append_mean) for item in Attention.offered(space(effort="quick"))}
    assert quick == {("two_steps", False)}


def test_what_splits_the_bags_is_kept():
    assert {item.split for item in Attention.offered(space(split="crossfit"))} == {"crossfit"}


def test_few_iterations_suit_many_random_features():
    item = Attention(random_features=True)
    listed = item.configurations(space(), 1.0)
    assert max(entry.max_refine_iter for entry in listed) == RANDOM_FEATURES_ITERATIONS
    (fixed,) = item.configurations(space(max_refine_iter=40, ridge=1.0), 1.0)
    assert fixed.max_refine_iter == 40


def test_two_steps_treat_classes_alike():
    assert not Attention().one_sided
    both = list(Attention.offered(space(both_sides=True)))
    assert not any(item.in_negatives for item in both if item.init == "two_steps")
    assert {item.in_negatives for item in both if item.one_sided} == {False, True}
