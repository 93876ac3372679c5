"""Fast normal numbers: their law to the sixth moment and into the tails, and no trace of the pairs.

A z-score beyond 5 has a chance of 6e-7 where the code is right.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.random import SeedSequence
from scipy import stats

from needlescope.running.seeds import generator
from needlescope.simulation.samples.normal import CHUNK, fill_normal, normal

ALARM = 1e-5
MANY = 4_000_000


def draw(count: int, seed: int) -> np.ndarray:
    return normal((count,), generator(SeedSequence(seed))).astype(float)


@pytest.fixture(scope="module")
def many() -> np.ndarray:
    """Many numbers of one call, in double precision."""
    return draw(MANY, 1)


class TestLaw:
    @pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 6])
    def test_moments(self, many: np.ndarray, order: int) -> None:
        law = stats.norm()
        mean, variance = law.moment(order), law.moment(2 * order) - law.moment(order) ** 2
        z = ((many**order).mean() - mean) / np.sqrt(variance / len(many))
        assert abs(z) < 5.0

    def test_distribution(self, many: np.ndarray) -> None:
        assert stats.kstest(many[:500_000], "norm").pvalue > ALARM

    @pytest.mark.parametrize("sign", [-1.0, 1.0])
    @pytest.mark.parametrize("beyond", [2.0, 3.0, 4.0, 4.5, 5.0])
    def test_tails(self, many: np.ndarray, beyond: float, sign: float) -> None:
        count, chance = int((sign * many > beyond).sum()), stats.norm.sf(beyond)
        assert stats.binomtest(count, len(many), chance).pvalue > ALARM

    @pytest.mark.parametrize("within", [1e-1, 1e-2, 1e-3, 1e-4])
    def test_numbers_near_zero_are_as_many_as_they_should_be(
        self, many: np.ndarray, within: float
    ) -> None:
        count, chance = int((np.abs(many) < within).sum()), 2.0 * stats.norm.cdf(within) - 1.0
        assert stats.binomtest(count, len(many), chance).pvalue > ALARM

    def test_signs_are_even(self, many: np.ndarray) -> None:
        assert stats.binomtest(int((many > 0.0).sum()), len(many)).pvalue > ALARM

    @pytest.mark.parametrize("word", [0, 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1])
    def test_no_random_bits_give_anything_but_numbers(self, word: int) -> None:
        bits = SimpleNamespace(random_raw=lambda count: np.full(count, word, np.uint64))
        for count in (1, 2, 7):
            result = fill_normal(np.empty(count, np.float32), SimpleNamespace(bit_generator=bits))
            assert np.isfinite(result).all()
            assert np.abs(result).max() <= np.sqrt(66.0 * np.log(2.0)) * (1.0 + 1e-6)

    def test_the_farthest_number_is_where_the_docstring_says(self) -> None:
        bits = SimpleNamespace(random_raw=lambda count: np.zeros(count, np.uint64))
        result = fill_normal(np.empty(2, np.float32), SimpleNamespace(bit_generator=bits))
        assert result == pytest.approx([np.sqrt(66.0 * np.log(2.0)), 0.0], rel=1e-6)


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    """The z-score of the correlation between two arrays."""
    return float(np.corrcoef(a, b)[0, 1] * np.sqrt(len(a)))


class TestIndependence:
    @pytest.mark.parametrize("lag", [1, 2, CHUNK // 2, CHUNK])
    def test_neighbours_halves_and_chunks(self, many: np.ndarray, lag: int) -> None:
        a, b = many[:1_000_000], many[lag : 1_000_000 + lag]
        assert abs(correlation(a, b)) < 5.0
        assert abs(correlation(a**2, b**2)) < 5.0
        assert abs(correlation(a, b**2)) < 5.0
        assert abs(correlation(a**2, b)) < 5.0
        assert abs(correlation(np.abs(a) < 0.1, np.abs(b) < 0.1)) < 5.0

    def test_a_pair_has_uniform_angle_and_exponential_square(self) -> None:
        pairs = draw(8 * CHUNK, 2).reshape(8, 2, CHUNK // 2)
        a, b = pairs[:, 0].ravel(), pairs[:, 1].ravel()
        assert stats.kstest(np.arctan2(b, a), stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > ALARM
        assert stats.kstest(a**2 + b**2, stats.chi2(2).cdf).pvalue > ALARM
        assert abs(correlation(a**2 + b**2, np.cos(4.0 * np.arctan2(b, a)))) < 5.0

    @pytest.mark.sampled(6)
    @pytest.mark.parametrize("size", [1, 2, 4, 3, 5, 9])
    def test_small_arrays_from_one_stream(self, size: int) -> None:
        rng = generator(SeedSequence(3))
        rows = np.array([normal((size,), rng) for _ in range(20_000)], float)
        assert stats.kstest(rows.ravel(), "norm").pvalue > ALARM
        both = np.hstack([rows[:-1], rows[1:]])  # each beside the next
        for table in (both, both**2):
            z = np.corrcoef(table.T) * np.sqrt(len(table))
            assert np.abs(z[np.triu_indices(2 * size, 1)]).max() < 5.0
        z = rows.mean(axis=0) * np.sqrt(len(rows))
        assert np.abs(z).max() < 5.0
        z = (rows.var(axis=0) - 1.0) * np.sqrt(len(rows) / 2.0)
        assert np.abs(z).max() < 5.0

    def test_the_same_place_in_different_calls(self) -> None:
        rng = generator(SeedSequence(4))
        a, b = (normal((200_001,), rng).astype(float) for _ in range(2))
        assert abs(correlation(a, b)) < 5.0
        assert abs(correlation(a**2, b**2)) < 5.0


class TestFilling:
    @pytest.mark.parametrize(
        "size", [0, 1, 2, 3, 7, CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 2, 2 * CHUNK + 3]
    )
    def test_every_place_is_filled(self, size: int) -> None:
        out = np.full(size, np.nan, np.float32)
        assert fill_normal(out, generator(SeedSequence(5))) is out
        assert np.isfinite(out).all()
        if size > 100:
            assert stats.kstest(out, "norm").pvalue > ALARM

    def test_the_numbers_on_both_sides_of_a_chunk_border(self) -> None:
        rng, size = generator(SeedSequence(6)), CHUNK + 1
        rows = np.array([normal((size,), rng)[[0, -3, -2, -1]] for _ in range(1000)], float)
        assert stats.kstest(rows.ravel(), "norm").pvalue > ALARM
        for table in (rows, np.abs(rows)):
            z = np.corrcoef(table.T) * np.sqrt(len(table))
            assert np.abs(z[np.triu_indices(4, 1)]).max() < 5.0

    def test_only_the_given_part_of_an_array_is_touched(self) -> None:
        out = np.full(20, 7.0, np.float32)
        fill_normal(out[5:10], generator(SeedSequence(7)))
        assert (out[:5] == 7.0).all()
        assert (out[10:] == 7.0).all()
        assert (out[5:10] != 7.0).all()

    def test_same_seed_same_numbers_in_any_shape(self) -> None:
        flat = normal((6 * 35_000,), generator(SeedSequence(8)))
        block = normal((6, 5, 7000), generator(SeedSequence(8)))
        assert block.dtype == np.float32
        assert np.array_equal(flat, block.ravel())

    def test_other_seeds_and_later_calls_give_other_numbers(self) -> None:
        rng = generator(SeedSequence(9))
        first, second = normal((1000,), rng), normal((1000,), rng)
        other = normal((1000,), generator(SeedSequence(10)))
        assert (first == second).mean() < 0.01
        assert (first == other).mean() < 0.01

    def test_no_shape_no_numbers(self) -> None:
        assert normal((3, 0, 2), generator(SeedSequence(11))).shape == (3, 0, 2)
