"""The flat classifier: special directions keep lengths and angles of all signals there may be."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.models.segments import Even
from needlescope.models.vectorized import features, limit
from needlescope.task import Positions, Task

SETS = [(0, 1), (1, 2), (0, 2)]
TASK = Task(L=5, R=2, theta=3.0, pi=0.5, positions=Positions(SETS, [0.5, 0.3, 0.2]))


def marks(sets, L=5):
    return np.array([[float(token in item) for token in range(L)] for item in sets])


def test_features_are_tokens_one_after_the_other():
    rows = np.arange(12.0).reshape(6, 2)
    assert features(rows, Even(3), np.zeros(2), 1.0).tolist() == rows.reshape(2, 6).tolist()


def test_uniform_positions_leave_their_mean_along_one_direction():
    result = limit(Task(L=9, R=2, theta=3.0, pi=0.5))
    mean = 3.0 * np.full(9, 2 / 9)  # of θ v, over all positions
    assert result.positive.m.tolist() == [[pytest.approx(np.linalg.norm(mean))]]
    assert result.positive.A.tolist() == [1.0] and result.dim == 9


def test_given_positions_keep_the_products_of_their_patterns():
    result = limit(TASK)
    v = 3.0 * marks(SETS)
    assert result.positive.m @ result.positive.m.T == pytest.approx(v @ v.T)
    assert result.positive.weight == pytest.approx([0.5, 0.3, 0.2])
    assert result.positive.m.shape[1] == np.linalg.matrix_rank(v) == 3
    assert result.negative.m.tolist() == [[0.0] * 3]


def test_another_test_is_seen_in_the_directions_of_the_training():
    """Its products with the training's patterns stay; what is across them is not in the law."""
    test = TASK.replace(theta=2.0, positions=Positions([(0, 3), (1, 2)], [0.4, 0.6]))
    trained, tested = limit(TASK).positive.m, limit(TASK, test).positive.m
    assert tested @ trained.T == pytest.approx(2.0 * 3.0 * marks([(0, 3), (1, 2)]) @ marks(SETS).T)
    assert limit(TASK, test).positive.weight == pytest.approx([0.4, 0.6])


def test_a_test_that_marks_other_tokens_errs_as_a_trained_classifier_does():
    """It was 0.536 in theory, 0.274 in simulation: a basis turned within its span."""
    task = ns.Task(5, 2, 4.0, 0.5, positions=Positions([(0, 1), (1, 2), (0, 2)]))
    test = task.replace(positions=Positions([(0, 3), (1, 2)]))
    training = ns.Training(alpha1=2.0, ridge=0.1)
    told = ns.predict(task, training, "vectorized", test_task=test)
    result = ns.simulate(task, training, "vectorized", 150, 12, 1, test_task=test, n_jobs=1)
    assert abs(result.test_error - told.test_error) < 4.0 * result.test_error_se
