"""Mean pooling: a linear readout of the mean instance, wᵀ X̄ + b."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...losses import Loss
from ..engine.computation import DirectFit, Fit, Scored
from ..engine.fold_data import FoldData
from .shared.candidate import Candidate, Configuration, no_query, ridges_of
from .shared.readout import AttentionModel, readouts
from .shared.search_space import SearchSpace


@dataclass(frozen=True)
class Mean(Candidate):
    """The mean; of several queries all are zero, and the first has the readout."""

    n_queries: int = 1

    pooling = "mean"
    order = 0
    several_queries = True

    @classmethod
    def offered(cls, space: SearchSpace) -> Iterator[Candidate]:
        """Offer the mean."""
        yield cls(n_queries=int(space.spec.n_queries) if space.several_queries else 1)

    def fit(
        self, fold: FoldData, configurations: list[Configuration], loss: Loss, random: Any
    ) -> Fit:
        """Fit a readout of the mean for each ridge."""

        def compute() -> list[Scored]:
            ridges, zero = ridges_of(configurations), no_query(fold.d, self.n_queries)
            fits = readouts(fold.means, fold.y, no_query(fold.d), loss, ridges, fold.weight)
            return [
                Scored(AttentionModel(zero, np.vstack([model.w, zero[1:]]), model.b), scores)
                for model, scores in fits
            ]

        return DirectFit(compute)

    @property
    def words(self) -> str:
        """The candidate in words."""
        return f"the mean of {self.instances}"
