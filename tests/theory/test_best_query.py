"""What one query can reach: its valleys, its symmetries, and its limits."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns

FEW = ns.Task(L=10, R=1, theta=5.0, pi=0.5, signals=(0.5, 0.5))
MANY = FEW.replace(L=1000, theta=4.0)


def test_a_grid_has_a_query_at_each_of_its_points():
    task = FEW.replace(theta=[5.0], signals=(0.0, 1.0))
    result = ns.best_query(task, tol=0.05)
    assert [item.shape for item in (result.error, *result.cosines)] == [(1,), (1,), (1,)]
    assert result.cosines[1][0] == 1.0 and "cosines_2" in result.to_pandas()
    with pytest.raises(ValueError, match=r"a grid of shape \(1,\) has as many best queries"):
        result.query  # noqa: B018


@pytest.mark.slow
def test_faint_signals_among_many_tokens_are_sought_one_at_a_time():
    result = ns.best_query(MANY)
    assert result.cosines == (1.0, 0.0) and result.error == result.alone
    assert result.alone + 0.03 < result.together


@pytest.mark.slow
def test_strong_signals_are_sought_together():
    result = ns.best_query(FEW)
    np.testing.assert_allclose(result.cosines, np.sqrt(0.5))
    assert result.error == result.together < result.alone - 0.05
    assert result.query == ns.Query(result.kappa, cosines=result.cosines)


@pytest.mark.slow
def test_all_weight_on_one_signal_is_the_oracle_of_that_signal():
    result = ns.best_query(FEW.replace(theta=4.0, signals=(0.0, 1.0)))
    oracle = ns.oracle(FEW.replace(theta=4.0, signals=None))
    assert result.cosines == (0.0, 1.0)
    assert abs(result.error - oracle.error) < 4.0 * result.error_se


@pytest.mark.slow
def test_no_direction_between_is_better():
    task = FEW.replace(L=100, theta=5.0, signals=(0.2, 0.8))
    training = ns.Training(alpha1=300.0, ridge=1e-3)
    result = ns.best_query(task)
    for angle in np.linspace(0.0, np.pi, 13):
        query = ns.Query(2.0, cosines=(np.cos(angle), np.sin(angle)))
        trained = ns.predict(task, training, query=query, tol=1e-3)
        assert trained.test_error > result.error - 2e-3


@pytest.mark.slow
def test_a_trained_readout_is_worse_and_its_query_no_better_than_found():
    training = ns.Training(alpha1=2.0)
    result = ns.best_query(FEW, training)
    assert result.error > ns.best_query(FEW).error
    for cosines in ((1.0, 0.0), (0.8, 0.6), (0.6, 0.6)):
        query = ns.Query(result.kappa, cosines=cosines)
        assert ns.predict(FEW, training, query=query).test_error > result.error
    again = ns.predict(FEW, training, query=result.query)
    assert again.test_error == pytest.approx(result.error, abs=1e-3)


@pytest.mark.slow
def test_the_number_of_signals_sought_grows_with_their_strength():
    task = FEW.replace(L=100, theta=[3.0, 4.2, 5.2], signals=(1 / 3, 1 / 3, 1 / 3))
    sought = np.sum(np.array(ns.best_query(task).cosines) > 0.3, axis=0)
    assert sought.tolist() == [1, 2, 3]
