"""Samples in memory, handed out in batches: of one length, or padded to the longest of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..architectures.network import Network

NUMBERS_PER_PASS = 1 << 21  # numbers that a pass without gradients looks at in one go


class Samples:
    """Rows of all samples, one after another, with labels −1 or +1 and weights.

    Parameters
    ----------
    table
        All tokens, or instances (N, d), sample after sample.
    starts
        Where each sample begins, and N.
    y, weight
        Of each sample. Weights are one on average; all weigh the same by default.
    dtype
        The precision in which samples are handed out: single, as they are trained on.

    Examples
    --------
    >>> X = np.arange(12.0).reshape(6, 2)
    >>> some = Samples(X, np.array([0, 2, 3, 6]), np.array([1.0, -1.0, 1.0]))
    >>> X, mask = some.batch(torch.tensor([0, 1]))
    >>> X.shape, mask.tolist()
    (torch.Size([2, 2, 2]), [[True, True], [True, False]])
    """

    def __init__(
        self, table: Any, starts: Any, y: Any, weight: Any = None, dtype: Any = np.float32
    ) -> None:
        self.table = torch.from_numpy(np.ascontiguousarray(table, dtype))
        self.starts = torch.from_numpy(np.asarray(starts, np.int64))
        self.lengths = self.starts.diff()
        self.y = torch.from_numpy(np.asarray(y, np.float32))
        share = np.ones(len(self.y)) if weight is None else weight
        self.weight = torch.from_numpy(np.asarray(share, np.float64))  # single may lose them
        self.even = bool((self.lengths == self.lengths[0]).all())

    @classmethod
    def of_array(cls, X: Any, y: Any) -> Samples:
        """Take an array (n, L, d)."""
        n, L, d = X.shape
        return cls(X.reshape(n * L, d), L * np.arange(n + 1), y)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def d(self) -> int:
        """How many numbers a token has."""
        return int(self.table.shape[1])

    def batch(self, rows: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return some samples (m, L, d), and where tokens are, None if they are everywhere."""
        if self.even:
            return self.table.view(len(self), -1, self.d)[rows], None
        lengths = self.lengths[rows]
        place = torch.arange(int(lengths.max()))
        mask = place < lengths[:, None]
        at = torch.where(mask, self.starts[rows][:, None] + place, 0)
        return self.table[at] * mask[..., None], mask

    def passes(self, rows: Tensor) -> Iterator[Tensor]:
        """Cut samples into parts that are looked at in one go."""
        longest = int(self.lengths[rows].max()) if len(rows) else 1
        return iter(rows.split(samples_per_pass(longest, self.d)))


def samples_per_pass(L: int, d: int) -> int:
    """Return how many samples a pass looks at: of many tokens, as blocks weigh all by all.

    Examples
    --------
    >>> samples_per_pass(10, 64), samples_per_pass(4096, 64)
    (3276, 1)
    """
    return max(1, NUMBERS_PER_PASS // (L * max(L, d)))


def scores(model: Network, samples: Samples, rows: Tensor) -> Tensor:
    """Return the scores of some samples, without gradients."""
    if not len(rows):
        return torch.zeros(0)
    with torch.no_grad():
        return torch.cat([model(*samples.batch(part)).scores for part in samples.passes(rows)])
