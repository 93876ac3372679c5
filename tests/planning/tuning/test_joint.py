"""The best ridges of joint training: a grid does not beat them; another balance moves the bias."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.planning.tuning.budget import Budget, Costs
from needlescope.planning.tuning.joint import (
    JointSetting,
    best_joint,
    joint,
    other_solution_note,
    stability_note,
)

TASK = ns.Task(L=4, R=1, theta=4.0, pi=0.4)
BUDGET = Budget(TASK, 2.0)


@pytest.fixture(scope="module")
def best():
    return best_joint(BUDGET)


def test_a_grid_does_not_beat_it(best):
    for by in (0.3, 1.0, 3.0):
        for by_q in (0.3, 1.0, 3.0):
            ridges = by * best.ridge, by_q * best.ridge_q
            error = joint(BUDGET, "logistic", *ridges, 0.4, best.solution).error
            assert error > best.error * (0.99 if by == by_q == 1.0 else 1.0) - 1e-3 * best.error


@pytest.mark.slow
def test_a_neighbour_leads_to_the_same_ridges(best):
    near = best_joint(BUDGET, near=best_joint(Budget(TASK, 3.0)))
    assert near.error == pytest.approx(best.error, rel=0.01)


def test_another_balance_moves_the_bias():
    """Trained on balanced classes, used where one in ten is positive."""
    rare = Budget(TASK.replace(pi=0.1), 2.0, positives=1.0)
    setting = joint(rare, "logistic", 0.05, 0.05, rare.balance())
    training = ns.Training.joint(2.0, ridge=0.05, ridge_q=0.05)
    simulated = ns.simulate(
        TASK.replace(pi=0.5), training, d=100, trials=12, n_jobs=1, test_task=rare.task
    )
    assert setting.shift < -0.2
    assert setting.error < float(simulated.test_error) - 5.0 * float(simulated.test_error_se)
    assert setting.error < 0.1  # of the constant answer


def test_a_finite_dimension_adds_to_the_error():
    """Classes are balanced: a bias that is off by chance is then worse whichever way."""
    even = Budget(TASK.replace(pi=0.5), 2.0)
    limit = joint(even, "logistic", 3.0, 0.05, 0.5)
    small = joint(even._replace(d=20.0), "logistic", 3.0, 0.05, 0.5, limit.solution)
    assert small.error > 1.02 * limit.error


def test_a_constant_answer_is_ranked_by_its_scores():
    weak = Budget(TASK.replace(theta=1.0, pi=0.02), 1.0)
    setting = joint(weak, "logistic", 0.05, 0.05, 0.02)
    assert setting.error == pytest.approx(0.02, rel=0.01)
    assert 0.3 < setting.misranked < 0.5
    assert setting.criterion > 1.0


def test_ridges_without_a_solution_have_the_largest_error(monkeypatch):
    def fails(*_):
        raise ns.NotConverged("nowhere")

    monkeypatch.setattr("needlescope.planning.tuning.joint.solve_roughly", fails)
    assert joint(BUDGET, "logistic", 0.1, 0.1, 0.4).error == 1.0
    with pytest.raises(ns.NotConverged, match="were solved with no pair of ridges for 2 bags"):
        best_joint(BUDGET)


@pytest.mark.slow
def test_another_solution_is_noted():
    """At L = 30 the query loses the signal all at once; both solutions exist at these ridges."""
    budget = Budget(ns.Task(L=30, R=1, theta=4.0, pi=0.5), 4.0)
    at = None
    for ridge in (0.1, 0.2, 0.33):
        at = joint(budget, "logistic", ridge, ridge, 0.5, at)
        at = at.solution
    setting = joint(budget, "logistic", 0.34, 0.34, 0.5, at)
    assert setting.error < 0.2
    (note,) = other_solution_note(setting)
    assert "uninformed solution at these ridges, too, with a test error of about 0.3" in " ".join(
        note.split()
    )
    assert other_solution_note(JointSetting(1.0, 0.1, 0.1, 0.5)) == ()


def test_broken_symmetry_is_noted(best):
    assert stability_note(best) == ()
    tiny = joint(Budget(TASK.replace(theta=3.0), 0.5), "logistic", 1e-3, 1e-3, 0.4)
    assert stability_note(tiny)[0].startswith("replica symmetry is broken (replicon up to ")


@pytest.mark.slow
def test_where_positives_are_dear_fewer_are_bought():
    rare = TASK.replace(pi=0.2)
    shares = [
        best_joint(Budget(rare, 8.0, 50.0, costs=costs)).balance
        for costs in (Costs(1.0, 1.0), Costs(10.0, 1.0))
    ]
    assert shares[1] < shares[0]
    assert np.all(np.array(shares) < 0.7)
