"""Preprocessing of instances: scaled, and perhaps with random Fourier features appended.

A scaled instance z becomes (z, cos(z W + c)) with W Gaussian and c uniform: inner products of the
second part approximate a kernel of distances. The columns of W have frequencies over a range, so
that distances of many scales count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from .moments import Moments
from .scaling import Scaling, no_scaling, scaling_of

FREQUENCIES = (0.5, 4.0)  # from broad to sharp kernels
N_RANDOM_FEATURES = 256


class RandomFourierFeatures(NamedTuple):
    """Weights W (features, count) and phases c."""

    weights: FloatArray
    phases: FloatArray

    def append(self, z: Any) -> Any:
        """Return scaled instances with random features appended, in their own precision."""
        cosines = z @ self.weights.astype(z.dtype)
        cosines += self.phases.astype(z.dtype)
        return np.hstack([z, np.cos(cosines, out=cosines)])


def draw_features(d: int, seed: int, count: int = N_RANDOM_FEATURES) -> RandomFourierFeatures:
    """Draw random Fourier features of d features, uniform in log frequency."""
    random = np.random.RandomState(seed)
    weights = random.normal(size=(d, count)) / np.sqrt(d)
    phases = random.uniform(0.0, 2.0 * np.pi, count)
    low, high = np.log(FREQUENCIES).tolist()
    frequencies = np.exp(random.uniform(low, high, count))
    return RandomFourierFeatures(frequencies * weights, phases)


class Preprocessor(NamedTuple):
    """A fitted preprocessing: a scaling, and random features if there are any."""

    scaling: Scaling
    random_features: RandomFourierFeatures | None = None

    @property
    def width(self) -> int:
        """The number of features of a preprocessed instance."""
        more = 0 if self.random_features is None else len(self.random_features.phases)
        return len(self.scaling.centre) + more

    def apply(self, rows: Any) -> Any:
        """Return preprocessed instances."""
        scaled = self.scaling.apply(rows)
        return scaled if self.random_features is None else self.random_features.append(scaled)


class Preprocessing(NamedTuple):
    """What to fit: the shrinkage of the scaling, and whether random features are appended."""

    shrinkage: float | None = 1.0
    random_features: bool = False

    def width(self, d: int) -> int:
        """Return the number of features that d become."""
        return d + N_RANDOM_FEATURES if self.random_features else d

    def of(self, result: Moments, groups: Any, seed: int = 0) -> Preprocessor:
        """Return the preprocessor of some groups of bags, from their moments."""
        d = len(result.shift)
        scaling = no_scaling(d)
        if self.shrinkage is not None:
            scaling = scaling_of(result, groups, float(self.shrinkage))
        return Preprocessor(scaling, draw_features(d, seed) if self.random_features else None)
