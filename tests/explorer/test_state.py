"""The state of the controls: refused as `Task` and `Training` refuse it, and what it stands for."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import needlescope as ns
from needlescope.explorer.state import KINDS, NOISES, QUERIES, SIGNALS, Refused, State
from needlescope.theory.alignment import align


def refusal(**values):
    with pytest.raises(Refused) as refused:
        State.read(values)
    return refused.value


def sentence(call, *given, **named):
    with pytest.raises(ValueError) as problem:
        call(*given, **named)
    return str(problem.value)


TASK = {"L": 10, "R": 1, "theta": 4.0, "pi": 0.5}


@pytest.mark.parametrize(
    ("field", "value"),
    [("R", 11), ("theta", -1.0), ("theta", -1e-9), ("pi", 0.0), ("pi", 1.0), ("pi", -0.1)],
)
def test_a_task_is_refused_in_the_sentence_of_task(field, value):
    said = refusal(**{field: value})
    assert (said.field, str(said)) == (field, sentence(ns.Task, **{**TASK, field: value}))


@pytest.mark.parametrize(
    ("field", "value"), [("alpha1", 0.0), ("alpha0", -1.0), ("ridge", -0.5), ("beta", 0.0)]
)
def test_a_training_is_refused_in_the_sentence_of_training(field, value):
    said = refusal(**{field: value, "query": "steps"})
    given = {"alpha0": 2.0, "alpha1": 2.0, "ridge": 0.01, field: value}
    assert (said.field, str(said)) == (field, sentence(ns.Training, **given))


def test_a_joint_training_is_refused_in_its_own_sentence():
    said = refusal(kind="joint", ridge_q=-1.0)
    expected = sentence(ns.Training.joint, 2.0, "logistic", 0.01, -1.0)
    assert (said.field, str(said)) == ("ridge_q", expected)


@pytest.mark.parametrize(
    "values",
    [
        *({"noise": "pink"}, {"kind": []}, {"loss": None}, {"L": 2.5}, {"L": True}, {"d": 4}),
        *({"steps": 0}, {"theta": "4"}, {"theta": None}, {"theta": float("nan")}),
        *({"kappa": float("inf")}, {"kappa": -1.0}, {"kappa": 0.0}, {"kappa": 101.0}),
        *({"theta": 10**400}, {"L": 10**400}, {"unknown": 1}, {"eta_q": 1e10}),
    ],
)
def test_each_refusal_names_its_control_and_its_value(values):
    ((name, value),) = values.items()
    said = refusal(**values)
    assert said.field == name and name in str(said) and len(str(said)) <= 400
    given = f"{value:g}" if name == "kappa" else repr(value)
    assert name == "unknown" or f"got {given[:20]}" in str(said)


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_a_state_is_an_object(value):
    with pytest.raises(Refused, match="a state must be an object, got"):
        State.read(value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("noise", NOISES)
def test_a_state_survives_its_own_address(kind, noise):
    state = State(kind=kind, noise=noise, noise_value=0.5, theta=1 / 3, signal="quiet")
    assert State.read(json.loads(json.dumps(state.to_dict()))) == state


@pytest.mark.parametrize("noise", NOISES[1:])
@pytest.mark.parametrize("signal", SIGNALS)
def test_noise_with_a_spectrum_has_mean_one_and_its_signal_where_it_says(noise, signal):
    state = State(noise=noise, noise_value=4.0, signal=signal)
    assert state.spectrum().mean == pytest.approx(1.0)
    assert state.task().signal == signal and state.task().noise.spectrum is not None
    along = state.task().levels
    here = float(along.weight @ along.s)
    if signal == "flat":
        assert here == pytest.approx(float(along.share @ along.s))
    else:
        assert (here < 1.0) == (signal == "quiet")


@pytest.mark.parametrize("noise", ["white", "power_law"])
def test_the_strength_is_the_one_that_the_control_says(noise):
    for kappa in (0.3, 5.0):
        state = State(noise=noise, kappa=kappa)
        many = align(state.task(), state.training(state.axis(3)))
        assert np.allclose(many.kappa, kappa)
        assert np.allclose(align(state.task(), state.training()).kappa, kappa)


def test_a_schedule_is_as_strong_as_its_steps_make_it():
    steps = State(kind="schedule", query="steps").training()
    assert State(kind="schedule", kappa=9.0).training() == steps
    assert State(kind="schedule", beta=0.5).training() != steps


def test_data_keep_their_split():
    state = State(alpha0=1.0, alpha1=3.0).at(8.0)
    assert (state.alpha0, state.alpha1, state.alpha) == (2.0, 6.0, 8.0)
    training = State(alpha0=1.0, alpha1=3.0, query="steps").training([4.0, 8.0])
    assert training.alpha0.tolist() == [1.0, 2.0] and training.alpha1.tolist() == [3.0, 6.0]
    assert State(kind="joint", alpha1=3.0).alpha == 3.0


def test_every_value_has_a_control_of_its_kind():
    assert set(State._choices["query"]) == set(QUERIES)
    for field in dataclasses.fields(State):
        assert type(field.default).__name__ == field.type
