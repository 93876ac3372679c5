"""Exact test errors of the linear classifiers against mistakes counted on real tokens."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr

import needlescope as ns
from needlescope.noise import STANDARD, Noise
from needlescope.simulation.error.linear import SUBSETS, pooled_error, vectorized_error
from tests.simulation.error.counting import (
    COUNTED,
    LAWS,
    SIGMAS,
    TASKS,
    XI,
    W,
    agree,
    correlation,
    counted,
    draw,
)


class TestPooled:
    @pytest.mark.sampled(5)
    @pytest.mark.parametrize(("name", "law"), [*product(TASKS, LAWS)])
    def test_it_is_what_counting_gives(self, name: str, law: str) -> None:
        task, (sigma, rho) = TASKS[name], LAWS[law]
        noise = Noise(covariance=sigma, token_correlation=rho)
        result = pooled_error(task, W @ XI, float(np.sqrt(W @ sigma @ W)), -0.3, noise)
        X, y = draw(task, XI, sigma, rho, COUNTED // 2, np.random.default_rng(11))
        agree((result, 0.0), counted(y * (X.mean(axis=1) @ W - 0.3) <= 0.0))

    @pytest.mark.parametrize(("b", "expected"), [(0.5, 0.7), (-0.5, 0.3), (0.0, 1.0)])
    def test_without_weights_the_bias_decides(self, b: float, expected: float) -> None:
        task = ns.Task(4, 1, 2.0, 0.3)
        assert pooled_error(task, 0.0, 0.0, b, STANDARD) == pytest.approx(expected)
        rng = np.random.default_rng(0)
        assert vectorized_error(task, np.zeros(4), 0.0, b, rng)[0] == pytest.approx(expected)


class TestVectorized:
    @pytest.mark.sampled(5)
    @pytest.mark.parametrize(("name", "law"), [*product(TASKS, LAWS)])
    def test_it_is_what_counting_gives(self, name: str, law: str) -> None:
        task, (sigma, rho) = TASKS[name], LAWS[law]
        W = np.random.default_rng(12).standard_normal((task.L, 3))
        variance = np.einsum("lj,lm,mk,jk->", W, correlation(task.L, rho), W, sigma)
        rng = np.random.default_rng(0)
        result = vectorized_error(task, W @ XI, float(np.sqrt(variance)), -0.3, rng)
        X, y = draw(task, XI, sigma, rho, COUNTED // 2, np.random.default_rng(13))
        agree(result, counted(y * ((X * W).sum(axis=(1, 2)) - 0.3) <= 0.0))

    @pytest.mark.slow
    def test_more_subsets_than_are_listed(self) -> None:
        """Of 53 million sets so many are drawn: right to the error of drawing them."""
        task, signals = ns.Task(60, 6, 1.0, 0.5), np.random.default_rng(14).standard_normal(60)
        rng = np.random.default_rng(15)
        values = np.array([vectorized_error(task, signals, 2.0, 0.0, rng)[0] for _ in range(30)])
        sets = np.random.default_rng(16).random((200_000, 60)).argsort(axis=1)[:, :6]
        missed = ndtr(-signals[sets].sum(axis=1) / 2.0)
        truth, error = counted(missed)
        spread = missed.std() / np.sqrt(SUBSETS * 30)
        assert values.mean() == pytest.approx(
            0.5 * truth + 0.25, abs=SIGMAS * 0.5 * np.hypot(error, spread)
        )
