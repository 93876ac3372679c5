"""Plans from pilot data: how little they tell is said."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import needlescope as ns
from needlescope.estimators.task import pilot
from needlescope.estimators.task.pilot import extrapolated
from tests.estimators.draws import draw


@pytest.mark.slow
def test_a_plan_from_a_pilot_says_how_far_it_is_open():
    task = ns.Task(L=6, R=1, theta=5.0, pi=0.5)
    X, y, _ = draw(task, 10, 60, 1)
    result = ns.plan_from_pilot(X, y, n=400, learner="pooled", resamples=2, seed=0, others=False)
    assert isinstance(result, ns.PilotPlan) and result.bags == 60 and result.n == 400
    assert abs(result.theta - 5.0) < 3.0 * result.theta_se + 0.3
    assert len(result.resampled) == 2 and result.low <= result.high
    assert list(result.measured) == [15, 30, 45]
    assert 0.0 < result.extrapolated < 0.5
    assert result.trust
    # How far it is open comes first, before the number that it is about.
    trust, open_, parts = result.notes[:3]
    assert result.verdict.startswith(f"{trust} {open_} {parts} Mean pooling trained on 400 bags")
    assert trust == result.trust[0].upper() + result.trust[1:] + "."
    assert f"go from a test error of {result.low:.3g} to a test error of {result.high:.3g}" in open_
    assert (
        f"fitted to 45 bags of the pilot has a test error of {result.measured[45][0]:.3g}" in parts
    )


@pytest.fixture
def quickly(monkeypatch):
    """An estimate that is at hand, and nothing measured anew."""
    task = ns.Task(L=6, R=1, theta=4.0, pi=0.5)
    estimate = SimpleNamespace(
        task=task, tasks={}, dimension=10.0, bags=60, theta_se=0.5, verdict="not as predicted",
        trust="do not trust the theory's numbers here", measured={"pooled": 0.211},
    )  # fmt: skip
    fitted = SimpleNamespace(task=task, dimension=10.0)
    monkeypatch.setattr(pilot, "fit_task", lambda *given: fitted)
    monkeypatch.setattr(pilot, "estimate_task", lambda *given, **named: estimate)
    monkeypatch.setattr(pilot, "_measured", lambda *given: {30: (0.3, 0.02), 45: (0.011, 0.01)})
    return draw(task, 10, 60, 1)[:2]


def test_a_target_below_an_estimated_bayes_error_is_not_refused(quickly):
    result = ns.plan_from_pilot(*quickly, error=0.012, learner="pooled", resamples=1, others=False)
    assert not result.reached and result.floor > 0.012
    assert result.verdict.startswith("Not reliable: do not trust the theory's numbers here. ")
    assert "fitted to 45 bags of the pilot has a test error of 0.011" in result.verdict
    assert "is that of the estimated task, and as uncertain. Mean pooling cannot" in result.verdict
    assert "go from more bags than are planned for to" in result.notes[1]


def test_what_was_measured_stands_beside_the_lines_of_others(quickly, monkeypatch):
    monkeypatch.setattr("needlescope.planning.others.USUAL", ("pooled", "amp"))
    result = ns.plan_from_pilot(
        *quickly, n=400, learner="amp", resamples=1, interval=False
    )  # fmt: skip
    told = {other.learner: other.sentence for other in result.others}
    assert told["pooled"].endswith("(cross-validated on the pilot: 0.211)")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"error": 0.7}, "error must be below 0"),
        ({"n": True}, "n must be a single integer"),
        ({"error": "0.1"}, "error must be a finite number"),
        ({"error": 0.1, "learner": "oak"}, "learner must be one of"),
        ({"error": 0.1, "loss": "hope"}, "loss"),
        ({"error": 0.1, "tol": 0.0}, "tol must be"),
        ({"spend": 100.0}, "spend needs costs="),
    ],
)
def test_a_question_is_refused_before_the_task_is_read_off_the_bags(monkeypatch, asked, says):
    def never(*given, **named):
        raise AssertionError("work was done before the refusal")

    monkeypatch.setattr(pilot, "fit_task", never)
    X, y, _ = draw(ns.Task(L=3, R=1, theta=5.0, pi=0.5), 4, 20, 1)
    with pytest.raises(ValueError, match=says):
        ns.plan_from_pilot(X, y, **asked)


def test_without_a_signal_there_is_nothing_to_plan_for():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="no signal was found in the 40 bags of the pilot"):
        ns.plan_from_pilot(rng.standard_normal((40, 5, 8)), np.arange(40) % 2, error=0.1)


def test_errors_that_do_not_fall_lead_nowhere():
    assert extrapolated({25: (0.2, 0.01), 50: (0.25, 0.01)}, None, 0.1) == np.inf
