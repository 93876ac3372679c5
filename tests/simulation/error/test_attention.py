"""Exact test errors against what they stand for: mistakes counted on real tokens."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import ndtr

import needlescope as ns
from needlescope.noise import STANDARD, Noise
from needlescope.simulation.error import attention as exact
from needlescope.simulation.error.attention import ScoreLaw, attention_error
from needlescope.simulation.error.linear import pooled_error
from tests.simulation.error.counting import (
    COUNTED,
    LAWS,
    ONE,
    SIGMAS,
    TASKS,
    XI,
    Q,
    W,
    agree,
    correlation,
    counted,
    draw,
)

# ------------------------------------------------- counting, in plain NumPy


def count_attention(
    task: ns.Task, q: Any, w: Any, b: float, xi: Any, sigma: Any, rho: float, seed: int
) -> tuple[float, float]:
    rng, wrong = np.random.default_rng(seed), []
    for _ in range(8):
        X, y = draw(task, xi, sigma, rho, COUNTED // 8, rng)
        logits = X @ q
        a = np.exp(logits - logits.max(axis=1, keepdims=True))
        a /= a.sum(axis=1, keepdims=True)
        wrong.append(y * ((a * (X @ w)).sum(axis=1) + b) <= 0.0)
    return counted(np.concatenate(wrong))


def look(q: Any, w: Any, b: float, xi: Any, sigma: Any) -> ScoreLaw:
    """The projections of a classifier with β = 1, by their definitions."""
    size = float(np.sqrt(q @ sigma @ q))
    along = float(w @ sigma @ q) / size if size > 0.0 else 0.0
    across = float(np.sqrt(max(w @ sigma @ w - along**2, 0.0)))
    return ScoreLaw(size, float(q @ xi), float(w @ xi), along, across, b)


class TestAttention:
    @pytest.mark.sampled(10)
    @pytest.mark.parametrize(("name", "law"), [*product(TASKS, LAWS)])
    def test_it_is_what_counting_gives(self, name: str, law: str) -> None:
        task, (sigma, rho) = TASKS[name], LAWS[law]
        noise = Noise(covariance=sigma, token_correlation=rho)
        rng = np.random.default_rng(1)
        result = attention_error(task, look(Q, W, -0.6, XI, sigma), noise, rng)
        agree(result, count_attention(task, Q, W, -0.6, XI, sigma, rho, 2))

    @pytest.mark.sampled(6)
    @pytest.mark.parametrize("law", ["both", "standard"])
    @pytest.mark.parametrize(
        ("q", "w", "b"),
        [
            (0.0 * Q, W, -0.5),  # κ = 0
            (40.0 * Q, W, -1.0),  # the largest token takes all
            (Q, 2.0 * Q, -1.5),  # w along q
            (Q, np.array([0.4, 0.2, -0.8]), 0.0),  # w across q
            (-Q, -W, 0.3),  # looking away
            (Q, W, 3.0),  # almost always +
        ],
        ids=["no query", "hard", "along", "across", "away", "biased"],
    )
    def test_all_kinds_of_classifiers(self, q: Any, w: Any, b: float, law: str) -> None:
        task, (sigma, rho) = ns.Task(4, 2, 2.0, 0.35), LAWS[law]
        noise = Noise(covariance=sigma, token_correlation=rho)
        result = attention_error(task, look(q, w, b, XI, sigma), noise, np.random.default_rng(3))
        agree(result, count_attention(task, q, w, b, XI, sigma, rho, 4))

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize(("L", "rho"), [(64, 0.0), (70, 0.0), (100, 0.5)])
    def test_many_tokens(self, L: int, rho: float) -> None:
        task, at = ns.Task(L, 2, 3.0, 0.5), look(Q, W, -1.5, XI, ONE)
        noise, rng = Noise(token_correlation=rho), np.random.default_rng(5)
        result = attention_error(task, at, noise, rng)
        rows = np.linalg.cholesky(correlation(L, rho))
        wrong = []
        for _ in range(20):  # two numbers a token: along q̂, and of what w has across it
            g, z = (rng.standard_normal((2000, L)) @ rows.T for _ in range(2))
            y = np.where(rng.random(2000) < 0.5, 1.0, -1.0)
            v = (rng.random((2000, L)).argsort(axis=1) < 2) * (y > 0.0)[:, None]
            logits = at.kappa * g + 3.0 * at.tilt * v
            a = np.exp(logits - logits.max(axis=1, keepdims=True))
            a /= a.sum(axis=1, keepdims=True)
            tokens = 3.0 * at.signal * v + at.along * g + at.across * z
            wrong.append(y * ((a * tokens).sum(axis=1) - 1.5) <= 0.0)
        agree(result, counted(np.concatenate(wrong)))

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize("kappa", [0.0, 0.5, 3.0, 1e3])
    @pytest.mark.parametrize("R", [1, 2])
    def test_two_tokens_by_quadrature(self, kappa: float, R: int) -> None:
        """The difference of the two projections is all that the softmax sees."""
        task, at = ns.Task(2, R, 1.5, 0.3), ScoreLaw(kappa, 0.6 * kappa, 0.8, 0.5, 1.1, -0.4)

        def wrong(x: float, y: float) -> float:
            half = 0.5 * kappa * (np.sqrt(2.0) * x + 1.5 * 0.6 * (y > 0) * (R == 1))
            first = 0.5 * (1.0 + np.tanh(half))
            mass = (first if R == 1 else 1.0) * (y > 0)
            mean = 1.5 * mass * 0.8 + 0.5 * (2.0 * first - 1.0) * x / np.sqrt(2.0) - 0.4
            size = np.sqrt(0.5 * 0.25 + 1.21 * (first**2 + (1.0 - first) ** 2))
            return float(ndtr(-y * mean / size) * stats.norm.pdf(x))

        border = -1.5 * 0.6 / np.sqrt(2.0)  # where the softmax of a hard query jumps
        pieces = (-9.0, border - 0.01, border, border + 0.01, -0.01, 0.0, 0.01, 9.0)
        truth = sum(
            weight * integrate.quad(wrong, low, high, (y,), limit=200)[0]
            for y, weight in ((1.0, 0.3), (-1.0, 0.7))
            for low, high in pairwise(pieces)
        )
        values, errors = repeat(task, at, STANDARD, 40)
        assert errors.max() < 2e-4
        spread = max(float(values.std(ddof=1)), 1e-9) / np.sqrt(40)
        assert values.mean() == pytest.approx(truth, abs=SIGMAS * spread + 1e-8)

    def test_one_token_is_a_closed_formula(self) -> None:
        at = ScoreLaw(2.0, 1.0, 0.7, 0.6, 0.8, -0.5)
        for pi in (0.5, 1e-3):
            result, _ = attention_error(
                ns.Task(1, 1, 2.0, pi), at, STANDARD, np.random.default_rng(0)
            )
            expected = pi * ndtr(-(2.0 * 0.7 - 0.5)) + (1.0 - pi) * ndtr(-0.5)
            assert result == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize("rho", [0.0, 0.5])
    def test_without_a_query_it_is_pooling(self, rho: float) -> None:
        task, noise = ns.Task(6, 2, 3.0, 0.4), Noise(token_correlation=rho)
        at = ScoreLaw(0.0, 0.0, 0.9, 0.0, 1.2, -0.3)
        result, error = attention_error(task, at, noise, np.random.default_rng(0))
        assert result == pytest.approx(pooled_error(task, 0.9, 1.2, -0.3, noise), abs=1e-12)
        assert error < 1e-12

    @pytest.mark.parametrize(("b", "expected"), [(0.5, 0.7), (-0.5, 0.3), (0.0, 1.0)])
    @pytest.mark.parametrize("rho", [0.0, 0.5])
    def test_without_weights_the_bias_decides(self, b: float, expected: float, rho: float) -> None:
        task, at = ns.Task(4, 1, 2.0, 0.3), ScoreLaw(1.0, 0.5, 0.0, 0.0, 0.0, b)
        rng = np.random.default_rng(0)
        result = attention_error(task, at, Noise(token_correlation=rho), rng)
        assert result == pytest.approx((expected, 0.0), abs=1e-12)

    def test_huge_logits_do_not_overflow(self) -> None:
        at = ScoreLaw(1e6, -1e6, 1.0, 0.5, 0.5, 0.0)
        result, error = attention_error(
            ns.Task(5, 2, 1e3, 0.5), at, STANDARD, np.random.default_rng(0)
        )
        assert 0.0 <= result <= 1.0
        assert np.isfinite(error)

    def test_same_stream_same_number(self) -> None:
        task, at = ns.Task(100, 2, 3.0, 0.5), look(Q, W, -1.5, XI, ONE)
        item, other = (
            attention_error(task, at, STANDARD, np.random.default_rng(7)) for _ in range(2)
        )
        assert item == other


def repeat(task: ns.Task, at: ScoreLaw, noise: Noise, count: int) -> tuple[np.ndarray, np.ndarray]:
    pairs = [attention_error(task, at, noise, np.random.default_rng([9, k])) for k in range(count)]
    values, errors = np.array(pairs).T
    return values, errors


class TestStandardError:
    REPEATS = 50

    @pytest.mark.sampled(4)
    @pytest.mark.parametrize(
        ("task", "at", "rho"),
        [
            (ns.Task(3, 1, 2.0, 0.4), ScoreLaw(1.2, 0.9, 0.8, 0.6, 0.7, -0.4), 0.0),
            (ns.Task(8, 2, 2.0, 0.5), ScoreLaw(6.0, 4.0, 0.9, 0.9, 0.1, -1.0), 0.0),
            (ns.Task(8, 2, 2.0, 0.5), ScoreLaw(2.0, 1.5, 0.9, 0.6, 0.4, -1.0), 0.6),
            (ns.Task(80, 3, 3.0, 0.5), ScoreLaw(2.0, 1.8, 0.9, 0.6, 0.4, -1.0), 0.0),
        ],
        ids=["easy", "hard query", "correlated", "many tokens"],
    )
    def test_it_is_the_spread_over_seeds(
        self, task: ns.Task, at: ScoreLaw, rho: float, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each stated error is of eight shifts; together they have 350 degrees of freedom."""
        monkeypatch.setattr(exact, "TOKENS", 1 << 19)
        values, errors = repeat(task, at, Noise(token_correlation=rho), self.REPEATS)
        ratio = values.var(ddof=1) / (errors**2).mean()
        low, high = stats.f(self.REPEATS - 1, 7 * self.REPEATS).ppf([1e-5, 1.0 - 1e-5])
        assert low < ratio < high

    @pytest.mark.slow
    def test_it_is_honest_where_the_accuracy_ends_the_rounds(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Stopping when the estimate looks small enough must not pick the too small estimates."""
        monkeypatch.setattr(exact, "TOL", 2e-4)  # within reach of a few rounds
        at, count = ScoreLaw(2.0, 1.5, 0.9, 0.6, 0.4, -1.0), 120
        values, errors = repeat(ns.Task(8, 2, 2.0, 0.5), at, STANDARD, count)
        ratio = values.var(ddof=1) / (errors**2).mean()
        assert ratio < stats.f(count - 1, 7 * count).ppf(1.0 - 1e-5)

    def test_it_reaches_the_accuracy_or_says_what_it_reached(self) -> None:
        at = ScoreLaw(6.0, 4.0, 0.9, 0.9, 0.1, -1.0)
        _, error = attention_error(ns.Task(8, 2, 2.0, 0.5), at, STANDARD, np.random.default_rng(0))
        assert 0.0 < error <= exact.TOL

    def test_the_stated_error_is_not_zero_for_a_rare_class(self) -> None:
        """A class of probability 1e-6 must not vanish from the error."""
        task, at = ns.Task(4, 1, 2.0, 1e-6), ScoreLaw(1.0, 0.5, 1.0, 0.3, 0.5, -3.0)
        values, _ = repeat(task, at, STANDARD, 20)
        truth = repeat(task.replace(pi=0.5), at, STANDARD, 20)[0].mean()
        assert (values > 0.0).all()
        assert values.mean() < truth
