"""Noise that is not white: its spectrum by negative bags, and the place of the signal in it.

The covariance S of the n instances of negatives, with eigenvalues λ_k of mean λ̄, is shrunk towards
a multiple of the identity, after Ledoit and Wolf (2004):

    Σ̂ = (1 − ρ) S + ρ λ̄ I,     1 − ρ = δ/δ_S,     δ = ⟨(s − s̄)²⟩/s̄²

with δ_S the relative variance of the λ_k, which is too large by about d/n (Marchenko–Pastur), and
δ = d/D − 1 without bias, by the dimension D of `signal.dimension`: the product of the covariances
of disjoint halves of the bags. The eigenvalues that the theory is given have just that variance,
s_k = λ̄ + √(1 − ρ)(λ_k − λ̄).

In the coordinates whitened by Σ̂ the task is that of white noise, with the strength θ‖Σ^{-1/2}ξ‖,
which negatives overstate by 1/√(1 − d/n), as they are whitened by themselves.
There two directions a and b, trained on disjoint halves of the bags, have independent noise, so
that Σ a_k b_k over a few groups of eigenvalues is an unbiased weight of the signal on each.
Within a group the weights count as even. A signal of random direction has shares of a group's n
dimensions that are Dirichlet(1/2), so that Σ z_k x_k varies about its value by 2/(n + 2) times the
variance of x in the group: with Z the weight of a group, and c the noise over signal of a product,

    se² = 2c/D Σ z_k (x_k − x̄)² + c²/D ⟨(x_k − x̄)²⟩ + Σ_groups Z² 2/(n + 2) var(x),     x = log s.

A bag may have an offset, with a covariance Σ_B that is part of Σ. Weights a on its instances leave
it as it is, and the noise of a feature is ‖a‖² (Σ + (1/‖a‖² − 1) Σ_B): each model sees a spectrum
of its own, pooling that of ‖a‖² = 1/L. (For attention it is an approximation: softmax compares
instances of one bag, and does not see the offset.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...noise import Noise
from ...spectrum import Spectrum
from ...task import Task
from ..bags.bags import Bags
from ..bags.scaling import Scaling

WHITE_VARIANCE = 0.1  # δ up to which noise counts as white: D is above 0.91 d
MOST_FEATURES = 2000  # whose covariance is estimated
LEAST_SHRINKAGE = 0.01
LEAST_EIGENVALUE = 1e-3  # of their mean
LEAST_REMAINING = 0.1  # of the degrees of freedom, below which nothing is known of Σ
LEVELS, GROUPS = 12, 4  # of the spectrum that the theory is given, and of the signal's weights
CENTRING_STEPS = 20  # of a clustering in one dimension
CORRELATED_ERRORS = 3.0  # standard errors from which instances of a bag are correlated
ROWS = 8192  # instances at a time


class NoiseSpectrum(NamedTuple):
    """The eigenvalues s_k, those λ̃_k of Σ̂, and the scaling to whitened coordinates.

    ``between`` is the part of each s_k that is an offset of the bag.
    """

    s: FloatArray
    shrunk: FloatArray
    whitening: Scaling
    shrinkage: float
    between: FloatArray
    optimism: float = 1.0  # the true strength over that in coordinates whitened by an estimate

    def seen(self, share: float = 1.0) -> FloatArray:
        """Return the eigenvalues that a model sees, whose weights on instances have Σ a² = share.

        An infinite share leaves out the offsets.
        """
        total = self.s + (1.0 / share - 1.0) * self.between
        return np.asarray(np.maximum(total, LEAST_EIGENVALUE * self.s.mean()))

    @property
    def dimension(self) -> float:
        """The effective dimension in whitened coordinates, where variances are s_k/λ̃_k."""
        v = self.s / self.shrunk
        return float(v.sum() ** 2 / (v @ v))


class Place(NamedTuple):
    """Where a signal is: z_k = ζ_k²/‖ζ‖² in whitened coordinates, and its uncertainty.

    ``log_s`` is Σ z_k log s_k, ``log_s_se`` its standard error.
    """

    z: FloatArray
    log_s: float
    log_s_se: float

    def moved(self, s: FloatArray, by: float) -> Place:
        """Return the place tilted by a power of s that moves ``log_s`` by some standard errors."""
        x, aim = np.log(s) - self.log_s, by * self.log_s_se
        low, high = -20.0, 20.0
        for _ in range(50):
            tilt = 0.5 * (low + high)
            z = self.z * np.exp(tilt * x - np.max(tilt * x))
            z /= z.sum()
            low, high = (tilt, high) if z @ x < aim else (low, tilt)
        return Place(z, self.log_s + float(z @ x), self.log_s_se)


def noise_spectrum(
    bags: Bags, y: FloatArray, scaling: Scaling, dimension: float
) -> NoiseSpectrum | None:
    """Return the spectrum of scaled negatives, which have this effective dimension.

    None where it is white by `WHITE_VARIANCE`, or there are too many features.

    Examples
    --------
    >>> from needlescope.estimators.bags.scaling import no_scaling
    >>> rng = np.random.default_rng(0)
    >>> bags = Bags.from_array(rng.standard_normal((40, 5, 4)) * [2.0, 2.0, 0.5, 0.5])
    >>> result = noise_spectrum(bags, -np.ones(40), no_scaling(4), 2.25)
    >>> result.s.round(1), bool(result.shrinkage < 0.1)
    (array([0.3, 0.3, 3.6, 3.8]), True)
    """
    if bags.d / dimension - 1.0 <= WHITE_VARIANCE or bags.d > MOST_FEATURES:
        return None
    covariance = _covariance(bags, np.flatnonzero(y < 0.0), scaling)
    values, vectors = np.linalg.eigh(covariance)
    constant = int((np.diag(covariance) <= 1e-9 * np.diag(covariance).max()).sum())
    relative = (len(values) - constant) / dimension - 1.0
    if relative <= WHITE_VARIANCE:
        return None
    values, vectors = values[constant:].clip(0.0), vectors[:, constant:]
    mean = float(values.mean())
    sampled = float(values.var()) / mean**2
    rho = float(np.clip(1.0 - relative / sampled, LEAST_SHRINKAGE, 1.0))
    shrunk = (1.0 - rho) * values + rho * mean
    s = np.maximum(mean + np.sqrt(1.0 - rho) * (values - mean), LEAST_EIGENVALUE * mean)
    whitening = Scaling(scaling.centre, scaling.scale[:, None] * (vectors / np.sqrt(shrunk)))
    # E S⁻¹ = Σ⁻¹/(1 − d/n): negatives are less noisy along what was whitened by themselves
    freedom = float(((1.0 - rho) * values / shrunk).sum()) / float(bags.lengths[y < 0.0].sum())
    optimism = float(np.sqrt(max(1.0 - freedom, LEAST_REMAINING)))
    between = s * _correlation_within(bags, y, whitening)
    return NoiseSpectrum(s, shrunk, whitening, rho, between, optimism)


def place_of(
    spectrum: NoiseSpectrum, pairs: list[tuple[FloatArray, FloatArray]], agreement: float
) -> Place:
    """Return the place of a signal, from pairs of directions in whitened coordinates.

    Their squared cosine with the signal, ``agreement``, says how large the noise of the weights is.

    Examples
    --------
    >>> s = np.array([0.5, 0.5, 2.0, 2.0])
    >>> spectrum = NoiseSpectrum(s, s, Scaling(np.zeros(4), np.eye(4)), 0.01, 0.0 * s)
    >>> a = np.array([1.0, 0.0, 0.0, 1.0])
    >>> place_of(spectrum, [(a, a)], 0.9).z.round(2)
    array([0.25, 0.25, 0.25, 0.25])
    """
    x = np.log(spectrum.s)
    group = clusters(x, GROUPS)
    count = np.bincount(group).astype(float)
    products = np.mean([a * b / max(float(a @ b), 1e-300) for a, b in pairs], axis=0)
    weight = np.bincount(group, products).clip(0.0)
    # evenly in whitened coordinates, whose variances are s/λ̃ by the shrinkage
    z = (weight / count)[group] * spectrum.shrunk / spectrum.s
    if not z.any():
        z = np.ones(len(x))
    z /= z.sum()
    log_s = float(z @ x)
    noise = (1.0 - agreement) / max(agreement, 1e-3)
    away = (x - log_s) ** 2
    square = 2.0 * noise * float(z @ away) + noise**2 * float(away.mean())
    square = square / spectrum.dimension + _uneven(x, z, group)
    return Place(z, log_s, float(np.sqrt(square)))


def _uneven(x: FloatArray, z: FloatArray, group: IndexArray) -> float:
    """Return the variance of Σ z x for a signal of random direction within each group."""
    count = np.bincount(group).astype(float)
    mean = np.bincount(group, x) / count
    variance = np.bincount(group, (x - mean[group]) ** 2) / count
    return float((np.bincount(group, z) ** 2 * 2.0 / (count + 2.0)) @ variance)


def structured(task: Task, spectrum: NoiseSpectrum, place: Place, share: float = 1.0) -> Task:
    """Return the task in this noise whose ``whitened`` is the given one, as a model sees it.

    Examples
    --------
    >>> s = np.array([0.25, 4.0])
    >>> spectrum = NoiseSpectrum(s, s, Scaling(np.zeros(2), np.eye(2)), 0.01, np.array([0.0, 1.0]))
    >>> place, white = Place(np.array([0.0, 1.0]), np.log(4.0), 0.0), Task(8, 1, 3.0, 0.5)
    >>> result = structured(white, spectrum, place)
    >>> result.theta, result.signal, round(result.whitened.theta, 9)
    (6.0, (0.0, 1.0), 3.0)
    >>> structured(white, spectrum, place, 0.2).noise.levels.s  # 4 + (5 − 1) · 1
    array([0.25, 8.  ])
    """
    s = spectrum.seen(share)
    z = place.z * spectrum.s / s
    level = clusters(np.log(s), LEVELS)
    count = np.bincount(level).astype(float)
    levels, on_level = np.bincount(level, s) / count, np.bincount(level, z)
    power = float(on_level @ levels)
    weights = on_level * levels / power
    return task.replace(
        theta=task.theta * float(np.sqrt(power)),
        noise=Noise(spectrum=Spectrum(levels, count)),
        signal=tuple((weights / weights.sum()).tolist()),
    )


class Structure(NamedTuple):
    """The spectrum of the noise, the signal's place, and the task in whitened coordinates."""

    spectrum: NoiseSpectrum
    place: Place
    white: Task

    @property
    def offsets(self) -> bool:
        """Whether bags have offsets."""
        return bool(self.spectrum.between.any())

    def task(self, white: Task, moved: float = 0.0, share: float = 1.0) -> Task:
        """Return the task of another one in whitened coordinates."""
        place = self.place.moved(self.spectrum.s, moved) if moved else self.place
        return structured(white, self.spectrum, place, share)


