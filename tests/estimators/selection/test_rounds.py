"""Rounds: all candidates on the first fold, the best of them by all folds."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np

from needlescope.estimators.candidates.registry import offered
from needlescope.estimators.candidates.shared.search_space import FIRST_ITERATIONS, SearchSpec
from needlescope.estimators.selection.rounds import GO_ON, compare
from needlescope.solvers.calibration import losses_of

FREE = SearchSpec(shrinkage="auto", random_features="auto")
N = 300


def listed_candidates(spec=FREE):
    return {item: item.configurations(space, 1.0) for item, space in offered(spec, 10)}


class Validation:
    """Scores as good as ``quality`` says, but none of those that fail; ``seen``: who is fitted."""

    def __init__(self, quality, fails=()):
        self.quality, self.fails = quality, fails
        self.y = np.where(np.arange(N) % 2 == 0, 1.0, -1.0)
        self.random = np.random.default_rng(0)
        self.noise = self.random.standard_normal(N)
        self.part = np.arange(N) % 3
        folds = [(np.flatnonzero(self.part != k), np.flatnonzero(self.part == k)) for k in range(3)]
        self.rows, self.first = SimpleNamespace(folds=folds), folds[0]
        self.seen = []

    def score(self, candidates, folds, scores):
        for (_, held), (candidate, some) in itertools.product(folds, candidates.items()):
            self.seen.append((candidate, int(self.part[held[0]]), len(some)))
            for item in some if candidate not in self.fails else ():
                result = scores.setdefault(item, np.full(N, np.nan))
                noise = self.noise + 0.1 * self.random.standard_normal(N)
                result[held] = (self.quality(candidate) * self.y + noise)[held]

    def losses(self, scores, held):
        share = np.full(len(held), 1.0 / len(held))
        return losses_of(scores[held], self.y[held], share), share


def stage(quality, fails=()):
    """Compare all candidates; return them, what was fitted, what is left, and what was dropped."""
    listed, validation = listed_candidates(), Validation(quality, fails)
    result, dropped = compare(listed, validation)
    return listed, validation.seen, result, dropped


def test_all_candidates_are_compared_on_the_first_fold():
    """A start that wins through a preprocessing where all others fail is found."""
    lucky = next(
        item
        for item in listed_candidates()
        if item.random_features and getattr(item, "init", None) == "contrastive_pca"
    )
    listed, seen, result, dropped = stage(
        lambda item: 3.0 if item == lucky else 0.0 if item.random_features else 1.0
    )
    first = seen[: len(listed)]
    assert {item for item, _, _ in first} == set(listed)
    assert all(fold == 0 and count == len(item.few(listed[item])) for item, fold, count in first)
    assert lucky in {item.candidate for item in result}
    assert all(item in dropped or item == lucky for item in listed if item.random_features)


def contrastive(candidate):
    return getattr(candidate, "init", None) == "contrastive_pca"


def test_the_best_are_compared_by_all_folds_and_go_far_with_the_best_ridge():
    listed, _, result, dropped = stage(lambda item: 3.0 if contrastive(item) else 1.0)
    kept = {item.candidate for item in result}
    assert len(kept) >= GO_ON and not kept & set(dropped)
    assert {item for item in listed if contrastive(item)} <= kept
    for candidate in kept:
        compared = [item for item in result if item.candidate == candidate]
        soon = [item for item in listed[candidate] if item.max_refine_iter <= FIRST_ITERATIONS]
        assert compared[: len(soon)] == soon
        far = [item for item in listed[candidate] if item.max_refine_iter > FIRST_ITERATIONS]
        assert len(compared[len(soon) :]) == len(far) // 3  # of three ridges
        assert len({item.ridge for item in compared[len(soon) :]}) <= 1
    assert all(np.isfinite(scores).all() for scores in result.values())


def test_the_best_of_every_family_goes_on_unless_it_is_hopeless():
    """Four candidates of one family must not keep all others out."""
    better = (
        ("attention", False),
        ("forest", False),
    )  # a forest has less luck: one configuration
    _, _, result, _ = stage(lambda item: 1.02 if item.family in better else 1.0)
    families = [entry.family for entry in {item.candidate for item in result}]
    assert families.count(("attention", False)) >= GO_ON - 1
    assert {"summaries", "forest", "log_mean_exp", "mean"} <= {pooling for pooling, _ in families}
    assert all(families.count(item) == 1 for item in families if item != ("attention", False))
    _, _, result, _ = stage(lambda item: 3.0 if item.pooling == "attention" else 0.0)
    assert {item.candidate.pooling for item in result} == {"attention"}


def test_the_first_round_is_light():
    listed, seen, _, _ = stage(lambda item: 1.0)
    first: dict = {}
    for candidate, _, count in seen:
        if candidate.pooling == "attention":
            first.setdefault(candidate, count)
    candidate = next(iter(first))
    assert min(first.values()) == len(candidate.few(listed[candidate])) < 9


def test_a_candidate_that_cannot_be_fitted_is_left_out():
    listed = listed_candidates()
    bad = [item for item in listed if item.pooling == "mean"]
    _, _, result, dropped = stage(lambda item: 1.0, fails=bad)
    assert (
        result and not any(item.candidate in bad for item in result) and not set(bad) & set(dropped)
    )
    _, _, nothing, _ = stage(lambda item: 1.0, fails=list(listed))
    assert not nothing


def test_dropped_candidates_say_how_far_behind_they_were():
    _, _, _, dropped = stage(lambda item: 0.1 if item.pooling == "mean" else 3.0)
    behind = {item: result for item, result in dropped.items() if item.pooling == "mean"}
    assert behind and all(worse > 2.0 * error > 0.0 for _, worse, error in behind.values())


def test_a_first_round_of_many_iterations_has_something_to_compare():
    """max_refine_iter=25 leaves nothing light."""
    listed = offered(FREE._replace(max_refine_iter=25), 10)
    candidate, space = next(item for item in listed if item[0].attends)
    far = candidate.configurations(space, 1.0)
    assert {item.max_refine_iter for item in far} == {25}
    assert [item.ridge for item in candidate.few(far)] == [far[1].ridge]


def test_few_candidates_are_all_compared_by_all_folds():
    listed = listed_candidates(SearchSpec(pooling="log_mean_exp"))
    validation = Validation(lambda item: 0.1 if item.init == "mean" else 3.0)
    result, dropped = compare(listed, validation)
    assert {item.candidate for item in result} == set(listed) and len(listed) <= GO_ON
    assert not dropped
