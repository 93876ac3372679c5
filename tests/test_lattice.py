"""Randomly shifted lattices: the same bits every time, uniform, and better than plain sampling."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from needlescope.lattice import MULTIPLIER, REPLICATES, SEED, replicate
from needlescope.theory.law.ladder import LADDER
from needlescope.theory.law.tokens import TOP_TOKENS, Tokens

MOST_DIMS = 2 * Tokens.dims(TOP_TOKENS + 1)  # signal and noise tokens, both with a bulk


def digest(points: int, dims: int, index: int) -> str:
    return hashlib.sha256(replicate(points, dims, index).tobytes()).hexdigest()


def test_the_same_call_gives_the_same_bits_in_another_process() -> None:
    code = (
        "import hashlib; from needlescope.lattice import replicate; "
        "print(hashlib.sha256(replicate(1024, 40, 3).tobytes()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == digest(1024, 40, 3) == digest(1024, 40, 3), done.stderr


@pytest.mark.parametrize("points", [2, 512, 4096])
def test_it_is_the_folded_korobov_lattice(points: int) -> None:
    dims, index = 5, 2
    shift = np.random.default_rng([SEED, index]).random(dims)
    i = np.random.default_rng(0).integers(0, points, 20)
    result = replicate(points, dims, index)
    for j in range(dims):
        exact = np.array([int(k) * MULTIPLIER**j % points for k in i]) / points
        u = (exact + shift[j]) % 1.0
        assert result[i, j] == pytest.approx(1.0 - np.abs(2.0 * u - 1.0), abs=1e-15)


@pytest.mark.parametrize("level", LADDER, ids=lambda level: str(level.points))
def test_points_lie_strictly_inside_the_unit_interval(level) -> None:
    u = replicate(min(level.points, 2**14), 6, 0)
    assert u.min() > 0.0
    assert u.max() < 1.0


def test_more_coordinates_leave_the_first_unchanged() -> None:
    assert np.array_equal(replicate(512, 40, 1)[:, :7], replicate(512, 7, 1))


def test_replicates_differ() -> None:
    assert len({digest(512, 4, index) for index in range(REPLICATES)}) == REPLICATES


@pytest.mark.parametrize("points", [512, 8192])
def test_every_coordinate_is_equidistributed(points: int) -> None:
    u = np.sort(replicate(points, MOST_DIMS, 0), axis=0)
    steps = np.arange(1, points + 1)[:, None] / points
    assert np.abs(u - steps).max() <= 2.0 / points  # a shifted grid, folded in two


@pytest.mark.parametrize("level", LADDER, ids=lambda level: str(level.points))
def test_no_two_coordinates_share_a_generator(level) -> None:
    powers = [pow(MULTIPLIER, j, level.points) for j in range(MOST_DIMS)]
    folded = {
        min(power, level.points - power) for power in powers
    }  # the tent map joins a and N − a
    assert len(folded) == MOST_DIMS


@pytest.mark.parametrize("dims", [3, 12])
def test_smooth_integrals_are_unbiased_and_far_better_than_plain_sampling(dims: int) -> None:
    points, shifts = 1024, 64
    decay = 1.0 / np.arange(1, dims + 1) ** 2

    def product(u: np.ndarray) -> np.ndarray:
        return np.prod(1.0 + decay * (np.exp(u) - (np.e - 1.0)), axis=1)  # integral one

    result = np.array([product(replicate(points, dims, k)).mean() for k in range(shifts)])
    z = (result.mean() - 1.0) / (result.std(ddof=1) / np.sqrt(shifts))
    assert abs(z) < 4.0
    plain = product(np.random.default_rng(5).random((20_000, dims))).std() / np.sqrt(points)
    assert result.std(ddof=1) < plain / 30.0


def test_the_spread_of_replicates_tells_the_error() -> None:
    """Student's t with 7 degrees of freedom: |t| > 5.4 in one of a thousand."""
    for frequency in (1.0, 2.0, 3.0):
        values = []
        for index in range(REPLICATES):
            u = replicate(512, 8, index)
            values.append(np.cos(frequency * u.sum(axis=1)).mean())
        exact = ((np.exp(1j * frequency) - 1.0) / (1j * frequency)) ** 8
        error = np.std(values, ddof=1) / np.sqrt(REPLICATES)
        assert abs(np.mean(values) - exact.real) < 5.4 * error
