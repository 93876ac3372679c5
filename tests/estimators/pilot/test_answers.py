"""Which answer to believe, and why."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.pilot.answers import (
    Measured,
    answer_of,
    believed,
    distance,
    measured_by,
    reason,
)
from needlescope.estimators.pilot.curves import Curves
from needlescope.planning.studies.measures import get_measure
from needlescope.results.planned import PilotAnswer

MEASURE = get_measure("error", 0.5)
SEEN = Measured(68, 0.14, 0.03)


def answer(method, off, here=0.1, high=0.12):
    return PilotAnswer(method, 0.1, 0.08, high, here, off)


CURVE = answer("curve", 0.0, 0.14, high=0.3)


@pytest.mark.parametrize(
    ("task", "resampled", "drifts", "which"),
    [
        (0.5, 0.5, False, "task"),
        (-0.9, 3.0, False, "task"),
        (-1.2, 0.8, False, "resampled"),
        (1.2, -1.7, False, "curve"),
        (0.5, 0.5, True, "curve"),
        (np.nan, np.nan, False, "curve"),
    ],
)
def test_what_agrees_with_the_measured_error_is_believed(task, resampled, drifts, which):
    answers = [answer("task", task), answer("resampled", resampled), CURVE]
    assert believed(answers, drifts) == which
    assert reason(answers, which, drifts, SEEN)


@pytest.mark.parametrize(
    ("high", "ends", "which"),
    [
        (0.16, (0.08, 0.30), "task"),  # half as long, in logs
        (0.20, (0.08, 0.30), "curve"),
        (0.20, (0.08, np.inf), "task"),
        (np.inf, (0.08, np.inf), "curve"),
    ],
)
def test_an_answer_that_assumes_more_has_to_say_more(high, ends, which):
    curve = PilotAnswer("curve", 0.1, *ends, 0.14, 0.0)
    answers = [answer("task", 0.5, high=high), curve]
    assert believed(answers, False) == which
    told = reason(answers, which, False, SEEN)
    assert ("would say little more" in told) == (which == "curve")


def test_an_answer_that_stands_alone_is_believed():
    assert believed([answer("task", np.nan)], False) == "task"
    assert believed([CURVE], False) == "curve"
    assert reason([answer("task", np.nan)], "task", False, None).startswith("there is no class")


def test_the_reason_names_the_numbers():
    answers = [answer("task", -2.0, 0.05), CURVE]
    told = reason(answers, "curve", False, SEEN)
    assert "0.14 ± 0.03 at 68 bags" in told and "the task read off the pilot 0.05" in told
    assert "it predicts 0.05 for what" in reason(answers, "task", False, SEEN)
    assert "changes as bags are added" in reason(answers, "curve", True, SEEN)
    assert "assumes nothing" in reason([CURVE], "curve", False, SEEN)


def test_distances_are_in_standard_errors_of_both():
    rng = np.random.default_rng(0)
    draws = np.array([-1.0, -0.2, 0.0]) + [1.0, 0.0, 0.0] * rng.standard_normal((4000, 1)) * 0.3
    a, b = Curves(100.0, draws), Curves(100.0, draws[::-1] + np.array([0.5, 0.0, 0.0]))
    assert distance(a, b, 85) == pytest.approx(-0.5 / (0.3 * np.sqrt(2.0)), rel=0.05)


def test_numbers_of_bags_are_whole_and_empty_curves_say_nothing():
    curves = Curves(100.0, np.array([[-1.0, -0.2, 0.0]]))
    found = answer_of("task", curves, (None, 0.13), curves, 85, MEASURE)
    assert found.value == np.ceil(found.value) and found.off == 0.0
    nothing = answer_of("task", Curves(100.0, np.empty((0, 3))), (None, 0.1), curves, 85, MEASURE)
    assert np.isnan(nothing.value)
    assert measured_by(curves, 100, MEASURE).se == 0.0
