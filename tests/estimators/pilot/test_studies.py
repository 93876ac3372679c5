"""Studies in worlds of a pilot: where they are made, and what the curve through them says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from needlescope.estimators.pilot.studies import HERE, curve_of_studies
from needlescope.planning.studies.measures import get_measure

MEASURE = get_measure("error", 0.5)


class World:
    """t = −0.8 − 0.3 log(n/100) − 1.5 v, with scatter."""

    def __init__(self, scatter=0.0, seed=0):
        self.asked, self.scatter, self.rng = [], scatter, np.random.default_rng(seed)

    def t(self, n, v=0.0):
        return -0.8 - 0.3 * np.log(n / 100) - 1.5 * v

    def __call__(self, asked):
        self.asked += asked
        noise = self.scatter * self.rng.standard_normal(len(asked))
        return [float(ndtr(self.t(n, v) + e)) for (n, v, w), e in zip(asked, noise, strict=True)]


def curves(world, target, se=(0.1, 0.0), count=12, seed=0):
    rng = np.random.default_rng(seed)
    return curve_of_studies(world, target, (85, 100), se, MEASURE, count, rng)


def test_studies_are_made_at_the_largest_part_and_where_it_is_asked():
    world = World()
    curves(world, (250, None))
    assert [each.n for each in world.asked] == [85] * HERE + [250] * (12 - HERE)
    world = World()
    curves(world, (None, float(ndtr(world.t(300)))))
    assert [each.n for each in world.asked[:6]] == [85] * HERE + [200] * HERE
    assert all(250 < each.n < 360 for each in world.asked[6:])
    world = World()
    curves(world, (5000, None))
    assert max(each.n for each in world.asked) == 400  # four times the pilot
    world = World()
    curve_of_studies(
        world, (5000, None), (85, 100), (0.1, 0.0), MEASURE, 12, np.random.default_rng(0), room=150
    )
    assert max(each.n for each in world.asked) == 150


def test_the_uncertainty_of_the_strength_is_that_of_the_answer():
    world = World()
    known, unknown = (
        curves(world, (200, None), (se, 0.0)).t(np.array([200.0])).std() for se in (1e-6, 0.2)
    )
    assert unknown == pytest.approx(np.hypot(1.5 * 0.2, known), rel=0.15)


def test_intervals_hold_the_truth_where_the_strength_is_as_uncertain_as_said():
    held = []
    for seed in range(150):
        rng = np.random.default_rng([7, seed])
        world, off = World(0.1, seed), 0.15 * rng.standard_normal()
        found = curves(world, (200, None), (0.15, 0.0), seed=seed).error(200, MEASURE)
        s = np.sqrt(1.0 + 0.1**2)  # the mean over the scatter
        held.append(found.low <= ndtr(world.t(200, off) / s) <= found.high)
    assert 0.84 <= np.mean(held) <= 0.97


def test_failures_are_left_out_and_nothing_is_said_of_nothing():
    found = curves(lambda asked: [np.nan] * len(asked), (200, None))
    assert len(found.draws) == 0
