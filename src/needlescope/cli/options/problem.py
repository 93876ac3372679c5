"""The options of a task, a training and a model, and the problems that they name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click

from .noise import in_noise, noise, places
from .values import Names, Numbers

TASK = {"L": "10", "R": "1", "theta": "5.0", "pi": "0.5", "label-noise": "0"}
TRAINING = {"alpha0": "4.0", "alpha1": "1.0", "ridge": "0.01", "beta": "1", "eta-w": "1",
            "eta-b": "1", "eta-q": "10"}  # fmt: skip
STEPS = ("alpha0", "beta", "eta-w", "eta-b", "eta-q", "balanced")
"""What joint training does without."""
WHOLE = ("L", "R")
DEFAULT_MODELS = ("attention", "pooled", "vectorized")
MOST_PROBLEMS = 10_000
"""Problems of one command, which shows and keeps nothing before the last."""


loss_option = click.option(
    "--loss", type=Names("losses", "LOSSES"), default="logistic", show_default=True
)


def problem(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a task, a training and a model."""
    for name, default in reversed({**TASK, **TRAINING}.items()):
        kind = Numbers(whole=name in WHOLE)
        option = click.option(
            f"--{name}", name.replace("-", "_"), type=kind, default=default, show_default=True
        )
        command = option(command)
    command = click.option(
        "--ridge-q", "ridge_q", type=Numbers(), default=None,
        help="Train query and readout of attention together, with this ridge on the query.",
    )(loss_option(noise(command)))  # fmt: skip
    command = click.option(
        "--balanced", is_flag=True, help="Balance the slopes between the two steps on attention."
    )(command)
    return click.option(
        "--model", type=Names("models", "MODELS"), multiple=True, default=DEFAULT_MODELS,
        show_default=False, help=f"Repeat for several; {', '.join(DEFAULT_MODELS)} by default.",
    )(command)  # fmt: skip


def points(options: dict[str, Any]) -> list[dict[str, Any]]:
    """List the scalar problems: every combination of the numbers given, if they are not too many.

    Examples
    --------
    >>> points({**dict.fromkeys(["L", "R", "theta", "pi", "alpha0", "alpha1", "ridge", "beta",
    ...                          "eta_w", "eta_b"], [1] * 10), "eta_q": 1, "label_noise": 0,
    ...         "spectrum": None, "signal": None, "whitening": None})
    Traceback (most recent call last):
    ValueError: the numbers make 10000000000 problems, above 10000; give fewer, or put them into ...
    """
    from itertools import product

    training = tuple(TRAINING)
    if options.get("ridge_q") is not None:
        _check_no_steps()
        training = tuple(name for name in (*TRAINING, "ridge-q") if name not in STEPS)
    names = [name.replace("-", "_") for name in (*TASK, *training)]
    columns = [v if isinstance(v := options[name], list) else [v] for name in names]
    structure = places(options)
    names, columns = [*names, *structure], [*columns, *structure.values()]
    count = math.prod(map(len, columns))
    if count > MOST_PROBLEMS:
        raise ValueError(
            f"the numbers make {count} problems, above {MOST_PROBLEMS}; give fewer, or put them "
            "into a file for needlescope sweep, which keeps what is finished"
        )
    return [dict(zip(names, values, strict=True)) for values in product(*columns)]


def split(point: dict[str, Any], loss: str, balanced: bool) -> tuple[Any, Any]:
    """Return the task and the training of a point."""
    from ...task import Task
    from ...training import Training

    problem = [name.replace("-", "_") for name in TASK]
    task = in_noise(Task(**{name: point[name] for name in problem}), point)
    settings = [name.replace("-", "_") for name in (*TRAINING, "ridge-q")]
    given = {name: point[name] for name in settings if name in point}
    return task, Training(**given, loss=loss, balanced=balanced)


def _check_no_steps() -> None:
    """Refuse the options of steps beside those of joint training."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for name in STEPS:
        source = context.get_parameter_source(name.replace("-", "_"))
        if source is click.core.ParameterSource.COMMANDLINE:
            raise ValueError(
                f"--{name} must be left out with --ridge-q: query and readout are trained "
                "together, without steps, on alpha1 * d samples"
            )
