"""The planner's front door: who is planned for where no learner is named."""

from __future__ import annotations

import inspect
import pickle

import pytest

import needlescope as ns
from needlescope.planner import default
from needlescope.planning import plan as planning

QUESTION = {"L": 4, "theta": 6.0, "d": 8, "n": 40, "others": False, "n_jobs": 1}


def test_without_a_learner_the_plan_is_for_the_classifier_of_the_package():
    result = ns.plan(**QUESTION, studies=12, seconds=1.0)
    assert isinstance(result, ns.ClassifierPlan) and result.learner == "AttentionClassifier"
    assert 0.0 < result.error < 0.5 and len(result.studies) >= 4


def test_a_named_learner_is_planned_for_by_the_theory():
    result = ns.plan(**QUESTION, learner="pooled", interval=False)
    assert result.learner == "pooled" and not isinstance(result, ns.ClassifierPlan)


def test_it_has_the_arguments_of_the_planner_below_it():
    assert inspect.signature(ns.plan) == inspect.signature(planning.plan)
    assert pickle.loads(pickle.dumps(ns.plan)) is default.plan is ns.plan
    with pytest.raises(ValueError, match="learner must be the name of a learner or a classifier"):
        planning.plan(**QUESTION)  # below the classifiers there is no default
