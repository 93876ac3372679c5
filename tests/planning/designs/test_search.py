"""The search of designs, beside all of them, and the whole numbers R of a rate."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.planning.designs.search import (
    Designs,
    Prices,
    fewest_bags,
    first_R,
    least,
    length,
)
from needlescope.planning.learners import get_learner
from needlescope.planning.spec import plan_spec

PRICES = Prices(20.0, 1.0)


def designs(error=0.1, spend=None, learner="pooled", **more):
    given = {"L": 6, "R": 1, "theta": 4.0, "pi": 0.4, "d": 200, "n": 4 if spend else None, **more}
    spec = plan_spec(**given, error=error, learner=learner, estimated=True)
    return Designs(spec, get_learner(learner), 1 / 6, PRICES, spend)


@pytest.mark.parametrize("learner", ["pooled", "bayes_optimal"])
def test_the_search_finds_what_a_table_of_all_has(learner):
    found = designs(learner=learner)
    best = least(found.at, first_R(found, 14), 14)
    table = designs(learner=learner)
    losses = {R: table.at(R) for R in range(1, 15)}
    assert losses[best] <= 1.03 * min(losses.values())
    assert len(found.tried) < 14


def test_a_design_costs_what_its_bags_cost_and_needs_what_a_plan_does():
    found = designs()
    spend = found.at(6)
    design = found.tried[6].design
    assert (design.L, design.R) == (36, 6) and spend == design.spend == design.n * 56.0
    task = found.spec_at(6)
    near = found.learner.tune(task.budget(design.n)).error
    less = found.learner.tune(task.budget(0.85 * design.n)).error
    assert near < 0.105 and less > 0.1


def test_a_target_below_the_bayes_error_costs_without_end():
    found = designs(error=0.03)
    assert found.at(1) == np.inf and found.tried[1].design.n == np.inf
    assert first_R(found, 100) > 1


def test_a_spend_buys_whole_bags_and_more_instances_leave_less_error():
    found = designs(error=None, spend=5000.0)
    errors = [found.at(R) for R in (1, 2, 4, 8)]
    assert np.all(np.diff(errors) < 0.0)
    for tried in found.tried.values():
        price = PRICES.of(tried.design.L)
        assert tried.design.n == 5000.0 // price and tried.design.spend <= 5000.0


def test_the_fewest_bags_have_ten_of_the_rarer_class():
    assert fewest_bags(designs().spec) == 25 and fewest_bags(designs(0.02, pi=0.05).spec) == 200


def test_fewer_instances_of_the_fewest_bags_bound_what_is_longer():
    found = designs(d=20)
    assert found.at(10) == 25 * PRICES.of(60)
    assert found.at(12) == 25 * PRICES.of(72)
    assert found.tried[12].setting is found.tried[10].setting  # it was not tuned anew


@pytest.mark.parametrize("minimum", [1, 2, 7, 100, 999])
@pytest.mark.parametrize("start", [1, 8, 512])
def test_the_least_of_a_loss_with_one_minimum(minimum, start):
    def loss(R):
        return 10.0 + np.log(R / minimum) ** 2

    assert loss(least(loss, start, 1000)) < 10.0 + np.log(1.25) ** 2


def test_losses_without_end_on_one_side():
    assert least(lambda R: np.inf if R < 40 else float(R), 4, 1000) in range(40, 50)


def test_lengths_keep_the_rate_and_hold_the_signal():
    assert [length(R, 0.3) for R in (1, 2, 3)] == [3, 7, 10] and length(5, 1.0) == 5
