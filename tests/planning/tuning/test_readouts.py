"""Readouts of the search: slopes against differences, the best ridge against a grid."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import LOGISTIC
from needlescope.models import ATTENTION, POOLED, VECTORIZED
from needlescope.planning.tuning.readouts import WORST, Features, TunedReadout, best_shift
from needlescope.query import Query
from needlescope.theory.law.ladder import ROUGH
from needlescope.theory.law.limits import train_limit
from needlescope.theory.saddle.measures import test_error as error_of
from needlescope.theory.saddle.readout import train_readout

TASK = ns.Task(L=10, R=1, theta=4.0, pi=0.5)
STEP = 1e-3


@pytest.mark.parametrize("model", [POOLED, ATTENTION])
def test_slopes_are_those_of_differences(model):
    features = Features(model, TASK, Query(1.6, 0.9))
    here = features.train("logistic", 2.0, 0.05, None)
    data = features.train("logistic", 2.0 * np.exp(STEP), 0.05, None)
    ridge = features.train("logistic", 2.0, 0.05 * np.exp(STEP), None)
    assert (data.error - here.error) / STEP == pytest.approx(here.in_data, abs=1e-5, rel=1e-2)
    assert (ridge.error - here.error) / STEP == pytest.approx(here.in_ridge, abs=1e-5, rel=1e-2)


def test_at_finite_d_a_bias_off_by_chance_makes_large_ridges_dear():
    limit, finite = (Features(POOLED, TASK, d=d) for d in (np.inf, 50.0))
    small, large = 0.05, 100.0
    assert limit.train("logistic", 2.0, large, None).error < 0.34
    assert finite.train("logistic", 2.0, large, None).error > 0.4
    near = [item.train("logistic", 2.0, small, None).error for item in (limit, finite)]
    assert 0.0 < near[1] - near[0] < 0.03


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", [POOLED, VECTORIZED])
@pytest.mark.parametrize("loss", ["logistic", "square"])
@pytest.mark.parametrize("pi", [0.5, 0.2])
def test_the_best_ridge_is_that_of_a_grid(model, loss, pi):
    task = TASK.replace(pi=pi, theta=6.0)
    ridges = np.geomspace(1e-4, 100.0, 25)
    grid = ns.predict(task, ns.Training(alpha1=6.0, ridge=ridges, loss=loss), model.name)
    result = Features(model, task).best_ridge(loss, 6.0)
    assert result.error <= 1.005 * grid.test_error.min()


def test_a_neighbour_is_a_good_start():
    features = Features(POOLED, TASK)
    near = features.best_ridge("logistic", 2.0)
    again = features.best_ridge("logistic", 2.2, near)
    assert again.error == pytest.approx(features.best_ridge("logistic", 2.2).error, rel=5e-3)


def test_what_cannot_be_trained_is_the_worst():
    assert Features(POOLED, TASK).train("logistic", 0.5, 0.0, None) is WORST
    assert TunedReadout(0.2, 0.1).error < WORST.error


def test_the_shifted_bias_is_the_best_one():
    limit = train_limit(POOLED, TASK, Query(0.0, 0.0), ROUGH)
    point = train_readout(limit, LOGISTIC, 0.5, 4.0, 0.1).point
    law, shift = limit.law(0.2), best_shift(limit.law(0.2), point)
    errors = [error_of(law, point._replace(b=point.b + shift + by)) for by in (-0.1, 0.0, 0.1)]
    assert errors[1] == min(errors)


@pytest.mark.parametrize("loss", ["logistic", "square"])
def test_the_best_ridge_in_noise_with_a_spectrum(loss):
    noise = ns.Noise(spectrum=ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2))
    task = ns.Task(L=6, R=1, theta=3.0, pi=0.5, noise=noise, signal=(0.5, 0.5))
    result = Features(POOLED, task).best_ridge(loss, 2.0)
    ridges = result.ridge * np.geomspace(0.2, 5.0, 9)
    grid = ns.predict(task, ns.Training(alpha1=2.0, loss=loss, ridge=ridges), "pooled")
    assert result.error <= 1.002 * grid.test_error.min()
    assert abs(result.in_ridge) < 1e-3
