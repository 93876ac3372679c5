"""Other learners beside a plan: one whose number does not converge says so by itself."""

from __future__ import annotations

import numpy as np

import needlescope as ns
from needlescope.planning import others
from needlescope.planning.learners import AMP, Evaluation, get_learner
from needlescope.planning.spec import plan_spec


def test_a_learner_whose_number_is_not_known_does_not_take_the_plan_with_it(monkeypatch):
    def jumps(budget, near=None):
        raise ns.NotConverged("the Bayes-optimal error is about to jump here; pass tol=1")

    monkeypatch.setattr(AMP, "tune", jumps)
    monkeypatch.setattr(others, "USUAL", ("pooled", "bayes_optimal", "amp"))
    result = ns.plan(L=4, theta=4.0, d=20, n=100, learner="pooled", interval=False)
    told = {other.learner: other for other in result.others}
    assert np.isnan(told["amp"].value)
    assert told["amp"].sentence == (
        "AMP: not known (the Bayes-optimal error is about to jump here)"
    )
    assert 0.0 < told["bayes_optimal"].value < result.error
    assert told["bayes_optimal"].sentence.endswith(" in the limit of large d")


def test_money_is_said_where_money_was_left_out_and_nowhere_else(monkeypatch):
    learner = get_learner("pooled")
    monkeypatch.setattr(
        type(learner),
        "tune",
        lambda self, budget, near=None: Evaluation(0.3 / budget.task.theta, 0.0),
    )
    monkeypatch.setattr(
        type(learner), "error_with", lambda self, budget, setting: 0.3 / float(budget.task.theta)
    )
    spec = plan_spec(10, 1, None, 0.5, 100, None, 0.1, "attention", costs=(3.0, 1.0), spend=100.0)
    value, sentence = others._value_and_sentence(spec, learner)
    assert (
        sentence == f"mean pooling needs a signal of strength {value:.3g}"
        and abs(value - 3.0) < 0.1
    )
