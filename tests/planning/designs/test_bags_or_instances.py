"""The cheapest bags and instances, beside simulations of their neighbours at the same spend."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.estimators import PooledClassifier
from needlescope.results.planned import BagsOrInstances, ClassifierPlan, Plan
from tests.planning.studies.bags import Constant

TASK = {"L": 10, "R": 1, "theta": 4.0, "pi": 0.5, "d": 60}
PRICES = (20.0, 1.0)
ASK = {**TASK, "prices": PRICES}


def simulated(R, spend, model, trials):
    """Return the error of what this spend buys with R of the signal, tuned anew and trained."""
    task = ns.Task(L=10 * R, R=R, theta=4.0, pi=0.5)
    n = int(spend / (PRICES[0] + PRICES[1] * task.L))
    training = ns.tune(task, n, TASK["d"], model=model, losses=["logistic"]).training
    result = ns.simulate(task, training, model, d=TASK["d"], trials=trials, seed=7, n_jobs=1)
    return float(result.test_error), float(result.test_error_se)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "longest", "trials"), [("pooled", 60, 400), ("attention", 30, 120)]
)
def test_neighbours_have_a_larger_error_for_the_same_money(model, longest, trials):
    result = ns.bags_or_instances(
        **ASK, error=0.1, learner=model, longest=longest, interval=True, seed=1
    )
    assert result.spend == min(item.spend for item in result.designs)  # all with intervals
    best, se = simulated(result.R, result.spend, model, trials)
    assert abs(best - 0.1) < 2.0 * np.hypot(se, result.error_se) + 0.002  # n is whole
    below, below_se = simulated(result.R - 1, result.spend, model, trials)
    assert below > best + 2.0 * np.hypot(se, below_se)
    above, above_se = simulated(result.R + 1, result.spend, model, trials)
    if longest == result.L:  # at an end: longer bags would be better
        assert above < best - 2.0 * np.hypot(se, above_se)
    else:
        assert above > best - 2.0 * np.hypot(se, above_se)


def test_the_answer_is_a_plan_and_its_cost():
    result = ns.bags_or_instances(**ASK, error=0.15, learner="pooled", longest=60)
    assert isinstance(result, BagsOrInstances) and isinstance(result.plan, Plan)
    assert (result.n, result.L, result.R) == (result.plan.n, result.plan.L, result.plan.R)
    assert result.spend == result.n * (20.0 + result.L) and result.L == 10 * result.R
    same = ns.plan(**{**TASK, "L": result.L, "R": result.R}, error=0.15, learner="pooled",
                   interval=False, others=False)  # fmt: skip
    assert same.n == pytest.approx(result.n, abs=1)
    finite = [item.spend for item in result.designs if np.isfinite(item.spend)]
    assert result.spend <= 1.03 * min(finite) and len(finite) > 2
    assert [item.R for item in result.designs] == sorted({item.R for item in result.designs})
    assert "With 10 instances it costs more than 3 times that" in result.verdict
    assert "60 instances are the most that are looked at" in result.notes[0]
    assert result.to_dict()["plan"]["L"] == result.L


def test_few_bags_are_an_end():
    result = ns.bags_or_instances(**ASK, error=0.15, learner="bayes_optimal")
    assert result.n == 20
    assert "fewer than 20 bags, 10 of the rarer class, are not planned for" in result.verdict


def test_what_is_spent_buys_as_many_instances_as_it_can():
    result = ns.bags_or_instances(**ASK, spend=2000.0, learner="pooled", longest=40)
    assert result.L == 40 and result.n == 33 and result.spend <= 2000.0
    assert "40 instances are the most that are looked at" in result.notes[0]
    result = ns.bags_or_instances(**ASK, spend=1400.0, learner="pooled")
    assert result.n >= 20 and "instances are the most that the money buys" in result.notes[0]
    errors = [item.error for item in result.designs]
    assert min(errors) == pytest.approx(result.error, rel=0.05)


def test_a_classifier_is_planned_for_at_three_lengths():
    given = {**ASK, "L": 4, "d": 20, "n_jobs": 1, "learner": PooledClassifier()}
    result = ns.bags_or_instances(**given, spend=1200.0, longest=8)
    assert isinstance(result.plan, ClassifierPlan) and result.L == 8
    assert [item.L for item in result.designs] == [4, 8]
    assert result.verdict.startswith("PooledClassifier has the least test error, 0.")


@pytest.mark.slow
def test_a_classifier_meets_the_target_at_the_least_cost():
    given = {**ASK, "L": 4, "d": 30, "n_jobs": 1, "learner": PooledClassifier()}
    result = ns.bags_or_instances(**given, error=0.1, longest=12)
    assert result.spend == min(item.spend for item in result.designs)
    assert abs(result.error - 0.1) < 0.005 or result.n == 20
    design = next(item for item in result.designs if item.R == result.R)
    assert design.low <= design.spend <= design.high


def test_a_classifier_that_reaches_nothing():
    result = ns.bags_or_instances(
        L=2, theta=40.0, d=1, prices=(1, 1), error=0.1, learner=Constant(0.3), longest=4,
        n_jobs=1, studies=36,
    )  # fmt: skip
    assert not result.reached
    assert result.verdict.startswith("Constant was not seen to reach a test error of 0.1")
