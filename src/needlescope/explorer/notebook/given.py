"""From a task and a training to the state of the controls, where they can express it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...grid import check_kind
from ...losses import get_loss
from ...schedule import Schedule
from ...task import Task
from ...training import Training
from ..state import LOSSES, State

PLAIN_TASK = {"positions": "uniform", "signals": None, "label_noise": None, "signal_noise": None}
PLAIN_TRAINING = {"first_step": "joint", "query_steps": 1, "balanced": False}


def with_task(state: State, task: Task) -> State:
    """Return the state with a task, or say what of it the controls cannot express.

    Examples
    --------
    >>> with_task(State(), Task(L=20, R=2, theta=3.0, pi=0.5)).L
    20
    >>> with_task(State(), Task(L=20, R=2, theta=3.0, pi=0.5, label_noise=0.1))
    Traceback (most recent call last):
    ValueError: the explorer has no control for label_noise, got 0.1: leave it out, or call predict
    """
    check_kind("task", task, Task)
    _refuse_others(task, PLAIN_TASK)
    changes = {name: _single(name, getattr(task, name)) for name in ("L", "R", "theta", "pi")}
    if task.noise is None:
        return _checked(state.replace(noise="white", **changes))
    own = None if state.noise == "white" else state.task()
    if own is None or (own.noise, own.signal) != (task.noise, task.signal):
        raise _no_control("noise", task.noise, "choose it among the controls")
    return _checked(state.replace(**changes))


def with_training(state: State, training: Training) -> State:
    """Return the state with a training, or say what of it the controls cannot express.

    Examples
    --------
    >>> with_training(State(), Training.joint(alpha=3.0)).kind
    'joint'
    >>> with_training(State(), Training(alpha0=1.0, alpha1=1.0, balanced=True))
    Traceback (most recent call last):
    ValueError: the explorer has no control for balanced, got True: leave it out, or call predict
    """
    check_kind("training", training, Training)
    loss = get_loss(training.loss)
    if loss.name not in LOSSES or get_loss(loss.name) is not loss:
        raise _no_control("loss", training.loss, f"choose one of {', '.join(LOSSES)}")
    changes: dict[str, Any] = {
        "alpha1": _single("alpha1", training.alpha1),
        "ridge": _single("ridge", training.ridge),
        "loss": loss.name,
    }
    if training.is_joint:
        ridge_q = _single("ridge_q", training.ridge_q)
        return _checked(state.replace(kind="joint", ridge_q=ridge_q, **changes))
    _refuse_others(training, PLAIN_TRAINING)
    if training.alpha0 is None:
        raise ValueError("alpha0 must be given: the explorer's query is trained on it")
    for name in ("alpha0", "beta", "eta_w", "eta_b", "eta_q"):
        changes[name] = _single(name, getattr(training, name))
    changes |= {"kind": "two_steps", "query": "steps"}
    if training.schedule is not None:
        steps = len(training.schedule.shares)
        if training.schedule != Schedule.even(steps):
            raise _no_control("schedule", training.schedule, "make it with Schedule.even")
        changes |= {"kind": "schedule", "steps": steps}
    return _checked(state.replace(**changes))


def _checked(state: State) -> State:
    """Return the state as a message would be read: within the ranges of its controls."""
    return State.read(state.to_dict())


def _single(name: str, value: Any) -> Any:
    """Refuse what is no single number."""
    if np.ndim(value) or not isinstance(value, int | float | np.number):
        kind = f"an array of shape {np.shape(value)}" if np.ndim(value) else repr(value)
        raise ValueError(f"{name} must be one number in the explorer, got {kind}")
    return value.item() if isinstance(value, np.number) else value


def _refuse_others(given: Task | Training, plain: dict[str, Any]) -> None:
    for name, usual in plain.items():
        value = getattr(given, name)
        if not isinstance(value, type(usual)) or value != usual:
            raise _no_control(name, value, "leave it out, or call predict")


def _no_control(name: str, value: Any, remedy: str) -> ValueError:
    return ValueError(f"the explorer has no control for {name}, got {value!r:.80}: {remedy}")
