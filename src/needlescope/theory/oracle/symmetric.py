"""log e_r(e^{θx₁}, …, e^{θx_L}) over random tokens, e_r the elementary symmetric polynomial.

e_r, the sum over all r-subsets of their products, gives the likelihood ratio of the task. The
tokens come in groups that share a mean (`TokenGroup`): the largest of a group are exact (all of
them up to `MAX_EXACT_TOKENS` tokens in total), the sums over the rest (its bulk) are Gaussian, as
in `Tokens`.

`Series`, for r ≤ `FEW_SIGNALS`: with x₁ ≥ x₂ ≥ … the scaled E_j = e_j/(x₁⋯x_j) obeys
E_j ← E_j + (x_n/x_j) E_{j−1}, in which nothing can overflow or cancel. The bulk's own e_j follow
from its power sums by Newton's identities (the first two as drawn, higher ones at their mean), and
the two polynomials are multiplied. For more signal tokens see `saddle_point`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import erfcx, gammaln

from ...arrays import FloatArray
from ..law.tokens import MAX_EXACT_TOKENS, TOP_TOKENS, Tokens, bulk_sums, draw_groups, skewed_sum

FEW_SIGNALS = 12  # recurrence up to here, saddle point beyond


class TokenGroup(NamedTuple):
    """A number of tokens, the shift of their mean, and how many are kept one by one."""

    n: int
    lift: float
    kept: int

    @property
    def bulk(self) -> int:
        """How many tokens are not kept one by one."""
        return self.n - self.kept


def token_groups(L: int, r: int, theta: float, positive: bool) -> tuple[TokenGroup, ...]:
    """Return the groups of a positive sample (r tokens lifted by θ) or of a negative one."""
    shapes = [(r, theta), (L - r, 0.0)] if positive else [(L, 0.0)]
    return tuple(
        TokenGroup(n, lift, n if L <= MAX_EXACT_TOKENS else min(n, TOP_TOKENS))
        for n, lift in shapes
    )


def draw(groups: tuple[TokenGroup, ...], points: int, index: int) -> tuple[Tokens, ...]:
    """Draw one QMC replicate of the tokens of each group."""
    return draw_groups(tuple((group.n, group.kept) for group in groups), points, index)


@dataclass(frozen=True)
class Series:
    """The exact recurrence, with power sums for the bulk."""

    theta: float
    r: int
    groups: tuple[TokenGroup, ...]

    def __call__(self, drawn: Sequence[Tokens]) -> tuple[FloatArray, FloatArray]:
        """Return log[e_r / C(L, r)] and Σ x for each draw (one entry of ``drawn`` per group)."""
        theta, r = self.theta, self.r
        if r == 1:
            return self._single(drawn)
        shifted = [t.g + group.lift for t, group in zip(drawn, self.groups, strict=True)]
        g = -np.sort(-np.concatenate(shifted, axis=1), axis=1)
        scaled = scaled_polynomials(theta, r, g)
        prefix = np.zeros((len(g), r + 1))
        np.cumsum(g[:, :r], axis=1, out=prefix[:, 1:])
        total = g.sum(axis=1)
        value = scaled[r]
        for t, group in zip(drawn, self.groups, strict=True):
            if group.bulk:  # only the noise: a signal group this small is kept whole
                last = t.g[:, -1]
                sums = bulk_sums(group.bulk, theta, last, t.z)
                total = total + skewed_sum(group.bulk, last, sums[3])
                bulk = self._bulk_polynomials(group.bulk, last, sums)
                value = np.zeros(len(g))
                for j in range(r + 1):
                    gap = j * (last + group.lift) - (prefix[:, r] - prefix[:, r - j])
                    value += scaled[r - j] * bulk[j] * np.exp(theta * gap)
        L = sum(group.n for group in self.groups)
        return np.log(value) + theta * prefix[:, r] - log_binomial(L, r), total

    def _single(self, drawn: Sequence[Tokens]) -> tuple[FloatArray, FloatArray]:
        """Do the same for r = 1, where e_1 is a sum."""
        top = np.max(
            [t.g[:, 0] + group.lift for t, group in zip(drawn, self.groups, strict=True)], axis=0
        )
        value, total = np.zeros(len(top)), np.zeros(len(top))
        for t, group in zip(drawn, self.groups, strict=True):
            value += np.exp(self.theta * (t.g + (group.lift - top)[:, None])).sum(axis=1)
            total += t.g.sum(axis=1) + group.kept * group.lift
            if group.bulk:
                last = t.g[:, -1]
                sums = bulk_sums(group.bulk, self.theta, last, t.z)
                value += sums[0] * np.exp(self.theta * (last + group.lift - top))
                total += skewed_sum(group.bulk, last, sums[3])
        L = sum(group.n for group in self.groups)
        return np.log(value) + self.theta * top - np.log(L), total

    def _bulk_polynomials(self, count: int, last: FloatArray, sums: FloatArray) -> list[FloatArray]:
        """e_0 … e_r of the bulk, relative to powers of its upper end e^{θT}."""
        powers = [sums[0], sums[2]]
        below = erfcx(-last / np.sqrt(2.0))
        for k in range(3, self.r + 1):
            powers.append(count * erfcx((k * self.theta - last) / np.sqrt(2.0)) / below)
        result = [np.ones_like(last)]
        for j in range(1, self.r + 1):
            terms = (result[j - k] * powers[k - 1] * (-1.0) ** (k - 1) for k in range(1, j + 1))
            # positive in exact arithmetic; the means of high powers can break that
            result.append(np.maximum(sum(terms) / j, 0.0))
        return result


def scaled_polynomials(theta: float, r: int, g: FloatArray) -> FloatArray:
    """Return e_j/(x₁⋯x_j), x = e^{θg}, for j = 0..r and each row of ``g``, which is decreasing.

    Of 4, 2, 1: e_1 = 7 = 4·1.75 and e_2 = 14 = 8·1.75.

    >>> scaled_polynomials(1.0, 2, np.log([[4.0, 2.0, 1.0]])).ravel().round(6).tolist()
    [1.0, 1.75, 1.75]
    """
    points, count = g.shape
    scaled = np.zeros((r + 1, points))
    scaled[0] = 1.0
    columns = np.ascontiguousarray(theta * g.T)
    for n in range(count):
        reached = min(n, r)
        if n < r:
            scaled[n + 1] = scaled[n]
        ratio = np.exp(columns[n] - columns[:reached])
        scaled[1 : reached + 1] += ratio * scaled[:reached]
    return scaled


def log_binomial(n: int, k: Any) -> Any:
    """Return log C(n, k), for each of an array of k."""
    return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
