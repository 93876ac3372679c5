"""The instances of all bags in one table, which the folds see through affine maps of their own.

Folds differ in which bags they train on, and in how these scale the instances. The table is kept
centred and of unit size, and so are the moments of each group of bags that the same folds train on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...running.progress import Progress
from ..bags.bags import Bags
from ..bags.moments import moments
from ..bags.preprocessing import Preprocessing, Preprocessor
from ..bags.scaling import Scaling, scaling_of
from .affine import AffineMap
from .bag_statistics import summaries
from .prepared import PreparedBags
from .threads import ONE_THREAD, Threads


class FitData(NamedTuple):
    """Bags to be fitted to, with labels −1 or +1 and weights, and what fits will need of them."""

    bags: Bags
    used: IndexArray
    y: FloatArray
    weight: FloatArray
    whitens: bool  # whether some preprocessing removes correlations
    contrasts: bool  # whether covariances of the classes are compared
    seed: int  # of the random features
    progress: Progress = False
    threads: Threads = ONE_THREAD
    groups: IndexArray | None = None  # of those used, for what holds some out by itself


class SharedTable:
    """Moments of the bags, and their instances, for some folds."""

    def __init__(self, data: FitData, trained: Sequence[IndexArray]) -> None:
        self.data, self.trained = data, trained
        member = np.zeros((len(data.used), len(trained) + 1), int)
        for k, known in enumerate(trained):
            member[known, k] = 1
        member[:, -1] = (data.y > 0.0) * data.contrasts
        self.kinds, group = np.unique(member, axis=0, return_inverse=True)
        self.group = group.ravel()
        deep = data.whitens or data.contrasts
        self.moments = moments(data.bags, data.used, data.weight, self.group, deep=deep)

    def preprocessor(self, fold: int, preprocessing: Preprocessing) -> Preprocessor:
        """Return a preprocessing that is fitted to the training bags of a fold."""
        groups = np.flatnonzero(self.kinds[:, fold])
        return preprocessing.of(self.moments, groups, self.data.seed)

    @cached_property
    def scaling(self) -> Scaling:
        """The scaling of the table: from the middle bag, and of unit size."""
        size = scaling_of(self.moments, np.arange(len(self.kinds)), 1.0).scale
        # one bag far out moves no other
        return Scaling(self.moments.shift + np.median(self.moments.means, axis=0), size)

    @cached_property
    def prepared(self) -> PreparedBags:
        """The table, block by block."""
        data = self.data
        return PreparedBags(data.bags, data.used, data.y, Preprocessor(self.scaling), data.progress)

    @cached_property
    def _summaries(self) -> FloatArray:
        return summaries(self.prepared)  # one thread at a time sees this table

    def view(self, scaling: Scaling) -> AffineMap:
        """Return the map from the table to instances in a scaling."""
        return AffineMap.between(self.scaling, scaling)

    def _from_moments(self, scaling: Scaling) -> AffineMap:
        return AffineMap(scaling.centre - self.moments.shift, scaling.scale)

    def statistics(self, scaling: Scaling) -> FoldStatistics:
        """Return what is known of the instances in a scaling."""
        return FoldStatistics(self, scaling)

    def means(self, scaling: Scaling) -> FloatArray:
        """Return the mean instance of every bag."""
        return self._from_moments(scaling).apply(self.moments.means)

    def summaries(self, view: AffineMap) -> FloatArray:
        """Return the summaries of every bag; those of the table serve many views."""
        if view.scale.ndim == 2:
            return summaries(self.prepared, view.apply)
        return view.summaries(self._summaries)

    def within(self, scaling: Scaling, share: FloatArray) -> FloatArray:
        """Return the sum of covariances within bags, each times its share.

        Shares of a class are in proportion to weights, in every fold.
        """
        data, result = self.data, self.moments
        sums = np.zeros((data.bags.d, data.bags.d))
        for group in range(len(self.kinds)):
            own = np.flatnonzero((self.group == group) & (share != 0.0))
            if len(own):
                sums += share[own[0]] / data.weight[own[0]] * result.second[group]
        sums -= (result.means * share[:, None]).T @ result.means
        return self._from_moments(scaling).covariance(sums)


class FoldStatistics(NamedTuple):
    """What is known of instances in the scaling of one fold."""

    table: SharedTable
    scaling: Scaling

    @property
    def view(self) -> AffineMap:
        """The map from the table to these instances."""
        return self.table.view(self.scaling)

    def means(self) -> FloatArray:
        """Return the mean instance of every bag."""
        return self.table.means(self.scaling)

    def summaries(self) -> FloatArray:
        """Return the summaries of every bag."""
        return self.table.summaries(self.view)

    def within(self, share: FloatArray) -> FloatArray | None:
        """Return the sum of covariances within bags, each times its share, if it is known."""
        return self.table.within(self.scaling, share) if self.table.data.contrasts else None
