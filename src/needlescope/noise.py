"""The noise of the tokens: Z = C^{1/2} E Σ^{1/2}, with independent entries E of unit variance.

The theory takes E Gaussian with any covariance Σ across dimensions: ``Task(noise=…)``. An AR(1)
correlation C_lm = ρ^{|l − m|} across tokens it takes for pooling and for a given query. The other
laws answer how far it reaches: entries that are bounded or heavy-tailed, for simulations only.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from .arrays import FloatArray
from .grid import choice, real, unmasked
from .spectrum import Levels, Spectrum

SAME_EIGENVALUE = 1e-9  # the relative difference of eigenvalues of a matrix that are one level
ENTRIES = ("gaussian", "rademacher", "student")
WHITENINGS = ("known", "estimated", "negatives")  # covariances to whiten features with


@dataclass(frozen=True, eq=False)
class Noise:
    """A law of the noise other than the theory's standard Gaussian.

    Parameters
    ----------
    entries : "gaussian", "rademacher" or "student", default "gaussian"
        Law of the independent entries, each scaled to unit variance: normal, ±1 with equal
        probability, or Student's t.
    df : float, optional
        Degrees of freedom of "student": above 2, so that the variance is finite.
    covariance : array (d, d), optional
        Covariance Σ across the dimensions of a token, symmetric and positive definite; the
        identity by default. It keeps its scale: the paper's noise has a mean eigenvalue of 1.
    token_correlation : float, default 0
        ρ in (−1, 1): neighbouring tokens are correlated as an AR(1) sequence.
    spectrum : Spectrum or sequence of float, optional
        The eigenvalues of Σ in place of the matrix, which is then diagonal: a law for any d. They
        are not rescaled.

    Raises
    ------
    ValueError
        If a value is out of its range, or the matrix is no covariance.

    Examples
    --------
    >>> import needlescope as ns
    >>> ns.Noise("student", df=3.0)
    Noise(entries='student', df=3.0)
    >>> ns.Noise(spectrum=ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2))
    Noise(entries='gaussian', spectrum=Spectrum((4.0, 0.25), (0.2, 0.8)))
    >>> ns.Noise("student", df=1.5)
    Traceback (most recent call last):
        ...
    ValueError: df must be a finite number above 2, got 1.5
    """

    entries: str = "gaussian"
    df: float | None = None
    covariance: Any = None
    token_correlation: float = 0.0
    spectrum: Any = None
    root: FloatArray | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Validate the fields."""
        choice("entries", self.entries, ENTRIES)
        if self.entries == "student":
            if self.df is None:
                raise ValueError("df must be given with entries='student': a number above 2")
            df = _number("df", real("df", self.df, 2.0, np.inf, open_low=True))
            object.__setattr__(self, "df", df)
        elif self.df is not None:
            raise ValueError(
                f"df belongs to entries='student', got df={self.df!r} with {self.entries!r}"
            )
        rho = self.token_correlation
        rho = real("token_correlation", rho, -1.0, 1.0, open_low=True, open_high=True)
        object.__setattr__(self, "token_correlation", _number("token_correlation", rho))
        if self.covariance is not None:
            covariance, root = _factor(self.covariance)
            object.__setattr__(self, "covariance", covariance)
            object.__setattr__(self, "root", root)
        if self.spectrum is not None:
            if self.covariance is not None:
                raise ValueError(
                    "noise has a covariance or a spectrum, which is that of a diagonal one, got "
                    "both; leave out one of them"
                )
            if not isinstance(self.spectrum, Spectrum):
                object.__setattr__(self, "spectrum", Spectrum(self.spectrum))

    def __eq__(self, other: object) -> bool:
        """Compare field by field, a covariance by its entries."""
        return self._key == other._key if isinstance(other, Noise) else NotImplemented

    def __hash__(self) -> int:
        """Hash the fields."""
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        matrix = None if self.covariance is None else self.covariance.tobytes()
        return self.entries, self.df, matrix, self.token_correlation, self.spectrum

    def __repr__(self) -> str:
        """Show what differs from standard Gaussian noise."""
        parts = [f"entries={self.entries!r}"]
        if self.df is not None:
            parts.append(f"df={self.df!r}")
        if self.covariance is not None:
            d = len(self.covariance)
            parts.append(f"covariance=<{d} × {d}>")
        if self.token_correlation:
            parts.append(f"token_correlation={self.token_correlation!r}")
        if self.spectrum is not None:
            parts.append(f"spectrum={self.spectrum!r}")
        return f"Noise({', '.join(parts)})"

    @property
    def gaussian(self) -> bool:
        """Whether every projection of the noise is Gaussian."""
        return self.entries == "gaussian"

    @property
    def standard(self) -> bool:
        """Whether this is the paper's noise: independent N(0, 1) entries."""
        white = self.covariance is None and self.spectrum is None
        return self.gaussian and white and self.token_correlation == 0.0

    @cached_property
    def axes(self) -> tuple[FloatArray, FloatArray]:
        """Eigenvalues and eigenvectors (columns) of the covariance; equal levels are one."""
        s, vectors = np.linalg.eigh(self.covariance)
        level = np.cumsum(np.append(0, np.diff(s) > SAME_EIGENVALUE * s[1:]))
        return np.asarray((np.bincount(level, s) / np.bincount(level))[level]), vectors

    @cached_property
    def levels(self) -> Spectrum:
        """The spectrum of the covariance, given or by its eigenvalues; without one all are 1."""
        if self.spectrum is not None:
            result: Spectrum = self.spectrum
            return result
        if self.covariance is None:
            return Spectrum([1.0])
        s, counts = np.unique(self.axes[0], return_counts=True)
        return Spectrum(s, counts.astype(float))

    def at_dimension(self, d: int) -> Noise:
        """Return this noise with its ``root`` at dimension d: of a spectrum √s_k, a vector."""
        self.check_dimension(d)
        if self.spectrum is None:
            return self
        result = dataclasses.replace(self)
        s = self.spectrum.s[self.spectrum.at_dimension(d)]
        object.__setattr__(result, "root", np.sqrt(s))
        return result

    def check_dimension(self, d: int) -> None:
        """Refuse a covariance of another dimension than d."""
        if self.covariance is not None and len(self.covariance) != d:
            size = len(self.covariance)
            raise ValueError(f"covariance must be {d} × {d} to go with d={d}, got {size} × {size}")

    def token_variance(self, a: FloatArray) -> FloatArray:
        """Return aᵀCa for each row of a, with C the correlation between tokens."""
        total: FloatArray = np.einsum("nl,nl->n", a, a)
        before = np.zeros(len(a))
        if self.token_correlation:
            for token in range(1, a.shape[1]):
                before = self.token_correlation * (before + a[:, token - 1])
                total = total + 2.0 * a[:, token] * before
        return total

    def covary(self, u: FloatArray, v: FloatArray) -> float:
        """Return uᵀ Σ v."""
        return float(self.transform(u) @ self.transform(v))

    def transform(self, rows: Any) -> Any:
        """Return rows times the root of Σ: a vector in coordinates in which the noise is white."""
        if self.root is None:
            return rows
        root = self.root.astype(rows.dtype, copy=False)
        return rows * root if root.ndim == 1 else rows @ root


