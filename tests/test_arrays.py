"""Projections: the right numbers in the rows' own precision, whatever the processor's flags say."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from needlescope.arrays import project


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 5, 33])
def test_each_row_meets_the_vector(dtype: type, d: int) -> None:
    random = np.random.default_rng(d)
    rows, vector = random.standard_normal((7, d)).astype(dtype), random.standard_normal(d)
    result = project(rows, vector)
    assert result.dtype == np.float64
    # d products of numbers below 4, each rounded once and summed in the rows' precision
    allowed = 16.0 * d * d * float(np.finfo(dtype).eps)
    assert result == pytest.approx((rows.astype(float) * vector).sum(axis=1), abs=allowed)


def test_the_precision_is_that_of_the_rows() -> None:
    rows = np.ones((1, 2), np.float32)
    assert project(rows, np.array([1.0, 1e-9])) == 1.0
    assert project(rows.astype(float), np.array([1.0, 1e-9])) > 1.0


def test_a_flag_of_the_processor_is_no_warning() -> None:
    """What OpenBLAS raises by lanes that it drops, raised here by ∞ · 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(project(np.array([[np.inf]]), np.zeros(1))).all()
