"""A task and a training become the state of the controls, or are refused by name."""

from __future__ import annotations

import pytest

import needlescope as ns
from needlescope.explorer.notebook.given import with_task, with_training
from needlescope.explorer.state import KINDS, LOSSES, NOISES, State

TASK = ns.Task(L=10, R=1, theta=4.0, pi=0.5)
TRAINING = ns.Training(alpha0=1.0, alpha1=3.0)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_the_controls_show_can_be_given_back(noise: str, kind: str) -> None:
    state = State(noise=noise, noise_value=2.0, kind=kind, L=7, R=2, query="steps", eta_q=3.0)
    again = with_training(with_task(state, state.task()), state.training())
    assert (again.task(), again.training()) == (state.task(), state.training())


def test_a_strength_becomes_the_steps_that_lead_to_it() -> None:
    state = State(kappa=2.5)
    again = with_training(state, state.training())
    assert again.query == "steps" and again.training() == state.training()


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_of_the_controls_is_taken(loss: str) -> None:
    assert with_training(State(), TRAINING.replace(loss=loss)).loss == loss


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"positions": ns.Positions([(0,), (1,)])}, "no control for positions, got Positions"),
        ({"signals": (0.5, 0.5)}, "no control for signals"),
        ({"label_noise": 0.1}, "no control for label_noise, got 0.1"),
        ({"noise": ns.Noise(token_correlation=0.5)}, "no control for noise"),
        ({"noise": ns.Noise(spectrum=ns.Spectrum([1.0, 2.0]))}, "choose it among the controls"),
        ({"theta": [1.0, 2.0]}, r"theta must be one number in the explorer, got an array of shape"),
        ({"R": ns.SignalCount([1, 2], [0.5, 0.5])}, "R must be one number in the explorer, got"),
        ({"L": 2000}, r"L must be an integer in 1\.\.1000, got 2000"),
    ],
)
def test_a_task_without_controls_is_refused(change: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        with_task(State(), TASK.replace(**change))


class Odd(ns.Loss):
    name = "odd"

    def value(self, z, y):
        return (z - y) ** 2

    def derivative(self, z, y):
        return 2 * (z - y)

    def second(self, z, y):
        return 2 + 0 * z


@pytest.mark.parametrize(
    ("training", "sentence"),
    [
        (TRAINING.replace(loss=Odd()), "no control for loss"),
        (TRAINING.replace(first_step="sequential"), "no control for first_step, got 'sequential'"),
        (TRAINING.replace(query_steps=3), "no control for query_steps, got 3"),
        (TRAINING.replace(balanced=True), "no control for balanced, got True"),
        (TRAINING.replace(schedule=ns.Schedule([0.2, 0.8])), "make it with Schedule.even"),
        (TRAINING.replace(alpha1=[1.0, 2.0]), "alpha1 must be one number"),
        (ns.Training(alpha1=1.0), "alpha0 must be given: the explorer's query is trained on it"),
    ],
)
def test_a_training_without_controls_is_refused(training: ns.Training, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        with_training(State(), training)


def test_another_kind_of_argument_is_refused() -> None:
    with pytest.raises(ValueError, match="task"):
        with_task(State(), TRAINING)
    with pytest.raises(ValueError, match="training"):
        with_training(State(), TASK)
