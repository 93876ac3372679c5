"""The pilot's own learning curve: splits, and the uncertainty of errors on them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from needlescope.estimators.pilot.parts import (
    Split,
    curve_of_parts,
    errors_of_parts,
    part_jobs,
)
from needlescope.planning.studies.measures import get_measure

MEASURE = get_measure("error", 0.5)


def test_parts_have_the_share_of_each_class_and_tests_are_the_rest():
    signs = np.where(np.arange(50) % 5 == 0, 1.0, -1.0)
    X = np.arange(50.0)[:, None, None]
    for job in part_jobs(X, signs, None, 3, np.random.SeedSequence(1)):
        (known, of_known), (held_out, of_rest) = job.train, job.test
        rows = known[:, 0, 0].astype(int)
        assert sorted([*rows, *job.rest]) == list(range(50))
        assert (signs[rows] == of_known).all() and (signs[job.rest] == of_rest).all()
        assert abs((of_known > 0.0).mean() - 0.2) < 0.05
        assert (held_out[:, 0, 0] == job.rest).all()


def simulated(rng, bags=80, level=0.8, slope=0.3, splits=4, luck=0.0):
    """Tests of classifiers whose error falls as t does; bags are easier or harder than others."""
    tested, ease = [], rng.standard_normal(bags)
    for size in (28, 40, 56, 68):
        for _ in range(splits):
            rest = rng.permutation(bags)[: bags - size]
            t = -level - slope * np.log(size / bags) + luck * rng.standard_normal()
            score = np.sqrt(0.5) * ease[rest] + np.sqrt(0.5) * rng.standard_normal(len(rest))
            tested.append(Split(size, rest, (score < t).astype(float)))
    return tested


def test_the_standard_error_is_that_of_a_sample_of_bags():
    # Over many pilots the mean error at a size varies as its standard error says, on average.
    rng = np.random.default_rng(2)
    rows = [errors_of_parts(simulated(rng))[68] for _ in range(300)]
    errors, se = np.array(rows).T
    assert errors.std() == pytest.approx(np.sqrt((se**2).mean()), rel=0.15)


def test_intervals_of_simulated_pilots_hold():
    rng, held = np.random.default_rng(3), []
    truth = float(ndtr(-0.8 - 0.3 * np.log(4.0)))
    for _ in range(120):
        found = curve_of_parts(simulated(rng), 80, MEASURE, rng).error(320, MEASURE)
        held.append(found.low <= truth <= found.high)
    assert 0.84 <= np.mean(held) <= 1.0  # 90 % less two standard errors of 120


def test_luck_of_a_data_set_makes_the_interval_wider_however_many_splits():
    rng = np.random.default_rng(4)
    widths = {luck: [] for luck in (0.0, 0.5)}
    for luck, into in widths.items():
        for _ in range(20):
            curves = curve_of_parts(simulated(rng, luck=luck, splits=60), 80, MEASURE, rng)
            into.append(curves.t(np.array([80.0])).std())
    assert np.mean(widths[0.5]) > 1.3 * np.mean(widths[0.0])
