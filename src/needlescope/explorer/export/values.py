"""The values of the grids: test errors as the theory predicts them.

What is stored and interpolated is t = Φ⁻¹(error/(2 min(π, 1 − π))): 0 where a line is as good as
the constant answer, and about linear in strength and log data where it is better.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from ...arrays import FloatArray
from ...query import Query
from ...task import Task
from ...theory.bayes.bayes_optimal import bayes_optimal
from ...theory.learning import predict
from ...theory.oracle.least_error import oracle
from ...training import Training
from ..state import State

TOL = 2e-3
LOWEST_T = -5.0  # an error of 6e-7 of the constant answer's, which is shown as zero


def error(line: str, L: int, R: int, at: dict[str, Any], tol: float = TOL) -> FloatArray:
    """Return the test error of a line at these coordinates, which broadcast.

    Examples
    --------
    >>> at = {"theta": 4.0, "pi": 0.5, "c": 0.9, "kappa": 2.0, "alpha1": 2.0}
    >>> round(float(error("attention", 10, 1, at)), 2)
    0.1
    """
    theta = at["theta"] if "theta" in at else np.asarray(at["s"], float) * np.sqrt(L) / R
    task, usual = Task(L=L, R=R, theta=theta, pi=at["pi"]), State()
    given: dict[str, Any] = {"loss": usual.loss, "ridge": usual.ridge}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of points that are left NaN
        if line == "attention":
            training, query = Training(alpha1=at["alpha1"], **given), Query(at["kappa"], at["c"])
            found: Any = predict(task, training, query=query, tol=tol, on_error="nan").test_error
        elif line in ("pooled", "vectorized"):
            training = Training(alpha1=at["alpha"], **given)
            found = predict(task, training, line, tol=tol, on_error="nan").test_error
        elif line == "known":
            found = oracle(task, "bayes", tol=tol, on_error="nan").error
        else:
            both = bayes_optimal(task, at["alpha"], tol=tol, on_error="nan")
            found = both.test_error if line == "bayes_optimal" else both.amp_test_error
    return np.asarray(found, float)


def t_of(error: Any, pi: Any) -> FloatArray:
    """Return what is stored of an error.

    >>> float(t_of(0.2, 0.2))
    0.0
    """
    share = np.asarray(error) / (2.0 * np.minimum(pi, 1.0 - pi))
    return np.asarray(np.maximum(ndtri(share), LOWEST_T))


def error_of(t: Any, pi: Any) -> FloatArray:
    """Return the error of what is stored.

    >>> float(error_of(0.0, 0.2))
    0.2
    """
    return np.asarray(2.0 * np.minimum(pi, 1.0 - pi) * ndtr(t))
