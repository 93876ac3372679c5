"""Log-mean-exp pooling: the odds of a bag are the mean of the odds of its instances.

The score log mean_l exp(⟨q, x_l⟩) + b is the theory's own statistic where one instance of a bag
carries a signal: every instance counts by its odds exp⟨q, x⟩. These are above 0, so that one
instance more, whatever it shows, lowers the score of L others by log((L + 1)/L) at most, which is
dilution. Its gradient in q is the attended instance Xᵀsoftmax(Xq): attention whose query is its
readout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from ...arrays import FloatArray, project
from ...losses import Loss
from ...losses.balance import balancing_shift
from ...models.blocks import Data
from ...models.segments import Ragged, Segments
from ..engine.computation import Computation, Fit, Scored
from ..engine.fold_data import FoldData
from ..engine.objective import Evaluation, LossBatch, LossRequest
from ..engine.requests import Request
from .shared.candidate import Candidate, Configuration, no_query
from .shared.initial_queries import INITIALISED_BY, InitialQuery, initial_query
from .shared.readout import queries_attend, readouts
from .shared.refined import Initial, Paths, RefinedCandidate, RefinedFit
from .shared.search_space import SearchSpace


class LogMeanExpModel(NamedTuple):
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

    def attention(self, rows: Any, segments: Segments) -> FloatArray:
        """Return softmax(X q)."""
        return queries_attend(rows, segments, self.q)

    def scores(self, data: Data) -> FloatArray:
        """Return the score of every bag."""
        result = np.full(len(data.y), self.b)
        for block in data.blocks():
            pooled = log_mean_exp(block.table, block.segments, self.q[0])[1]
            result[block.rows] += self.sign * pooled
        return result

    def contributions(self, rows: Any, segments: Segments) -> tuple[FloatArray, FloatArray]:
        """Return what each instance adds to the score of its bag, and the scores.

        An instance with odds e^u adds in proportion to (e^u − 1)/L, so that one that says nothing
        adds nothing. The constant is spread evenly.
        """
        even = segments.uniform(len(rows))
        a, pooled = log_mean_exp(rows, segments, self.q[0])
        each = _shares(project(rows, self.q[0]), segments.spread(pooled), a, even)
        return self.sign * each + self.b * even, self.sign * pooled + self.b


def log_mean_exp(rows: Any, segments: Segments, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return softmax(Xq) of each instance, and log mean exp(Xq) of each bag."""
    logits = project(rows, q).astype(float, copy=False)
    a = segments.softmax(logits)
    return a, segments.dot(a, logits) - segments.sum(xlogy(a, a / segments.uniform(len(rows))))


def _shares(
    log_odds: FloatArray, pooled: FloatArray, a: FloatArray, even: FloatArray
) -> FloatArray:
    """Return (e^u − 1)/L · E/(e^E − 1) for instances with log odds u, in bags with E."""
    size = np.abs(pooled)
    share = np.divide(size, -np.expm1(-size), out=np.ones_like(size), where=size > 1e-8)
    # E/(e^E − 1) is share e^{−E} or share, and e^u/L is a e^E: no exponential overflows
    high = share * (a - even * np.exp(-np.maximum(pooled, 0.0)))
    low = share * even * np.expm1(np.minimum(log_odds, 0.0))
    low = np.where(log_odds > 0.0, share * (a * np.exp(np.minimum(pooled, 0.0)) - even), low)
    return np.where(pooled > 0.0, high, low)


@dataclass(frozen=True)
class LogMeanExp(RefinedCandidate):
    """Log-mean-exp pooling from an initial query: "mean" is the readout of the mean."""

    init: str = "amp"
    in_negatives: bool = False

    pooling = "log_mean_exp"
    order = 4

    @classmethod
    def offered(cls, space: SearchSpace) -> Iterator[Candidate]:
        """Offer each initialisation, with the signal in either class if it is not known."""
        if space.several_queries or space.cheapest:
            return
        for init in space.inits(("amp", "mean")):
            for in_negatives in space.sides(one_sided=True):
                yield cls(init=init, in_negatives=in_negatives)

    @property
    def one_sided(self) -> bool:
        """The two classes are treated differently."""
        return True

    @property
    def own_params(self) -> tuple[str, ...]:
        """The names of its own parameters."""
        return "init", "in_negatives"

    @property
    def words(self) -> str:
        """The candidate in words."""
        where = ", the signal sought in negative bags" if self.in_negatives else ""
        by = INITIALISED_BY[self.init]
        return f"log-mean-exp pooling initialised by {by}, on {self.instances}{where}"

    def initial(self, fold: FoldData, loss: Loss) -> list[Computation]:
        """Return the initial query, unless it is the readout of the mean."""
        if self.init == "mean":
            return []
        return [initial_query(fold, loss, self.init, 0.0, self.sign)]

    def fit(
        self, fold: FoldData, configurations: list[Configuration], loss: Loss, random: Any
    ) -> Fit:
        """Refine query and bias, from where an earlier fit of this fold has left them."""
        if self not in fold.cache:
            fold.cache[self] = _LogMeanExpPaths(fold, loss, self)
        paths = fold.cache[self]
        new = paths.new(configurations)
        return RefinedFit(paths, _InitialModels(paths, new) if new else None, configurations)


