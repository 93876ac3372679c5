"""The range of errors over data sets: those that cannot be trained on count, too."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.planning.expected.spread import spread
from needlescope.running.seeds import streams

TASK = ns.Task(L=4, R=1, theta=5.0, pi=0.4)
FEW = ns.Training(alpha1=0.15, ridge=0.1)  # three bags at d = 20


@pytest.mark.slow
def test_data_sets_of_one_class_answer_the_more_frequent():
    result = spread(TASK, FEW, "pooled", 20, 0.3, seed=5, trials=40)
    errors, unreachable = [], 0
    assert result.trials == 160  # errors scatter: four times as many
    for seed in streams(5, 160):
        try:
            item = ns.simulate(TASK, FEW, "pooled", d=20, trials=1, seed=seed, n_jobs=1)
            errors.append(item.test_error)
        except ns.NoMinimiser:
            errors.append(0.4)
            unreachable += 1
    assert 0 < unreachable < 160
    assert result.untrained == pytest.approx(unreachable / 160)
    assert result.mean == pytest.approx(np.mean(errors), abs=1e-3)
    assert result.low <= result.mean <= result.high


def test_where_all_can_be_trained_on_none_is_lost():
    training = ns.Training(alpha1=4.0, ridge=0.1)
    limit = float(ns.predict(TASK, training, "pooled").test_error)
    result = spread(TASK, training, "pooled", 20, limit)
    assert result.untrained == 0.0 and result.trials == 64
    assert result.low < result.mean < result.high


def test_a_data_set_too_large_to_simulate_is_said_to_be_so():
    task = ns.Task(L=90_000, R=1, theta=5.0, pi=0.5)
    with pytest.raises(ns.NotConverged, match="of this size is too large to be simulated"):
        spread(task, ns.Training(alpha1=200.0), "vectorized", 100, 0.3, trials=2)
