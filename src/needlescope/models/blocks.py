"""Labelled samples of many tokens, passed over block by block.

`Data` is what training and testing need of a data set: labels, and an iterator of `Block`s. A block
may be overwritten by the next one, so a pass needs the memory of one block, whatever the number of
samples. `Arrays` are samples in memory, `Joined` several data sets after each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..arrays import FloatArray
from .model import Model
from .segments import Even, Ragged, Segments

# Numbers in a block, 2 MiB: large enough for BLAS, small enough for the cache.
TOKEN_BLOCK = 1 << 19


class Block(NamedTuple):
    """Some of the samples: tokens, labels, and which rows of the data they are.

    Tokens are (m, L, d); or (tokens, d), if samples differ in length.
    """

    X: Any
    y: FloatArray
    rows: Any
    ragged: Ragged | None = None

    @property
    def table(self) -> Any:
        """The tokens of all samples, one row each."""
        return self.X.reshape(-1, self.X.shape[-1])

    @property
    def segments(self) -> Segments:
        """Which rows of the table make a sample."""
        return Even(self.X.shape[1]) if self.ragged is None else self.ragged


class Data(Protocol):
    """A labelled data set that can be passed over several times."""

    @property
    def y(self) -> FloatArray:
        """The n labels, −1 or +1."""
        ...

    @property
    def tokens(self) -> tuple[int, int]:
        """L and d; L is 0 where samples differ."""
        ...

    def blocks(self) -> Iterator[Block]:
        """Yield all samples in order; a block is valid until the next one is requested."""
        ...


class Arrays(NamedTuple):
    """Samples in memory: X of shape (n, L, d) and labels.

    Examples
    --------
    >>> data = Arrays(np.zeros((6, 4, 3)), np.ones(6))
    >>> data.tokens, [block.X.shape for block in data.blocks()]
    ((4, 3), [(6, 4, 3)])
    """

    X: Any
    y: FloatArray

    @property
    def tokens(self) -> tuple[int, int]:
        """L and d."""
        return self.X.shape[1], self.X.shape[2]

    def blocks(self) -> Iterator[Block]:
        """Yield slices of the array."""
        step = block_rows(*self.tokens)
        for first in range(0, len(self.y), step):
            rows = slice(first, min(first + step, len(self.y)))
            yield Block(self.X[rows], self.y[rows], rows)


class Joined(NamedTuple):
    """Several data sets with the same tokens, one after the other."""

    parts: tuple[Data, ...]

    @property
    def y(self) -> FloatArray:
        """All labels."""
        return np.concatenate([part.y for part in self.parts])

    @property
    def tokens(self) -> tuple[int, int]:
        """L and d."""
        return self.parts[0].tokens

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of each part in turn."""
        offset = 0
        for part in self.parts:
            for block in part.blocks():
                rows = slice(block.rows.start + offset, block.rows.stop + offset)
                yield block._replace(rows=rows)
            offset += len(part.y)


def hold(data: Data, dtype: Any = np.float32) -> Arrays:
    """Load a data set into memory, for methods that pass over it many times."""
    L, d = data.tokens
    X = np.empty((len(data.y), L, d), dtype)
    for block in data.blocks():
        X[block.rows] = block.X
    return Arrays(X, data.y)


def block_rows(L: int, d: int) -> int:
    """Return the number of samples in a block."""
    return max(1, TOKEN_BLOCK // (L * d))


def features(data: Data, model: Model, q: FloatArray, beta: float) -> Any:
    """Return the features of each sample, which the readout takes: a row of d numbers, or more.

    Those of a model with weights for each token keep the tokens' precision; there are many of them.
    """
    (L, d), n = data.tokens, len(data.y)
    result: Any = None
    for block in data.blocks():
        F = model.features(block.table, block.segments, q, beta)
        if result is None:
            kind = block.table.dtype if model.fixed_length else float
            result = np.empty((n, model.weights(L) * d), kind)
        result[block.rows] = F
    return result
