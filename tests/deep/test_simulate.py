"""Architectures on the theory's task: the same samplers, the same Outcome, the same bits."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import needlescope as ns
from needlescope.deep.simulate import simulate_deep
from needlescope.deep.trial import watched_epochs

TASK = ns.Task(L=5, R=1, theta=5.0, pi=0.5)
TINY = {"d": 8, "epochs": 6, "n_test": 400, "width": 8, "n_jobs": 1}


def tiny(alpha=6.0, architecture="solvable", trials=2, **more):
    return simulate_deep(TASK, alpha, architecture, trials=trials, **{**TINY, **more})


def same(one, other):
    for field in dataclasses.fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, float | tuple | np.ndarray):
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b), err_msg=field.name)
    for name, values in one.trials.items():
        np.testing.assert_array_equal(values, other.trials[name], err_msg=name)


def test_it_is_an_outcome_with_every_trial():
    result = tiny(trials=3)
    assert isinstance(result, ns.Outcome) and isinstance(result, ns.DeepOutcome)
    assert result.model == "solvable" and result.provenance == "simulation"
    errors = result.trials["test_error"]
    assert errors.shape == (3,) and result.test_error == errors.mean()
    assert result.test_error_se == pytest.approx(errors.std(ddof=1) / np.sqrt(3))
    assert result.to_pandas()["architecture"].tolist() == ["solvable"]
    assert "test_error" in repr(result) and result.parameters == 2 * 8 + 1


def test_the_same_bits_again_and_for_any_number_of_workers():
    item = tiny(architecture="block", watch=True, lengths=[3, 9])
    same(item, tiny(architecture="block", watch=True, lengths=[3, 9], n_jobs=2))


def test_a_trial_does_not_depend_on_how_many_there_are():
    few, many = tiny(trials=1), tiny(trials=3)
    assert few.trials["test_error"][0] == many.trials["test_error"][0]
    assert np.isnan(few.test_error_se)


def test_grids_broadcast():
    tasks = TASK.replace(theta=np.array([[0.5], [9.0]]))
    result = simulate_deep(tasks, [2.0, 20.0], "solvable", trials=2, **TINY)
    assert result.test_error.shape == (2, 2) and (result.test_error[1] < result.test_error[0]).all()
    alone = simulate_deep(TASK.replace(theta=0.5), 2.0, "solvable", trials=2, **TINY)
    assert result.trials["test_error"][0, 0].tolist() == alone.trials["test_error"].tolist()


def test_other_lengths_are_tested_and_change_nothing_else():
    plain, result = tiny(), tiny(lengths=[2, 40])
    assert result.test_error == plain.test_error and len(result.test_errors) == 2
    assert result.test_errors[1] > result.test_errors[0]  # more tokens, the same signal
    assert all(np.isfinite(result.test_errors_se))


def test_a_training_is_watched_and_not_changed():
    plain, result = tiny(), tiny(watch=True)
    assert result.test_error == plain.test_error
    assert result.path_epochs == tuple(watched_epochs(6)) == (0.0, 1.0, 2.0, 4.0)
    assert result.path_attended[0] == pytest.approx(0.2)  # q = 0 looks at all alike
    assert result.path_attended[-1] > 0.25 and result.path_loss[-1] < result.path_loss[0]
    assert len(result.path_map) == 4 and all(len(row) == 5 for row in result.path_map)
    assert sum(result.path_map[-1]) == pytest.approx(1.0)
    assert result.path_map[-1][1:] == tuple(sorted(result.path_map[-1][1:], reverse=True))


def test_a_grid_of_lengths_is_watched():
    result = simulate_deep(TASK.replace(L=[3, 5]), 4.0, "cls", watch=True, trials=2, **TINY)
    assert len(result.path_map[0]) == 5 and np.isnan(result.path_map[0][4]).tolist() == [
        True,
        False,
    ]


def test_a_folder_that_cannot_be_is_refused_before_work(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(
        ValueError, match=r"checkpoints cannot be kept in the folder .*: File exists"
    ):
        tiny(checkpoints=tmp_path / "file")


def test_what_has_no_attention_has_no_number_for_it():
    result = tiny(architecture="gru", watch=True)
    assert np.isnan(result.attended) and np.isnan(result.cosine_q) and np.isfinite(result.cosine)
    assert all(np.isnan(result.path_attended))


def test_several_signals():
    task = TASK.replace(signals=(0.5, 0.5))
    result = simulate_deep(task, 30.0, "multihead", heads=2, trials=2, **{**TINY, "epochs": 40})
    assert result.test_error < 0.35 and 0.0 <= result.cosine <= 1.0


def test_no_architecture_beats_the_limit_of_learning():
    limit = ns.bayes_optimal(TASK, 4.0).test_error
    for name in ("solvable", "max", "cls"):
        result = simulate_deep(TASK, 4.0, name, d=16, trials=3, n_test=2000, epochs=60, n_jobs=1)
        assert result.test_error > limit - 3.0 * result.test_error_se
        assert result.test_error < 0.4  # and it learns


def test_it_goes_on_from_a_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "needlescope.deep.training.checkpoint.Checkpoint.__init__.__defaults__", (0.0,)
    )
    whole = tiny(watch=True)

    class Stopped(BaseException):
        pass

    def stop(self, runs, model, keep=ns.deep.training.checkpoint.Checkpoint.keep):
        keep(self, runs, model)
        if sum(run.epoch for run in runs) == 8:
            raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr("needlescope.deep.training.checkpoint.Checkpoint.keep", stop)
        with pytest.raises(Stopped):
            tiny(watch=True, checkpoints=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    same(whole, tiny(watch=True, checkpoints=tmp_path))


def test_a_training_that_diverges_is_no_number(monkeypatch):
    loop = "needlescope.deep.training.loop._loss"
    monkeypatch.setattr(loop, lambda network, samples, rows: network.bias * np.inf)
    with pytest.raises(ns.NotConverged, match=r"diverged at every .* \(in trial 0 of max at d=8"):
        tiny(architecture="max")
