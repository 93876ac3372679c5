"""Rounds: scouts first, hopeless glasses put away, the best compared by all folds."""

from __future__ import annotations

import itertools

import numpy as np

from needlescope.estimators.fitting.ways.catalogue import SearchSpec, candidates, settings
from needlescope.estimators.fitting.ways.rounds import FEW, GO_ON, compare, few, is_scout
from needlescope.solvers.calibration import losses_of

ASKED = SearchSpec(shrinkage="auto", random_features="auto")
N = 300


def stage(quality, fails=()):
    """Compare all ways, whose scores are as good as ``quality`` says; tell who trained where."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(N) % 2 == 0, 1.0, -1.0)
    noise = rng.standard_normal(N)
    listed = {way: settings(ASKED, way, 1.0) for way in candidates(ASKED, 10)}
    parts = np.arange(N) % 3
    places = [(np.flatnonzero(parts != k), np.flatnonzero(parts == k)) for k in range(3)]
    seen = []

    def score(some, places, scores):
        for (_, held), (way, asked) in itertools.product(places, some.items()):
            seen.append((way, int(parts[held[0]]), len(asked)))
            for item in asked if way not in fails else ():
                result = scores.setdefault(item, np.full(N, np.nan))
                result[held] = (quality(way) * y + noise + 0.1 * rng.standard_normal(N))[held]

    def losses(scores, held):
        share = np.full(len(held), 1.0 / len(held))
        return losses_of(scores[held], y[held], share), share

    result, dropped = compare(listed, places, score, losses)
    return listed, seen, result, dropped


def test_a_hopeless_glass_is_put_away_after_its_scouts():
    _, seen, result, dropped = stage(lambda way: 0.0 if way.random_features else 2.0)
    through = [way for way, _, _ in seen if way.random_features]
    assert through and all(is_scout(way) for way in through)
    assert not any(item.random_features for item in result) and all(
        way in dropped for way in through
    )


def test_the_best_are_compared_by_all_folds_and_go_far_with_the_best_ridge():
    listed, _, result, dropped = stage(lambda way: 3.0 if way.init == "contrastive_pca" else 1.0)
    kept = {item.candidate for item in result}
    assert len(kept) >= GO_ON and not kept & set(dropped)
    assert {way for way in listed if way.init == "contrastive_pca"} <= kept
    for way in kept:
        tried = [item for item in result if item.candidate == way]
        soon = [item for item in listed[way] if item.max_refine_iter <= FEW]
        assert tried[: len(soon)] == soon
        far = [item for item in listed[way] if item.max_refine_iter > FEW]
        assert len(tried[len(soon) :]) == len(far) // 3  # of three ridges
        assert len({item.ridge for item in tried[len(soon) :]}) <= 1
    assert all(np.isfinite(scores).all() for scores in result.values())


def test_the_best_of_every_kin_goes_on_unless_it_is_hopeless():
    """Four ways of one kin must not keep all others out."""
    better = ("attention", False), ("forest", False)  # trees have one setting, and less luck
    _, _, result, _ = stage(lambda way: 1.02 if way.family in better else 1.0)
    kins = [entry.family for entry in {item.candidate for item in result}]
    assert kins.count(("attention", False)) >= GO_ON - 1
    assert {"summaries", "forest", "log_mean_exp", "mean"} <= {read for read, _ in kins}
    assert all(kins.count(kin) == 1 for kin in kins if kin != ("attention", False))
    _, _, result, _ = stage(lambda way: 3.0 if way.pooling == "attention" else 0.0)
    assert {item.pooling for item in result} == {"attention"}


def test_the_first_round_is_light():
    listed, seen, _, _ = stage(lambda way: 1.0)
    first: dict = {}
    for way, _, count in seen:
        if way.pooling == "attention":
            first.setdefault(way, count)
    assert min(first.values()) == len(few(next(iter(listed[w] for w in first)))) < 9


def test_a_way_that_cannot_be_trained_is_left_out():
    listed = dict.fromkeys(candidates(ASKED, 10))
    bad = [way for way in listed if way.pooling == "mean"]
    _, _, result, dropped = stage(lambda way: 1.0, fails=bad)
    assert (
        result and not any(item.candidate in bad for item in result) and not set(bad) & set(dropped)
    )
    _, _, nothing, _ = stage(lambda way: 1.0, fails=list(listed))
    assert not nothing


def test_dropped_ways_say_how_far_behind_they_were():
    _, _, _, dropped = stage(lambda way: 0.1 if way.pooling == "mean" else 3.0)
    behind = {way: result for way, result in dropped.items() if way.pooling == "mean"}
    assert behind and all(worse > 2.0 * error > 0.0 for _, worse, error in behind.values())


def test_a_first_round_of_many_iterations_has_something_to_compare():
    """refine=25 leaves nothing light."""
    far = settings(ASKED._replace(max_refine_iter=25), next(iter(candidates(ASKED, 10)[3:])), 1.0)
    assert {item.max_refine_iter for item in far} == {25}
    assert [item.ridge for item in few(far)] == [far[1].ridge]
