"""What `predict` says of joint training: limits that other equations know, grids, tolerances."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import LOSSES
from needlescope.theory.joint import prediction

TASK = ns.Task(L=4, R=1, theta=4.0, pi=0.4)
TRAINING = ns.Training.joint(2.0, ridge=0.05, ridge_q=0.05)


@pytest.fixture(scope="module")
def outcome():
    return ns.predict(TASK, TRAINING)


MIXED = TASK.replace(R=ns.SignalCount([1, 2], [0.6, 0.4]), label_noise=(0.1, 0.05))


@pytest.mark.parametrize(
    ("task", "loss"),
    [*((TASK, loss) for loss in LOSSES), (MIXED, "logistic")],
)
def test_a_query_that_cannot_grow_leaves_pooling(task, loss):
    """The equations of pooling are solved by other code, to far more digits."""
    joint = ns.predict(task, ns.Training.joint(2.0, loss, ridge=0.05, ridge_q=1e4))
    pooled = ns.predict(task, ns.Training(alpha1=2.0, loss=loss, ridge=0.05), "pooled")
    for name in ("test_error", "train_loss", "signal", "norm", "bias"):
        gap = getattr(joint, name) - getattr(pooled, name)
        assert abs(gap) < 5.0 * getattr(joint, f"{name}_se") + 1e-4, name
    assert joint.kappa < 1e-3


def test_parts_add_up(outcome):
    s, along, beside = outcome.cosine_q, outcome.query_part, outcome.signal_part
    assert s * along + np.sqrt(1 - s**2) * beside == pytest.approx(outcome.signal)
    assert along**2 + beside**2 + outcome.rest**2 == pytest.approx(outcome.norm**2)
    assert outcome.cosine == pytest.approx(outcome.signal / outcome.norm)
    alignment = outcome.alignment
    assert alignment.signal_q == pytest.approx(outcome.cosine_q * outcome.kappa)
    assert alignment.norm_q == alignment.kappa == outcome.kappa
    assert (alignment.signal_w, alignment.norm_w) == (outcome.signal, outcome.norm)
    assert np.isnan(alignment.constant)


def test_it_says_what_it_rests_on(outcome):
    assert outcome.provenance == "formula: replica-symmetric joint training (not a theorem)"
    assert outcome.alignment.provenance == outcome.provenance
    assert outcome.options["tol"] == prediction.JOINT_TOL
    assert outcome.notes == ()
    assert 0.0 < outcome.replicon < 1.0
    assert "training    alpha1=2, loss='logistic', ridge=0.05, ridge_q=0.05\n" in repr(outcome)


def test_many_jumping_samples_are_noted():
    tiny = ns.Training.joint(0.5, ridge=1e-3, ridge_q=1e-3)
    outcome = ns.predict(TASK.replace(theta=3.0), tiny, tol=0.02)
    assert outcome.jumping > 0.05
    assert outcome.notes[0].startswith("replica symmetry is broken (replicon up to ")


def test_a_grid_is_its_points(outcome):
    training = ns.Training.joint(np.array([1.0, 2.0, 4.0]), ridge=0.05, ridge_q=0.05)
    grid = ns.predict(TASK, training)
    assert grid.test_error.shape == grid.alignment.cosine_q.shape == (3,)
    for name in ("test_error", "train_loss", "signal", "kappa"):
        error = 2.0 * getattr(outcome, f"{name}_se", 1e-3) + 1e-6
        assert getattr(grid, name)[1] == pytest.approx(getattr(outcome, name), abs=error)
    assert (np.diff(grid.test_error) < 0.0).all()


@pytest.mark.slow
def test_the_lowest_minimum_lowers_the_training_loss():
    weak = ns.Task(L=4, R=1, theta=3.0, pi=0.5)
    training = ns.Training.joint(6.0, ridge=0.02, ridge_q=0.005)
    field, lowest = (
        ns.predict(weak, training, minimum=minimum, tol=0.01) for minimum in ("field", "lowest")
    )
    assert lowest.train_loss < field.train_loss - 2.0 * field.train_loss_se


def test_a_tolerance_is_met_or_refused(monkeypatch):
    fine = ns.predict(TASK, TRAINING, tol=5e-4)
    assert 2.0 * fine.test_error_se <= 5e-4
    monkeypatch.setattr(prediction, "POINTS", (64,))
    with pytest.raises(ns.NotConverged, match=r"uncertainty of the test error .* above tol=1e-06"):
        ns.predict(TASK, TRAINING, tol=1e-6)


def test_a_point_that_fails_may_be_left_out(monkeypatch):
    monkeypatch.setattr(prediction, "POINTS", (64,))
    training = TRAINING.replace(alpha1=[2.0, 3.0])
    with pytest.warns(RuntimeWarning, match="2 of 2 points could not be solved"):
        result = ns.predict(TASK, training, tol=1e-6, on_error="nan")
    assert np.isnan(result.test_error).all()
    assert result.notes == ()


def test_another_task_changes_the_test_error_alone(outcome):
    lengths = TASK.replace(L=np.array([4, 12]))
    away = ns.predict(TASK, TRAINING, test_task=lengths)
    assert away.test_error[1] > away.test_error[0] + 0.05
    for name in ("test_error", "train_loss", "signal", "norm"):
        error = 3.0 * getattr(outcome, f"{name}_se") + 1e-9
        assert getattr(away, name)[0] == pytest.approx(getattr(outcome, name), abs=error), name
    assert (np.ptp(away.train_loss) <= 2.0 * away.train_loss_se).all()
    assert away.provenance.endswith("(not a theorem), tested on another task")
    assert away.options["test_task"] is lengths


def test_flips_and_counts_of_nobody_change_nothing(outcome):
    same = TASK.replace(R=ns.SignalCount([1], [1.0]), label_noise=0.0)
    result = ns.predict(same, TRAINING)
    assert result.test_error == outcome.test_error
    assert result.train_loss == outcome.train_loss


def test_pooling_does_not_see_the_ridge_of_a_query():
    training = ns.Training(alpha1=2.0, ridge=0.05)
    one, other = (ns.predict(TASK, item, "pooled") for item in (TRAINING, training))
    assert one.test_error == other.test_error
    assert one.jumping is None


def test_a_step_that_is_left_counts_as_an_error():
    problem = prediction.problem_of(TASK, TRAINING, "field")
    solved = prediction.refine(problem, prediction.coarse(problem).x, 256)
    far = solved._replace(left=np.full(9, 0.1))
    errors = [prediction._numbers(problem, item, 256)["norm_se"] for item in (solved, far)]
    assert errors[1] > 5.0 * errors[0]
