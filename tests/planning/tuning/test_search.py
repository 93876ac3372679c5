"""The search for the best settings: from nothing and from a neighbour, with a free balance."""

from __future__ import annotations

import pytest

import needlescope as ns
from needlescope.planning.tuning.budget import Budget, Costs
from needlescope.planning.tuning.search import best_attention, best_linear

COVERS = ("budget",)
TASK = ns.Task(L=10, R=1, theta=4.0, pi=0.5)


@pytest.mark.slow
def test_a_neighbour_leads_to_the_same_settings():
    far = best_attention(Budget(TASK, 6.0))
    near = best_attention(Budget(TASK, 6.0), near=best_attention(Budget(TASK, 4.0)))
    assert near.error == pytest.approx(far.error, rel=0.01)


@pytest.mark.slow
def test_where_positives_are_dear_fewer_are_bought():
    rare = TASK.replace(pi=0.2, theta=6.0)
    shares = [
        best_linear(Budget(rare, 20.0, 50.0, costs=costs), "pooled").balance
        for costs in (Costs(1.0, 1.0), Costs(10.0, 1.0))
    ]
    assert shares[1] < shares[0]


def test_a_given_number_of_positives_is_the_balance():
    budget = Budget(TASK, 4.0, positives=1.0)
    assert budget.balance() == 0.25
    assert budget.training_task(0.25).pi == 0.25 and budget.test_pi(0.25) == 0.5
