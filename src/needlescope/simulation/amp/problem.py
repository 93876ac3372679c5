"""What AMP is run on: tokens in white noise, or whitened ones, and the prior of the signal.

With a covariance Σ, which AMP knows, tokens are drawn with it in its eigenbasis, and each
coordinate is divided by √s_k. The signal is then Σ^{-1/2}ξ, of strength θ times its norm.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...models.blocks import Block, Data
from ...noise import STANDARD, Noise
from ...task import Task
from ..samples.data import Tokens
from ..samples.placed import placed


def check_dimension(task: Task, d: int) -> None:
    """Refuse a d that does not fit the noise of a task."""
    if task.noise is not None:
        task.noise.check_dimension(d)
        task.noise.levels.at_dimension(d)


class Problem(NamedTuple):
    """The task in whitened coordinates, its unit signal, the prior, and how tokens are drawn."""

    white: Task
    signal: FloatArray
    prior: FloatArray | float
    xi: FloatArray  # the signal in the coordinates of the tokens
    noise: Noise

    @classmethod
    def draw(cls, task: Task, d: int, rng: np.random.Generator) -> Problem:
        """Draw a signal; with a covariance, by its weights on each level."""
        if task.levels is None:
            xi = rng.standard_normal(d)
            xi /= np.linalg.norm(xi)
            return cls(task, xi, 1.0, xi, STANDARD)
        s, _, weight = task.levels
        diagonal = Noise(spectrum=task.noise.levels)
        place = diagonal.spectrum.at_dimension(d)
        seen = task.replace(noise=diagonal, signal=tuple(weight.tolist()))
        xi = placed(seen, d, rng)
        zeta = xi / np.sqrt(s[place])
        size = float(np.linalg.norm(zeta))
        prior = d * (weight / np.bincount(place))[place] / s[place] / size**2
        white = task.replace(theta=task.theta * size, noise=None, signal=None)
        return cls(white, zeta / size, prior, xi, diagonal.at_dimension(d))

    def tokens(self, task: Task, count: int, seed: np.random.SeedSequence) -> Data:
        """Return positives, whitened."""
        data = Tokens(task, np.ones(count), self.xi, self.noise, seed)
        if self.noise.root is None:
            return data
        return _Scaled(data, (1.0 / self.noise.root).astype(np.float32))


class _Scaled(NamedTuple):
    """Samples with each coordinate times a factor."""

    data: Tokens
    factor: FloatArray

    @property
    def y(self) -> FloatArray:
        return self.data.y

    @property
    def tokens(self) -> tuple[int, int]:
        return self.data.tokens

    def blocks(self) -> Iterator[Block]:
        for block in self.data.blocks():
            yield block._replace(X=block.X * self.factor)
