"""What is compared: ridges in units of features per bag, and what is left open or fixed."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import PooledClassifier, VectorizedClassifier
from needlescope.estimators.bags.preprocessing import Preprocessing
from needlescope.estimators.candidates.shared.search_space import (
    EFFORTS,
    INITS,
    MAX_ITERATIONS,
    MEAN_RIDGES,
    RIDGES,
    WHITENED,
    SearchSpace,
    SearchSpec,
    check_auto,
    check_switch,
)
from tests.estimators.draws import needles


def test_ridges_are_in_units_of_features_per_bag():
    X, y = needles(n=100)
    units = {PooledClassifier: 4 / 100, VectorizedClassifier: 24 / 100}
    for kind, unit in units.items():
        result = sorted(kind(random_state=0).fit(X, y).cv_results_["param_ridge"], reverse=True)
        assert result == pytest.approx([unit * ridge for ridge in MEAN_RIDGES])


def test_bags_of_no_weight_to_speak_of_do_not_count_in_the_unit():
    X, y = needles(n=200)
    weight = np.where(np.arange(200) < 100, 1.0, 1e-9)
    alone = PooledClassifier(random_state=0).fit(X[:100], y[:100])
    mixed = PooledClassifier(random_state=0).fit(X, y, weight)
    ridges = [sorted(item.cv_results_["param_ridge"]) for item in (mixed, alone)]
    assert ridges[0] == pytest.approx(ridges[1], rel=1e-3)


def space(*, width=10, preprocessing=None, **fixed):
    return SearchSpace(SearchSpec(**fixed), preprocessing or Preprocessing(), width)


@pytest.mark.parametrize("effort", EFFORTS)
def test_what_is_left_open_is_listed_by_effort(effort):
    item = space(effort=effort)
    assert item.ridges(2.0) == [2.0 * ridge for ridge in RIDGES[: 2 if effort == "quick" else 3]]
    assert item.mean_ridges(2.0) == [2.0 * ridge for ridge in MEAN_RIDGES]
    assert item.iterations() == tuple(sorted(item.iterations())) and item.iterations()[0] == 0
    assert item.iterations(10) == (0, 10)
    assert item.inits(INITS) == (INITS[:1] if effort == "quick" else INITS)


def test_what_is_fixed_is_the_only_value():
    item = space(ridge=0.7, max_refine_iter=40, init="amp")
    assert item.ridges(2.0) == item.mean_ridges(9.0) == [0.7]  # in no unit
    assert item.iterations(10) == (40,) and item.inits(("two_steps",)) == ("amp",)


def test_a_signal_is_sought_in_both_classes_if_it_may_be():
    assert space().sides(one_sided=True) == (False,)
    assert space(both_sides=True).sides(one_sided=True) == (False, True)
    assert space(both_sides=True).sides(one_sided=False) == (False,)


def test_random_features_are_of_standardised_instances_and_take_room():
    spec = SearchSpec(shrinkage="auto", random_features="auto")
    plain = [Preprocessing(1.0), Preprocessing(WHITENED)]
    assert spec.preprocessings(roomy=False) == plain
    assert spec.preprocessings(roomy=True) == [*plain, Preprocessing(1.0, True)]
    fixed = spec._replace(random_features=True, shrinkage=None)
    assert fixed.preprocessings(roomy=False) == [Preprocessing(None, True)]


def test_only_the_mean_is_quick_with_random_features():
    expanded = Preprocessing(1.0, True)
    assert space(effort="quick", preprocessing=expanded).cheapest
    assert not space(effort="quick").cheapest and not space(preprocessing=expanded).cheapest
    assert not space(effort="quick", pooling="attention", preprocessing=expanded).cheapest


def test_without_held_out_bags_what_is_open_is_as_in_the_theory():
    spec = SearchSpec(shrinkage="auto", random_features="auto", kappa="auto", both_sides=True)
    assert spec.plain() == SearchSpec(init="two_steps", append_mean=False)
    fixed = SearchSpec(shrinkage=0.3, random_features=True, init="amp", append_mean=True)
    assert fixed.plain() == fixed


@pytest.mark.parametrize("value", ["auto", 0, 3, np.int64(3), MAX_ITERATIONS])
def test_what_is_valid_is_taken(value):
    check_auto("max_refine_iter", value, 0, MAX_ITERATIONS, whole=True)
    check_auto("kappa", value, 0, MAX_ITERATIONS)
    check_switch("append_mean", "auto" if value == "auto" else bool(value))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("all", "^k must be \"auto\" or a whole number of at least 0, got 'all'"),
        (True, '^k must be "auto" or a whole number'),
        (0.5, '^k must be "auto" or a whole number'),
        (-1, '^k must be "auto" or a whole number of at least 0, got -1'),
        (11, "^k must be at most 10, got 11"),
    ],
)
def test_what_is_not_valid_is_refused(value, message):
    with pytest.raises(ValueError, match=message):
        check_auto("k", value, 0, 10, whole=True)
    with pytest.raises(ValueError, match=r'^k must be "auto", True or False'):
        check_switch("k", 1 if value is True else value)
