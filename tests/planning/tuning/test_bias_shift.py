"""A bias moved after training, for another share of positives."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns


def test_a_moved_bias_is_that_of_simulated_readouts():
    """What the theory says of a bias moved after training, at d = 300."""
    given = {"L": 4, "theta": 5.0, "R": 1, "pi": 0.1, "d": 300, "interval": False}
    given["others"] = False
    result = ns.plan(n=600, positives=300, learner="pooled", **given)
    trained = ns.simulate(
        result.task.replace(pi=0.5), result.training, "pooled", d=300, trials=6, n_jobs=1
    )
    tokens = np.random.default_rng(0).standard_normal(20_000)
    errors = []
    for k in range(6):
        bias = trained.trials["bias"][k] + result.shift
        size = trained.trials["norm"][k] / 2.0
        up = bias + trained.trials["signal"][k] * 5.0 / 4.0
        wrong = 0.1 * np.mean(up + size * tokens < 0.0) + 0.9 * np.mean(bias + size * tokens > 0.0)
        errors.append(wrong)
    se = np.std(errors, ddof=1) / np.sqrt(6)
    assert np.mean(errors) == pytest.approx(result.error, abs=4.0 * se + 2e-3)
