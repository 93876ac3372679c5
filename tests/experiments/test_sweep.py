"""Sweeps: a grid in a file, as units."""

from __future__ import annotations

import pytest

from needlescope.experiments.sweep import Sweep, read_sweep

TASK = {"L": 4, "R": 1, "theta": [1.0, 2.0], "pi": 0.5}
TRAINING = {"alpha0": 1.0, "alpha1": [1.0, 2.0, 3.0]}


def test_everything_is_combined_with_everything():
    sweep = Sweep(
        ["predict", "simulate"],
        {"task": TASK, "training": TRAINING},
        {"model": ["pooled", "vectorized"], "d": [5, 10]},
        trials=4,
    )
    units = sweep.units()
    assert sum(unit.call == "predict" for unit in units) == 2 * 3 * 2  # theory knows no d
    assert sum(unit.call == "simulate" for unit in units) == 2 * 3 * 2 * 2 * 4


def test_calls_without_training_do_without():
    units = Sweep("oracle", {"task": TASK, "training": TRAINING}, {"model": "pooled"}).units()
    assert len(units) == 2 and all("training" not in unit.arguments for unit in units)


def test_seeds_differ_between_sweeps():
    one, two = (
        Sweep("simulate", {"task": TASK, "training": TRAINING}, {"model": "pooled"}, seed=seed)
        for seed in (0, 1)
    )
    assert not {u.key for u in one.units()} & {u.key for u in two.units()}


def test_a_file_says_the_same(tmp_path):
    path = tmp_path / "sweep.toml"
    head = "call = 'oracle'\nmodel = ['pooled', 'bayes']\n"
    path.write_text(head + "[task]\nL = [2, 3]\nR = 1\ntheta = 1.0\npi = 0.5")
    assert len(read_sweep(path).units()) == 4


def test_a_file_can_ask_for_covariances(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        "call = 'simulate'\nmodel = 'pooled'\nd = 5\ntrials = 1\n"
        "[task]\nL = 2\nR = 1\ntheta = 1.0\npi = 0.5\n[training]\nalpha0 = 1.0\nalpha1 = 3.0\n"
        "[noise]\ncovariance_decay = [0.2, 0.9]"
    )
    units = read_sweep(path).units()
    assert [unit.arguments["noise"]["covariance_decay"] for unit in units] == [0.2, 0.9]
    assert all(0.0 < unit.run()["test_error"] < 1.0 for unit in units)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"call": "guess"}, "call must be one of"),
        ({"tables": {"tsak": TASK}}, "table must be one of 'task'"),
        ({"trials": 0}, "at least 1 trial, got 0"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"trials": True}, "got True"),
    ],
)
def test_bad_sweeps_are_refused(change, sentence):
    fields = {"call": "oracle", "tables": {"task": TASK}, **change}
    with pytest.raises(ValueError, match=sentence):
        Sweep(**fields)


def test_what_only_another_call_takes_is_left_out_and_what_none_takes_is_refused():
    tables = {
        "task": {**TASK, "theta": 2.0},
        "training": {"alpha0": 1.0, "alpha1": 1.0},
        "noise": {"entries": "rademacher"},
    }
    axes = {"model": "pooled", "d": 20, "n_test": 100}
    predict, simulate = Sweep(["predict", "simulate"], tables, axes, trials=1).units()
    assert set(predict.arguments) == {"task", "training", "model"}
    assert {"noise", "d", "n_test"} < set(simulate.arguments)
    assert predict.run()["test_error"] > 0.0 and simulate.run()["test_error"] > 0.0
    with pytest.raises(ValueError, match=r"argument must be one of .*, got 'modell'"):
        Sweep("predict", tables, {"modell": "pooled"})
