"""Integrals over standard normals that rare points carry: drawn where they are, and weighted.

E f(z) with z ~ N(0, I) is the mean of f(z) φ(z)/q(z) over z drawn from any q. `temper` finds a
Gaussian q that looks like φ f: it fits φ f^β by the moments of weighted draws, from β = 0 to
β = 1, in steps that leave enough of the draws with a say. A fit keeps only what the draws can
tell from a standard normal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtri

from ...arrays import FloatArray
from ...errors import NotConverged
from ...lattice import replicate

PILOT = 2**11  # draws for one fit
SAY = 0.15  # of them that still have a say in it
STEPS = 80  # fits at most, on the way from β = 0 to 1
WIDER = 1.2  # a fit's narrow axes: weights f φ/q stay bounded where q falls no faster than φ f


class Tilt(NamedTuple):
    """A Gaussian: variance ``values`` along orthonormal ``axes`` (columns), one across them."""

    mean: FloatArray
    values: FloatArray
    axes: FloatArray

    def place(self, x: FloatArray) -> FloatArray:
        """Turn standard normals into draws of this Gaussian."""
        stretch = np.sqrt(self.values) - 1.0
        return np.asarray(x + self.mean + ((x @ self.axes) * stretch) @ self.axes.T)

    def log_ratio(self, z: FloatArray) -> FloatArray:
        """Return log q(z)/φ(z).

        Examples
        --------
        >>> shifted = standard(2)._replace(mean=np.array([1.0, 0.0]))
        >>> shifted.log_ratio(np.array([[1.0, 5.0]]))
        array([0.5])
        """
        centred = z - self.mean
        along = centred @ self.axes
        # the squares of z cancel but for the mean's part: z is far out where samples are rare
        quadratic = -2.0 * (z @ self.mean) + self.mean @ self.mean
        quadratic += (along * along) @ (1.0 / self.values - 1.0)
        return np.asarray(-0.5 * (quadratic + np.log(self.values).sum()))


def standard(dims: int) -> Tilt:
    """Return N(0, I)."""
    return Tilt(np.zeros(dims), np.ones(0), np.zeros((dims, 0)))


def spread(tilts: Sequence[Tilt], points: int, index: int) -> tuple[FloatArray, FloatArray]:
    """Draw as many points from each of several Gaussians; return them and log φ/q of the mixture.

    Each is a randomly shifted lattice of its own, in ``index`` as `lattice.replicate` has it.
    """
    z = np.concatenate([
        tilt.place(ndtri(replicate(points, len(tilt.mean), index + SHIFTS * place)))
        for place, tilt in enumerate(tilts)
    ])  # fmt: skip
    ratios = np.stack([tilt.log_ratio(z) for tilt in tilts])
    return z, np.log(len(tilts)) - logsumexp(ratios, axis=0)


SHIFTS = 1000  # indices of shifts that one Gaussian may use


def temper(dims: int, log_f: Callable[[FloatArray], FloatArray], index: int) -> Tilt:
    """Return a Gaussian that looks like φ f; ``index`` numbers the random shifts of its draws.

    Examples
    --------
    The normals beyond 6 are near 6.16:

    >>> far = temper(1, lambda z: np.where(z[:, 0] > 6.0, 0.0, -30.0 * (6.0 - z[:, 0])), 0)
    >>> far.mean.round(1)
    array([6.2])
    """
    tilt, beta = standard(dims), 0.0
    for step in range(STEPS):
        z = tilt.place(ndtri(replicate(PILOT, dims, index + step)))
        base, value = -tilt.log_ratio(z), log_f(z)
        beta = _next(base, value, beta)
        tilt = _fitted(z, base + beta * value)
        if beta == 1.0:
            return tilt
    raise NotConverged(
        f"the samples that carry the integral are not found: {STEPS} steps towards them ended at "
        f"power {beta:.2g} of the integrand"
    )


def share_with_a_say(log_weight: FloatArray) -> float:
    """Return (Σ w)²/(N Σ w²): one if all weights are equal, 1/N if one is all.

    Examples
    --------
    >>> share_with_a_say(np.array([0.0, 0.0, -100.0, -100.0]))
    0.5
    """
    w = np.exp(log_weight - log_weight.max())
    return float(w.sum() ** 2 / (w @ w) / len(w))


def _next(base: FloatArray, value: FloatArray, beta: float) -> float:
    """Return the largest power of f at which enough draws have a say, or the old one."""
    if share_with_a_say(base + value) >= SAY:
        return 1.0
    low, high = beta, 1.0
    while high - low > 1e-3 * high and high > 1e-9:
        middle = 0.5 * (low + high)
        enough = share_with_a_say(base + middle * value) >= SAY
        low, high = (middle, high) if enough else (low, middle)
    return low


def _fitted(z: FloatArray, log_weight: FloatArray) -> Tilt:
    """Fit mean and covariance, each where it differs from N(0, I) by more than noise would."""
    w = np.exp(log_weight - log_weight.max())
    w /= w.sum()
    count = 1.0 / (w @ w)
    mean = w @ z
    mean[np.abs(mean) < 2.0 / np.sqrt(count)] = 0.0
    centred = z - mean
    values, axes = np.linalg.eigh((centred * w[:, None]).T @ centred)
    noise = np.sqrt(z.shape[1] / count)  # eigenvalues of pure noise: (1 ± noise)²
    low, high = max(1.0 - noise, 0.0) ** 2, (1.0 + noise) ** 2
    kept = (values > 1.05 * high) | (values < 0.95 * low)
    values = np.where(values < 1.0, np.minimum(WIDER * values + 0.02, 1.0), values)
    return Tilt(mean, values[kept], axes[:, kept])
