"""How instances are shown to a classifier: scaled, and perhaps with random cosines beside them.

A scaled instance z becomes (z, cos(z W + c)) with W Gaussian and c uniform: inner products of the
second part approximate a kernel of distances (random Fourier features), so that what is linear in
them is not linear in the instance. Columns of W whose sizes spread over a range look at distances
of many sizes at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from .bags import Bags
from .moments import Moments, moments
from .scaling import Scaling, check_whitened, no_scaling, scaling_of

SHARPNESS = (0.5, 4.0)  # sizes of the cosines' arguments, from broad to sharp
COUNT = 256


class Waves(NamedTuple):
    """Directions W (features, count) and phases c of random cosines."""

    weights: FloatArray
    phases: FloatArray

    def beside(self, z: Any) -> Any:
        """Return scaled instances with their cosines, in their own precision."""
        waves = z @ self.weights.astype(z.dtype)
        waves += self.phases.astype(z.dtype)
        return np.hstack([z, np.cos(waves, out=waves)])


def draw_waves(d: int, count: int, low: float, high: float, random: Any) -> Waves:
    """Draw cosines of d features, of sharpness ``low`` to ``high``, even in its logarithm.

    Examples
    --------
    >>> waves = draw_waves(3, 5, 1.0, 1.0, np.random.RandomState(0))
    >>> waves.beside(np.zeros((2, 3))).shape
    (2, 8)
    """
    weights = random.normal(size=(d, count)) / np.sqrt(d)
    phases = random.uniform(0.0, 2.0 * np.pi, count)
    sharp = low if low == high else np.exp(random.uniform(np.log(low), np.log(high), count))
    return Waves(sharp * weights, phases)


def draw_cosines(d: int, seed: int) -> Waves:
    """Draw the cosines that are offered, broad to sharp: of a seed always the same."""
    return draw_waves(d, COUNT, *SHARPNESS, np.random.RandomState(seed))


class View(NamedTuple):
    """A scaling, and cosines if there are any."""

    scaling: Scaling
    waves: Waves | None = None

    @property
    def width(self) -> int:
        """How many features are shown."""
        return len(self.scaling.centre) + (0 if self.waves is None else len(self.waves.phases))

    def apply(self, rows: Any) -> Any:
        """Return instances as they are shown."""
        scaled = self.scaling.apply(rows)
        return scaled if self.waves is None else self.waves.beside(scaled)


class Glass(NamedTuple):
    """What a view will be once it is fitted: how far scaled, and whether with cosines."""

    shrinkage: float | None = 1.0
    waves: bool = False

    def width(self, d: int) -> int:
        """Return how many features are shown of d."""
        return d + COUNT if self.waves else d

    def fit(self, bags: Bags, used: IndexArray, weight: FloatArray, seed: int = 0) -> View:
        """Fit the scaling to the bags that are used; the cosines depend on the seed only.

        Examples
        --------
        >>> bags = Bags.from_array(np.random.default_rng(0).standard_normal((20, 5, 2)))
        >>> Glass(1.0, True).fit(bags, np.arange(20), np.full(20, 0.05)).width
        258
        """
        shrinkage = 1.0 if self.shrinkage is None else float(self.shrinkage)
        check_whitened(bags.d, shrinkage)
        whole = np.zeros(len(used), int)
        return self.of(moments(bags, used, weight, whole, deep=shrinkage < 1.0), [0], seed)

    def of(self, found: Moments, groups: Any, seed: int = 0) -> View:
        """Return the view fitted to some groups of bags, of their moments."""
        d = len(found.shift)
        scaling = no_scaling(d)
        if self.shrinkage is not None:
            scaling = scaling_of(found, groups, float(self.shrinkage))
        return View(scaling, draw_cosines(d, seed) if self.waves else None)
