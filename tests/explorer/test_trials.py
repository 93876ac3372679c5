"""Trained classifiers beside the theory: their dots are where it says, and they stop."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.explorer.state import Refused, State
from needlescope.explorer.trials import LEAST_TRIALS, MODELS, MOST_TRIALS, check_trials, dots


def test_scores_over_seeds_are_as_those_of_a_standard_normal():
    """At d = 120 the limit is near: mean about 0 and deviation about 1 over seeds."""
    scores = {name: list[float]() for name in MODELS}
    for seed in range(12):
        last = {dot["name"]: dot for dot in dots(State(d=120), 8, seed, lambda: False)}
        for name, dot in last.items():
            assert dot["trials"] == 8 and dot["z"] is not None
            scores[name].append(dot["z"])
    for name, values in scores.items():
        assert abs(np.mean(values)) < 1.5, (name, values)
        assert 0.4 < np.std(values, ddof=1) < 2.2, (name, values)


def test_a_wrong_theory_would_be_seen(monkeypatch):
    from needlescope.explorer import trials

    honest = trials.value_of

    def wrong(name, state, precision):
        line = honest(name, state, precision)
        return line._replace(y=line.y + 0.1)

    monkeypatch.setattr(trials, "value_of", wrong)
    last = {dot["name"]: dot for dot in dots(State(d=60), 8, 0, lambda: False)}
    assert all(abs(dot["z"]) > 4.0 for dot in last.values())


def test_dots_come_after_each_trial_and_a_score_only_with_enough():
    found = list(dots(State(d=20), LEAST_TRIALS, 0, lambda: False))
    assert [dot["trial"] for dot in found] == [
        k for k in range(1, LEAST_TRIALS + 1) for _ in MODELS
    ]
    assert all(np.isnan(dot["z"]) == (dot["trials"] < LEAST_TRIALS) for dot in found)
    assert np.isnan(found[0]["se"]) and found[-1]["se"] > 0.0


def test_the_same_seed_gives_the_same_dots_and_another_does_not():
    one, again, other = (list(dots(State(d=20), 2, seed, lambda: False)) for seed in (1, 1, 2))
    assert [dot["y"] for dot in one] == [dot["y"] for dot in again]
    assert [dot["y"] for dot in one] != [dot["y"] for dot in other]


def test_it_stops_between_two_models():
    looks = iter([False, False, True])
    assert len(list(dots(State(d=20), 9, 0, lambda: next(looks)))) == 2


@pytest.mark.parametrize("trials", [0, MOST_TRIALS + 1, 1.0, True, None, "8", -1])
def test_a_number_of_trials_that_is_none_is_refused(trials):
    with pytest.raises(Refused, match=r"trials must be an integer in 1\.\.64, got") as refused:
        check_trials(State(), trials)
    assert refused.value.field == "trials"


def test_data_that_would_not_fit_are_refused_before_any_are_drawn():
    with pytest.raises(Refused, match=r"100,000 bags of 1000 .* take a smaller d") as refused:
        check_trials(State(L=1000, d=1000, alpha0=50.0, alpha1=50.0), 1)
    assert refused.value.field == "d"
