"""Measures against those of scikit-learn, and their values for no knowledge and no errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn import metrics

from needlescope.planning.studies.measures import NAMES, get_measure

RNG = np.random.default_rng(3)
SIGN = np.where(RNG.random(500) < 0.3, 1.0, -1.0)
SCORE = np.round(SIGN + 1.5 * RNG.standard_normal(500), 1)  # with ties

SKLEARN = {
    "error": lambda: 1.0 - metrics.accuracy_score(SIGN, np.where(SCORE > 0, 1.0, -1.0)),
    "balanced_accuracy": lambda: metrics.balanced_accuracy_score(SIGN, np.where(SCORE > 0, 1, -1)),
    "auc": lambda: metrics.roc_auc_score(SIGN, SCORE),
    "log_loss": lambda: metrics.log_loss(SIGN, expit(SCORE)),
}


@pytest.mark.parametrize("name", SKLEARN)
def test_as_scikit_learn_has_it(name):
    assert get_measure(name, 0.3).compute(SCORE, SIGN) == pytest.approx(SKLEARN[name](), abs=1e-12)


def test_sensitivity_is_that_of_the_roc_curve():
    for specificity in (0.5, 0.8, 0.9):
        false, true, _ = metrics.roc_curve(SIGN, SCORE, drop_intermediate=False)
        best = true[false <= 1.0 - specificity + 1e-12].max()
        measure = get_measure("sensitivity", 0.3, specificity)
        assert measure.compute(SCORE, SIGN) == pytest.approx(best)


@pytest.mark.parametrize("name", NAMES)
def test_no_errors_and_no_knowledge(name):
    measure = get_measure(name, 0.3, 0.9 if name == "sensitivity" else None)
    assert measure.compute(30.0 * SIGN, SIGN) == pytest.approx(measure.best, abs=1e-9)
    rng = np.random.default_rng(0)
    sign = np.where(rng.random(100_000) < 0.3, 1.0, -1.0)
    blind = rng.standard_normal(100_000)
    if name in ("error", "log_loss"):  # the best that can be said without looking
        blind = np.full(100_000, np.log(0.3 / 0.7))
    assert measure.compute(blind, sign) == pytest.approx(measure.worst, abs=0.01)
    assert measure.falls == (name in ("error", "log_loss"))
