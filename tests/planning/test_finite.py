"""A plan at its d: the mean over data sets meets the target, or it is said that it does not."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.planning import finite
from needlescope.planning.inverter import Root
from needlescope.planning.learners import Evaluation, get_learner
from needlescope.planning.solve import Solution
from needlescope.planning.spec import plan_spec
from needlescope.results.planned import Interval

TRAINING = ns.Training(alpha1=1.0)


class Falling:
    """A learner whose limit is 1/n or L/100; at finite d twice of it."""

    name, model, words = "pooled", "pooled", "someone"

    def error(self, budget):
        return 0.01 * int(budget.task.L) / (budget.amount * budget.d / 100.0)

    def tune(self, budget, near=None):
        return Evaluation(self.error(budget), 0.0, TRAINING, 0.5)

    def evaluate(self, budget, setting, tol):
        return Evaluation(self.error(budget), 0.0, TRAINING, 0.5)


def seen(monkeypatch, at, times=2.0, **spec):
    """Return what a plan becomes where a finite d makes errors larger."""

    def spread(task, training, model, d, error, seed, pi, shift):
        return Interval(0.0, 1.0, min(times * error, 0.5), 1e-6)

    monkeypatch.setattr(finite, "spread", spread)
    question = plan_spec(**{"R": 1, "theta": 5.0, "pi": 0.5, "d": 10, "learner": "pooled"} | spec)
    who = Falling()
    reached = who.tune(question.budget(at))
    result = Solution(at, reached, Root(at, reached, -0.5, True))
    return finite.at_dimension(question, who, result, 1e-4, 0, True)


def test_bags_are_added_until_the_mean_meets_the_target(monkeypatch):
    result = seen(monkeypatch, 100.0, L=10, n=None, error=0.1)
    assert result.interval.mean == pytest.approx(0.1, abs=1e-3)
    assert result.solution.at == pytest.approx(200.0, abs=2.0)
    assert result.notes == ()


def test_a_length_is_the_largest_whole_one_whose_mean_is_at_most_the_target(monkeypatch):
    result = seen(monkeypatch, 15.0, L=None, n=100, error=0.151)
    assert result.solution.at == 7.0 and result.interval.mean == pytest.approx(0.14)


def test_a_length_that_no_mean_allows_is_lost(monkeypatch):
    result = seen(monkeypatch, 10.0, times=20.0, L=None, n=100, error=0.1)
    assert result.solution.reached is None
    assert result.solution.best == pytest.approx(0.2)


def test_a_mean_that_stays_above_the_target_is_said(monkeypatch):
    monkeypatch.setattr(finite, "ROUNDS", 1)
    [note] = seen(monkeypatch, 100.0, times=4.0, L=10, n=None, error=0.1).notes
    assert note == "The target of 0.1 was not met at d = 10: the mean error is 0.198 there."


@pytest.mark.parametrize(
    ("learner", "interval", "says"),
    [
        ("pooled", False, "No interval was asked for: the error is that of the limit of large d"),
        ("amp", True, "There is no theory of AMP at finite d: the error is that"),
    ],
)
def test_without_an_interval_the_limit_is_named(learner, interval, says):
    result = ns.plan(L=4, theta=4.0, d=20, n=100, learner=learner, interval=interval, others=False)
    assert result.interval is None and result.error == result.limit_error
    assert result.notes[0].startswith(says) and result.notes[0] in result.verdict


def test_trials_that_do_not_converge_leave_the_limit_and_say_so(monkeypatch):
    def fails(*given, **named):
        raise ns.NotConverged("a trial did not converge")

    monkeypatch.setattr(finite, "spread", fails)
    question = plan_spec(10, 1, 5.0, 0.5, 10, 100, None, "pooled")
    reached = Evaluation(0.1, 0.0, TRAINING, 0.5)
    result = finite.at_dimension(
        question, get_learner("pooled"), Solution(0.1, reached, Root(0.1, reached, 0.0, True)),
        1e-3, 0, True,
    )  # fmt: skip
    assert result.interval is None
    assert result.notes[0].startswith("There is no interval, and the error is that of the limit")
    assert result.notes[0].endswith("a trial did not converge.")


def test_data_sets_that_cannot_be_trained_on_are_said(monkeypatch):
    [note] = finite._untrained_note(Interval(0.0, 1.0, 0.3, 0.1, 0.25))
    assert note.startswith("25% of 64 simulated data sets could not be trained on")
    assert finite._untrained_note(Interval(0.0, 1.0, 0.3, np.nan)) == ()
