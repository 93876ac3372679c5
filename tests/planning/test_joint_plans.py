"""Plans for joint training: each unknown, its interval, others, curves, and another balance."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.planning.learning_curves import learning_curves

WHAT = {"R": 1, "pi": 0.4, "d": 50, "learner": "joint", "others": False}
QUESTIONS = (
    pytest.param({"L": 4, "theta": 4.0, "error": 0.12}, id="n"),
    pytest.param({"L": 4, "n": 100, "error": 0.12}, id="theta", marks=pytest.mark.slow),
    pytest.param({"L": 4, "theta": 4.0, "n": 100}, id="error"),
    pytest.param({"theta": 4.0, "n": 100, "error": 0.14}, id="L", marks=pytest.mark.slow),
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_its_training_reaches_the_target_in_the_limit(question):
    result = ns.plan(**WHAT, **question, interval=False)
    limit = float(ns.predict(result.task, result.training, tol=1e-3).test_error)
    assert result.error == pytest.approx(limit, abs=1.5e-3)
    target = question.get("error", limit)
    if result.unknown == "L":
        longer = ns.plan(**WHAT, L=result.L + 1, theta=4.0, n=100, interval=False)
        assert limit < target + 1e-3 and longer.error > target - 2e-3
    else:
        assert limit == pytest.approx(target, abs=2e-3)
    assert result.ridge_q == result.training.ridge_q > 0.0
    assert np.isnan(result.eta_q) and (result.n0, result.n1) == (0.0, result.n)
    assert f"and {result.ridge_q:.3g} for the query" in result.verdict


@pytest.mark.slow
def test_the_mean_at_its_dimension_meets_the_target():
    result = ns.plan(**WHAT, L=4, theta=4.0, error=0.12)
    trained = ns.simulate(result.task, result.training, d=50, trials=40, n_jobs=1, seed=7)
    off = float(trained.test_error) - 0.12
    assert abs(off) < 4.0 * np.hypot(trained.test_error_se, result.error_se)
    assert result.interval.low < 0.12 < result.interval.high
    assert result.limit_error < result.error


@pytest.mark.slow
def test_a_given_number_of_positives_moves_the_bias():
    more = {"R": 1, "pi": 0.15, "d": 50, "L": 4, "theta": 4.0, "n": 150, "positives": 75}
    result = ns.plan(**more, learner="joint", others=False)
    assert result.balance == 0.5 and result.shift < -0.1
    assert result.error < 0.15
    assert result.error == pytest.approx(result.limit_error, rel=0.3)


def test_others_have_it_when_asked():
    question = {**WHAT, "L": 4, "theta": 4.0, "n": 100, "learner": "pooled", "interval": False}
    names = [other.learner for other in ns.plan(**question | {"others": ["joint"]}).others]
    assert names == ["joint", "attention_known", "bayes"]
    asked = ns.plan(**question | {"others": ["joint"]}).others[0]
    assert asked.sentence.startswith("attention trained end to end has a test error of 0.0")


@pytest.mark.slow
def test_curves_have_a_line_for_it():
    result = ns.plan(**WHAT, L=4, theta=4.0, n=100, interval=False)
    curves = learning_curves(result, points=2)
    assert curves.errors["joint"][0] > curves.errors["joint"][1]
    drawn = ns.figures.plan(result, curves).axes[0]
    assert drawn.get_title(loc="left").startswith("attention, end to end")
