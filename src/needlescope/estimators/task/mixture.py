"""A signal as a mixture: in positive bags, a share r of instances is shifted by t.

The noise is what negative bags show, with a smoothed density f0. Instances of positive bags follow

    (1 − r) f0(g) + r f0(g − t),

whose r and t are found by maximum likelihood.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.special import ndtr, ndtri

from ...arrays import FloatArray

FARTHEST_PROJECTION = 12.0  # projections beyond are moved there, in deviations of the noise
STEP = 0.02  # width of the bins in which projections are counted
SHIFTS = np.arange(0.1, 10.01, 0.1)
LARGEST_SHIFT = 0.99 * SHIFTS[-1]  # beyond it a shift may be larger than any of these
BISECTIONS = 24  # of the share, to one in a million
SLIGHT_SKEWNESS, SLIGHT_KURTOSIS = 0.15, 0.3  # half of what counts as a departure, and a little
TAIL = 0.005  # beyond this share of the noise, its scale is continued


class Mixture(NamedTuple):
    """A share r of instances shifted by t, and the log-likelihood gain over no shift."""

    share: float
    share_se: float
    shift: float
    shift_se: float
    gain: float


def not_normal(shape: dict[str, float], count: int, sure: float) -> bool:
    """Return whether skewness or kurtosis of this many numbers are clearly not those of a normal.

    Slight departures are ignored: a normal scale would add more error, since its tails are
    extrapolated from few numbers.

    Examples
    --------
    >>> not_normal({"skewness": 0.1, "kurtosis": 3.0}, 1000, 3.0)
    False
    """
    skewed = abs(shape["skewness"]) > max(sure * np.sqrt(6.0 / count), SLIGHT_SKEWNESS)
    heavy = abs(shape["kurtosis"] - 3.0) > max(sure * np.sqrt(24.0 / count), SLIGHT_KURTOSIS)
    return bool(skewed or heavy)


def to_normal(noise: FloatArray, along: FloatArray) -> FloatArray:
    """Return projections on a scale on which the noise is normal, extrapolated beyond its tails.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.exponential(size=5000)
    >>> z = to_normal(noise, noise)
    >>> bool(abs(z.mean()) < 0.02), bool(abs(z.std() - 1.0) < 0.02)
    (True, True)
    """
    rare = min(max(TAIL, 10.0 / len(noise)), 0.04)
    inner = np.linspace(0.05, 0.95, 91)
    level = np.unique(np.concatenate([[rare], inner, [1.0 - rare]]))
    at, place = np.unique(np.quantile(noise, level), return_index=True)
    z = ndtri(level)[place]
    if len(at) < 4:
        return along
    result = np.interp(along, at, z)
    for end, inside, beyond in ((0, 1, along < at[0]), (-1, -2, along > at[-1])):
        slope = (z[end] - z[inside]) / (at[end] - at[inside])
        result[beyond] = z[end] + slope * (along[beyond] - at[end])
    bounded: FloatArray = np.clip(result, -FARTHEST_PROJECTION, FARTHEST_PROJECTION)
    return bounded


def fit_mixture(
    noise: FloatArray,
    positives: FloatArray,
    least: float,
    share: float | None = None,
    copies: int = 1,
) -> Mixture:
    """Fit the share and the shift of a signal, with a noise density smoothed from ``noise``.

    ``noise`` and ``positives`` are projections of the instances of negative and of positive bags,
    ``copies`` of each instance, which count as one. The share is at least ``least``, or a given
    ``share``, where only the shift is fitted.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise, positives = rng.standard_normal(4000), rng.standard_normal(4000)
    >>> positives[:800] += 3.0
    >>> result = fit_mixture(noise, positives, 0.01)
    >>> bool(abs(result.share - 0.2) < 0.02), bool(abs(result.shift - 3.0) < 0.2)
    (True, True)
    """
    x, f0 = _density(noise)
    count = np.histogram(positives, np.append(x - STEP / 2, x[-1] + STEP / 2))[0] / copies
    held = count > 0.0
    moved = np.stack([np.interp(x[held] - t, x, f0, left=f0[0], right=f0[-1]) for t in SHIFTS])
    excess = moved / f0[held] - 1.0  # shifts × bins
    low = np.full(len(SHIFTS), least if share is None else share)
    high = np.ones(len(SHIFTS)) if share is None else low.copy()
    for _ in range(BISECTIONS if share is None else 0):  # the likelihood is concave in the share
        middle = np.sqrt(low * high)
        slope = (excess / (1.0 + middle[:, None] * excess)) @ count[held]
        low, high = np.where(slope > 0.0, middle, low), np.where(slope > 0.0, high, middle)
    shares = np.sqrt(low * high)
    gains = np.log1p(np.maximum(shares[:, None] * excess, -1.0 + 1e-12)) @ count[held]
    best = int(gains.argmax())
    shift, curve = _top(SHIFTS, gains, best)
    inside = min(max(best, 1), len(SHIFTS) - 2)
    part = float(np.interp(shift, SHIFTS, shares))
    info = float(((excess[best] / (1.0 + part * excess[best])) ** 2) @ count[held])
    shift_se = 1.0 / np.sqrt(max(curve, 1e-12))
    lean = (shares[inside + 1] - shares[inside - 1]) / (SHIFTS[inside + 1] - SHIFTS[inside - 1])
    share_se = 0.0 if share is not None else np.hypot(info**-0.5, lean * shift_se)
    return Mixture(part, float(share_se), shift, float(shift_se), float(gains[best]))


def spread(positives: FloatArray, noise: FloatArray, result: Mixture) -> float:
    """Return the deviation of the signal's instances along the direction, that of noise being 1.

    The signal's own density is taken as normal, with its share kept.
    """
    x, f0 = _density(noise)
    rest = (1.0 - result.share) * np.interp(positives, x, f0)
    mean, size = result.shift, 1.0
    for _ in range(200):
        item = (
            result.share
            * np.exp(-0.5 * ((positives - mean) / size) ** 2)
            / (size * np.sqrt(2 * np.pi))
        )
        chance = item / (item + rest)
        total = max(float(chance.sum()), 1e-12)
        mean = float(chance @ positives) / total
        new = max(float(np.sqrt(chance @ (positives - mean) ** 2 / total)), 0.05)
        if abs(new - size) < 1e-4:
            break
        size = new
    return size


def _density(noise: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the bins and the noise's density in them: smoothed, its variance kept."""
    edge = FARTHEST_PROJECTION + 1.0
    x = np.arange(-edge, edge + STEP / 2, STEP)
    count = len(noise)
    size = max(float(noise.std()), 1e-12)
    width = size * count**-0.2
    centre = float(noise.mean())
    kept = centre + (noise - centre) * size / np.hypot(size, width)
    bins = np.append(x - STEP / 2, x[-1] + STEP / 2)
    f = np.histogram(kept, bins)[0] / (count * STEP)
    f = gaussian_filter1d(f, width / STEP, mode="constant", truncate=6.0)
    # In empty bins, a wide normal with the weight of one instance.
    wide = np.diff(ndtr((bins - centre) / (3.0 * size))) / STEP
    return x, (count * f + wide) / (count + 1.0)


def _top(x: FloatArray, f: FloatArray, best: int) -> tuple[float, float]:
    """Return where a parabola through the best three points has its top, and how it curves."""
    k = min(max(best, 1), len(x) - 2)
    h = x[k + 1] - x[k]
    curve = -(f[k + 1] - 2.0 * f[k] + f[k - 1]) / h**2
    if best != k or curve <= 0.0:
        return float(x[best]), float(abs(curve))
    return float(x[k] + (f[k + 1] - f[k - 1]) / (2.0 * h * curve)), float(curve)
