"""A plan as a picture: what is drawn of made-up curves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import needlescope as ns
from needlescope.figures.marks import Dots, Line, Rule
from needlescope.figures.planned import plan, tuning
from needlescope.figures.rendered import drawing_of
from needlescope.results.planned import (
    ClassifierPlan,
    Interval,
    LearningCurves,
    Plan,
    StudyRow,
    Tuned,
)

ROWS = {"attention": 0.1, "pooled": 0.2, "vectorized": 0.3, "bayes_optimal": 0.05, "amp": 0.06}
CURVES = LearningCurves(
    (10.0, 100.0),
    {name: (2.0 * error, error) for name, error in ROWS.items()},
    {"bayes": 0.02, "attention_known": 0.02},
)
QUESTION = ns.plan(
    L=4, theta=4.0, d=20, n=100, learner="pooled", interval=False, others=False
).question
FOUND = Plan(
    "n", "attention", 30.0, 10.0, 20.0, 15.0, 4, 1, 4.0, 0.5, 20, 0.12, 0.0, 0.02,
    interval=Interval(0.1, 0.15, 0.12, 0.01), provenance="made up", question=QUESTION,
)  # fmt: skip


def test_learners_floor_and_the_point_with_its_interval():
    [panel] = drawing_of(plan)(FOUND, CURVES).panels
    names = [mark.name for mark in panel.marks if isinstance(mark, Line)]
    assert names == ["Bayes-optimal", "AMP (theory)", "mean pooling", "flat linear", "attention"]
    [point] = [mark for mark in panel.marks if isinstance(mark, Dots)]
    assert (point.x, point.y) == ((30.0,), (0.12,))
    assert [round(item[0], 9) for item in point.se] == [0.02, 0.03]
    assert [mark.y for mark in panel.marks if isinstance(mark, Rule)] == [0.02]


def test_without_an_interval_the_point_has_no_bars():
    [panel] = drawing_of(plan)(dataclasses.replace(FOUND, interval=None), CURVES).panels
    [point] = [mark for mark in panel.marks if isinstance(mark, Dots)]
    assert point.se is None


def test_of_a_classifier_the_studies_are_drawn_and_its_name_stands_above():
    own = {field.name: getattr(FOUND, field.name) for field in dataclasses.fields(FOUND)}
    rows = tuple(StudyRow(n, n, value, 1.0) for n, value in ((20, 0.3), (40, np.nan), (80, 0.1)))
    result = ClassifierPlan(**own | {"learner": "Forest"}, studies=rows)
    [panel] = drawing_of(plan)(result, CURVES).panels
    studies, point = [mark for mark in panel.marks if isinstance(mark, Dots)]
    assert (studies.x, studies.y, point.x) == ((20.0, 80.0), (0.3, 0.1), (30.0,))
    assert panel.title.startswith("Forest: ")
    fixed = dataclasses.replace(result, unknown="theta")
    assert len([m for m in drawing_of(plan)(fixed, CURVES).panels[0].marks if type(m) is Dots]) == 1
    with pytest.raises(ValueError, match="result must be a plan of the error, as its curves are"):
        drawing_of(plan)(dataclasses.replace(result, measure="auc"), CURVES)


def test_what_is_no_plan_is_refused():
    with pytest.raises(ValueError, match=r"result must be a needlescope\.Plan"):
        drawing_of(plan)(3, CURVES)
    with pytest.raises(ValueError, match="curves must be those of planning"):
        drawing_of(plan)(FOUND, {})


def test_costs_of_wrong_settings():
    costs = {"ridge": {0.25: 0.3, 0.5: 0.2, 2.0: 0.2, 4.0: 0.3}}
    result = Tuned(
        "pooled", 0.1, 0.0, 0.4, 0.0, 0.0, 0.0, 0.1, "logistic", 0.5, costs=costs,
        provenance="made up",
    )  # fmt: skip
    [panel] = drawing_of(tuning)(result).panels
    [line] = [mark for mark in panel.marks if isinstance(mark, Line)]
    assert line.y == (0.3, 0.2, 0.1, 0.2, 0.3)
