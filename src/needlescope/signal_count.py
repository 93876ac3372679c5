"""A random number r of signal tokens: each positive draws its own, with given probabilities.

A task whose R is a number has the same number in every positive. Real bags do not: a slide has one
lesion or five. With a `SignalCount` positives are a mixture over r, whose parts have the law of a
fixed R = r; a positive with r = 0 carries no signal and looks like a negative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import FloatArray
from .grid import check_sum, integer, listed, real, unmasked, whole

MOST_COUNTS = 200
RARE_COUNT = 1e-12  # probability below which a binomial count is left out


@dataclass(frozen=True)
class SignalCount:
    """The law of the number of signal tokens in a positive: values with probabilities.

    Parameters
    ----------
    values : sequence of int
        The numbers of signal tokens that occur: distinct, from 0 to L, at most 200 of them and at
        least one above zero.
    probabilities : sequence of float, optional
        One for each value, none below zero, summing to one. Equal by default. Values of probability
        zero are left out.

    Raises
    ------
    ValueError
        If values repeat or are negative, or the probabilities do not fit them.

    Examples
    --------
    Half of the positives have one signal token, the others two or three:

    >>> import needlescope as ns
    >>> count = ns.SignalCount([1, 2, 3], [0.5, 0.3, 0.2])
    >>> ns.Task(L=10, R=count, theta=5.0, pi=0.5).R
    SignalCount((1, 2, 3), (0.5, 0.3, 0.2))
    >>> round(count.mean, 12)
    1.7
    """

    values: tuple[int, ...]
    probabilities: tuple[float, ...]

    def __init__(
        self,
        values: Sequence[int],
        probabilities: Sequence[float] | FloatArray | None = None,
    ) -> None:
        """Validate the values and their probabilities."""
        name = "SignalCount.values"
        listed(name, unmasked(name, values), "whole numbers")
        counts = np.asarray(integer(name, values, 0))
        if counts.ndim != 1 or len(counts) > MOST_COUNTS:
            raise ValueError(
                f"{name} must be a flat sequence of at most {MOST_COUNTS} whole numbers, got an "
                f"array of shape {counts.shape}"
            )
        if len(set(counts.tolist())) != len(counts):
            raise ValueError(f"{name} must be distinct, got {values!r}")
        chances = _chances(probabilities, len(counts))
        kept = np.flatnonzero(chances > 0.0)
        kept = kept[np.argsort(counts[kept])]
        if not counts[kept].any():
            raise ValueError(
                f"{name} must hold a number above 0 of positive probability, got {values!r} with "
                f"probabilities {probabilities!r}"
            )
        object.__setattr__(self, "values", tuple(counts[kept].tolist()))
        object.__setattr__(self, "probabilities", tuple((chances / chances.sum())[kept].tolist()))

    @classmethod
    def binomial(cls, L: int, p: float, at_least: int = 1) -> SignalCount:
        """Return the count when each of L tokens carries the signal with probability p.

        Parameters
        ----------
        L : int
            Number of tokens, at least 1.
        p : float
            Probability of a signal at each token, in (0, 1).
        at_least : 0 or 1, default 1
            The smallest count that occurs. With 1 the binomial law is conditioned on at least one
            signal token; with 0 some positives carry none.

        Returns
        -------
        SignalCount
            Counts of probability below 1e-12 are left out.

        Raises
        ------
        ValueError
            If an argument is out of its range, or more than 200 counts occur.

        Examples
        --------
        >>> import needlescope as ns
        >>> count = ns.SignalCount.binomial(2, 0.5)
        >>> count.values, [round(p, 4) for p in count.probabilities]
        ((1, 2), [0.6667, 0.3333])
        >>> ns.SignalCount.binomial(2, 0.5, at_least=0).values
        (0, 1, 2)
        """
        L, least = whole("L", L, 1, 10**9), whole("at_least", at_least, 0, 1)
        p = real("p", p, 0.0, 1.0, open_low=True, open_high=True)
        if np.ndim(p):
            raise ValueError(f"p must be a single number in (0, 1), got shape {np.shape(p)}")
        reach = 10.0 * math.sqrt(L * p * (1.0 - p)) + 40.0  # far beyond what is left out
        if reach > 20.0 * MOST_COUNTS:
            raise ValueError(_too_many(L, p))
        values = range(max(least, int(L * p - reach)), min(L, int(L * p + reach)) + 1)
        chances = np.exp([_log_binomial(L, r, p) for r in values])
        chances /= chances.sum()
        kept = chances > RARE_COUNT
        if kept.sum() > MOST_COUNTS:
            raise ValueError(_too_many(L, p))
        return cls(np.array(values)[kept].tolist(), chances[kept] / chances[kept].sum())

    def __repr__(self) -> str:
        """Write the values and their probabilities."""
        return f"SignalCount({self.values!r}, {self.probabilities!r})"

    @property
    def mean(self) -> float:
        """The mean number of signal tokens in a positive."""
        return float(np.dot(self.values, self.probabilities))


def _log_binomial(L: int, r: int, p: float) -> float:
    ways = math.lgamma(L + 1) - math.lgamma(r + 1) - math.lgamma(L - r + 1)
    return ways + r * math.log(p) + (L - r) * math.log1p(-p)


def _too_many(L: int, p: float) -> str:
    return (
        f"a binomial count with L={L} and p={p:g} takes more than {MOST_COUNTS} values; it is "
        f"close to its mean, so take R={round(L * p)}"
    )


def _chances(given: Sequence[float] | FloatArray | None, count: int) -> FloatArray:
    """Return one probability for each value, or refuse them."""
    name = "SignalCount.probabilities"
    if given is None:
        return np.full(count, 1.0 / count)
    listed(name, unmasked(name, given), "probabilities")
    chances = np.asarray(real(name, given, 0.0, 1.0))
    if chances.shape != (count,):
        raise ValueError(
            f"{name} must have one entry for each of the {count} values, got shape {chances.shape}"
        )
    return np.asarray(check_sum(name, chances))
