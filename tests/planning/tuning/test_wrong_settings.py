"""What a wrong ridge costs, against `predict` of the training that has it."""

from __future__ import annotations

import pytest

import needlescope as ns
from needlescope.planning.tuning.budget import Budget
from needlescope.planning.tuning.search import best_linear
from needlescope.planning.tuning.wrong_settings import wrong_settings

TASK = ns.Task(L=4, R=1, theta=4.0, pi=0.5)


def test_a_wrong_ridge_costs_what_predict_says():
    best = best_linear(Budget(TASK, 2.0), "pooled")
    more = wrong_settings("pooled", Budget(TASK, 2.0), "logistic", best, (0.25, 4.0))["ridge"]
    for by, growth in more.items():
        errors = [
            ns.predict(TASK, ns.Training(alpha1=2.0, ridge=ridge), "pooled").test_error
            for ridge in (best.readout.ridge, by * best.readout.ridge)
        ]
        assert growth == pytest.approx(errors[1] - errors[0], abs=5e-4)
