"""Integrals over standard normals that rare points carry: drawn where they are, and weighted.

E f(z) with z ~ N(0, I) is the mean of f(z) φ(z)/q(z) over z drawn from any q. `fit_proposals` finds a
mixture q of Gaussians that looks like φ f: it draws from one, fits the next by the moments of its
draws, weighted by a power of φ f/q that leaves enough of them with a say, and goes on until that
power is one, or near one for long: in many dimensions no fit is perfect. A fit keeps only what the
draws can tell from a standard normal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtri

from ...arrays import FloatArray, IndexArray
from ...errors import NotConverged
from ...lattice import replicate

PILOT_DRAWS = 2**11  # draws for one fit
LEAST_EFFECTIVE_SHARE = 0.15  # of them that still have a say in it
MAX_FITS = 60  # fits at most, on the way
GOOD_POWER, GOOD_FITS = 0.3, 4  # a power that is good enough, and fits for it to rise to one
MAX_COMPONENTS = 4  # Gaussians at most, in one fit
WIDENING = 1.2  # a fit's narrow axes: weights f φ/q stay bounded where q falls no faster than φ f


class Proposal(NamedTuple):
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
        >>> shifted = standard_normal(2)._replace(mean=np.array([1.0, 0.0]))
        >>> shifted.log_ratio(np.array([[1.0, 5.0]]))
        array([0.5])
        """
        centred = z - self.mean
        along = centred @ self.axes
        # the squares of z cancel but for the mean's part: z is far out where samples are rare
        quadratic = -2.0 * (z @ self.mean) + self.mean @ self.mean
        quadratic += (along * along) @ (1.0 / self.values - 1.0)
        return np.asarray(-0.5 * (quadratic + np.log(self.values).sum()))


def standard_normal(dims: int) -> Proposal:
    """Return N(0, I)."""
    return Proposal(np.zeros(dims), np.ones(0), np.zeros((dims, 0)))


def draw_mixture(
    tilts: Sequence[Proposal], points: int, index: int
) -> tuple[FloatArray, FloatArray]:
    """Draw as many points from each of several Gaussians; return them and log φ/q of the mixture.

    Each is a randomly shifted lattice of its own, in ``index`` as `lattice.replicate` has it.
    """
    z = np.concatenate([
        tilt.place(ndtri(replicate(points, len(tilt.mean), index + SHIFTS_PER_PROPOSAL * place)))
        for place, tilt in enumerate(tilts)
    ])  # fmt: skip
    ratios = np.stack([tilt.log_ratio(z) for tilt in tilts])
    return z, np.log(len(tilts)) - logsumexp(ratios, axis=0)


SHIFTS_PER_PROPOSAL = 1000  # indices of shifts that one Gaussian may use


def fit_proposals(
    start: FloatArray, log_f: Callable[[FloatArray], FloatArray], index: int
) -> list[Proposal]:
    """Return Gaussians that look like φ f, near the place to start from if there are several.

    ``index`` numbers the random shifts of the draws.

    Examples
    --------
    The normals beyond 6 are near 6:

    >>> def beyond(z):
    ...     return np.where(z[:, 0] > 6.0, 0.0, -30.0 * (6.0 - z[:, 0]))
    >>> [one.mean.round(0).item() for one in fit_proposals(np.zeros(1), beyond, 0)]
    [6.0]
    """
    tilts = [standard_normal(len(start))._replace(mean=start)]
    near = 0
    for step in range(MAX_FITS):
        z, log_weight = draw_mixture(
            tilts, PILOT_DRAWS // 2 ** (len(tilts) - 1).bit_length(), index + step
        )
        log_weight += log_f(z)
        power = _power(log_weight)
        tilts = _fit_mixture(z, power * log_weight)
        near += power > GOOD_POWER
        if power == 1.0 or near == GOOD_FITS:
            return tilts
    raise NotConverged(
        f"the samples that carry the integral are too rare to be found: {MAX_FITS} steps towards "
        "them, each as far as the draws can tell, do not arrive; a weaker signal can be solved"
    )


def effective_share(log_weight: FloatArray) -> float:
    """Return (Σ w)²/(N Σ w²): one if all weights are equal, 1/N if one is all.

    Examples
    --------
    >>> effective_share(np.array([0.0, 0.0, -100.0, -100.0]))
    0.5
    """
    w = np.exp(log_weight - log_weight.max())
    return float(w.sum() ** 2 / (w @ w) / len(w))


def _power(log_weight: FloatArray) -> float:
    """Return the largest power of the weights, up to one, at which enough draws have a say."""
    low, high = 0.0, 1.0
    if effective_share(log_weight) >= LEAST_EFFECTIVE_SHARE:
        return 1.0
    while high - low > 1e-2 * high:
        middle = 0.5 * (low + high)
        enough = effective_share(middle * log_weight) >= LEAST_EFFECTIVE_SHARE
        low, high = (middle, high) if enough else (low, middle)
    return low


def _fit_mixture(z: FloatArray, log_weight: FloatArray) -> list[Proposal]:
    """Fit Gaussians to weighted draws: one, or two to the halves of what one does not fit.

    Where f is log-concave φ f is nowhere wider than φ. An axis along which it is shows several
    peaks: there the draws are parted, the widest first.
    """
    w = np.exp(log_weight - log_weight.max())
    w /= w.sum()
    parts = [(_moments(z, w), z, w)]
    while len(parts) < MAX_COMPONENTS:
        widest = max(range(len(parts)), key=lambda k: parts[k][0].width)
        fit, z, w = parts[widest]
        if fit.width <= 1.0:
            break
        upper = _upper(z @ fit.axis, w)
        halves = [(z[side], w[side]) for side in (upper, ~upper)]
        parts[widest : widest + 1] = [(_moments(*half), *half) for half in halves]
    return [fit.tilt for fit, _, _ in parts]


def _upper(x: FloatArray, w: FloatArray) -> IndexArray:
    """Part weighted numbers in two, each nearer to its own mean."""
    cut = w @ x / w.sum()
    for _ in range(20):
        upper = x > cut
        low, high = (w[side] @ x[side] / w[side].sum() for side in (~upper, upper))
        cut = 0.5 * (low + high)
    return np.asarray(x > cut)


class _Fit(NamedTuple):
    tilt: Proposal
    axis: FloatArray  # the widest
    width: float  # variance along it, over the most that noise would show


def _moments(z: FloatArray, w: FloatArray) -> _Fit:
    """Fit mean and covariance, each where it differs from N(0, I) by more than noise would."""
    w = w / w.sum()
    count = 1.0 / (w @ w)
    mean = w @ z
    mean[np.abs(mean) < 2.0 / np.sqrt(count)] = 0.0
    centred = z - mean
    values, axes = np.linalg.eigh((centred * w[:, None]).T @ centred)
    noise = np.sqrt(z.shape[1] / count)  # eigenvalues of pure noise: (1 ± noise)²
    low, high = 0.95 * max(1.0 - noise, 0.0) ** 2, 1.05 * (1.0 + noise) ** 2
    kept = (values > high) | (values < low)
    narrow = np.minimum(WIDENING * values + 1e-4, 1.0)
    tilt = Proposal(mean, np.where(values < 1.0, narrow, values)[kept], axes[:, kept])
    return _Fit(tilt, axes[:, -1], float(values[-1] / high))
