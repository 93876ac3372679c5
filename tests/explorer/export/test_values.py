"""The values of the grids are those of the lines that the explorer shows."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.explorer.export.axes import LINES
from needlescope.explorer.export.values import LOWEST_T, TOL, error, error_of, t_of
from needlescope.explorer.lines import LINES as SHOWN
from needlescope.explorer.lines import value_of
from needlescope.explorer.state import State
from needlescope.theory.alignment import align


@pytest.mark.parametrize("line", SHOWN)
def test_they_are_the_errors_that_a_session_shows(line: str) -> None:
    state = State(L=12, R=2, theta=3.0, pi=0.2, kappa=2.0, alpha0=3.0, alpha1=2.0)
    at = {
        **{"theta": state.theta, "pi": state.pi, "alpha": state.alpha, "kappa": state.kappa},
        **{"alpha1": state.alpha1, "s": state.R * state.theta / np.sqrt(state.L)},
        "c": float(align(state.task(), state.training()).cosine_q),
    }
    given = {name: at[name] for name in LINES[line] if name != "R"}
    shown = value_of(line, state, "fine")
    assert float(error(line, state.L, state.R, given)) == pytest.approx(shown.y[0], abs=TOL)


def test_of_mean_pooling_strength_and_length_are_all_that_matters() -> None:
    at = {"s": 1.5, "pi": 0.3, "alpha": 4.0}
    errors = [float(error("pooled", 12, R, at)) for R in (1, 3, 12)]
    assert errors == pytest.approx([errors[0]] * 3, abs=TOL)


def test_an_error_becomes_t_and_back() -> None:
    pi = np.array([0.05, 0.3, 0.5])
    for share in (0.01, 0.5, 1.0, 1.4):
        errors = share * np.minimum(pi, 1 - pi)
        assert error_of(t_of(errors, pi), pi) == pytest.approx(errors)
    assert t_of(0.0, 0.5) == LOWEST_T