def noise_pair(noise: Any, signal_noise: Any, signal: Any) -> tuple[Noise | None, Noise | None]:
    """Return the noise of a task and that of its signal tokens, or refuse a pair that does not fit.

    White noise beside a covariance or a spectrum is written as one of the same form; where both are
    the same, the second is None.

    >>> noise_pair(None, Noise(spectrum=[2.0, 3.0]), "flat")[0]
    Noise(entries='gaussian', spectrum=Spectrum((1.0, 1.0), (0.5, 0.5)))
    """
    if not isinstance(signal_noise, Noise):
        raise ValueError(f"signal_noise must be a needlescope.Noise, got {signal_noise!r}")
    if noise is not None and not isinstance(noise, Noise):
        raise ValueError(f"noise must be a needlescope.Noise, got {noise!r}")
    if noise is not None and noise.standard:
        noise = None
    if signal_noise.standard and noise is None:
        return None, None
    for name, law in (("signal_noise", signal_noise), ("noise", noise)):
        if law is not None and (not law.gaussian or law.token_correlation):
            raise ValueError(
                f"{name} must be Gaussian and independent from token to token, with a covariance "
                f"or a spectrum, where signal tokens have a noise of their own, got {law!r}"
            )
    if noise is None:
        noise = _white_like(signal_noise)
    elif signal_noise.standard:
        signal_noise = _white_like(noise)
    _check_forms(noise, signal_noise)
    if noise.covariance is not None and (isinstance(signal, str | None) or np.ndim(signal) == 0):
        raise ValueError(
            "signal must be a vector where signal_noise has a covariance, as its place in one "
            f"spectrum does not say where it lies in the other, got {signal!r}; pass ξ itself"
        )
    return noise, None if noise == signal_noise else signal_noise


