"""Evidence: the odds of a bag are the mean of the odds of its instances.

The score log mean_l exp(⟨q, x_l⟩) + b is the theory's own statistic where one instance of a bag
carries a signal: every instance votes by its odds exp⟨q, x⟩. These are above 0, so that one
instance more, whatever it shows, lowers the score of L others by log((L + 1)/L) at most, which is
dilution. Its gradient in q is the attended instance Xᵀsoftmax(Xq): attention whose query is its
readout.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from ....arrays import FloatArray, project
from ....losses import Loss
from ....losses.balance import balancing_shift
from ....models.blocks import Data
from ....models.segments import Segments
from ..lockstep.conductor import Job
from ..lockstep.sight import Sight
from .slopes import EvidenceSlope


class LogMeanExp(NamedTuple):
    """One query (1, d), which is its own readout, and the bias.

    The sign is −1 where instances speak for the negative class: the score falls with their odds.
    """

    q: FloatArray
    b: float
    sign: float = 1.0

    @property
    def w(self) -> FloatArray:
        """The readout: the query, or its opposite."""
        return self.sign * self.q


def look(rows: Any, segments: Segments, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the attention on each instance, and the evidence of each bag."""
    logits = project(rows, q).astype(float, copy=False)
    a = segments.softmax(logits)
    return a, segments.dot(a, logits) - segments.sum(xlogy(a, a / segments.uniform(len(rows))))


def scores(data: Data, model: LogMeanExp) -> FloatArray:
    """Return the score of every bag."""
    result = np.full(len(data.y), model.b)
    for block in data.blocks():
        result[block.rows] += model.sign * look(block.table, block.segments, model.q[0])[1]
    return result


def balanced(
    sight: Sight, q: FloatArray, loss: Loss, sign: float = 1.0
) -> Job[tuple[LogMeanExp, FloatArray]]:
    """Return the evidence along a query (d,), with the bias that suits it best, and all scores."""
    everyone = sight.training is not None
    (result,) = yield [EvidenceSlope(sight, loss, q, 0.0, sign, all=everyone)]
    b = balancing_shift(result.scores, sight.y, loss, sight.weight)
    return LogMeanExp(q[None], b, sign), result.scores + b


def model(at: FloatArray, sign: float = 1.0) -> LogMeanExp:
    """Return the evidence of a vector (q, b)."""
    return LogMeanExp(at[None, :-1], float(at[-1]), sign)
