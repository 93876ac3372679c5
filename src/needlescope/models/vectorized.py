"""The flat linear classifier: score ⟨W, X⟩ + b with one weight for each entry of X."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..paper import derived
from ..task import Positions, Task
from .model import Model
from .nodes import LimitLaw, exact, nothing, of_kinds
from .segments import Segments


def features(rows: Any, segments: Segments, q: FloatArray, beta: float) -> Any:
    """Return each sample flattened to L d numbers; all must have as many tokens.

    Examples
    --------
    >>> from needlescope.models.segments import Even
    >>> features(np.ones((10, 3)), Even(5), np.zeros(3), 1.0).shape
    (2, 15)
    """
    return rows.reshape(segments.count(len(rows)), -1)


def limit(task: Task, test: Task | None = None) -> LimitLaw:
    """Features are N(θ v ξᵀ, I) in L d dimensions; v follows the law of positions.

    Uniform positions leave one special direction, 1ξᵀ/√L, by symmetry; given positions span one
    for each independent pattern; of several signals each has as many. The law is that of the test,
    in the coordinates of ``task``.
    """
    seen = task if test is None else test
    if not isinstance(task.positions, Positions):
        counts, chances = np.array(seen.counts).T
        signal = seen.theta * counts[:, None] / np.sqrt(task.L)
        positive = of_kinds(exact(signal, 1.0, chances), seen)
        return LimitLaw(positive, nothing(task.kinds, 1.0), dim=task.L)
    given = seen.positions
    assert isinstance(given, Positions)
    own = _tokens(task.positions)  # a basis of other tokens too might be turned within its span
    _, size, rows = np.linalg.svd(task.positions.marks(own), full_matrices=False)
    basis = rows[size > 1e-10 * size[0]]
    used = sorted({*own, *_tokens(given)})
    known = given.marks(used)[:, np.isin(used, own)]  # the readout is blind to the rest
    signal = seen.theta * known @ basis.T
    chances = np.array(given.probabilities)
    positive = of_kinds(exact(signal, 1.0, chances), seen)
    return LimitLaw(positive, nothing(task.kinds * len(basis), 1.0), dim=task.L)


def _tokens(positions: Positions) -> list[int]:
    return sorted({token for item in positions.sets for token in item})


VECTORIZED = Model(
    "vectorized",
    features=features,
    weights=lambda L: L,
    limit=limit,
    rests_on=derived("theorem 5"),
    fixed_length=True,
    label="flat linear",
)
