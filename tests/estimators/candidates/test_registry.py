"""Which candidates are offered: what is fixed is kept, what is open stands for several."""

from __future__ import annotations

import sys

import pytest

from needlescope.estimators import candidates as package
from needlescope.estimators.candidates import registry
from needlescope.estimators.candidates.attention import QUERIES, WIDEST_CONTRAST
from needlescope.estimators.candidates.registry import KINDS, POOLINGS, kinds, offered
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.candidates.shared.search_space import (
    EFFORTS,
    INITS,
    MEAN_RIDGES,
    SearchSpec,
)

FREE = SearchSpec(shrinkage="auto", random_features="auto", n_queries="auto")
SUMMARIES = ("summaries", "forest")


def candidates(spec, d, **room):
    return [candidate for candidate, _ in offered(spec, d, **room)]


def configurations(spec, d, unit):
    """Return the configurations of the first candidate, and this candidate."""
    candidate, space = offered(spec, d)[0]
    return candidate.configurations(space, unit), candidate


@pytest.mark.parametrize("effort", EFFORTS)
def test_all_kinds_are_offered_and_none_twice(effort):
    result = candidates(FREE._replace(effort=effort), 10)
    assert {item.pooling for item in result} == set(POOLINGS) - (
        {"forest", "boosted", "hidden_attention"} if effort == "quick" else set()
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
        getattr(candidate, "init", None) == "contrastive_pca"
        for candidate in candidates(FREE, WIDEST_CONTRAST + 1)
    )
    assert not any(
        candidate.pooling in SUMMARIES for candidate in candidates(FREE, 10, summaries=False)
    )
    ((asked, space),) = offered(SearchSpec(pooling="forest"), 10, summaries=False)
    assert asked.pooling == "forest"
    assert asked.configurations(space, 4.0) == [Configuration(asked)]


def test_ridges_are_in_their_unit_and_iterations_increase():
    listed, _ = configurations(SearchSpec(pooling="mean"), 10, 4.0)
    assert [item.ridge for item in listed] == [4.0 * r for r in MEAN_RIDGES]
    attends = FREE._replace(pooling="attention")
    listed, candidate = configurations(attends._replace(ridge=0.5), 10, 4.0)
    assert {item.ridge for item in listed} == {0.5} and len(listed) > 1
    assert [item.max_refine_iter for item in listed] == sorted(
        item.max_refine_iter for item in listed
    )
    assert {item.candidate for item in listed} == {candidate}
    listed, _ = configurations(attends._replace(max_refine_iter=7, ridge=1.0), 10, 1.0)
    assert [item.max_refine_iter for item in listed] == [7]


def test_a_subclass_in_a_file_of_the_package_is_a_kind(tmp_path, monkeypatch):
    """It is found without being named anywhere; what has no pooling of its own is none."""
    (tmp_path / "spread_of_bags.py").write_text(
        "from needlescope.estimators.candidates.shared.candidate import Candidate\n"
        "from needlescope.estimators.candidates.mean import Mean\n"
        "class Unfinished(Candidate): ...\n"
        "class Spread(Mean):\n    pooling = 'spread'\n    order = 2.5\n"
    )
    before = kinds()
    with monkeypatch.context() as patch:
        patch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
        found = kinds()
    monkeypatch.delitem(sys.modules, f"{package.__name__}.spread_of_bags")
    (new,) = set(found) - set(before)
    assert new.pooling == "spread" and found.index(new) == 3
    assert [kind for kind in found if kind is not new] == before == list(KINDS.values())


def test_every_kind_has_a_name_and_a_place_of_its_own():
    assert list(POOLINGS) == [kind.pooling for kind in kinds()] == list(registry.KINDS)
    assert len({kind.order for kind in kinds()}) == len(set(POOLINGS)) == len(POOLINGS)
    for name, kind in KINDS.items():
        (first, *_) = candidates(SearchSpec(pooling=name), 10)
        assert type(first) is kind


def test_preprocessings_come_with_their_own_width():
    for candidate, space in offered(FREE, 10):
        assert candidate.preprocessing == space.preprocessing
        assert space.width == space.preprocessing.width(10)


@pytest.mark.parametrize(
    ("room", "there"),
    [({"in_bag": 100}, True), ({"in_bag": 1000}, False), ({"held": False}, False)],
)
def test_a_hidden_layer_is_offered_once_where_bags_are_held_and_not_too_large(room, there):
    spec = FREE._replace(n_queries="auto")
    found = [item for item in candidates(spec, 10, **room) if item.pooling == "hidden_attention"]
    assert len(found) == there
    if "held" not in room:
        (asked,) = candidates(SearchSpec(pooling="hidden_attention"), 10, **room)
        assert asked.pooling == "hidden_attention"


def test_several_queries_are_offered_where_instances_are_held():
    spec = FREE._replace(n_queries="auto")
    held, streamed = ({item for item, _ in offered(spec, 10, held=held)} for held in (True, False))
    assert streamed < held
    assert {item.pooling for item in held - streamed} == {"attention", "hidden_attention"}
    assert {item.n_queries for item in held - streamed if item.pooling == "attention"} == {4}
    assert not any(item.n_queries > 1 for item in streamed)
