"""What candidates share that are trained by a function of their own, in one configuration."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....losses import Loss
from ...engine.computation import DirectFit, Fit, Scored
from ...engine.fold_data import FoldData
from .candidate import Candidate, Configuration
from .search_space import SearchSpace


@dataclass(frozen=True)
class TrainedCandidate(Candidate):
    """A candidate with neither a ridge nor readouts of instances, trained once in every fold."""

    tuned = ()
    linear = False

    @abstractmethod
    def train(self, fold: FoldData, loss: Loss, random: np.random.RandomState) -> Scored:
        """Return a model of the bags of a weight above 0, and its scores of all bags."""

    def configurations(self, space: SearchSpace, unit: float) -> list[Configuration]:
        """There is one."""
        return [Configuration(self)]

    def fit(
        self, fold: FoldData, configurations: list[Configuration], loss: Loss, random: Any
    ) -> Fit:
        """Train, unless it was done before; the seed is drawn now, as fits go side by side."""
        seed = int(random.randint(2**31 - 1))

        def compute() -> list[Scored]:
            if self not in fold.cache:
                fold.cache[self] = self.train(fold, loss, np.random.RandomState(seed))
            return [fold.cache[self]]

        return DirectFit(compute)
