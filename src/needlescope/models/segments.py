"""Samples of many tokens in one table: sums, softmax and means over the tokens of each sample.

`Even` samples have L tokens each, `Ragged` ones begin at given rows. Values are given for each
token, one after the other; results are for each sample.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from ..arrays import FloatArray, IndexArray


def peak(logits: FloatArray, axis: int) -> FloatArray:
    """Return softmax at an infinite inverse temperature: all on the largest, shared by equals.

    Examples
    --------
    >>> peak(np.array([[1.0, 3.0, 2.0]]), axis=1)
    array([[0., 1., 0.]])
    """
    top = logits == logits.max(axis=axis, keepdims=True)
    return np.asarray(top / top.sum(axis=axis, keepdims=True))


def softmax(logits: FloatArray, axis: int) -> FloatArray:
    """Return exp(logits), normalised along an axis.

    Examples
    --------
    >>> softmax(np.log([[1.0, 3.0]]), axis=1).round(6)
    array([[0.25, 0.75]])
    """
    a = np.exp(logits - logits.max(axis=axis, keepdims=True))
    a /= a.sum(axis=axis, keepdims=True)
    return np.asarray(a)


class Even(NamedTuple):
    """Samples of L tokens each.

    Examples
    --------
    >>> Even(2).sum(np.array([1.0, 2.0, 3.0, 4.0]))
    array([3., 7.])
    """

    L: int

    def count(self, tokens: int) -> int:
        """Return the number of samples that these tokens make."""
        return tokens // self.L

    def sum(self, values: FloatArray) -> FloatArray:
        """Add up the values of each sample's tokens."""
        sums: FloatArray = values.reshape(-1, self.L).sum(axis=1)
        return sums

    def dot(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return Σ a b over each sample's tokens."""
        return np.asarray(np.einsum("ml,ml->m", a.reshape(-1, self.L), b.reshape(-1, self.L)))

    def spread(self, values: FloatArray) -> FloatArray:
        """Give each token the value of its sample."""
        return np.repeat(values, self.L)

    def softmax(self, logits: FloatArray) -> FloatArray:
        """Return exp(logits), normalised within each sample."""
        z = logits.reshape(-1, self.L)
        a = np.exp(z - z.max(axis=1, keepdims=True))
        return np.asarray((a / a.sum(axis=1, keepdims=True)).ravel())

    def peak(self, logits: FloatArray) -> FloatArray:
        """Return the weights that softmax tends to as logits grow: all on the largest."""
        return peak(logits.reshape(-1, self.L), axis=1).ravel()

    def mix(self, a: Any, rows: Any) -> Any:
        """Return Σ a x over the tokens of each sample: one row each, in the precision of x."""
        X = rows.reshape(-1, self.L, rows.shape[1])
        return np.matmul(a.astype(X.dtype).reshape(-1, 1, self.L), X)[:, 0]

    def mean(self, rows: Any) -> Any:
        """Return the mean token of each sample."""
        return rows.reshape(-1, self.L, rows.shape[1]).mean(axis=1)

    def uniform(self, tokens: int) -> FloatArray:
        """Return equal weights, 1/L for each of ``tokens`` tokens."""
        return np.full(tokens, 1.0 / self.L)

    def ragged(self, tokens: int) -> Ragged:
        """Return the same samples, with this many tokens, by where they begin."""
        return Ragged.at(np.arange(0, tokens + 1, self.L))


class Ragged(NamedTuple):
    """Samples whose tokens begin at ``starts``; its last entry is the number of tokens.

    Values may be arrays (…, tokens): many columns are computed together.

    Examples
    --------
    >>> both = Ragged.at(np.array([0, 1, 4]))
    >>> both.sum(np.array([1.0, 2.0, 3.0, 4.0]))
    array([1., 9.])
    >>> both.softmax(np.zeros(4)).round(3)
    array([1.   , 0.333, 0.333, 0.333])
    """

    starts: IndexArray
    lengths: IndexArray

    @staticmethod
    def at(starts: IndexArray) -> Ragged:
        """Return samples that begin at ``starts``."""
        return Ragged(starts, np.diff(starts))

    def count(self, tokens: int) -> int:
        """Return how many samples there are."""
        return len(self.lengths)

    def sum(self, values: FloatArray) -> FloatArray:
        """Add up the values of each sample's tokens, along the last axis."""
        return np.add.reduceat(values, self.starts[:-1], axis=-1)

    def max(self, values: FloatArray) -> FloatArray:
        """Return the largest value of each sample, along the last axis."""
        return np.maximum.reduceat(values, self.starts[:-1], axis=-1)

    def average(self, values: FloatArray) -> FloatArray:
        """Return the mean value of each sample's tokens, along the last axis."""
        return np.asarray(self.sum(values) / self.lengths)

    def dot(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return Σ a b over each sample's tokens."""
        return self.sum(a * b)

    def spread(self, values: FloatArray) -> FloatArray:
        """Give each token the value of its sample, along the last axis."""
        return np.repeat(values, self.lengths, axis=-1)

    def softmax(self, logits: FloatArray) -> FloatArray:
        """Return exp(logits), normalised within each sample, along the last axis."""
        a = logits - self.spread(self.max(logits))
        np.exp(a, out=a)
        a *= self.spread(1.0 / self.sum(a))
        return a

    def peak(self, logits: FloatArray) -> FloatArray:
        """Return the weights that softmax tends to as logits grow: all on the largest."""
        top = logits == self.spread(self.max(logits))
        return np.asarray(top / self.spread(self.sum(top.astype(float))))

    def mix(self, a: Any, rows: Any) -> Any:
        """Return Σ a x over the tokens of each sample: one row each, in the precision of x."""
        mixing = csr_array(
            (a.astype(rows.dtype), np.arange(len(rows)), self.starts),
            shape=(len(self.lengths), len(rows)),
        )
        return mixing @ rows

    def mean(self, rows: Any) -> Any:
        """Return the mean token of each sample."""
        return self.mix(self.uniform(len(rows)), rows)

    def uniform(self, tokens: int) -> FloatArray:
        """Return equal weights within each sample."""
        return self.spread(1.0 / self.lengths)

    def ragged(self, tokens: int) -> Ragged:
        """Return the same."""
        return self


Segments: TypeAlias = "Even | Ragged"
