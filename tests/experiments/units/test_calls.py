"""Calls: plain arguments become the objects they stand for, or are refused with a sentence."""

from __future__ import annotations

import json
import math
from dataclasses import make_dataclass

import numpy as np
import pytest

import needlescope as ns
from needlescope.experiments.units.calls import decode, flatten, run_call
from needlescope.experiments.units.plain_data import canonical
from tests.experiments.some_units import TRIAL

ARGUMENTS = {
    "task": {"L": 3, "R": 1, "theta": 3.0, "pi": 0.5},
    "training": {"alpha0": 1.0, "alpha1": 2.0},
    "model": "pooled",
    "d": 20,
    "trials": 2,
    "seed": [1],
}


def test_a_decay_is_the_covariance_it_describes():
    decay = run_call("simulate", {**ARGUMENTS, "noise": {"covariance_decay": -0.7}})
    steps = np.arange(20)
    whole = ns.Noise(covariance=(-0.7) ** np.abs(steps[:, None] - steps))
    task, training = ns.Task(**ARGUMENTS["task"]), ns.Training(**ARGUMENTS["training"])
    result = ns.simulate(task, training, "pooled", 20, 2, [1], noise=whole, n_jobs=1)
    assert decay["test_error"] == result.test_error


def test_other_properties_of_the_noise_stay():
    given = {"entries": "student", "df": 4.0, "token_correlation": 0.1, "covariance_decay": 0.3}
    result = decode("noise", given, d=6)
    assert (result.entries, result.df, result.token_correlation) == ("student", 4.0, 0.1)
    assert result.covariance[0, 2] == pytest.approx(0.09)
    assert "covariance_decay" in given


@pytest.mark.parametrize(
    ("noise", "d", "sentence"),
    [
        ({"covariance_decay": 1.0}, 5, r"covariance_decay must be .* got 1.0"),
        ({"covariance_decay": "half"}, 5, "covariance_decay must be a finite number"),
        ({"covariance_decay": None}, 5, "covariance_decay must be a finite number"),
        ({"covariance_decay": [0.1, 0.2]}, 5, "covariance_decay must be a single number"),
        ({"covariance_decay": 0.5}, None, "give d as well"),
        ({"covariance_decay": 0.5}, 2.5, "d must be a single integer"),
        ({"covariance_decay": 0.5}, 10**6, "d must be an integer in 1..20000"),
        ({"covariance_decay": 0.5, "covariance": [[1.0]]}, 1, "got both"),
    ],
)
def test_decays_that_are_none_are_refused(noise, d, sentence):
    with pytest.raises(ValueError, match=sentence):
        decode("noise", noise, d)


TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}


def test_a_call_leaves_nan_out() -> None:
    result = TRIAL.run()
    assert result and not any(
        isinstance(value, float) and math.isnan(value) for value in result.values()
    )
    item = make_dataclass("One", ["a", "b", "c"])
    assert flatten(item(math.nan, 1, math.inf)) == {"b": 1.0, "c": math.inf}


def test_a_task_with_noise_there_and_back():
    noise = ns.Noise(spectrum=ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2))
    task = ns.Task(L=6, R=1, theta=3.0, pi=0.5, noise=noise, signal=(0.5, 0.5))
    given = json.loads(canonical(task))
    assert given["noise"] == {
        "spectrum": {"eigenvalues": [4.0, 0.25], "multiplicities": [0.2, 0.8]}
    }
    assert decode("task", given) == task
