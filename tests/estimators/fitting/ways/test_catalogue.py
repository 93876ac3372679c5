"""Which ways are offered: what is fixed is kept, what is left open stands for several."""

from __future__ import annotations

import pytest

from needlescope.estimators.fitting.settings import INITS, POOLINGS, SUMMARIES
from needlescope.estimators.fitting.ways.catalogue import (
    EFFORTS,
    MEAN_RIDGES,
    QUERIES,
    WIDEST_CONTRAST,
    SearchSpec,
    candidates,
    settings,
)

FREE = SearchSpec(shrinkage="auto", random_features="auto")


@pytest.mark.parametrize("effort", EFFORTS)
def test_all_kinds_are_offered_and_none_twice(effort):
    result = candidates(FREE._replace(effort=effort), 10)
    assert {item.pooling for item in result} == set(POOLINGS) - (
        {"forest"} if effort == "quick" else set()
    )
    assert len(set(result)) == len(result)
    assert any(item.random_features for item in result)
    if effort != "quick":
        assert {item.init for item in result if item.pooling == "attention"} == set(INITS)
        assert {item.shrinkage for item in result} >= {1.0, 0.02}


@pytest.mark.parametrize(
    ("fixed", "field"),
    [
        ({"pooling": "log_mean_exp"}, "pooling"),
        ({"kappa": 3.0, "pooling": "attention"}, "kappa"),
        ({"init": "contrastive_pca", "pooling": "attention"}, "init"),
        ({"append_mean": True, "pooling": "attention"}, "append_mean"),
        ({"random_features": True}, "random_features"),
        ({"shrinkage": 0.3}, "shrinkage"),
        ({"n_queries": 3}, "n_queries"),
    ],
)
@pytest.mark.parametrize("effort", EFFORTS)
def test_what_is_fixed_is_kept(effort, fixed, field):
    result = candidates(FREE._replace(effort=effort, **fixed), 10)
    assert result and {getattr(item, field) for item in result} == {fixed[field]}


def test_several_queries_are_compared_with_one():
    result = candidates(FREE._replace(n_queries="auto"), 10)
    assert {item.n_queries for item in result if item.pooling == "attention"} == set(QUERIES)


def test_no_room_no_random_features_and_no_contrast_of_too_many_features():
    assert not any(candidate.random_features for candidate in candidates(FREE, 10, roomy=False))
    assert all(
        candidate.random_features
        for candidate in candidates(FREE._replace(random_features=True), 10, roomy=False)
    )
    assert not any(
        candidate.init == "contrastive_pca" for candidate in candidates(FREE, WIDEST_CONTRAST + 1)
    )
    assert not any(
        candidate.pooling in SUMMARIES for candidate in candidates(FREE, 10, summed_up=False)
    )
    (asked,) = candidates(SearchSpec(pooling="forest"), 10, summed_up=False)
    assert asked.pooling == "forest" and settings(SearchSpec(), asked, 4.0) == [asked]


def test_ridges_are_in_their_unit_and_iterations_increase():
    (way,) = candidates(SearchSpec(pooling="mean"), 10)
    assert [setting.ridge for setting in settings(SearchSpec(), way, 4.0)] == [
        4.0 * r for r in MEAN_RIDGES
    ]
    attends = next(
        candidate for candidate in candidates(FREE, 10) if candidate.pooling == "attention"
    )
    listed = settings(SearchSpec(ridge=0.5), attends, 4.0)
    assert {item.ridge for item in listed} == {0.5}
    assert [item.max_refine_iter for item in listed] == sorted(
        item.max_refine_iter for item in listed
    )
    assert [
        setting.max_refine_iter
        for setting in settings(SearchSpec(max_refine_iter=7, ridge=1.0), attends, 1.0)
    ] == [7]
    assert {item.candidate for item in listed} == {attends}
