"""The lines of the main figure: test errors against training data, of all who face the task.

Three kinds of error are told apart: of a training, of the Bayes-optimal learner (and of AMP, the
best known algorithm for it), and with the signal known.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..errors import NoMinimiser, NotConverged
from ..theory.bayes.bayes_optimal import bayes_optimal
from ..theory.learning import predict
from ..theory.oracle.least_error import oracle
from .state import State

COARSE, FINE = "coarse", "fine"
PRECISIONS = (COARSE, FINE)
POINTS = {COARSE: 8, FINE: 24}
BAYES_POINTS = {COARSE: 6, FINE: 16}
JOINT_POINTS = 8
TOL = {COARSE: 2e-2, FINE: 2e-3}
LONGEST_JOINT = 50  # tokens, of which joint training is solved in seconds
CACHED = 512
PIECE = 4  # points that are computed without a look at whether a newer request waits


class Line(NamedTuple):
    """Values of a line with their numerical uncertainties; NaN where one is not known."""

    x: FloatArray
    y: FloatArray
    se: FloatArray
    provenance: str


class Kind(NamedTuple):
    """A line: what it is called, the kind of error, how it is computed, whether on every move."""

    name: str
    label: str
    kind: str
    compute: Callable[[State, FloatArray, float], Line]
    points: dict[str, int]
    follows: bool = True


def _attention(state: State, x: FloatArray, tol: float) -> Line:
    return _predicted(state, x, tol, "attention")


def _pooled(state: State, x: FloatArray, tol: float) -> Line:
    return _predicted(state, x, tol, "pooled")


def _vectorized(state: State, x: FloatArray, tol: float) -> Line:
    return _predicted(state, x, tol, "vectorized")


def _predicted(state: State, x: FloatArray, tol: float, model: str) -> Line:
    """Return the error of a trained model; linear ones are trained on all data."""
    options: dict[str, Any] = {"tol": tol, "on_error": "nan"}
    if model != "attention":
        state, options = state.replace(kind="two_steps", query="steps"), options | {"data": "all"}
    result = predict(state.task(), state.training(x), model, **options)
    return Line(x, *_values(result, "test_error"), result.provenance)


def _bayes_optimal(state: State, x: FloatArray, tol: float) -> Line:
    result = bayes_optimal(state.task(), x, tol=tol, on_error="nan")
    return Line(x, *_values(result, "test_error"), result.provenance)


def _amp(state: State, x: FloatArray, tol: float) -> Line:
    result = bayes_optimal(state.task(), x, tol=tol, on_error="nan")
    return Line(x, *_values(result, "amp_test_error"), result.provenance)


def _known(state: State, x: FloatArray, tol: float) -> Line:
    result = oracle(state.task(), "bayes", tol=min(tol, 1e-3))
    ones = np.ones_like(x)
    return Line(
        x, float(result.error) * ones, float(result.error_se) * ones, result.provenance
    )  # fmt: skip


def _values(result: Any, name: str) -> tuple[FloatArray, FloatArray]:
    se = getattr(result, f"{name}_se")
    return np.asarray(getattr(result, name), float), np.asarray(se, float)


_BAYES = BAYES_POINTS
LINES = {
    line.name: line
    for line in (
        Kind("attention", "attention", "trained", _attention, POINTS),
        Kind("pooled", "mean pooling", "trained", _pooled, POINTS),
        Kind("vectorized", "flat linear", "trained", _vectorized, POINTS),
        Kind("known", "signal known", "known", _known, {COARSE: 2, FINE: 2}),
        Kind("bayes_optimal", "Bayes-optimal", "bayes", _bayes_optimal, _BAYES),
        Kind("amp", "AMP", "bayes", _amp, _BAYES, follows=False),
    )
}
"""In the order in which they are computed."""


def axis_of(name: str, state: State, precision: str) -> FloatArray:
    """Return where a line is computed.

    >>> axis_of("known", State(), "coarse")
    array([ 0.25, 64.  ])
    """
    points = LINES[name].points[precision]
    if name == "attention" and state.kind == "joint":
        points = JOINT_POINTS
    return state.axis(points)


def follows(name: str, state: State) -> bool:
    """Return whether a line is quick enough to follow a slider."""
    slow = name == "attention" and state.kind != "two_steps"
    return LINES[name].follows and not slow


def line_of(
    name: str, state: State, precision: str, stopped: Callable[[], bool] = lambda: False
) -> Line | str | None:
    """Return a line, or why there is none; None if it is stopped before its last piece.

    Examples
    --------
    >>> line = line_of("pooled", State(), "coarse")
    >>> len(line.x), bool(line.y[0] > line.y[-1])
    (8, True)
    """
    pieces = []
    for first in range(0, len(axis_of(name, state, precision)), PIECE):
        if stopped():
            return None
        piece = _piece(name, state, precision, first)
        if isinstance(piece, str):
            return piece
        pieces.append(piece)
    x, y, se = (np.concatenate(part) for part in zip(*(piece[:3] for piece in pieces), strict=True))
    return Line(x, y, se, pieces[0].provenance)


@lru_cache(maxsize=4 * CACHED)
def _piece(name: str, state: State, precision: str, first: int) -> Line | str:
    x = axis_of(name, state, precision)[first : first + PIECE]
    return _line(name, state, x, TOL[precision])


@lru_cache(maxsize=CACHED)
def value_of(name: str, state: State, precision: str) -> Line | str:
    """Return a line at the state's own number of bags.

    >>> value_of("known", State(), "coarse").y.round(2)
    array([0.06])
    """
    return _line(name, state, np.array([state.alpha]), TOL[precision])


def _line(name: str, state: State, x: FloatArray, tol: float) -> Line | str:
    if name == "attention" and state.kind == "joint" and state.L > LONGEST_JOINT:
        return (
            f"joint training is shown for L up to {LONGEST_JOINT}: its equations take long beyond; "
            "predict solves them up to 1,000"
        )
    try:
        return LINES[name].compute(state, x, tol)
    except (NotConverged, NoMinimiser, ValueError) as problem:
        return str(problem)
