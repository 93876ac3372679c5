"""Sums of attention weights over tokens: against weights that are computed one by one."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.theory.law import tokens
from needlescope.theory.steps.sums import TERMS, draw, samples


@pytest.mark.parametrize(("L", "R"), [(1, 1), (5, 2), (6, 6), (30, 1)])
def test_sums_are_those_of_the_weights(L: int, R: int) -> None:
    kappa, tilt = 1.7, 2.0
    signal, noise = draw(L, R, 64, 0)
    g = np.concatenate([signal.g, noise.g], axis=1)
    v = np.arange(L) < R
    for sample, lift in zip(samples(L, R, kappa, (tilt, 0.0), 64, 0), (tilt, 0.0), strict=True):
        a = np.exp(kappa * (g + lift * v))
        a /= a.sum(axis=1, keepdims=True)
        for j, p in TERMS:
            assert sample.every[j, p] == pytest.approx((a**j * g**p).sum(axis=1))
            assert sample.signal[j, p] == pytest.approx((a**j * g**p)[:, v].sum(axis=1))


@pytest.mark.parametrize("kappa", [0.01, 1.0, 3.0])
def test_many_tokens_are_summed_as_if_all_were_drawn(
    kappa: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Means and variances of each sum over 300 tokens, with the bulk and without."""

    def moments() -> tuple[np.ndarray, np.ndarray]:
        draw.cache_clear()
        rows = []
        for index in range(8):
            (negative,) = samples(300, 3, kappa, (0.0,), 1024, index)
            values = np.array([negative.every[term] for term in TERMS])
            rows.append([values.mean(axis=1), values.var(axis=1)])
        result = np.array(rows)
        return result.mean(axis=0), result.std(axis=0, ddof=1) / np.sqrt(8)

    some, some_se = moments()
    monkeypatch.setattr(tokens, "MAX_EXACT_TOKENS", 1000)
    every, every_se = moments()
    draw.cache_clear()
    error = np.hypot(some_se, every_se)
    assert (np.abs(some - every) <= 4.5 * error + 2e-3 * np.abs(every)).all()
