"""Importance sampling over standard normals, with adaptively fitted Gaussian mixtures.

E f(z) with z ~ N(0, I) is the mean of f(z) φ(z)/q(z) over z drawn from any proposal q.
`fit_proposals` fits a Gaussian mixture q to φ f by tempering: it draws from the current mixture and
fits the next one to the moments of the draws, weighted by the largest power of φ f/q that leaves a
sufficient effective sample size, until that power is one, or near one repeatedly (in many
dimensions no fit is perfect). A fit keeps only what differs significantly from N(0, I).
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
LEAST_EFFECTIVE_SHARE = 0.15  # effective sample size of a fit, relative to its draws
MAX_FITS = 60
GOOD_POWER, GOOD_FITS = 0.3, 4  # stop after this many fits above this power
MAX_COMPONENTS = 4  # Gaussians in one fit
WIDENING = 1.2  # of narrow axes: weights stay bounded if q falls no faster than φ f


class Proposal(NamedTuple):
    """A Gaussian: variance ``values`` along orthonormal ``axes`` (columns), 1 elsewhere."""

    mean: FloatArray
    values: FloatArray
    axes: FloatArray

    def place(self, x: FloatArray) -> FloatArray:
        """Turn standard normals into draws of this Gaussian."""
        stretch = np.sqrt(self.values) - 1.0
        return np.asarray(x + self.mean + ((x @ self.axes) * stretch) @ self.axes.T)

    def log_ratio(self, z: FloatArray) -> FloatArray:
        """Return log q(z)/φ(z).

        >>> shifted = standard_normal(2)._replace(mean=np.array([1.0, 0.0]))
        >>> shifted.log_ratio(np.array([[1.0, 5.0]]))
        array([0.5])
        """
        centred = z - self.mean
        along = centred @ self.axes
        # the squares of z, large for rare samples, cancel except for the mean's part
        quadratic = -2.0 * (z @ self.mean) + self.mean @ self.mean
        quadratic += (along * along) @ (1.0 / self.values - 1.0)
        return np.asarray(-0.5 * (quadratic + np.log(self.values).sum()))


def standard_normal(dims: int) -> Proposal:
    """Return N(0, I)."""
    return Proposal(np.zeros(dims), np.ones(0), np.zeros((dims, 0)))


def draw_mixture(
    proposals: Sequence[Proposal], points: int, index: int
) -> tuple[FloatArray, FloatArray]:
    """Draw ``points`` from each Gaussian; return the draws and log φ/q of the mixture.

    Each Gaussian has its own randomly shifted lattice, numbered as in `lattice.replicate`.
    """
    draws = []
    for place, proposal in enumerate(proposals):
        u = replicate(points, len(proposal.mean), index + SHIFTS_PER_PROPOSAL * place)
        draws.append(proposal.place(ndtri(u)))
    z = np.concatenate(draws)
    ratios = np.stack([proposal.log_ratio(z) for proposal in proposals])
    return z, np.log(len(proposals)) - logsumexp(ratios, axis=0)


SHIFTS_PER_PROPOSAL = 1000  # indices of shifts that one Gaussian may use


def fit_proposals(
    start: FloatArray, log_f: Callable[[FloatArray], FloatArray], index: int
) -> list[Proposal]:
    """Return Gaussians fitted to φ f, starting from a mean at ``start``.

    ``index`` numbers the random shifts of the draws.

    The normals beyond 6 are near 6:

    >>> def beyond(z):
    ...     return np.where(z[:, 0] > 6.0, 0.0, -30.0 * (6.0 - z[:, 0]))
    >>> [item.mean.round(0).item() for item in fit_proposals(np.zeros(1), beyond, 0)]
    [6.0]
    """
    proposals = [standard_normal(len(start))._replace(mean=start)]
    near = 0
    for step in range(MAX_FITS):
        z, log_weight = draw_mixture(
            proposals, PILOT_DRAWS // 2 ** (len(proposals) - 1).bit_length(), index + step
        )
        log_weight += log_f(z)
        power = _power(log_weight)
        proposals = _fit_mixture(z, power * log_weight)
        near += power > GOOD_POWER
        if power == 1.0 or near == GOOD_FITS:
            return proposals
    raise NotConverged(
        f"importance sampling did not reach the rare samples of the integral in {MAX_FITS} fits; "
        "take a weaker signal"
    )


def effective_share(log_weight: FloatArray) -> float:
    """Return the effective sample size over N, (Σ w)²/(N Σ w²).

    >>> effective_share(np.array([0.0, 0.0, -100.0, -100.0]))
    0.5
    """
    w = np.exp(log_weight - log_weight.max())
    return float(w.sum() ** 2 / (w @ w) / len(w))


def _power(log_weight: FloatArray) -> float:
    """Return the largest power of the weights, up to one, with a sufficient effective share."""
    low, high = 0.0, 1.0
    if effective_share(log_weight) >= LEAST_EFFECTIVE_SHARE:
        return 1.0
    while high - low > 1e-2 * high:
        middle = 0.5 * (low + high)
        enough = effective_share(middle * log_weight) >= LEAST_EFFECTIVE_SHARE
        low, high = (middle, high) if enough else (low, middle)
    return low


def _fit_mixture(z: FloatArray, log_weight: FloatArray) -> list[Proposal]:
    """Fit Gaussians to weighted draws, splitting those that one Gaussian does not fit.

    For a log-concave f, φ f is nowhere wider than φ. A wider axis indicates several peaks: the
    draws are split along it, the widest first.
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
    return [fit.proposal for fit, _, _ in parts]


def _upper(x: FloatArray, w: FloatArray) -> IndexArray:
    """Split weighted numbers in two clusters, each number nearer to its own mean."""
    cut = w @ x / w.sum()
    for _ in range(20):
        upper = x > cut
        low, high = (w[side] @ x[side] / w[side].sum() for side in (~upper, upper))
        cut = 0.5 * (low + high)
    return np.asarray(x > cut)


class _Fit(NamedTuple):
    proposal: Proposal
    axis: FloatArray  # the widest
    width: float  # variance along it, relative to the largest that noise explains


def _moments(z: FloatArray, w: FloatArray) -> _Fit:
    """Fit mean and covariance where they differ significantly from N(0, I)."""
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
    proposal = Proposal(mean, np.where(values < 1.0, narrow, values)[kept], axes[:, kept])
    return _Fit(proposal, axes[:, -1], float(values[-1] / high))
