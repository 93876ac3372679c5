"""The best ridge of curves that are known: plateaus, ends, several minima."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.planning.tuning.ridges import RIDGE_RANGE, TunedReadout, best

PRIOR = 0.01


def curve(at: float, edge: float = np.inf):
    """An error with its minimum at ``at``, and the constant answer above ``edge``."""

    def evaluate(x, near):
        off = float(x - np.log(at))
        if x > np.log(edge):
            return TunedReadout(PRIOR, float(np.exp(x)), prior=PRIOR, misranked=0.2)
        error = PRIOR * (1.0 - 0.5 / (1.0 + off**2))
        slope = PRIOR * off / (1.0 + off**2) ** 2
        return TunedReadout(error, float(np.exp(x)), slope, prior=PRIOR)

    return evaluate


@pytest.mark.parametrize("at", [1e-5, 1e-3, 0.1, 10.0])
def test_the_minimum_is_found_from_nothing(at):
    assert best(curve(at), 1.0).ridge == pytest.approx(at, rel=0.1)


@pytest.mark.parametrize("at", [1e-5, 1e-3])
def test_it_is_found_below_a_constant_answer(at):
    evaluate = curve(at, edge=4.0 * at)
    constant = evaluate(np.log(1.0), None)
    assert constant.constant
    assert best(evaluate, 1.0).ridge == pytest.approx(at, rel=0.1)
    assert best(evaluate, 1.0, constant).ridge == pytest.approx(at, rel=0.1)


def test_where_every_ridge_gives_the_constant_answer_that_is_found():
    result = best(curve(1e-12, edge=1e-12), 1.0)
    assert result.constant and result.error == PRIOR
    assert result.criterion > PRIOR


def test_what_falls_to_the_end_ends_there():
    assert best(curve(1e-12), 1.0).ridge == pytest.approx(RIDGE_RANGE[0])


def test_a_narrow_dip_between_overfitting_and_the_constant_answer_is_found():
    """Square loss, vectorized: the error falls from above the prior to 4 % below it, then ties."""

    def evaluate(x, near):
        off = float(x - np.log(2.0))
        if off > 1.0:
            return TunedReadout(PRIOR, float(np.exp(x)), prior=PRIOR, misranked=0.2)
        return TunedReadout(
            PRIOR * (0.96 + 0.04 * off**2), float(np.exp(x)), 0.08 * PRIOR * off, prior=PRIOR
        )

    assert best(evaluate, 1.0).error < 0.97 * PRIOR


def test_no_error_is_the_least():
    """A signal so strong that the error underflows: there is no slope relative to it."""

    def evaluate(x, near):
        return TunedReadout(0.0, float(np.exp(x)), 1e-200, prior=0.5, warm=object())

    near = TunedReadout(0.0, 1e-2, 1e-200, prior=0.5, warm=object())
    assert best(evaluate, 1.0, near).error == 0.0