def _white_like(other: Noise) -> Noise:
    """Return white noise with a covariance, or on the levels, of another."""
    if other.covariance is not None:
        return Noise(covariance=np.eye(len(other.covariance)))
    shares = other.levels.shares
    return Noise(spectrum=Spectrum(np.ones(len(shares)), shares))


def _check_forms(noise: Noise, signal_noise: Noise) -> None:
    if (noise.covariance is None) != (signal_noise.covariance is None):
        raise ValueError(
            "signal_noise must have a covariance if noise has one, and a spectrum if noise has "
            f"one, got noise={noise!r} and signal_noise={signal_noise!r}"
        )
    if noise.covariance is None:
        own, other = noise.levels.shares, signal_noise.levels.shares
        if len(own) != len(other) or not np.allclose(own, other, rtol=0.0, atol=1e-9):
            raise ValueError(
                "signal_noise must have an eigenvalue for each of those of noise, with the same "
                f"multiplicities, got {signal_noise.levels!r} for {noise.levels!r}"
            )
    elif noise.covariance.shape != signal_noise.covariance.shape:
        raise ValueError(
            f"signal_noise must have a covariance of the shape {noise.covariance.shape} of that "
            f"of noise, got {signal_noise.covariance.shape}"
        )


def whitened_pair(
    noise: Noise, signal_noise: Noise, signal: Any, levels: Levels
) -> tuple[Noise, Noise, Any]:
    """Return both noises and the signal in coordinates in which the first noise is white."""
    if noise.covariance is None:
        s, shares = noise.levels.s, noise.levels.shares
        weight = levels.weight / (s * levels.gain**2)
        ratio = Noise(spectrum=Spectrum(signal_noise.levels.s / s, shares))
        return _white_like(ratio), ratio, tuple((weight / weight.sum()).tolist())
    root = noise.root
    half = solve_triangular(root, signal_noise.covariance, lower=True)
    other = solve_triangular(root, half.T, lower=True)
    xi = solve_triangular(root, np.array(signal), lower=True)
    ratio = Noise(covariance=0.5 * (other + other.T))
    return _white_like(ratio), ratio, tuple((xi / np.linalg.norm(xi)).tolist())


def _factor(given: Any) -> tuple[FloatArray, FloatArray]:
    """Return a covariance and its lower Cholesky factor, or refuse it."""
    unmasked("covariance", given)
    try:
        if np.iscomplexobj(given):
            raise TypeError
        matrix = np.array(given, float)
    except (TypeError, ValueError):
        raise ValueError(
            f"covariance must be a square array of real numbers, got {type(given).__name__}"
        ) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise ValueError(f"covariance must be a square d × d array, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("covariance must be finite, got NaN or infinity in it")
    skew = float(np.abs(matrix - matrix.T).max())
    if skew > 1e-8 * float(np.abs(matrix).max()):
        raise ValueError(
            f"covariance must be symmetric, got entries that differ by {skew:.3g} across the "
            "diagonal; pass (S + S.T) / 2 if that is rounding"
        )
    matrix = 0.5 * (matrix + matrix.T)
    try:
        root = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        least = float(np.linalg.eigvalsh(matrix)[0])
        raise ValueError(
            f"covariance must be positive definite, got a smallest eigenvalue of {least:.3g}; "
            "add a small multiple of the identity if the law is meant to be degenerate"
        ) from None
    size = np.abs(np.diag(matrix))
    if not ((size >= 1e-12) & (size <= 1e12)).all():
        raise ValueError(
            "covariance must have variances between 1e-12 and 1e12 on its diagonal, got "
            f"{size.min():.3g} to {size.max():.3g}; rescale the problem"
        )
    matrix.setflags(write=False)
    return matrix, root


def _number(name: str, value: Any) -> float:
    if np.ndim(value):
        raise ValueError(f"{name} must be a single number, got an array of shape {np.shape(value)}")
    return float(value)


STANDARD = Noise()
