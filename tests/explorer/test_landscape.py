"""Where attention wins: each cell beside a prediction of its own, and the phases."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.explorer.landscape import TIE, phase, thresholds, win_map
from needlescope.explorer.state import State


@pytest.mark.parametrize("state", [State(query="steps"), State(query="steps", pi=0.2, L=30)])
def test_the_winner_is_the_one_with_the_smaller_error(state):
    found = win_map(state)
    cells = [(0, 0), (0, 8), (4, 4), (8, 0), (8, 8), (5, 7)]
    worst = min(state.pi, 1.0 - state.pi)
    for row, column in cells:
        alpha, theta = found["x"][column], found["y"][row]
        task = ns.Task(L=state.L, R=state.R, theta=theta, pi=state.pi)
        share = alpha * state.alpha0 / state.alpha
        training = ns.Training(share, alpha - share, "logistic", state.ridge)
        attention = ns.predict(task, training, tol=2e-3).test_error
        pooled = ns.predict(task, training, "pooled", data="all", tol=2e-3).test_error
        margin = (pooled - attention) / worst
        assert found["margin"][row][column] == pytest.approx(margin, abs=0.05)
        if abs(abs(margin) - TIE) > 0.05:
            expected = "tie" if abs(margin) < TIE else "attention" if margin > 0 else "pooled"
            assert found["winner"][row][column] == expected


def test_pooling_wins_where_all_tokens_carry_the_signal():
    winner = np.array(win_map(State(L=6, R=6, theta=1.0, alpha0=1.0, alpha1=1.0))["winner"])
    assert np.count_nonzero(winner == "pooled") > np.count_nonzero(winner == "attention")


def test_a_map_stops_when_it_is_told_to():
    looks = iter([False, False, True])
    assert win_map(State(), lambda: next(looks)) is None


def test_the_phase_is_that_of_the_boundaries():
    state = State(L=4, R=4, theta=1.0)
    assert set(phase(state)) == {"verdict", "alpha_it", "alpha_amp", "text"}
    spectral = phase(State(noise="power_law", noise_value=1.0))
    assert spectral["verdict"] or spectral["text"]


def test_thresholds_on_the_map_are_those_of_each_strength():
    state, theta = State(L=100), [1.0, 3.0, 5.0]
    for found, value in zip(thresholds(state, theta), theta, strict=True):
        direct = ns.phase_boundaries(ns.Task(L=100, R=1, theta=value, pi=0.5))
        assert found == pytest.approx([direct.alpha_it, direct.alpha_amp], nan_ok=True)
    assert thresholds(state, theta, lambda: True) is None
