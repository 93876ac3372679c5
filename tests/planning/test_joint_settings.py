"""Joint training, tuned: what its training reaches, and what wrong ridges cost."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns

TASK = ns.Task(L=4, R=1, theta=4.0, pi=0.4)


@pytest.fixture(scope="module")
def tuned():
    return ns.tune(TASK, 2.0, model="joint", losses=["logistic", "square"])


def test_it_is_what_its_training_reaches(tuned):
    result = ns.predict(TASK, tuned.training)
    assert result.test_error == pytest.approx(tuned.test_error, abs=1e-3)
    assert tuned.training.is_joint and tuned.training.alpha1 == 2.0
    assert (tuned.ridge, tuned.ridge_q) == (tuned.training.ridge, tuned.training.ridge_q)
    assert tuned.kappa == pytest.approx(result.kappa, rel=0.02)
    assert tuned.cosine_q == pytest.approx(result.cosine_q, rel=0.02)
    assert tuned.split == 0.0 and tuned.balance == 0.4


@pytest.mark.slow
def test_it_beats_the_default(tuned):
    default = ns.predict(TASK, ns.Training.joint(2.0)).test_error
    assert tuned.test_error < default
    assert tuned.untuned == pytest.approx(default, rel=0.04)


def test_wrong_ridges_cost(tuned):
    assert list(tuned.costs) == ["ridge", "ridge_q"]
    for name, errors in tuned.costs.items():
        assert list(errors) == [0.25, 0.5, 2.0, 4.0]
        assert min(errors.values()) > tuned.test_error - 5e-4
        wrong = tuned.training.replace(**{name: 4.0 * getattr(tuned, name)})
        assert errors[4.0] == pytest.approx(ns.predict(TASK, wrong).test_error, rel=0.03)


def test_losses_are_compared(tuned):
    assert list(tuned.losses) == ["logistic", "square"]
    assert min(tuned.losses.values()) >= 0.99 * tuned.losses[tuned.loss]


def test_it_says_what_it_rests_on(tuned):
    assert tuned.provenance == "search: on replica-symmetric joint training (not a theorem)"
    assert tuned.notes == ()
    assert np.isnan(ns.tune(TASK, 2.0, model="pooled", losses=["logistic"]).ridge_q)


def test_it_draws(tuned):
    labels = [text.get_text() for text in ns.figures.tuning(tuned).axes[0].texts]
    assert any("ridge of the query" in label for label in labels)
