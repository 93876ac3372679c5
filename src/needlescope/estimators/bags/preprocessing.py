"""How instances are preprocessed: scaled, and perhaps with random Fourier features appended.

A scaled instance z becomes (z, cos(z W + c)) with W Gaussian and c uniform: inner products of the
second part approximate a kernel of distances, so that what is linear in them is not linear in the
instance. Columns of W whose sizes spread over a range look at distances of many sizes at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from .bags import Bags
from .moments import Moments, moments
from .scaling import Scaling, check_whitened, no_scaling, scaling_of

FREQUENCIES = (0.5, 4.0)  # sizes of the cosines' arguments, from broad to sharp
N_RANDOM_FEATURES = 256


class RandomFourierFeatures(NamedTuple):
    """Directions W (features, count) and phases c of random cosines."""

    weights: FloatArray
    phases: FloatArray

    def append(self, z: Any) -> Any:
        """Return scaled instances with their cosines appended, in their own precision."""
        cosines = z @ self.weights.astype(z.dtype)
        cosines += self.phases.astype(z.dtype)
        return np.hstack([z, np.cos(cosines, out=cosines)])


def draw_features(d: int, seed: int, count: int = N_RANDOM_FEATURES) -> RandomFourierFeatures:
    """Draw random Fourier features of d features, their sharpness even in its logarithm."""
    random = np.random.RandomState(seed)
    weights = random.normal(size=(d, count)) / np.sqrt(d)
    phases = random.uniform(0.0, 2.0 * np.pi, count)
    low, high = np.log(FREQUENCIES).tolist()
    sharp = np.exp(random.uniform(low, high, count))
    return RandomFourierFeatures(sharp * weights, phases)


class Preprocessor(NamedTuple):
    """A scaling, and random features if there are any."""

    scaling: Scaling
    random_features: RandomFourierFeatures | None = None

    @property
    def width(self) -> int:
        """How many features are shown."""
        more = 0 if self.random_features is None else len(self.random_features.phases)
        return len(self.scaling.centre) + more

    def apply(self, rows: Any) -> Any:
        """Return instances as they are shown."""
        scaled = self.scaling.apply(rows)
        return scaled if self.random_features is None else self.random_features.append(scaled)


class Preprocessing(NamedTuple):
    """What a view will be once it is fitted: how far scaled, and whether with random features."""

    shrinkage: float | None = 1.0
    random_features: bool = False

    def width(self, d: int) -> int:
        """Return how many features are shown of d."""
        return d + N_RANDOM_FEATURES if self.random_features else d

    def fit(self, bags: Bags, used: IndexArray, weight: FloatArray, seed: int = 0) -> Preprocessor:
        """Fit the scaling to the bags that are used; random features depend on the seed only."""
        shrinkage = 1.0 if self.shrinkage is None else float(self.shrinkage)
        check_whitened(bags.d, shrinkage)
        whole = np.zeros(len(used), int)
        return self.of(moments(bags, used, weight, whole, deep=shrinkage < 1.0), [0], seed)

    def of(self, result: Moments, groups: Any, seed: int = 0) -> Preprocessor:
        """Return the view fitted to some groups of bags, of their moments."""
        d = len(result.shift)
        scaling = no_scaling(d)
        if self.shrinkage is not None:
            scaling = scaling_of(result, groups, float(self.shrinkage))
        return Preprocessor(scaling, draw_features(d, seed) if self.random_features else None)
