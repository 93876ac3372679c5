"""How far data are from the theory, and what that says of an estimate."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.task.departures import (
    DRIFT,
    BayesFloor,
    Departure,
    Drift,
    ErrorComparison,
    departures,
    trust,
    verdict,
)


def levels(kurtosis, error, drift=0):
    return {
        "kurtosis": Departure(0.0, 0.0, kurtosis, ""),
        DRIFT: Drift(4.17, 2.37, drift > 0, drift > 1).judge(),
        "error, pooled": Departure(0.0, 0.0, error, "", "error"),
    }


def test_trust_follows_the_measured_errors():
    assert trust(levels(0, 0), True).startswith("the theory can be trusted here")
    assert trust(levels(2, 0), True).endswith("though its assumptions are off (kurtosis)")
    assert trust(levels(0, 1), True).startswith("cannot tell how far to trust the theory")
    assert trust(levels(2, 2), True).startswith("do not trust the theory's numbers")
    assert trust(levels(0, 0), False).startswith("no signal was found")
    assert trust(levels(0, 2), False, guessing=False).startswith("the theory's two steps found no")


def test_a_plan_does_not_stand_on_a_strength_that_drifts():
    told = trust(levels(0, 0, drift=2), True)
    assert told.startswith("do not trust a plan by the theory's numbers: θ falls as bags are added")
    assert trust(levels(0, 2, drift=2), True).startswith("do not trust the")
    assert "assumptions are off (strength in halves)" in trust(levels(0, 0, drift=1), True)


@pytest.mark.parametrize(("error", "words"), [(0, "as predicted"), (1, "cannot tell")])
def test_the_verdict_is_on_the_worst_error(error, words):
    assert verdict(levels(2, error), True) == words
    worse = {**levels(0, error), "error, attention": Departure(0.0, 0.0, 2, "", "error")}
    assert verdict(worse, True) == "not as predicted"
    assert verdict(worse, False) == "cannot tell"


@pytest.mark.parametrize("predicted", [0.01, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("uncertainty", [1.0, 1.2, 1.5, 3.0, 10.0])
@pytest.mark.parametrize("se", [0.002, 0.01, 0.03])
def test_a_twofold_miss_is_never_as_predicted_unless_counting_explains_it(
    predicted, uncertainty, se
):
    range_ = predicted / uncertainty, min(predicted * uncertainty, 0.5)
    for measured in (2.0 * predicted, 0.5 * predicted):
        told = ErrorComparison(measured, se, predicted, *range_).judge()
        explained = abs(measured - predicted) <= 2.0 * se
        assert told.level > 0 or explained
        if uncertainty == 1.0:
            assert (told.level == 0) == explained


def test_the_doubt_of_a_strength_widens_a_prediction_until_it_says_nothing():
    def level(measured, low, high):
        return ErrorComparison(measured, 0.01, 0.1, low, high).judge().level

    assert level(0.135, 0.1, 0.1) == 2
    assert level(0.135, 0.08, 0.13) == 0
    assert level(0.135, 0.08, 0.2) == 1
    assert level(0.1, 0.03, 0.11) == 1  # a hit by chance
    assert level(0.4, 0.03, 0.2) == 2  # beyond even that
    wide = ErrorComparison(0.324, 0.034, 0.167, 0.03, 0.335).judge().sentence
    assert wide == "0.324, against 0.167: the prediction is too uncertain (0.030 to 0.335)"


@pytest.mark.parametrize(
    ("halves", "off", "one_sided", "level", "words"),
    [
        (4.17, True, True, 2, "θ falls as bags are added, the model does not hold"),
        (1.5, True, True, 2, "θ grows as bags are added, the model does not hold"),
        (4.17, True, False, 1, "halves differ by more than the model allows"),
        (2.55, True, True, 1, "halves differ by more than the model allows"),
        (4.17, False, True, 0, "as the theory assumes"),
    ],
)
def test_a_strength_that_changes_as_bags_are_added(halves, off, one_sided, level, words):
    drift = Drift(halves, 2.37, off, one_sided)
    noise = {"skewness": 0.0, "kurtosis": 3.0, "correlation": 0.0}
    result = departures(noise, {"measured": np.nan, "predicted": np.nan}, np.nan, {}, drift)[DRIFT]
    assert (result.level, result.sentence) == (level, f"{halves:.2f}, against 2.37: {words}")


def test_an_estimated_floor_is_beaten_only_beyond_counting():
    assert BayesFloor(0.004, 3000, 0.03, 0.028).judge().level == 2
    assert BayesFloor(0.004, 3000, 0.03, 0.003).judge().level == 1  # θ is so open
    assert BayesFloor(0.027, 3000, 0.03, 0.028).judge().level == 0
    assert BayesFloor(0.0, 100, 0.03, 0.03).judge().level == 0  # no error in a hundred: by chance
    assert BayesFloor(0.0, 300, 0.03, 0.03).judge().level == 2
    noise = {"skewness": 0.0, "kurtosis": 3.0, "correlation": 0.0}
    alike = {"error, pooled": ErrorComparison(0.03, 0.003, 0.03, 0.03, 0.03)}
    nothing = {"measured": np.nan, "predicted": np.nan}
    beaten = departures(noise, nothing, np.nan, alike, None, BayesFloor(0.004, 3000, 0.03, 0.028))
    assert verdict(beaten, True) == "not as predicted"
    assert verdict(departures(noise, nothing, np.nan, alike), True) == "as predicted"
