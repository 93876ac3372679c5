"""Symmetric polynomials: sums over all subsets, at any strength."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from needlescope.theory.oracle.symmetric import scaled_polynomials


def test_scaled_polynomials_are_the_sums_over_subsets() -> None:
    g = np.array([[2.0, 0.7, 0.1, -1.0, -2.5]])
    scaled = scaled_polynomials(1.3, 5, g)[:, 0]
    for r in range(6):
        subsets = itertools.combinations(1.3 * g[0], r)
        plain = sum(np.exp(sum(subset)) for subset in subsets)
        assert scaled[r] * np.exp(1.3 * g[0, :r].sum()) == pytest.approx(plain, rel=1e-12)


def test_scaled_polynomials_stand_any_strength() -> None:
    g = -np.sort(-np.random.default_rng(0).normal(size=(50, 60)), axis=1)
    scaled = scaled_polynomials(50.0, 30, g)
    assert np.isfinite(scaled).all()
    assert (scaled >= 1.0).all()
