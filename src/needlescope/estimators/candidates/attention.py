"""Single-layer attention: Σ_k ⟨w_k, Xᵀ softmax(X q_k)⟩ + b, with the mean appended if asked.

First the queries and their readouts, then all refined together. The gradient is that of
`models.gradient`, by its `token_coefficients`, for many models at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss
from ...models.gradient import State, pack, token_coefficients, unpack
from ...models.segments import Ragged
from ..engine.computation import Computation, Fit, Scored
from ..engine.fold_data import FoldData
from ..engine.objective import LossBatch, LossRequest
from ..engine.requests import Features, Request
from .shared.candidate import Candidate, Configuration
from .shared.initial_queries import INITIALISED_BY, InitialQuery, TwoSteps, initial_query
from .shared.readout import AttentionModel, readouts
from .shared.refined import Initial, Paths, RefinedCandidate, RefinedFit
from .shared.search_space import INITS, SearchSpace, is_auto
from .shared.splitting import SplitFit, cut

KAPPA = 2.0
QUERIES = (1, 4)
RANDOM_FEATURES_ITERATIONS = 10  # that attention to many random features gains by
WIDEST_CONTRAST = 2000  # features whose covariances are compared: a matrix of 32 MB


@dataclass(frozen=True)
class Attention(RefinedCandidate):
    """Attention from an initial query of strength κ, with ``n_queries`` in all."""

    kappa: float = KAPPA
    n_queries: int = 1
    init: str = "two_steps"
    append_mean: bool = False
    in_negatives: bool = False
    split: str = "reuse"

    pooling = "attention"
    order = 5
    several_queries = True

    @classmethod
    def offered(cls, space: SearchSpace) -> Iterator[Candidate]:
        """Offer each initialisation, with and without the mean appended."""
        if space.cheapest:
            return
        spec = space.spec
        kappa = KAPPA if is_auto(spec.kappa) else float(spec.kappa)
        fits = space.width <= WIDEST_CONTRAST
        for init in space.inits(INITS if fits else ("two_steps", "amp")):
            for append in _appended(space, init):
                for count in _counts(space, init, append=append):
                    for in_negatives in space.sides(one_sided=init != "two_steps"):
                        yield cls(
                            kappa=kappa,
                            n_queries=count,
                            init=init,
                            append_mean=append,
                            in_negatives=in_negatives,
                            split=spec.split,
                        )

    def configurations(self, space: SearchSpace, unit: float) -> list[Configuration]:
        """List every ridge with every number of iterations, few with random features."""
        if not self.random_features:
            return super().configurations(space, unit)
        iterations = space.iterations(RANDOM_FEATURES_ITERATIONS)
        return [Configuration(self, ridge, k) for ridge in space.ridges(unit) for k in iterations]

    @property
    def one_sided(self) -> bool:
        """Two steps treat both classes alike, the other initialisations do not."""
        return self.init != "two_steps"

    @property
    def contrasts(self) -> bool:
        """Whether contrastive PCA initialises."""
        return self.init == "contrastive_pca"

    @property
    def own_params(self) -> tuple[str, ...]:
        """The names of its own parameters."""
        return ("init", "kappa", "n_queries", "append_mean", *("in_negatives",) * self.one_sided)

    @property
    def words(self) -> str:
        """The candidate in words.

        Examples
        --------
        >>> Attention(append_mean=True).words
        'attention initialised by two gradient steps, with the mean appended, on standardised
        instances'
        """
        count = f" of {self.n_queries} queries" if self.n_queries > 1 else ""
        appended = ", with the mean appended" if self.append_mean else ""
        where = ", the signal sought in negative bags" if self.in_negatives else ""
        by = INITIALISED_BY[self.init]
        return f"attention{count} initialised by {by}{appended}, on {self.instances}{where}"

    def initial(self, fold: FoldData, loss: Loss) -> list[Computation]:
        """Return the initial query."""
        return [initial_query(fold, loss, self.init, self.kappa, self.sign)]

    def fit(
        self, fold: FoldData, configurations: list[Configuration], loss: Loss, random: Any
    ) -> Fit:
        """Fit queries and readouts, to the same bags or to different ones."""
        parts = cut(fold, self.split, random)
        if not parts:
            return self._refined(fold, configurations, loss)
        fits = [self._refined(fold.part(bags), configurations, loss) for bags, _ in parts]
        whole = fits[0]
        if self.split == "crossfit":
            whole = self._refined(fold, configurations, loss)
        return SplitFit(fold, configurations, loss, parts, fits, whole)

    def _refined(self, fold: FoldData, configurations: list[Configuration], loss: Loss) -> Fit:
        """Fit queries and readouts to the same bags, from where an earlier fit has left them."""
        if self not in fold.cache:
            fold.cache[self] = _AttentionPaths(fold, loss, self)
        paths = fold.cache[self]
        new = paths.new(configurations)
        return RefinedFit(paths, _InitialModels(paths, new) if new else None, configurations)


def _counts(space: SearchSpace, init: str, *, append: bool) -> tuple[int, ...]:
    """List the numbers of queries: several take more passes, and are found by two steps each."""
    spec = space.spec
    if not is_auto(spec.n_queries):
        return (int(spec.n_queries),)
    if not space.any_pooling:
        return QUERIES
    several = init == "two_steps" and not append
    return QUERIES if several and space.held and not space.quick else QUERIES[:1]


def _appended(space: SearchSpace, init: str) -> tuple[bool, ...]:
    """List whether the mean is appended."""
    spec = space.spec
    if not is_auto(spec.append_mean):
        return (bool(spec.append_mean),)
    if space.quick:
        return (False,)
    return (False, True) if init == "two_steps" else (True,)


class _AttentionPaths(Paths):
    """The readouts of the initial queries first, then queries and readouts together."""

    def __init__(self, fold: FoldData, loss: Loss, candidate: Attention) -> None:
        super().__init__(fold, loss)
        self.candidate = candidate

    def pack(self, model: State) -> FloatArray:
        return pack(model)

    def unpack(self, at: FloatArray) -> AttentionModel:
        heads = self.candidate.n_queries + self.candidate.append_mean
        return AttentionModel(*unpack(at, (heads, self.fold.d)))

    def request(self, at: FloatArray, **whom: bool) -> LossRequest:
        return _AttentionLoss(self.fold, self.loss, self.unpack(at), **whom)


class _InitialModels(Initial):
    """The first query and its readout for each ridge; then the further queries, one by one.

    Each further query takes three passes: two for its two steps, on the slopes that the queries
    before have left, and one for its features.
    """

    def __init__(self, paths: _AttentionPaths, ridges: list[float]) -> None:
        self.paths, self.ridges = paths, ridges
        self.required = paths.candidate.initial(paths.fold, paths.loss)
        self._features: list[FloatArray] = []  # of each ridge: (bags, queries, d)
        self._queries: list[TwoSteps] = []  # under way, one for each ridge
        self._left = paths.candidate.n_queries - 1
        self._asked: list[int] = []

    def ask(self) -> list[Request] | None:
        fold = self.paths.fold
        if not self._features:
            return [Features(fold, self._first_query()[None])]
        if not self._left:
            self._finish()
            return None
        if not self._queries:
            kappa, loss = self.paths.candidate.kappa, self.paths.loss
            self._queries = [TwoSteps(fold, loss, kappa, item.scores) for item in self.results]
        requests: list[Request] = []
        self._asked = []
        for k, query in enumerate(self._queries):
            own = query.ask()
            self._asked += [k] * bool(own)
            requests += own or []
        return requests or [Features(fold, query.q[None]) for query in self._queries]

    def _first_query(self) -> FloatArray:
        (query,) = self.required
        assert isinstance(query, InitialQuery)
        return query.q

    def tell(self, answers: list[Any]) -> None:
        if not self._features:
            self._read_first(answers[0])
        elif self._asked:
            for k, answer in zip(self._asked, answers, strict=True):
                self._queries[k].tell([answer])
        else:
            self._read_further(answers)

    def _read_first(self, F: FloatArray) -> None:
        fold, q = self.paths.fold, self._first_query()
        queries = q[None]
        if self.paths.candidate.append_mean:
            F = np.concatenate([F, fold.means[:, None]], axis=1)
            queries = np.vstack([q, 0.0 * q])
        self.results = self._read(F, queries, self.ridges)
        self._features = [F] * len(self.ridges)

    def _read_further(self, answers: list[FloatArray]) -> None:
        for k, (query, more) in enumerate(zip(self._queries, answers, strict=True)):
            F = self._features[k] = np.concatenate([self._features[k], more], axis=1)
            queries = np.vstack([self.results[k].model.q, query.q])
            (self.results[k],) = self._read(F, queries, [self.ridges[k]])
        self._queries, self._left = [], self._left - 1

    def _read(self, F: FloatArray, queries: FloatArray, ridges: list[float]) -> list[Scored]:
        fold = self.paths.fold
        table = F.reshape(len(F), -1)
        return readouts(table, fold.y, queries, self.paths.loss, ridges, fold.weight)

    def _finish(self) -> None:
        """Put the mean last, if it is appended."""
        count = self.paths.candidate.n_queries
        if self.paths.candidate.append_mean and count > 1:
            order = [0, *range(2, 1 + count), 1]
            self.results = [
                Scored(model._replace(q=model.q[order], w=model.w[order]), scores)
                for model, scores in self.results
            ]


@dataclass(frozen=True, eq=False)
class _AttentionLoss(LossRequest):
    """The loss at q and w (queries, d), and b."""

    state: State


class _AttentionLosses(LossBatch):
    def __init__(self, requests: Sequence[_AttentionLoss], count: int) -> None:
        super().__init__(requests, count, [request.state.b for request in requests])
        heads = [len(request.state.q) for request in requests]
        self.heads, self.firsts = sum(heads), np.cumsum([0, *heads[:-1]])
        self.owner = np.repeat(np.arange(len(requests)), heads)

    @property
    def directions(self) -> list[tuple[FoldData, FloatArray]]:
        queries = [(request.fold, request.state.q) for request in self.requests]
        return queries + [(request.fold, request.state.w) for request in self.requests]

    @property
    def sums(self) -> list[tuple[FoldData, int]]:
        return [] if self.held_out else [(fold, len(piece)) for fold, piece in self.directions]

    def coefficients(self, projections: FloatArray, bags: Ragged, place: slice, number: int) -> Any:
        a, read = bags.softmax(projections[: self.heads]), projections[self.heads :]
        each = bags.sum(a * read)
        slopes = self.derivatives(np.add.reduceat(each, self.firsts, axis=0), place)
        if self.held_out:
            return None
        result = np.empty(projections.shape)
        in_q, in_w = result[: self.heads], result[self.heads :]
        token_coefficients(bags, a, read, each, slopes[self.owner], out=(in_q, in_w))
        return result

    def answers(self, sums: list[FloatArray]) -> list[Any]:
        if self.held_out:
            return list(self.scores)
        pairs = zip(sums[: len(self.requests)], sums[len(self.requests) :], strict=True)
        return self.evaluations([np.concatenate([q.ravel(), w.ravel()]) for q, w in pairs])


_AttentionLoss.batch = _AttentionLosses
