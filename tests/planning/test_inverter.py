"""One inverter: where an error meets a target, and the last whole number that does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from needlescope.planning.inverter import find_root, largest


class One(NamedTuple):
    error: float


@pytest.mark.parametrize("seed", range(30))
def test_the_largest_whole_number_is_that_of_a_search_through_all(seed):
    rng = np.random.default_rng(seed)
    limits = int(rng.integers(1, 6)), int(rng.integers(10, 3000))
    rises = np.cumsum(rng.exponential(size=limits[1] + 1) * (rng.random(limits[1] + 1) < 0.5))
    gaps = rises - rng.uniform(-0.5, 1.2) * rises[-1]  # flat in parts, and steep
    looks = []

    def gap(x):
        assert limits[0] <= x <= limits[1]
        looks.append(x)
        return float(gaps[x])

    good = [x for x in range(limits[0], limits[1] + 1) if gaps[x] <= 0.0]
    assert largest(gap, int(rng.integers(1, 3000)), limits) == (good[-1] if good else None)
    assert len(looks) == len(set(looks)) <= 40


def test_a_rough_search_may_be_too_small_by_its_ratio():
    result = largest(lambda x: x / 2000.5 - 1.0, 10, (1, 100_000), ratio=1.05)
    assert 2000 / 1.05 <= result <= 2000


def test_an_error_that_jumps_past_its_target_is_met_where_it_jumps():
    def error(x):
        return 0.3 if x < 37.0 else 0.001

    root = find_root(
        lambda x, near: One(error(x)), lambda x, item: error(x), 0.1, 2.0, (1.0, 1000.0)
    )
    assert root.reached and root.setting.error == 0.001
    assert 37.0 <= root.at < 45.0


def test_a_target_that_is_met_nowhere_says_so():
    root = find_root(lambda x, near: One(0.3), lambda x, item: 0.3, 0.1, 2.0, (1.0, 100.0))
    assert not root.reached
