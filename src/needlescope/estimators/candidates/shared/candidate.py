"""What a candidate is: one way to preprocess and pool bags, compared in several configurations.

A candidate is a file of this package that has a subclass of `Candidate`; `registry` finds it. It
says which candidates of its kind are compared (`offered`), how they are fitted to a fold (`fit`),
and how they are described. What is fitted is a `Model`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from ....arrays import FloatArray
from ....losses import Loss
from ....models.blocks import Data
from ....models.segments import Segments
from ...bags.preprocessing import Preprocessing
from ...engine.computation import Computation, Fit
from ...engine.fold_data import FoldData
from .search_space import SearchSpace


class Model(Protocol):
    """A fitted classifier of bags whose instances are preprocessed."""

    @property
    def q(self) -> FloatArray:
        """The queries, in rows; of zeros where attention is uniform."""
        ...

    @property
    def w(self) -> FloatArray:
        """The readouts of instances, in rows."""
        ...

    @property
    def b(self) -> float:
        """The constant of the score."""
        ...

    def attention(self, rows: Any, segments: Segments) -> FloatArray:
        """Return the attention of each query to each instance: (queries, instances)."""
        ...

    def scores(self, data: Data) -> FloatArray:
        """Return the score of every bag."""
        ...

    def contributions(self, rows: Any, segments: Segments) -> tuple[FloatArray, FloatArray]:
        """Return what each instance adds to the score of its bag, and the scores."""
        ...


@dataclass(frozen=True)
class Candidate(ABC):
    """A preprocessing and a pooling."""

    shrinkage: float | None = 1.0
    random_features: bool = False

    pooling: ClassVar[str]  # by which users ask for it
    order: ClassVar[int]  # in which candidates are listed
    attends: ClassVar[bool] = False  # whether instances are weighted unequally
    tuned: ClassVar[tuple[str, ...]] = ("ridge",)  # the parameters of its configurations
    linear: ClassVar[bool] = True  # whether the score has a readout of instances
    several_queries: ClassVar[bool] = False  # whether there may be more than one query

    @classmethod
    @abstractmethod
    def offered(cls, space: SearchSpace) -> Iterator[Candidate]:
        """Go through the candidates of this kind that are compared, preprocessing left out."""

    @abstractmethod
    def fit(
        self, fold: FoldData, configurations: list[Configuration], loss: Loss, random: Any
    ) -> Fit:
        """Begin to fit all configurations to the training bags of a fold."""

    def initial(self, fold: FoldData, loss: Loss) -> list[Computation]:
        """Return what may be computed before `fit`, each after what it requires."""
        return []

    def configurations(self, space: SearchSpace, unit: float) -> list[Configuration]:
        """List the configurations compared; ``unit`` is features per bag, the unit of ridges."""
        return [Configuration(self, ridge) for ridge in space.mean_ridges(unit)]

    def few(self, configurations: list[Configuration]) -> list[Configuration]:
        """Return those configurations that are enough for a first comparison."""
        return configurations

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return 1

    @property
    def in_negatives(self) -> bool:
        """Whether the signal is sought in negative bags."""
        return False

    @property
    def sign(self) -> float:
        """The sign of the class that has the signal."""
        return -1.0 if self.in_negatives else 1.0

    @property
    def one_sided(self) -> bool:
        """Whether one class is assumed to have a signal, and the other none."""
        return False

    @property
    def family(self) -> tuple[str, bool]:
        """What candidates with similar errors share: pooling, and random features or not."""
        return self.pooling, self.random_features

    def on(self, preprocessing: Preprocessing) -> Candidate:
        """Return this candidate on instances that are preprocessed so."""
        return replace(self, **preprocessing._asdict())

    @property
    def preprocessing(self) -> Preprocessing:
        """How instances are preprocessed."""
        return Preprocessing(self.shrinkage, self.random_features)

    @property
    def contrasts(self) -> bool:
        """Whether a fit compares the covariances of both classes."""
        return False

    def width(self, d: int) -> int:
        """Return the number of features of the readout, of instances of d features."""
        return self.preprocessing.width(d)

    @property
    def own_params(self) -> tuple[str, ...]:
        """The names of the parameters that only this kind of candidate has."""
        return ()

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of this candidate, by name."""
        names = ("pooling", "shrinkage", "random_features", *self.own_params)
        return {name: getattr(self, name) for name in names}

    @property
    def instances(self) -> str:
        """The preprocessed instances in words."""
        words = "instances as they are"
        if self.shrinkage is not None:
            words = f"{'standardised' if self.shrinkage == 1.0 else 'whitened'} instances"
        if self.random_features:
            words += " with random Fourier features"
        return words

    @property
    @abstractmethod
    def words(self) -> str:
        """The candidate in words."""


class Configuration(NamedTuple):
    """A candidate with a value of every parameter that its configurations differ in."""

    candidate: Candidate
    ridge: float = 0.0
    max_refine_iter: int = 0

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that apply, by name.

        Examples
        --------
        >>> from needlescope.estimators.candidates.mean import Mean
        >>> Configuration(Mean(), 0.1).params
        {'pooling': 'mean', 'shrinkage': 1.0, 'random_features': False, 'ridge': 0.1}
        """
        candidate = self.candidate
        return {**candidate.params, **{name: getattr(self, name) for name in candidate.tuned}}


def ridges_of(configurations: list[Configuration]) -> list[float]:
    """Return the ridges of configurations, each once, in their order."""
    return list(dict.fromkeys(item.ridge for item in configurations))


def no_query(width: int, count: int = 1) -> FloatArray:
    """Return queries of zeros: attention is uniform."""
    return np.zeros((count, width))
