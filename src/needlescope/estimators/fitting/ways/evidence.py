"""Evidence: the odds of a bag are the mean of the odds of its instances.

The score log mean_l exp(⟨q, x_l⟩) + b is the theory's own statistic where one instance of a bag
carries a signal: every instance votes by its odds exp⟨q, x⟩. These are above 0, so that one
instance more, whatever it shows, lowers the score of L others by log((L + 1)/L) at most, which is
dilution. Its gradient in q is the attended instance Xᵀsoftmax(Xq): attention whose query is its
readout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from ....arrays import FloatArray, project
from ....losses import Loss
from ....losses.balance import balancing_shift
from ....models.segments import Segments
from ....simulation.samples.data import Data
from ..descent import descend


class Evidence(NamedTuple):
    """One query (1, d), which is its own readout, and the bias."""

    q: FloatArray
    b: float

    @property
    def w(self) -> FloatArray:
        """The readout: the query."""
        return self.q


def look(rows: Any, segments: Segments, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the attention on each instance, and the evidence of each bag.

    Examples
    --------
    >>> from needlescope.models.segments import Ragged
    >>> rows = np.array([[0.0], [np.log(3.0)], [5.0]])
    >>> a, found = look(rows, Ragged.at(np.array([0, 2, 3])), np.ones(1))
    >>> a.round(2), np.exp(found[0]).round(9), found[1].round(9)
    (array([0.25, 0.75, 1.  ]), np.float64(2.0), np.float64(5.0))
    """
    logits = project(rows, q).astype(float, copy=False)
    a = segments.softmax(logits)
    return a, segments.dot(a, logits) - segments.sum(xlogy(a, a / segments.uniform(len(rows))))


def scores(data: Data, model: Evidence) -> FloatArray:
    """Return the score of every bag."""
    found = np.full(len(data.y), model.b)
    for block in data.blocks():
        found[block.rows] += look(block.table, block.segments, model.q[0])[1]
    return found


def balanced(data: Data, q: FloatArray, loss: Loss, weight: FloatArray) -> Evidence:
    """Return the evidence along a query, with the bias that suits it best."""
    model = Evidence(q.reshape(1, -1), 0.0)
    return model._replace(b=balancing_shift(scores(data, model), data.y, loss, weight))


@dataclass(frozen=True)
class _Objective:
    """The ridge-regularised mean loss of (q, b), and its gradient."""

    data: Data
    loss: Loss
    ridge: float
    weight: FloatArray

    def __call__(self, at: FloatArray) -> tuple[float, FloatArray]:
        q, b, total = at[:-1], float(at[-1]), 0.0
        slope = np.append(self.ridge * q, 0.0)
        for block in self.data.blocks():
            rows, segments = block.table, block.segments
            a, found = look(rows, segments, q)
            share = self.weight[block.rows]
            pull = share * self.loss.derivative(found + b, block.y)
            total += float(share @ self.loss.value(found + b, block.y))
            slope[:-1] += (segments.spread(pull) * a).astype(rows.dtype) @ rows
            slope[-1] += float(pull.sum())
        return total + 0.5 * self.ridge * float(q @ q), slope


def refine(
    data: Data, model: Evidence, loss: Loss, ridge: float, weight: FloatArray, iterations: int
) -> list[Evidence]:
    """Move query and bias together; return the model after each iteration."""
    start = np.append(model.q[0], model.b)
    path = descend(_Objective(data, loss, ridge, weight), start, iterations)
    return [Evidence(at[None, :-1], float(at[-1])) for at in path]
