"""The flat linear classifier: score ⟨W, X⟩ + b with one weight for each entry of X."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..task import Positions, Task
from .nodes import Limit, exact


def features(X: FloatArray) -> FloatArray:
    """Return each sample flattened: (n, L, d) → (n, L d).

    Examples
    --------
    >>> features(np.ones((2, 5, 3))).shape
    (2, 15)
    """
    return X.reshape(len(X), -1)


def limit(task: Task, test: Task | None = None) -> Limit:
    """Features are N(θ v ξᵀ, I) in L d dimensions; v follows the law of positions.

    Uniform positions leave one special direction, 1ξᵀ/√L, by symmetry; given positions span one
    for each independent pattern. With ``test``, the law of the test task in the coordinates of
    ``task``.
    """
    basis = _directions(task)
    seen = task if test is None else test
    if isinstance(seen.positions, Positions):
        marks = seen.positions.patterns(seen.L)
        chances = np.array(seen.positions.probabilities)
    elif isinstance(task.positions, Positions):
        raise ValueError(
            "a vectorized classifier trained with given positions can be tested on given positions "
            "only; give the test task positions as well"
        )
    else:  # every pattern has the same overlap with 1/√L
        marks, chances = np.full((1, seen.L), seen.R / seen.L), np.ones(1)
    signal = seen.theta * marks @ basis.T
    return Limit(exact(signal, 1.0, chances), exact(np.zeros((1, len(basis))), 1.0), dim=task.L)


def _directions(task: Task) -> FloatArray:
    """Orthonormal rows that span what the readout can gain from, in token space."""
    if not isinstance(task.positions, Positions):
        return np.full((1, task.L), task.L**-0.5)
    _, size, rows = np.linalg.svd(task.positions.patterns(task.L), full_matrices=False)
    return rows[size > 1e-10 * size[0]]
