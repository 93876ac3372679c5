"""Attention's law as a function of standard normals z, for importance sampling of rare events.

`law.tokens` turns uniforms V_j into tokens; here V_j = Φ(z_j), so that z ~ N(0, I) gives the same
law, and a shifted z reaches samples rarer than 10⁻¹⁶, which uniforms cannot. The tokens of a
negative are one group, in decreasing order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtri

from ...arrays import FloatArray
from ...models import attention
from ...models.nodes import Nodes
from .attention import softmax_samples
from .tokens import Tokens

MAX_NORMAL = 37.0  # beyond it 1 − Φ underflows
MIN_LOG_U = -700.0  # of a uniform: below it U underflows


class NormalLaw(NamedTuple):
    """The law of samples with R ≥ 0 signal tokens and a label, −1 or +1, for one query."""

    L: int
    R: int
    theta: float
    kappa: float
    cosine: float
    label: int

    @property
    def groups(self) -> tuple[int, int]:
        """How many signal tokens and how many others there are."""
        return self.R, self.L - self.R

    @property
    def dims(self) -> int:
        """How many normals a sample consumes."""
        return sum(Tokens.dims(n) for n in self.groups)

    def nodes(self, z: FloatArray, weight: FloatArray) -> Nodes:
        """Return the samples as a function of normals, points × dims.

        >>> law = NormalLaw(4, 0, 2.0, 1.0, 1.0, -1)
        >>> law.nodes(np.zeros((1, 4)), np.ones(1)).A.round(3)
        array([0.337])
        """
        first = Tokens.dims(self.groups[0])
        signal, noise = (
            tokens(n, part).sums(1.0 if np.isinf(self.kappa) else self.kappa)
            for n, part in zip(self.groups, (z[:, :first], z[:, first:]), strict=True)
        )
        tilt = self.theta * self.cosine
        draws = softmax_samples(signal, noise, self.L, self.kappa, tilt)
        mass = draws.mass if self.R > 0 else np.zeros(len(z))
        return attention.nodes(
            *(1.0 / self.L, self.theta, self.cosine, mass, draws.score, draws.A),
            *(weight, weight[None]),
        )


def tokens(n: int, z: FloatArray) -> Tokens:
    """Turn normals, points × dims(n), into n tokens.

    >>> tokens(2, np.array([[0.0, 0.0]])).g.round(3)  # 1/√2 and half of that are their chances
    array([[ 0.545, -0.376]])
    """
    kept = Tokens.kept(n)
    log_u = np.cumsum(
        log_ndtr(np.minimum(z[:, :kept], MAX_NORMAL)) / np.arange(n, n - kept, -1), axis=1
    )
    np.maximum(log_u, MIN_LOG_U, out=log_u)
    upper = log_u > -0.5  # there 1 − U has the digits, below it U
    g = ndtri(np.where(upper, -np.expm1(log_u), np.exp(log_u)))
    np.negative(g, out=g, where=upper)
    return Tokens(n, g, z[:, kept:])
