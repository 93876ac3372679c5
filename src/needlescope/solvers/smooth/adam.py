"""Adam (Kingma and Ba 2015): steps along averaged gradients, each divided by its typical size.

The rate rises over the first tenth of the steps and falls to zero along a cosine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import FloatArray

AVERAGED, SQUARED = 0.9, 0.999  # what is kept of the mean gradient, and of the mean square
SMALL = 1e-8  # beside the root of a mean square
WARM_UP = 0.1  # of all steps, over which the rate rises


class Adam:
    """Parameters, changed in place by ``steps`` steps of at most about ``rate``.

    Examples
    --------
    >>> at = np.array([3.0, -5.0])
    >>> adam = Adam([at], rate=0.3, steps=300)
    >>> for _ in range(300):
    ...     adam.step([2.0 * at])
    >>> bool(abs(at).max() < 0.001)
    True
    """

    def __init__(self, parameters: Sequence[FloatArray], rate: float, steps: int) -> None:
        self.parameters, self.rate, self.steps = list(parameters), rate, steps
        self._mean = [np.zeros_like(item) for item in parameters]
        self._square = [np.zeros_like(item) for item in parameters]
        self._done = 0

    def step(self, gradients: Sequence[FloatArray]) -> None:
        """Take one step."""
        share, t = self._done / self.steps, self._done + 1
        size = self.rate * min(1.0, share / WARM_UP) * 0.5 * (1.0 + np.cos(np.pi * share))
        size *= np.sqrt(1.0 - SQUARED**t) / (1.0 - AVERAGED**t)  # both means begin at zero
        small = SMALL * np.sqrt(1.0 - SQUARED**t)
        for at, g, mean, square in zip(
            self.parameters, gradients, self._mean, self._square, strict=True
        ):
            mean *= AVERAGED
            mean += (1.0 - AVERAGED) * g
            square *= SQUARED
            square += (1.0 - SQUARED) * np.square(g)
            at -= float(size) * mean / (np.sqrt(square) + float(small))
        self._done = t
