"""The lines: what follows a slider, what they hold, and that they are those of the package."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.explorer.lines import (
    FINE,
    LINES,
    LONGEST_JOINT,
    PIECE,
    PRECISIONS,
    axis_of,
    follows,
    line_of,
    value_of,
)  # fmt: skip
from needlescope.explorer.state import HIGHEST_ALPHA, LOWEST_ALPHA, State


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", LINES)
def test_every_line_spans_the_axis_with_errors_and_their_uncertainties(name, precision):
    line = line_of(name, State(), precision)
    assert line.x[0] == pytest.approx(LOWEST_ALPHA) and line.x[-1] == pytest.approx(HIGHEST_ALPHA)
    assert line.x.shape == line.y.shape == line.se.shape
    assert np.all((line.y > 0.0) & (line.y <= 0.5 + 1e-6)) and np.all(line.se >= 0.0)
    assert line.provenance


def test_lines_are_those_of_the_package():
    state = State(query="steps", alpha0=1.0, alpha1=3.0)
    line = line_of("attention", state, FINE)
    training = ns.Training(line.x / 4.0, 3.0 * line.x / 4.0, "logistic", 0.01)
    expected = ns.predict(state.task(), training, tol=2e-3)
    assert np.allclose(line.y, expected.test_error, atol=4e-3)
    pooled = ns.predict(state.task(), training, "pooled", data="all", tol=2e-3)
    assert np.allclose(line_of("pooled", state, FINE).y, pooled.test_error, atol=4e-3)


def test_nobody_beats_bayes_and_nobody_the_known_signal():
    state = State()
    known = line_of("known", state, FINE).y[0]
    for name in LINES:
        line = line_of(name, state, FINE)
        bayes = np.array([value_of("bayes_optimal", state.at(x), FINE).y[0] for x in line.x[::6]])
        assert np.all(line.y >= known - 5e-3)
        assert np.all(line.y[::6] >= bayes - 8e-3) or name == "known"


def test_coarse_and_fine_lines_agree():
    for name in ("attention", "pooled", "vectorized", "bayes_optimal"):
        coarse, fine = (line_of(name, State(), precision) for precision in PRECISIONS)
        between = np.interp(np.log(coarse.x), np.log(fine.x), fine.y)
        assert np.allclose(coarse.y, between, atol=0.025)


def test_the_value_at_the_state_is_on_its_line():
    state = State()
    fine = line_of("attention", state, FINE)
    here = np.interp(np.log(state.alpha), np.log(fine.x), fine.y)
    assert value_of("attention", state, FINE).y[0] == pytest.approx(here, abs=5e-3)


def test_what_is_slow_does_not_follow_a_slider():
    assert [name for name in LINES if not follows(name, State())] == ["amp"]
    assert not follows("attention", State(kind="joint"))
    assert not follows("attention", State(kind="schedule"))
    assert follows("pooled", State(kind="joint"))


def test_joint_training_of_long_bags_is_a_sentence():
    state = State(kind="joint", L=LONGEST_JOINT + 1)
    assert f"joint training is shown for L up to {LONGEST_JOINT}" in line_of(
        "attention", state, FINE
    )
    assert len(axis_of("attention", state, FINE)) == 8


def test_a_line_that_cannot_be_computed_is_a_sentence(monkeypatch):
    def fail(state, x, tol):
        raise ns.NotConverged("the equations of this point were not solved")

    broken = LINES["pooled"]._replace(compute=fail)
    monkeypatch.setitem(LINES, "pooled", broken)
    state = State(theta=3.21)
    assert line_of("pooled", state, FINE) == "the equations of this point were not solved"


def test_a_line_stops_between_two_pieces(monkeypatch):
    sizes = []

    def compute(state, x, tol):
        sizes.append(len(x))
        return LINES["known"].compute(state, x, tol)

    monkeypatch.setitem(LINES, "pooled", LINES["pooled"]._replace(compute=compute))
    looks = iter([False, False, True])
    assert line_of("pooled", State(theta=2.34), FINE, lambda: next(looks)) is None
    assert sizes == [PIECE, PIECE]
    whole = line_of("pooled", State(theta=2.34), FINE)
    assert sizes == [PIECE] * 6 and whole.x.shape == (24,)  # what was computed is kept
