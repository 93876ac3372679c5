"""The best training of a budget: random settings do not beat it, and it says what errors cost."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns

TASK = ns.Task(L=10, R=1, theta=4.0, pi=0.2)


@pytest.fixture(scope="module")
def tuned():
    return ns.tune(TASK, 6.0, losses=["logistic", "square"])


@pytest.mark.slow
def test_random_settings_do_not_beat_it(tuned):
    """`make plan-check` does so with 200 settings of each of many tasks."""
    rng = np.random.default_rng(0)
    for _ in range(15):
        split = float(rng.uniform(0.1, 0.9))
        training = ns.Training(
            alpha0=6.0 * split,
            alpha1=6.0 * (1.0 - split),
            ridge=float(10 ** rng.uniform(-3, 1)),
            eta_q=float(10 ** rng.uniform(1, 4)),
            first_step="sequential",
            eta_b=float(rng.uniform(1, 8)),
            balanced=bool(rng.random() < 0.5),
        )
        assert ns.predict(TASK, training, tol=5e-3).test_error > tuned.test_error - 1e-3


def test_it_is_what_its_training_reaches(tuned):
    result = ns.predict(TASK, tuned.training, tol=1e-3)
    assert result.test_error == pytest.approx(tuned.test_error, abs=1e-3)
    assert tuned.test_error < tuned.untuned
    assert tuned.training.alpha0 + tuned.training.alpha1 == pytest.approx(6.0)


def test_wrong_settings_cost(tuned):
    for errors in tuned.costs.values():
        assert min(errors.values()) > tuned.test_error - 5e-4
        assert errors[0.25] >= errors[0.5] - 5e-4 and errors[4.0] >= errors[2.0] - 5e-4


def test_losses_are_compared(tuned):
    assert tuned.loss == "logistic"
    assert tuned.losses["logistic"] < tuned.losses["square"]


def test_a_dimension_counts_bags():
    given = ns.Task(L=4, R=1, theta=4.0, pi=0.5)
    result = ns.tune(given, 400, 100, "pooled", losses=["logistic"])
    limit = ns.tune(given, 4.0, model="pooled", losses=["logistic"])
    assert result.training.alpha1 == limit.training.alpha1 == 4.0
    assert result.test_error == pytest.approx(limit.test_error, abs=5e-3)
    assert result.ridge < 10.0  # a larger one leaves the sign to labels that chance made unequal
