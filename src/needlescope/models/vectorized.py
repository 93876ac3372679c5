"""The flat linear classifier: score ⟨W, X⟩ + b with one weight for each entry of X."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..task import Positions, Task
from .nodes import Limit, exact
from .segments import Segments


def features(rows: Any, segments: Segments) -> Any:
    """Return each sample flattened to L d numbers; all must have as many tokens.

    Examples
    --------
    >>> from needlescope.models.segments import Even
    >>> features(np.ones((10, 3)), Even(5)).shape
    (2, 15)
    """
    return rows.reshape(segments.count(len(rows)), -1)


def limit(task: Task, test: Task | None = None) -> Limit:
    """Features are N(θ v ξᵀ, I) in L d dimensions; v follows the law of positions.

    Uniform positions leave one special direction, 1ξᵀ/√L, by symmetry; given positions span one
    for each independent pattern. With ``test``, the law of the test task in the coordinates of
    ``task``.
    """
    if not isinstance(task.positions, Positions):
        seen = task if test is None else test
        signal = np.array([[seen.theta * seen.R / np.sqrt(task.L)]])
        return Limit(exact(signal, 1.0), exact(0.0 * signal, 1.0), dim=task.L)
    given = task.positions if test is None else test.positions
    assert isinstance(given, Positions)
    theta = task.theta if test is None else test.theta
    used = sorted({token for one in (*task.positions.sets, *given.sets) for token in one})
    _, size, rows = np.linalg.svd(task.positions.marks(used), full_matrices=False)
    basis = rows[size > 1e-10 * size[0]]
    signal = theta * given.marks(used) @ basis.T
    chances = np.array(given.probabilities)
    return Limit(exact(signal, 1.0, chances), exact(np.zeros((1, len(basis))), 1.0), dim=task.L)
