"""The training threshold: against the prediction at its θ."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.paper import derived

TASK = ns.Task(10, 1, 1.0, 0.5)
TRAINING = ns.Training(2.0, 2.0, ridge=0.1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", ["attention", "pooled", "vectorized"])
def test_the_prediction_meets_the_target_there(model):
    result = ns.training_threshold(TASK, TRAINING, 0.1, model)
    at_root = ns.predict(TASK.replace(theta=result.theta), TRAINING, model, tol=1e-4)
    weaker = ns.predict(TASK.replace(theta=0.99 * result.theta), TRAINING, model, tol=1e-4)
    slope = (weaker.test_error - at_root.test_error) / (0.01 * result.theta)
    allowed = 4.0 * np.hypot(slope * result.theta_se, at_root.test_error_se) + 1e-4
    assert at_root.test_error == pytest.approx(0.1, abs=allowed)


def test_a_grid_is_its_points_and_knows_what_it_rests_on():
    result = ns.training_threshold(
        TASK, TRAINING.replace(alpha1=[1.0, 4.0]), [[0.1], [0.2]], "pooled"
    )
    assert result.shape == (2, 2) and result.provenance == f"search: on {derived('theorem 5')}"
    item = ns.training_threshold(TASK, TRAINING.replace(alpha1=4.0), 0.2, "pooled")
    assert result.theta[1, 1] == item.theta and result.theta[0, 1] > result.theta[1, 1]


def test_a_given_query_and_all_data_are_those_of_predict():
    sharp, blunt = (
        ns.training_threshold(TASK, TRAINING, 0.2, query=ns.Query(3.0, cosine)).theta
        for cosine in (0.9, 0.3)
    )
    assert sharp < blunt
    some = ns.training_threshold(TASK, TRAINING, 0.2, "pooled").theta
    assert ns.training_threshold(TASK, TRAINING, 0.2, "pooled", data="all").theta < some


@pytest.mark.slow
def test_where_no_strength_suffices_it_is_infinite():
    """A query against the signal looks away from it, the more so the stronger it is."""
    away = ns.Query(5.0, -0.9)
    result = ns.training_threshold(TASK.replace(L=3), TRAINING, 0.1, query=away)
    assert result.theta == np.inf and result.theta_se == 0.0
