"""Noise as it is drawn: unit variance whatever its law, and the covariances it was given.

A z-score beyond 5 has a chance of 6e-7 where the code is right.
"""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from numpy.random import SeedSequence
from scipy import stats

from needlescope.noise import STANDARD, Noise
from needlescope.running.seeds import generator
from needlescope.simulation.samples.noise import correlate, fill_noise
from tests.covariances import ar1, spread

ALARM = 1e-5


def draw(noise: Noise, shape: tuple[int, int, int], seed: int = 1) -> np.ndarray:
    out = np.full(shape, np.nan, np.float32)
    assert fill_noise(noise, out, generator(SeedSequence(seed))) is out
    return out.astype(float)


def check_covariance(rows: np.ndarray, expected: np.ndarray) -> None:
    """Compare the second moments of zero-mean rows with a matrix, entry by entry."""
    n, size = rows.shape
    for i in range(size):
        for j in range(i, size):
            product = rows[:, i] * rows[:, j]
            rounding = 1e-6 * np.abs(product).max()  # signs have squares without any spread
            allowed = 5.0 * product.std() / np.sqrt(n) + rounding
            assert product.mean() == pytest.approx(expected[i, j], abs=allowed)


class TestEntries:
    @pytest.mark.parametrize(
        "noise", [Noise(), Noise("rademacher"), Noise("student", df=12.0)], ids=repr
    )
    def test_entries_are_centred_uncorrelated_and_of_unit_variance(self, noise: Noise) -> None:
        rows = draw(noise, (60_000, 3, 2)).reshape(-1, 6)
        check_covariance(rows, np.eye(6))
        z = rows.mean(axis=0) * np.sqrt(len(rows))
        assert np.abs(z).max() < 5.0

    def test_gaussian_law(self) -> None:
        assert stats.kstest(draw(Noise(), (1000, 20, 5)).ravel(), "norm").pvalue > ALARM

    @pytest.mark.parametrize("df", [2.1, 2.5, 3.0, 5.0, 30.0, 1e6])
    def test_student_law_is_scaled_to_unit_variance(self, df: float) -> None:
        law = stats.t(df, scale=np.sqrt((df - 2.0) / df))
        rows = draw(Noise("student", df=df), (1000, 20, 5)).ravel()
        assert stats.kstest(rows, law.cdf).pvalue > ALARM

    @pytest.mark.parametrize("shape", [(1, 1, 1), (3, 1, 1), (1, 7, 1), (5, 3, 3), (40, 50, 51)])
    def test_signs_fill_every_place_evenly(self, shape: tuple[int, int, int]) -> None:
        rows = draw(Noise("rademacher"), shape)
        assert set(np.unique(rows)) <= {-1.0, 1.0}
        assert stats.binomtest(int((rows > 0).sum()), rows.size).pvalue > ALARM

    def test_neighbouring_signs_are_independent(self) -> None:
        rows = draw(Noise("rademacher"), (1, 1, 400_000)).ravel()
        for lag in (1, 2, 7, 8, 9, 16):
            assert abs((rows[lag:] * rows[:-lag]).sum() / np.sqrt(len(rows) - lag)) < 5.0

    @pytest.mark.parametrize("entries", ["gaussian", "rademacher", "student"])
    def test_same_stream_same_noise(self, entries: str) -> None:
        df = 4.0 if entries == "student" else None
        noise = Noise(entries, df=df, covariance=spread(4), token_correlation=0.4)
        assert np.array_equal(draw(noise, (5, 3, 4)), draw(noise, (5, 3, 4)))
        assert not np.array_equal(draw(noise, (5, 3, 4)), draw(noise, (5, 3, 4), seed=2))

    def test_it_survives_a_journey_to_a_worker(self) -> None:
        noise = Noise("student", df=5.0, covariance=spread(3), token_correlation=0.2)
        for copy in (pickle.loads(pickle.dumps(noise)), dataclasses.replace(noise)):
            assert np.array_equal(draw(copy, (4, 3, 3)), draw(noise, (4, 3, 3)))


class TestCovariance:
    @pytest.mark.parametrize("entries", ["gaussian", "rademacher"])
    @pytest.mark.parametrize("rho", [0.0, 0.7, -0.9])
    def test_covariance_is_the_product_of_both(self, entries: str, rho: float) -> None:
        L, sigma = 4, spread(3)
        noise = Noise(entries, covariance=sigma, token_correlation=rho)
        rows = draw(noise, (40_000, L, 3)).reshape(-1, 3 * L)
        check_covariance(rows, np.kron(ar1(L, rho), sigma))

    @pytest.mark.parametrize("rho", [0.5, -0.5, 0.99])
    def test_tokens_are_a_stationary_sequence(self, rho: float) -> None:
        rows = draw(Noise(token_correlation=rho), (40_000, 6, 1))[:, :, 0]
        check_covariance(rows, ar1(6, rho))
        for token in (0, 5):
            assert stats.kstest(rows[:, token], "norm").pvalue > ALARM

    def test_student_entries_with_both_covariances(self) -> None:
        """Heavy tails forbid moments; the law of the whitened noise does not."""
        sigma, rho, df = spread(3), 0.6, 3.0
        noise = Noise("student", df=df, covariance=sigma, token_correlation=rho)
        rows = draw(noise, (4000, 5, 3)) @ np.linalg.inv(np.linalg.cholesky(sigma)).T
        fresh = (rows[:, 1:] - rho * rows[:, :-1]) / np.sqrt(1.0 - rho**2)
        law = stats.t(df, scale=np.sqrt((df - 2.0) / df))
        assert stats.kstest(fresh.ravel(), law.cdf).pvalue > ALARM
        assert stats.kstest(rows[:, 0].ravel(), law.cdf).pvalue > ALARM
        assert abs(stats.spearmanr(fresh[:, 0, 0], fresh[:, 0, 1])[0]) * np.sqrt(4000) < 5.0
        assert abs(stats.spearmanr(fresh[:, 0, 0], fresh[:, 1, 0])[0]) * np.sqrt(4000) < 5.0

    def test_a_scaled_identity_scales_the_noise(self) -> None:
        plain, scaled = draw(Noise(), (50, 3, 4)), draw(Noise(covariance=9 * np.eye(4)), (50, 3, 4))
        assert scaled == pytest.approx(3.0 * plain, rel=1e-6)

    def test_one_token_and_one_dimension(self) -> None:
        noise = Noise(covariance=[[4.0]], token_correlation=0.9)
        rows = draw(noise, (20_000, 1, 1)).ravel()
        assert stats.kstest(rows / 2.0, "norm").pvalue > ALARM


class TestCorrelate:
    def test_correlate_is_the_root_of_the_correlation(self) -> None:
        result = correlate(Noise(token_correlation=0.6), np.eye(5)[:, :, None])[:, :, 0]
        assert result.T @ result == pytest.approx(ar1(5, 0.6), abs=1e-14)

    def test_correlate_works_in_place_and_leaves_independent_tokens_alone(self) -> None:
        tokens = np.random.default_rng(0).standard_normal((4, 3))
        before = tokens.copy()
        assert correlate(STANDARD, tokens) is tokens
        assert np.array_equal(tokens, before)
        assert correlate(Noise(token_correlation=0.5), tokens) is tokens
        assert tokens[:, 0] == pytest.approx(before[:, 0])
        assert tokens[:, 1] == pytest.approx(0.5 * before[:, 0] + np.sqrt(0.75) * before[:, 1])
