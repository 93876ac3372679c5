"""Other learners beside a plan: one whose number does not converge says so by itself."""

from __future__ import annotations

import numpy as np
import pytest

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


def test_joint_training_has_a_line_that_says_how_to_ask_for_it():
    question = {"L": 4, "theta": 4.0, "d": 20, "n": 100, "learner": "pooled", "interval": False}
    line = {other.learner: other for other in ns.plan(**question).others}["joint"]
    assert np.isnan(line.value)
    assert line.sentence == (
        "attention trained end to end: not computed, as it may take minutes; "
        "ask plan with others=['joint']"
    )


def test_where_joint_training_has_no_theory_its_line_says_why():
    question = {"L": 4, "theta": 4.0, "d": 20, "n": 100, "learner": "pooled", "interval": False}
    noise = ns.Noise(spectrum=ns.Spectrum.spiked(9.0, 0.1))
    line = {other.learner: other for other in ns.plan(**question, noise=noise).others}["joint"]
    assert line.sentence == (
        "attention trained end to end: not known (joint training supports only tasks with white "
        "noise)"
    )


def test_what_is_known_is_not_computed_again(monkeypatch):
    spec = plan_spec(4, 1, 4.0, 0.5, 20, 100, None, "bayes_optimal")
    known = others.other_learners(spec, None, "logistic", ["pooled"])
    monkeypatch.setattr(others, "_line", lambda spec, other: pytest.fail(other.name))
    assert others.other_learners(spec, None, "logistic", ["pooled"], known) == known


@pytest.mark.parametrize(
    ("given", "computed"),
    [
        ({}, True),
        ({"L": others.QUICK_JOINT_L + 1}, False),
        ({"theta": None, "error": 0.2}, False),
        ({"noise": ns.Noise(spectrum=ns.Spectrum.spiked(9.0, 0.1)), "signal": "flat"}, False),
    ],
)
def test_beside_studies_joint_training_is_computed_where_it_is_quick(monkeypatch, given, computed):
    asked = {"L": 4, "theta": 4.0, "error": None, "noise": None, "signal": None, **given}
    spec = plan_spec(
        asked["L"], 1, asked["theta"], 0.5, 20, 100, asked["error"], "bayes_optimal",
        noise=asked["noise"], signal=asked["signal"],
    )  # fmt: skip
    made = []

    def line(spec, other):
        made.append(other.name)
        return others.OtherLearner(other.name, 1.0, other.label)

    monkeypatch.setattr(others, "_line", line)
    result = others.lines_beside_studies(spec, "logistic", True, ())
    assert ("joint" in made) == computed and "joint" in [item.learner for item in result]
    assert others.lines_beside_studies(spec, "logistic", False, ()) == ()
