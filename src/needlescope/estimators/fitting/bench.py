"""Bags laid out for training: read once for the moments of every fold, then kept for all of them.

Folds and the last training differ in which bags count, and in how these scale the instances. Both
are affine views of one table, which is kept centred and of unit size: passes over it serve all.
Cosines are not affine, and are kept for each fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...errors import NotConverged
from ...running.progress import Progress
from ..bags.bags import Bags
from ..bags.moments import moments
from ..bags.preprocessing import Preprocessing, Preprocessor
from ..bags.scaling import Scaling, scaling_of
from .cv_splits import Fold
from .lockstep.conductor import Job, together
from .lockstep.lens import Lens
from .lockstep.moments import summaries
from .lockstep.sight import Sight
from .lockstep.threads import Threads
from .prepared import HOLD, Prepared
from .settings import Setting
from .steps import Scored

AT_HAND = HOLD // 8  # numbers with random features that are kept from one round to the next
ROOM = 1 << 25  # numbers in the matrices of all folds, 256 MB
MOST_AT_ONCE = 12  # trainings that share a bench


Train: TypeAlias = "Callable[[Sight, list[Setting], Any], Job[list[Scored]]]"


class Work(NamedTuple):
    """Settings of one way to be trained on the bags that count in a training."""

    train: Train
    training: int
    preprocessing: Preprocessing
    settings: list[Setting]
    seed: int

    def job(self, sight: Sight) -> Job[list[Scored]]:
        """Begin, with random numbers of its own."""
        return self.train(sight, self.settings, np.random.RandomState(self.seed))


class Layout(NamedTuple):
    """Bags to be laid out, −1 or +1 and by weight, and what will be asked of them."""

    bags: Bags
    used: IndexArray
    y: FloatArray
    weight: FloatArray
    whitens: bool  # whether correlations are removed in some view
    contrasts: bool  # whether covariances of the classes are compared
    seed: int  # of the random features
    progress: Progress = False
    threads: Threads = Threads()
    groups: IndexArray | None = None  # of those used, for what holds some out by itself


class Bench:
    """Bags that some trainings share; ``trained`` are the bags of each, among those used."""

    def __init__(self, layout: Layout, trained: Sequence[IndexArray]) -> None:
        self.bags, self.used, self.y, self.weight = layout[:4]
        self.layout, self.trained, self.threads = layout, trained, layout.threads
        self.deep = layout.whitens or layout.contrasts
        member = np.zeros((len(self.used), len(trained) + 1), int)
        for k, known in enumerate(trained):
            member[known, k] = 1
        member[:, -1] = (self.y > 0.0) * layout.contrasts
        self.kinds, group = np.unique(member, axis=0, return_inverse=True)
        self.group = group.ravel()
        self.moments = moments(self.bags, self.used, self.weight, self.group, deep=self.deep)
        self._sights: dict[Any, Sight] = {}
        self._views: dict[Any, Preprocessor] = {}
        self._kept: tuple[Scaling, Prepared] | None = None
        self._summed: FloatArray | None = None

    @property
    def everything(self) -> int:
        """The number of the training on all bags."""
        return len(self.trained) - 1

    def view(self, training: int, prep: Preprocessing) -> Preprocessor:
        """Return how instances are shown in a training, fitted to the bags that count in it."""
        key = training, prep
        if key not in self._views:
            groups = np.flatnonzero(self.kinds[:, training])
            self._views[key] = prep.of(self.moments, groups, self.layout.seed)
        return self._views[key]

    def sight(self, training: int, prep: Preprocessing) -> Sight:
        """Return what a training sees through a prep."""
        key = training, prep
        if key in self._sights:
            return self._sights[key]
        known, view = self.trained[training], self.view(training, prep)
        share = np.zeros(len(self.used))
        share[known] = self.weight[known] / self.weight[known].sum()
        if view.random_features is not None:
            return self._with_features(key, share, view)
        scaling, data = self._table()
        from_shift = Scaling(view.scaling.centre - self.moments.shift, view.scaling.scale)
        seen, lens = Lens(*from_shift), Lens.between(scaling, view.scaling)
        result = Sight(
            data,
            share,
            lens,
            seen.show(self.moments.means),
            self._within(seen) if self.layout.contrasts else None,
            partial(self._summaries, lens),
            training if data.size > HOLD else None,
            data.size > HOLD,
        )
        result.groups = self.layout.groups
        self._sights[key] = result
        return result

    def _with_features(self, key: Any, share: FloatArray, view: Preprocessor) -> Sight:
        """Return what a training sees with random features: its own table, bags held out behind."""
        order = np.argsort(share == 0.0, kind="stable")
        border = int((share > 0.0).sum())
        data = Prepared(
            self.bags, self.used[order], self.y[order], view, self.layout.progress, border
        )
        result = Sight(data, share[order], training=key, hurried=data.size > HOLD)
        result.order = order
        if data.size <= AT_HAND:
            self._sights[key] = result
        return result

    def train(self, works: Sequence[Work]) -> list[Any]:
        """Do all works: those on one table in lockstep, tables one after another or by threads."""
        tables: dict[Any, list[int]] = {}
        for place, work in enumerate(works):
            tables.setdefault(
                (work.preprocessing, work.training) if work.preprocessing.random_features else None,
                [],
            ).append(place)
        result: list[Any] = [None] * len(works)
        large = any(self._size(works[places[0]].preprocessing) > HOLD for places in tables.values())

        def do(places: list[int], threads: Threads) -> None:
            sights = [self.sight(works[k].training, works[k].preprocessing) for k in places]
            jobs = [works[k].job(sight) for k, sight in zip(places, sights, strict=True)]
            answers = together(sights[0].data, jobs, *threads)
            for k, sight, answer in zip(places, sights, answers, strict=True):
                result[k] = answer if isinstance(answer, NotConverged) else sight.in_order(answer)

        if self.threads.pool is None or large:
            for places in tables.values():
                do(places, self.threads)
        else:
            alone = [Threads()] * len(tables)
            list(self.threads.pool.map(do, tables.values(), alone))
        return result

    def _size(self, prep: Preprocessing) -> int:
        return int(self.bags.lengths[self.used].sum()) * prep.width(self.bags.d)

    def _table(self) -> tuple[Scaling, Prepared]:
        """Return the instances as they are kept: from the middle bag, and of unit size."""
        if self._kept is None:
            result = self.moments
            size = scaling_of(result, np.arange(len(self.kinds)), 1.0).scale
            middle = result.shift + np.median(
                result.means, axis=0
            )  # one bag far out moves no other
            kept = Scaling(middle, size)
            data = Prepared(self.bags, self.used, self.y, Preprocessor(kept), self.layout.progress)
            self._kept = kept, data
        return self._kept

    def _summaries(self, lens: Lens) -> FloatArray:
        """Return the summaries of all bags as they are seen; those of what is kept serve many."""
        data = self._table()[1]
        if lens.scale.ndim == 2:
            return summaries(data, lens.show)
        if self._summed is None:  # one thread at a time sees this table
            self._summed = summaries(data)
        return lens.summaries(self._summed)

    def _within(self, lens: Lens) -> Callable[[FloatArray], FloatArray]:
        """Return the function from shares of bags to the sum of their covariances."""
        result = self.moments

        def within(share: FloatArray) -> FloatArray:
            sums = np.zeros((self.bags.d, self.bags.d))
            for group in range(len(self.kinds)):
                own = np.flatnonzero((self.group == group) & (share != 0.0))
                if len(own):  # shares of a class are in proportion to weights, in every fold
                    sums += share[own[0]] / self.weight[own[0]] * result.second[group]
            sums -= (result.means * share[:, None]).T @ result.means
            return lens.square(sums)

        return within


class Benches:
    """A bench for all folds and the training on all bags; or, of many folds, one after another.

    Each fold has matrices of its own, so that of many features there is room for some only.
    """

    def __init__(self, layout: Layout, places: Sequence[Fold]) -> None:
        self.layout = layout
        self.every = np.arange(len(layout.used))
        self.trained = [known for known, _ in places]
        deep = layout.whitens or layout.contrasts
        size = layout.bags.d ** (2 if deep else 1) * (2 if layout.contrasts else 1)
        self.most = max(1, min(MOST_AT_ONCE, ROOM // size) - 2)
        self._whole: Bench | None = None

    @property
    def large(self) -> bool:
        """Whether instances are read again in every pass, and one bench serves all."""
        numbers = int(self.layout.bags.lengths[self.layout.used].sum()) * self.layout.bags.d
        return numbers > HOLD and len(self.trained) <= self.most

    @property
    def whole(self) -> Bench:
        """The bench on which all bags are trained on; with all folds if there is room."""
        if self._whole is None:
            folds = self.trained if len(self.trained) <= self.most else []
            self._whole = Bench(self.layout, [*folds, self.every])
        return self._whole

    def of(self, places: Sequence[Fold]) -> Iterator[tuple[Bench, list[tuple[int, Fold]]]]:
        """Go through benches of some folds, each with the numbers of these trainings there."""
        if len(self.trained) <= self.most:
            at = {id(known): k for k, known in enumerate(self.trained)}
            yield self.whole, [(at[id(place[0])], place) for place in places]
            return
        for first in range(0, len(places), self.most):
            some = places[first : first + self.most]
            bench = Bench(self.layout, [known for known, _ in some])
            yield bench, list(enumerate(some))
