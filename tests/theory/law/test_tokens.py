"""Sums over Gaussian tokens: the largest exactly, the rest by a Gaussian with exact moments."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr

from needlescope.lattice import REPLICATES, replicate
from needlescope.theory.law import tokens as module
from needlescope.theory.law.tokens import MAX_EXACT_TOKENS, TOP_TOKENS, Tokens

STATISTICS = ("score", "A", "score²", "Φ(−1−score)", "Φ(score−1)", "Σg²/n")


def draw(n: int, points: int, index: int) -> Tokens:
    return Tokens.draw(n, replicate(points, Tokens.dims(n), index))


def statistics(tokens: Tokens, kappa: float) -> np.ndarray:
    """Means of what softmax over these tokens is used for."""
    s = tokens.sums(kappa)
    return _statistics(
        s.moment / s.mass - s.total / tokens.n, s.square / s.mass**2, s.total, tokens.n
    )


def _statistics(score: np.ndarray, A: np.ndarray, total: np.ndarray, n: int) -> np.ndarray:
    return np.stack([score, A, score**2, ndtr(-1.0 - score), ndtr(score - 1.0), total**2 / n])


def by_lattice(n: int, kappa: float, points: int) -> np.ndarray:
    """One row of means for each replicate."""
    return np.array([statistics(draw(n, points, k), kappa).mean(axis=1) for k in range(REPLICATES)])


def mean_and_error(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(rows))


class TestDraw:
    @pytest.mark.parametrize("n", [1, 2, 7, MAX_EXACT_TOKENS, MAX_EXACT_TOKENS + 1, 1000, 10**9])
    def test_tokens_come_in_decreasing_order_and_finite(self, n: int) -> None:
        tiny = 2.0**-52
        u = np.random.default_rng(0).random((200, Tokens.dims(n)))
        u[0], u[1] = tiny, 1.0 - tiny  # the ends of what a lattice can give
        result = Tokens.draw(n, u)
        assert result.g.shape == (200, n if n <= MAX_EXACT_TOKENS else TOP_TOKENS)
        assert result.z.shape == (200, 0 if n <= MAX_EXACT_TOKENS else 4)
        assert np.isfinite(result.g).all()
        assert np.isfinite(result.z).all()
        assert np.all(np.diff(result.g, axis=1) <= 0.0)

    @pytest.mark.parametrize("n", [1, 5, 20, 40, 500])
    def test_order_statistics_follow_their_beta_laws(self, n: int) -> None:
        points = 20_000
        u = np.random.default_rng(n).random((points, Tokens.dims(n)))
        level = ndtr(Tokens.draw(n, u).g)
        j = np.arange(level.shape[1])
        a, b = n - j, j + 1.0  # the j-th largest of n uniforms is Beta(n − j, j + 1)
        mean, variance = a / (n + 1), a * b / ((n + 1) ** 2 * (n + 2))
        z = (level.mean(axis=0) - mean) / np.sqrt(variance / points)
        assert np.abs(z).max() < 4.5
        centred = level - mean
        spread = (centred**4).mean(axis=0) - variance**2
        z = ((centred**2).mean(axis=0) - variance) / np.sqrt(spread / points)
        assert np.abs(z).max() < 4.5
        # neighbours: Cov(U_(i), U_(j)) = i (n + 1 − j)/((n + 1)²(n + 2))
        if n > 1:
            product = centred[:, :-1] * centred[:, 1:]
            exact = a[1:] * (n + 1 - a[:-1]) / ((n + 1.0) ** 2 * (n + 2))
            z = (product.mean(axis=0) - exact) / (product.std(axis=0) / np.sqrt(points))
            assert np.abs(z).max() < 4.5

    @pytest.mark.parametrize("n", [1, 10, 1000, 10**6, 10**9])
    def test_the_largest_token_has_its_exact_mean(self, n: int) -> None:
        x = np.linspace(-10.0, 14.0, 240_001)
        density = n * np.exp(-0.5 * x * x + (n - 1) * log_ndtr(x)) / np.sqrt(2.0 * np.pi)
        exact = float(np.sum(x * density) * (x[1] - x[0]))
        result, error = mean_and_error(
            np.array([[draw(n, 4096, k).g[:, 0].mean()] for k in range(REPLICATES)])
        )
        assert abs(result[0] - exact) < 5.4 * error[0] + 1e-9
        assert error[0] < 1e-4

    def test_no_tokens_have_no_sums(self) -> None:
        result = Tokens.draw(0, np.zeros((3, 0))).sums(1.0)
        assert result.top.tolist() == [-np.inf] * 3
        for part in result[1:]:
            assert part.tolist() == [0.0] * 3


class TestSums:
    @pytest.mark.parametrize("n", [1, 6, TOP_TOKENS])
    @pytest.mark.parametrize("kappa", [0.0, 0.7, 30.0])
    def test_up_to_top_tokens_they_are_plain_sums(self, n: int, kappa: float) -> None:
        tokens = draw(n, 512, 0)
        result, g = tokens.sums(kappa), tokens.g
        weight = np.exp(kappa * (g - g.max(axis=1, keepdims=True)))
        assert result.top == pytest.approx(g.max(axis=1))
        assert result.mass == pytest.approx(weight.sum(axis=1), rel=1e-13)
        assert result.moment == pytest.approx((g * weight).sum(axis=1), rel=1e-12, abs=1e-13)
        assert result.square == pytest.approx((weight**2).sum(axis=1), rel=1e-13)
        assert result.total == pytest.approx(g.sum(axis=1), rel=1e-12, abs=1e-12)

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize("n", [TOP_TOKENS + 1, 40, 100, 1000, 10**6])
    @pytest.mark.parametrize("kappa", [0.2, 0.8])
    def test_first_and_second_moments_are_those_of_n_tokens(self, n: int, kappa: float) -> None:
        rows = []
        for index in range(REPLICATES):
            s = draw(n, 4096, index).sums(kappa)
            size = np.exp(kappa * s.top)
            mass, moment, total = s.mass * size / n, s.moment * size / n, s.total / np.sqrt(n)
            square = s.square * size**2 / n
            deviation = (mass - np.exp(0.5 * kappa**2)) * np.sqrt(n)
            parts = (mass, moment, square, total, total**2, total * deviation, deviation**2)
            rows.append([part.mean() for part in parts])
        k2 = kappa**2
        exact = [
            np.exp(0.5 * k2),
            kappa * np.exp(0.5 * k2),
            np.exp(2.0 * k2),
            0.0,
            1.0,
            kappa * np.exp(0.5 * k2),
            np.exp(2.0 * k2) - np.exp(k2),
        ]
        result, error = mean_and_error(np.array(rows))
        # 70 comparisons, t with 7 degrees of freedom: |t| > 8 has a chance of 1e-4 in each
        assert np.all(np.abs(result - exact) < 8.0 * error)
        assert np.all(error < 0.02)

    @pytest.mark.sampled(4)
    @pytest.mark.parametrize("n", [40, 100, 1000])
    @pytest.mark.parametrize("kappa", [0.3, 1.0, 2.5, 6.0])
    def test_softmax_agrees_with_monte_carlo_over_all_tokens(self, n: int, kappa: float) -> None:
        samples = 30_000 if n < 1000 else 6_000
        g = np.random.default_rng([n, int(10 * kappa)]).standard_normal((samples, n))
        a = np.exp(kappa * (g - g.max(axis=1, keepdims=True)))
        a /= a.sum(axis=1, keepdims=True)
        total = g.sum(axis=1)
        score = np.einsum("ij,ij->i", a, g) - total / n
        plain = _statistics(score, np.einsum("ij,ij->i", a, a), total, n)
        result, error = mean_and_error(by_lattice(n, kappa, 2048))
        z = (result - plain.mean(axis=1)) / np.hypot(error, plain.std(axis=1) / np.sqrt(samples))
        assert np.abs(z).max() < 4.5, dict(zip(STATISTICS, z.round(1), strict=True))


class TestBulk:
    @pytest.mark.parametrize("kappa", [0.0, 0.3, 2.0, 7.0])
    def test_mean_and_covariance_are_those_of_truncated_normals(self, kappa: float) -> None:
        T = np.array([-2.5, -0.4, 0.0, 1.3, 4.0])
        count = 10_000
        mean = module.bulk_sums(count, kappa, T, np.zeros((5, 4)))
        columns = [module.bulk_sums(count, kappa, T, np.tile(e, (5, 1))) - mean for e in np.eye(4)]
        covariance = np.einsum("kip,kjp->pij", columns, columns) / count
        x, w = np.polynomial.legendre.leggauss(200)
        for p, top in enumerate(T):
            g = top - 0.5 * (top + 13.0) * (1.0 - x)
            chance = w * np.exp(-0.5 * g * g)
            chance /= chance.sum()
            e = np.exp(kappa * (g - top))
            terms = np.stack([e, g * e, e * e, g])
            exact = terms @ chance
            assert mean[:, p] / count == pytest.approx(exact, rel=1e-9, abs=1e-11)
            centred = terms - exact[:, None]
            expected = (centred * chance) @ centred.T
            size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
            # a pivot below 1e-12 of its variance is dropped: 1e-6 in a standard deviation
            assert np.all(np.abs(covariance[p] - expected) <= 2e-6 * size + 1e-13)

    def test_sums_of_exponentials_stay_positive(self) -> None:
        z = np.full((3, 4), -8.0)
        result = module.bulk_sums(2, 3.0, np.array([-1.0, 0.0, 1.0]), z)
        assert np.all(result[[0, 2]] > 0.0)


class TestBias:
    """What the Gaussian bulk does to expectations, measured on common leading coordinates."""

    @staticmethod
    def shift(
        monkeypatch: pytest.MonkeyPatch, n: int, kappa: float, tops: tuple[int, ...], exact: int
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        @cache
        def rows(kept: int) -> np.ndarray:
            monkeypatch.setattr(module, "TOP_TOKENS", kept)
            monkeypatch.setattr(module, "MAX_EXACT_TOKENS", kept)
            return by_lattice(n, kappa, 8192)[:, [1, 3, 4]]

        return [mean_and_error(rows(top) - rows(exact)) for top in tops]

    @pytest.mark.sampled(12)
    @pytest.mark.parametrize("kappa", [0.5, 1.5, 5.0])
    @pytest.mark.parametrize(("n", "exact"), [(40, 40), (100, 100), (1000, 96)])
    def test_it_is_below_the_accuracy_of_anything_predicted(
        self, monkeypatch: pytest.MonkeyPatch, n: int, kappa: float, exact: int
    ) -> None:
        for bias, error in self.shift(monkeypatch, n, kappa, (16, 32), exact):
            assert np.all(np.abs(bias) < 2e-5 + 3.0 * error)
            assert np.all(error < 2.5e-5)

    def test_with_too_few_tokens_kept_it_would_be_seen(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ((bias, error),) = self.shift(monkeypatch, 40, 1.5, (1,), 40)
        assert np.all(np.abs(bias) > 2e-5 + 3.0 * error)
