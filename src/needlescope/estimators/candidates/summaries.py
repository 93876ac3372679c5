"""Summaries of a bag: mean, maximum, minimum and standard deviation of every feature.

They are what a person would try in a dozen lines, and where a bag is more than its telling
instances (how far its parts differ, say) nothing beats them. Here their readout is linear, of
standardised summaries; `forest` has another.

A score is a sum over summaries and a constant. What a summary adds is shared by the instances of
the bag, by weights that are positive and add up to 1: all to the instance with the largest (or
least) value; by the squared distance from the bag's mean, for the standard deviation; by how far an
instance is on the side of its bag's mean, for the mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss
from ...models.blocks import Data
from ...models.segments import Ragged, Segments
from ...solvers.minimise import minimise_path
from ..engine.bag_statistics import N_STATISTICS, summaries, summarise
from ..engine.computation import DirectFit, Fit, Scored
from ..engine.fold_data import FoldData
from .shared.candidate import Candidate, Configuration, no_query, ridges_of
from .shared.readout import queries_attend
from .shared.search_space import SearchSpace

CONSTANT = 1e-6  # of its size: a summary that deviates by less is constant
TOLERANCE = 1e-4  # of a readout's gradient, relative to that at zero


@dataclass(frozen=True)
class SummaryModel:
    """A classifier of summaries, which are counted from their ``centre``."""

    centre: FloatArray
    b: float

    @property
    def q(self) -> FloatArray:
        """The query: attention is uniform."""
        return no_query(len(self.centre) // N_STATISTICS)

    @property
    def w(self) -> FloatArray:
        """There is no readout of instances."""
        return np.zeros_like(self.q)

    def parts(self, table: FloatArray) -> FloatArray:
        """Return what each summary adds to the score of its bag."""
        raise NotImplementedError

    def attention(self, rows: Any, segments: Segments) -> FloatArray:
        """Return uniform attention."""
        return queries_attend(rows, segments, self.q)

    def scores(self, data: Data) -> FloatArray:
        """Return the score of every bag."""
        return self.scores_of(summaries(data))

    def scores_of(self, table: FloatArray) -> FloatArray:
        """Return the score of bags from their summaries."""
        scores: FloatArray = self.parts(table).sum(axis=1) + self.b
        return scores

    def contributions(self, rows: Any, segments: Segments) -> tuple[FloatArray, FloatArray]:
        """Return what each instance adds, and the score of each bag."""
        bags, table = segments.ragged(len(rows)), summarise(rows, segments)
        parts, total = self.parts(table), self.b * segments.uniform(len(rows))
        shares = _shares(rows, bags, table, self.centre)
        for own, share in zip(np.split(parts, N_STATISTICS, axis=1), shares, strict=True):
            total += np.einsum("ij,ij->i", np.repeat(own, bags.lengths, axis=0), share)
        return total, parts.sum(axis=1) + self.b


@dataclass(frozen=True)
class LinearSummaries(SummaryModel):
    """A linear readout."""

    weights: FloatArray

    def parts(self, table: FloatArray) -> FloatArray:
        """Return weights times summaries."""
        return (table - self.centre) * self.weights


@dataclass(frozen=True)
class Summaries(Candidate):
    """Summaries with a linear readout."""

    pooling = "summaries"
    order = 1
    linear = False

    @classmethod
    def offered(cls, space: SearchSpace) -> Iterator[Candidate]:
        """Offer summaries of one preprocessing, or where they are asked for."""
        if space.offers_summaries:
            yield cls()

    def width(self, d: int) -> int:
        """Return the number of summaries."""
        return N_STATISTICS * super().width(d)

    def fit(
        self, fold: FoldData, configurations: list[Configuration], loss: Loss, random: Any
    ) -> Fit:
        """Fit a readout for each ridge."""

        def compute() -> list[Scored]:
            table = fold.summaries
            models = linear(table, fold.y, fold.weight, loss, ridges_of(configurations))
            return [Scored(model, model.scores_of(table)) for model in models]

        return DirectFit(compute)

    @property
    def words(self) -> str:
        """The candidate in words."""
        return f"summaries of {self.instances}"


def linear(
    table: FloatArray, y: FloatArray, weight: FloatArray, loss: Loss, ridges: list[float]
) -> list[LinearSummaries]:
    """Fit a linear readout of standardised summaries for each ridge."""
    centre = weight @ table / weight.sum()
    deviation = np.sqrt(weight @ np.square(table - centre) / weight.sum())
    varies = deviation > CONSTANT * np.abs(table).max(axis=0)
    scale = np.where(varies, deviation, np.inf)
    fits = minimise_path((table - centre) / scale, y, loss, ridges, weight, tolerance=TOLERANCE)
    return [LinearSummaries(centre, float(fit.b), fit.w / scale) for fit in fits]


def _shares(rows: Any, bags: Ragged, table: FloatArray, centre: FloatArray) -> Iterator[FloatArray]:
    """Go through the kinds of summaries: by how much each instance has a part in each feature's.

    Weights are positive, and those of the instances of a bag add up to 1.
    """
    starts, lengths = bags.starts[:-1], bags.lengths
    mean, largest, least, _ = (
        np.repeat(item, lengths, axis=0) for item in np.split(table, N_STATISTICS, axis=1)
    )
    middle = centre[: rows.shape[1]]
    on_side = np.maximum((rows - middle) * np.sign(mean - middle), 0.0)
    for weights in (on_side, rows == largest, rows == least, np.square(rows - mean)):
        total = np.repeat(np.add.reduceat(weights, starts, axis=0, dtype=float), lengths, axis=0)
        even = (1.0 / np.repeat(lengths, lengths))[:, None]
        yield np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), even)
