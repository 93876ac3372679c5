"""The spectrum of a covariance Σ, and where in it a signal ξ lies.

A spectrum is a list of levels: eigenvalue s_k, share p_k of the dimensions, Σ p_k = 1. A signal has
the weight ω_k = Σ ξ_i² over the dimensions of a level, Σ ω_k = 1. In the limit d → ∞ nothing else
of Σ matters. The noise of unit variance has s = 1; a spectrum keeps the scale that it is given.

    flat    ω_k = p_k                       quiet   ω = 1 on the lowest level
    loud    ω = 1 on the highest level      a number e   ω_k ∝ p_k s_k^e
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .arrays import FloatArray, IndexArray
from .grid import check_sum, listed, real, single, unmasked, whole

PLACES = ("flat", "quiet", "loud")
EXTREMES = (1e-12, 1e12)  # of an eigenvalue: what floating point can handle
MOST_EIGENVALUES = 10**6
SHOWN = 6  # eigenvalues that are written out
MARCHENKO_PASTUR_NODES = 200_000  # of the integral of the density: 1e-10 of an eigenvalue
STEEPEST = 50.0  # exponent of a signal's weights


class Levels(NamedTuple):
    """Eigenvalues s_k with their shares p_k of the dimensions, and the signal's weights ω_k.

    >>> levels = Levels(np.array([4.0, 0.25]), np.array([0.2, 0.8]), np.array([0.0, 1.0]))
    >>> levels.gain
    2.0
    """

    s: FloatArray
    share: FloatArray
    weight: FloatArray

    @property
    def gain(self) -> float:
        """‖Σ^{-1/2} ξ‖: by how much whitening multiplies the strength of the signal."""
        return float(np.sqrt(np.sum(self.weight / self.s)))


@dataclass(frozen=True, init=False, repr=False)
class Spectrum:
    """Eigenvalues of a covariance, each with its multiplicity.

    Parameters
    ----------
    eigenvalues : sequence of float
        Positive, from 1e-12 to 1e12, used as they are: the noise of the paper has all of them 1.
        `power_law`, `spiked`, `two_levels` and `marchenko_pastur` make well-known ones.
    multiplicities : sequence of float, optional
        How many dimensions each of them has, or in what proportion; equal by default.

    Raises
    ------
    ValueError
        If an eigenvalue or a multiplicity is out of its range, or they differ in number.

    Examples
    --------
    >>> import needlescope as ns
    >>> ns.Spectrum([4.0, 0.25], [1, 4])
    Spectrum((4.0, 0.25), (0.2, 0.8))
    >>> ns.Spectrum([4.0, 0.0])
    Traceback (most recent call last):
        ...
    ValueError: eigenvalues must be a finite number above 0, got 0.0 in an array of shape (2,)
    """

    eigenvalues: tuple[float, ...]
    shares: tuple[float, ...]

    def __init__(
        self,
        eigenvalues: Sequence[float] | FloatArray,
        multiplicities: Sequence[float] | FloatArray | None = None,
    ) -> None:
        """Validate the eigenvalues and their multiplicities."""
        listed("eigenvalues", unmasked("eigenvalues", eigenvalues), "numbers")
        s = real("eigenvalues", eigenvalues, 0.0, np.inf, open_low=True, sense=EXTREMES)
        if np.ndim(s) != 1 or len(s) > MOST_EIGENVALUES:
            raise ValueError(
                f"eigenvalues must be a flat sequence of at most {MOST_EIGENVALUES} numbers, got "
                f"an array of shape {np.shape(s)}"
            )
        given = np.ones(len(s)) if multiplicities is None else multiplicities
        p = real("multiplicities", given, 0.0, np.inf, open_low=True, sense=EXTREMES)
        if np.shape(p) != s.shape:
            raise ValueError(
                f"multiplicities must be {len(s)} numbers, one for each eigenvalue, got an array "
                f"of shape {np.shape(p)}"
            )
        object.__setattr__(self, "eigenvalues", tuple(s.tolist()))
        object.__setattr__(self, "shares", tuple((p / p.sum()).tolist()))

    def __repr__(self) -> str:
        """Write a few eigenvalues with their shares, or how many there are."""
        if len(self.eigenvalues) <= SHOWN:
            shares = tuple(round(share, 12) for share in self.shares)
            return f"Spectrum({self.eigenvalues!r}, {shares!r})"
        s = self.s
        return f"Spectrum(<{len(s)} eigenvalues, {s.min():g} to {s.max():g}, mean {self.mean:g}>)"

    def __hash__(self) -> int:
        """Hash the eigenvalues and their shares, once."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.eigenvalues, self.shares))

    @classmethod
    def power_law(cls, exponent: float, count: int = 1000) -> Spectrum:
        """Return s_k ∝ k^{−exponent}, k = 1 … count, with mean 1.

        Where the exponent is above ½ the first few of them hold a share of Σ s² that does not
        vanish: the predictions are those of this count, and are approached slowly.

        >>> Spectrum.power_law(1.0, 3).s.round(3)
        array([1.636, 0.818, 0.545])
        """
        exponent = single("exponent", exponent, 0.0, STEEPEST)
        s = np.arange(1.0, whole("count", count, 1, MOST_EIGENVALUES) + 1.0) ** -exponent
        return cls(s / s.mean())

    @classmethod
    def two_levels(cls, high: float, low: float, share: float) -> Spectrum:
        """Return the level ``high`` on a share of the dimensions, ``low`` on the others.

        >>> Spectrum.two_levels(high=4.0, low=0.25, share=0.2).mean
        1.0
        """
        share = single("share", share, 0.0, 1.0, open_low=True, open_high=True)
        return cls([single("high", high, 0.0), single("low", low, 0.0)], [share, 1.0 - share])

    @classmethod
    def spiked(
        cls, spikes: float | Sequence[float], share: float = 0.01, bulk: float = 1.0
    ) -> Spectrum:
        """Return the eigenvalues ``spikes``, each on a share of the dimensions, and the bulk.

        >>> Spectrum.spiked([10.0, 5.0], share=0.01)
        Spectrum((10.0, 5.0, 1.0), (0.01, 0.01, 0.98))
        """
        s = np.atleast_1d(real("spikes", spikes, 0.0, np.inf, open_low=True, sense=EXTREMES))
        share = single("share", share, 0.0, 1.0 / s.size, open_low=True, open_high=True)
        every = np.append(s.ravel(), single("bulk", bulk, 0.0))
        return cls(every, np.append(np.full(s.size, share), 1.0 - share * s.size))

    @classmethod
    def marchenko_pastur(cls, ratio: float, count: int = 1000) -> Spectrum:
        """Return the spectrum of a sample covariance, d/n = ratio below 1, by its quantiles.

        With x = 1 + r − 2√r cos φ the density is ∝ sin²φ/x in φ; each eigenvalue is the mean over
        one of ``count`` parts of equal probability, and the mean of all is 1.

        >>> Spectrum.marchenko_pastur(0.5, 4).s.round(2)
        array([0.24, 0.6 , 1.13, 2.03])
        """
        r = single("ratio", ratio, 0.0, 1.0, open_low=True, open_high=True)
        count = whole("count", count, 1, MOST_EIGENVALUES // 10)
        phi = (np.arange(MARCHENKO_PASTUR_NODES) + 0.5) * (np.pi / MARCHENKO_PASTUR_NODES)
        x = 1.0 + r - 2.0 * np.sqrt(r) * np.cos(phi)
        weight = np.sin(phi) ** 2 / x
        ends = np.append(0.0, np.cumsum(weight) / weight.sum())
        total = np.append(0.0, np.cumsum(weight * x) / weight.sum())
        s = np.diff(np.interp(np.linspace(0.0, 1.0, count + 1), ends, total))
        return cls(s / s.mean())

    @cached_property
    def s(self) -> FloatArray:
        """The eigenvalues as an array."""
        return np.array(self.eigenvalues)

    @cached_property
    def p(self) -> FloatArray:
        """Their shares of the dimensions as an array."""
        return np.array(self.shares)

    @property
    def mean(self) -> float:
        """The mean eigenvalue: the variance of a coordinate, on average."""
        return round(float(self.p @ self.s), 15)

    def at_dimension(self, d: int) -> IndexArray:
        """Return the place in ``eigenvalues`` of that of each of d dimensions, by quantiles.

        >>> Spectrum.two_levels(4.0, 0.25, share=0.2).at_dimension(5)
        array([0, 1, 1, 1, 1])
        """
        ends = np.cumsum(self.p)
        places = np.searchsorted(ends[:-1], (np.arange(d) + 0.5) / d, side="right")
        missing = np.setdiff1d(np.arange(len(self.s)), places)
        if len(missing):
            k = int(missing[0])
            raise ValueError(
                f"d must leave a dimension for each of the {len(self.s)} eigenvalues of the "
                f"noise, got d={d}, which has none for {self.s[k]:g} with a share of "
                f"{self.p[k]:.3g}; raise d, or give a spectrum of fewer eigenvalues"
            )
        return np.asarray(places)


def signal_weights(spectrum: Spectrum, place: Any) -> FloatArray:
    """Return the weights ω_k of a signal, one for each eigenvalue, or refuse its place.

    >>> signal_weights(Spectrum.two_levels(4.0, 0.25, share=0.2), -1.0).round(3)
    array([0.015, 0.985])
    """
    s, p = spectrum.s, spectrum.p
    if isinstance(place, str):
        if place not in PLACES:
            raise ValueError(
                f"signal must be one of {', '.join(map(repr, PLACES))}, an exponent, or a weight "
                f"for each eigenvalue, got {place!r}"
            )
        chosen = {"flat": s > 0.0, "quiet": s == s.min(), "loud": s == s.max()}[place]
        weight: FloatArray = p * chosen
    elif np.ndim(place) == 0:
        weight = p * (s / s.max()) ** single("signal", place, -STEEPEST, STEEPEST)
    else:
        weight = real("signal", place, 0.0, np.inf)
        if np.shape(weight) != s.shape:
            raise ValueError(
                f"signal must have a weight for each of the {len(s)} eigenvalues, got an array of "
                f"shape {np.shape(weight)}"
            )
        check_sum("the weights of signal", weight)
    return np.asarray(weight / weight.sum())