class _LogMeanExpPaths(Paths):
    """The bias that suits the initial query first, then query and bias together."""

    def __init__(self, fold: FoldData, loss: Loss, candidate: LogMeanExp) -> None:
        super().__init__(fold, loss)
        self.candidate = candidate

    def pack(self, model: LogMeanExpModel) -> FloatArray:
        return np.append(model.q[0], model.b)

    def unpack(self, at: FloatArray) -> LogMeanExpModel:
        return LogMeanExpModel(at[None, :-1], float(at[-1]), self.candidate.sign)

    def request(self, at: FloatArray, **whom: bool) -> LossRequest:
        q, b = at[:-1], float(at[-1])
        return _LogMeanExpLoss(self.fold, self.loss, q, b, self.candidate.sign, **whom)


class _InitialModels(Initial):
    """A query for each ridge, and the bias that is best for it."""

    def __init__(self, paths: _LogMeanExpPaths, ridges: list[float]) -> None:
        self.paths, self.ridges = paths, ridges
        self.required = paths.candidate.initial(paths.fold, paths.loss)
        self._queries: list[FloatArray] = []

    def ask(self) -> list[Request] | None:
        if self._queries:
            return None
        paths, fold = self.paths, self.paths.fold
        if self.required:
            (query,) = self.required
            assert isinstance(query, InitialQuery)
            self._queries = [query.q]
        else:
            pooled = readouts(
                fold.means, fold.y, no_query(fold.d), paths.loss, self.ridges, fold.weight
            )
            self._queries = [paths.candidate.sign * item.model.w[0] for item in pooled]
        every_bag = fold.fold_id is not None
        return [paths.request(np.append(q, 0.0), all=every_bag) for q in self._queries]

    def tell(self, answers: list[Evaluation]) -> None:
        fold, sign = self.paths.fold, self.paths.candidate.sign
        self.results = []
        for q, answer in zip(self._queries, answers, strict=True):
            b = balancing_shift(answer.scores, fold.y, self.paths.loss, fold.weight)
            self.results.append(Scored(LogMeanExpModel(q[None], b, sign), answer.scores + b))
        self.results *= len(self.ridges) if len(self.results) == 1 else 1


@dataclass(frozen=True, eq=False)
class _LogMeanExpLoss(LossRequest):
    """The loss at q (d,) and b, and the sign of the score."""

    q: FloatArray
    b: float
    sign: float = 1.0


class _LogMeanExpLosses(LossBatch):
    """∂/∂q of the loss is Σ ℓ' Xᵀ softmax(Xq)."""

    def __init__(self, requests: Sequence[_LogMeanExpLoss], count: int) -> None:
        super().__init__(requests, count, [request.b for request in requests])
        self.sign = np.array([request.sign for request in requests])[:, None]

    @property
    def directions(self) -> list[tuple[FoldData, FloatArray]]:
        return [(request.fold, request.q[None]) for request in self.requests]

    @property
    def sums(self) -> list[tuple[FoldData, int]]:
        return [] if self.held_out else [(request.fold, 1) for request in self.requests]

    def coefficients(self, projections: FloatArray, bags: Ragged, place: slice, number: int) -> Any:
        largest = bags.max(projections)
        odds = np.exp(projections - bags.spread(largest))
        total = bags.sum(odds)
        slopes = self.derivatives(self.sign * (largest + np.log(total / bags.lengths)), place)
        if self.held_out:
            return None
        odds *= bags.spread(self.sign * slopes / total)
        return odds

    def answers(self, sums: list[FloatArray]) -> list[Any]:
        if self.held_out:
            return list(self.scores)
        return self.evaluations([item[0] for item in sums])


_LogMeanExpLoss.batch = _LogMeanExpLosses
