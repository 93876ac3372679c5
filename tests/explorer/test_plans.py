"""The planner's tab: questions that are none, and answers that are the planner's."""

from __future__ import annotations

import json

import pytest

import needlescope as ns
from needlescope.explorer.plans import LEARNERS, MOST, Cancelled, answer, read_question
from needlescope.explorer.protocol import write
from needlescope.explorer.state import Refused

QUESTION = {"L": 4, "theta": 4.0, "d": 50, "error": 0.2}


def asked(**more):
    return answer(read_question({**QUESTION, **more}), lambda *told: None, lambda: False)


SLOW = ("attention", "vectorized", "bayes_optimal")


@pytest.mark.parametrize(
    "learner", ["pooled", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
def test_the_answer_is_the_planners(learner):
    found = asked(learner=learner)
    expected = ns.plan(**QUESTION, learner=learner)
    assert (found["sentence"], found["value"]) == (expected.verdict, expected.n)
    assert found["unknown"] == "n" and json.loads(write({"type": "plan", **found}))
    for part in ("50 features", "Bags of 4 instances", expected.verdict, ns.__version__):
        assert part in found["methods"]


def test_a_classifier_is_planned_from_studies_and_tells_of_them():
    told = []
    question = read_question({**QUESTION, "d": 10, "L": 3, "theta": 5.0, "seconds": 3})
    found = answer(question, lambda *item: told.append(item), lambda: False)
    assert found["studies"] and told and found["low"] <= found["value"] <= found["high"]
    assert f"{len(found['studies'])} simulated studies" in found["methods"]


def test_a_classifier_stops_when_it_is_withdrawn():
    with pytest.raises(Cancelled):
        answer(read_question({**QUESTION, "d": 10}), lambda *told: None, lambda: True)


@pytest.mark.parametrize(
    ("question", "field", "says"),
    [
        ([], "", "a question must be an object"),
        ({"progress": 1}, "progress", "there is no 'progress' in a question"),
        ({"n_jobs": 64}, "n_jobs", "there is no 'n_jobs' in a question"),
        ({"learner": "oracle"}, "learner", "learner must be one of classifier, attention"),
        ({"learner": ["joint"]}, "learner", "learner must be one of"),
        ({"L": "4"}, "L", "L must be a number, got '4'"),
        ({"theta": True}, "theta", "theta must be a number, got True"),
        ({"theta": float("nan")}, "theta", "theta must be a finite number"),
        ({"seconds": float("nan")}, "seconds", "seconds must be a finite number"),
        ({"seconds": float("inf")}, "seconds", "seconds must be a finite number"),
        *(({name: most + 1}, name, f"at most {most:,} here") for name, most in MOST.items()),
    ],
)
def test_what_is_no_question_is_refused(question, field, says):
    with pytest.raises(Refused, match=says) as refused:
        read_question(question)
    assert refused.value.field == field


def test_seconds_are_bounded_and_what_is_left_empty_is_left_out():
    given = read_question({**QUESTION, "n": None, "seconds": 1e6})
    assert given == {**QUESTION, "seconds": 60.0, "n_jobs": 1}
    assert set(LEARNERS) >= {"classifier", "joint"}
