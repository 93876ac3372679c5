"""Trained classifiers at the state's point: a dot for each model, sharper with each trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..errors import NoMinimiser
from ..running.seeds import streams
from ..simulation.simulate import simulate
from .lines import FINE, value_of
from .state import Refused, State

MODELS = ("attention", "pooled", "vectorized")
MOST_TRIALS = 64
MOST_NUMBERS = 1 << 26  # of a simulated data set
LEAST_TRIALS = 4  # from which a standard error means something


def check_trials(state: State, trials: Any) -> int:
    """Refuse what would take too long.

    >>> check_trials(State(), 16)
    16
    """
    if type(trials) is not int or not 1 <= trials <= MOST_TRIALS:
        raise Refused(
            "trials", f"trials must be an integer in 1..{MOST_TRIALS}, got {trials!r:.40}"
        )
    numbers = state.alpha * state.d * state.L * state.d
    if numbers > MOST_NUMBERS:
        raise Refused(
            "d",
            f"a data set of {state.alpha * state.d:,.0f} bags of {state.L} tokens with {state.d} "
            f"features is {numbers:.2g} numbers, above {MOST_NUMBERS:.2g}; take a smaller d",
        )
    return trials


def dots(
    state: State, trials: int, seed: int, stopped: Callable[[], bool]
) -> Iterator[dict[str, Any]]:
    """Yield a dot for each model after each trial, until it is stopped.

    Examples
    --------
    >>> found = list(dots(State(d=20), 1, 0, lambda: False))
    >>> [dot["name"] for dot in found], found[0]["trials"]
    (['attention', 'pooled', 'vectorized'], 1)
    """
    task, errors = state.task(), {name: list[float]() for name in MODELS}
    for trial, stream in enumerate(streams(seed, trials), 1):
        for name in MODELS:
            if stopped():
                return
            linear = name != "attention"
            here = state.replace(kind="two_steps", query="steps") if linear else state
            options: dict[str, Any] = {"data": "all"} if linear else {}
            try:
                found = simulate(
                    task, here.training(), name, d=state.d, trials=1, seed=stream, n_jobs=1,
                    progress=False, **options,
                )  # fmt: skip
            except NoMinimiser:
                continue
            errors[name].append(float(np.asarray(found.test_error)))
            yield _dot(name, state, errors[name], trial)


def _dot(name: str, state: State, values: list[float], trial: int) -> dict[str, Any]:
    """Return the mean, its standard error, and how far it is from the theory in units of both."""
    mean, count = float(np.mean(values)), len(values)
    se = float(np.std(values, ddof=1) / np.sqrt(count)) if count > 1 else np.nan
    line = value_of(name, state, FINE)
    predicted, z = np.nan, np.nan
    if not isinstance(line, str):
        predicted = float(line.y[0])
        if count >= LEAST_TRIALS:
            z = (mean - predicted) / float(np.hypot(se, line.se[0]))
    return {
        **{"name": name, "x": state.alpha, "y": mean, "se": se, "trials": count},
        **{"predicted": predicted, "z": z, "trial": trial},
    }
