"""Where attention wins: its error beside that of mean pooling, on data and strength."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import NoMinimiser, NotConverged
from ..theory.bayes.boundaries import phase_boundaries
from ..theory.learning import predict
from .state import State

ALPHAS, THETAS = 9, 9
PIECE = 3  # points that are computed without a look at whether the map is still wanted
TOL = 2e-2
TIE = 0.02  # of the constant answer's error, within which neither wins
STRONGEST = 2.0  # times the state's θ, and its inverse


def win_map(state: State, stopped: Callable[[], bool] = lambda: False) -> dict[str, Any] | None:
    """Return the map, and where the state stands on it; None if it is stopped.

    Examples
    --------
    >>> found = win_map(State())
    >>> len(found["x"]), len(found["y"]), found["winner"][-1][-1]
    (9, 9, 'attention')
    """
    x = state.axis(ALPHAS)
    theta = max(state.theta, 0.5) * np.geomspace(1.0 / STRONGEST, STRONGEST, THETAS)
    two = state.replace(kind="two_steps") if state.kind == "joint" else state
    worst, rows = min(state.pi, 1.0 - state.pi), []
    for value in theta.tolist():
        here = two.replace(theta=value)
        linear, row = here.replace(query="steps"), []
        for first in range(0, ALPHAS, PIECE):
            if stopped():
                return None
            some = x[first : first + PIECE]
            attention = _errors(here, some, "attention", {})
            pooled = _errors(linear, some, "pooled", {"data": "all"})
            row.append((pooled - attention) / worst)
        rows.append(np.concatenate(row))
    margin = np.array(rows)
    winner = np.where(margin > TIE, "attention", np.where(margin < -TIE, "pooled", "tie"))
    return {
        "x": x.tolist(),
        "y": theta.tolist(),
        "winner": winner.tolist(),
        "margin": margin.tolist(),
        "here": [state.alpha, state.theta],
    }


def _errors(state: State, x: FloatArray, model: str, options: dict[str, Any]) -> FloatArray:
    training = state.training(x)
    result = predict(state.task(), training, model, tol=TOL, on_error="nan", **options)
    return np.asarray(result.test_error, float)


def phase(state: State) -> dict[str, Any]:
    """Return what can be learned: nothing, with exponential effort, or by AMP.

    >>> phase(State())["verdict"]
    'smooth'
    """
    try:
        found = phase_boundaries(state.task())
    except (NotConverged, NoMinimiser, ValueError) as problem:
        return {"verdict": "", "text": str(problem)}
    return {
        "verdict": str(found.verdict),
        "alpha_it": float(found.alpha_it),
        "alpha_amp": float(found.alpha_amp),
        "text": "",
    }


def thresholds(
    state: State, theta: list[float], stopped: Callable[[], bool] = lambda: False
) -> list[list[float]] | None:
    """Return α_IT and α_AMP at each strength: NaN where errors fall smoothly; None if stopped.

    From the first on the Bayes-optimal learner finds the signal, from the second on AMP does, where
    their errors jump.

    Examples
    --------
    >>> low, high = thresholds(State(L=100), [1.0, 4.0])
    >>> low, [round(value, 2) for value in high]
    ([nan, nan], [0.24, 0.32])
    """
    result = []
    for value in theta:
        if stopped():
            return None
        found = phase(state.replace(theta=value))
        result.append([found.get("alpha_it", np.nan), found.get("alpha_amp", np.nan)])
    return result
