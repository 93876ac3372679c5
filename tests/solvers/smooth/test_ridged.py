"""Smooth losses with a ridge: what is returned is a minimiser, for one ridge and for several."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.errors import NotConverged
from needlescope.losses import LOGISTIC
from needlescope.solvers.algebra.problem import Problem
from needlescope.solvers.minimise import minimise, minimise_path
from needlescope.solvers.smooth import ridged as smooth
from tests.solvers.problems import LARGE, SMALL, relative, sample

COVERS = ("point",)


@pytest.mark.parametrize("shape", SMALL[:2] + LARGE[:2], ids=str)
def test_not_converged_says_so(shape, smooth_loss):
    """No float64 gradient is that small: an answer would be a lie."""
    F, y = sample(*shape)
    with pytest.raises(NotConverged, match=r"gradient of \d.* not 1e-19, in \d+ .*larger ridge"):
        minimise(F, y, smooth_loss, 1e-3, tolerance=1e-19)


def test_problem_is_a_plain_tuple():
    F, y = sample(60, 20)
    fit = smooth.minimise_smooth(Problem(F, y, LOGISTIC, 0.1, np.full(60, 1 / 60)), 1e-9)
    assert np.array_equal(fit.w, minimise(F, y, "logistic", 0.1).w)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shape", SMALL + LARGE[:2])
@pytest.mark.parametrize("ridges", [(10.0, 0.1, 1e-5), (1e-5, 0.1, 10.0)])
def test_each_of_several_ridges_gets_its_minimiser(smooth_loss, shape, ridges):
    F, y = sample(*shape)
    fits = minimise_path(F, y, smooth_loss, ridges)
    for ridge, fit in zip(ridges, fits, strict=True):
        assert relative(F, y, smooth_loss, ridge, fit) <= 1e-9 * (1 + 1e-6)
        assert fit.scores == pytest.approx(F @ fit.w + fit.b, rel=1e-9, abs=1e-9)


def test_the_next_ridge_starts_where_the_last_one_ended():
    F, y = sample(60, 20)
    again = minimise_path(F, y, "logistic", [0.1, 0.1], tolerance=1e-4)
    assert again[0].iterations > 0
    assert again[1].iterations == 0
    assert np.array_equal(again[0].w, again[1].w)