def clusters(x: FloatArray, count: int) -> IndexArray:
    """Return the cluster of each number, by Lloyd's algorithm from quantiles; none is empty.

    Examples
    --------
    >>> clusters(np.array([0.0, 0.1, 5.0, 5.2, 5.1]), 2)
    array([0, 0, 1, 1, 1])
    """
    centres = np.unique(np.quantile(x, (np.arange(count) + 0.5) / count))
    for _ in range(CENTRING_STEPS):
        place = np.searchsorted(0.5 * (centres[1:] + centres[:-1]), x)
        sizes = np.bincount(place, minlength=len(centres))
        centres = np.unique((np.bincount(place, x, len(centres)) / np.maximum(sizes, 1))[sizes > 0])
    place = np.searchsorted(0.5 * (centres[1:] + centres[:-1]), x)
    return np.asarray(np.unique(place, return_inverse=True)[1])


def _correlation_within(bags: Bags, y: FloatArray, whitening: Scaling) -> FloatArray:
    """Return the correlation of two instances of a negative bag in each whitened coordinate.

    It is zero where it is less than a few standard errors.
    """
    which = np.flatnonzero(y < 0.0)
    lengths = bags.lengths[which].astype(float)
    pairs = float((lengths * (lengths - 1.0)).sum())
    k = whitening.scale.shape[1]
    if not pairs:
        return np.zeros(k)
    square, sums = np.zeros(k), []
    for item in which.tolist():
        X = whitening.apply(bags[item]).astype(float)
        sums.append(X.sum(axis=0))
        square += (X * X).sum(axis=0)
    each, count = np.array(sums), lengths.sum()
    total = each.sum(axis=0) / count
    variance = square / count - total**2
    crossed = ((each - lengths[:, None] * total) ** 2).sum(axis=0) - count * variance
    result = crossed / (pairs * np.maximum(variance, 1e-300))
    least = CORRELATED_ERRORS * np.sqrt(2.0 / pairs)
    return np.asarray(np.where(result > least, result, 0.0).clip(max=1.0))


def _covariance(bags: Bags, which: IndexArray, scaling: Scaling) -> FloatArray:
    """Return the covariance of the scaled instances of some bags, a block of them at a time."""
    total, square, rows = np.zeros(bags.d), np.zeros((bags.d, bags.d)), 0
    block: list[int] = []
    waiting = 0
    for place, k in enumerate(which.tolist()):
        block.append(k)
        waiting += int(bags.lengths[k])
        if waiting < ROWS and place < len(which) - 1:
            continue
        X = scaling.apply(bags.rows(np.array(block))).astype(float)
        total, square, rows = total + X.sum(axis=0), square + X.T @ X, rows + len(X)
        block, waiting = [], 0
    mean = total / rows
    return np.asarray(square / rows - np.outer(mean, mean))
