"""The noise of the tokens: Z = C^{1/2} E Σ^{1/2}, with independent entries E of unit variance.

The theory takes E Gaussian and C = Σ = I. The other laws answer how far it reaches: entries that
are bounded or heavy-tailed, a covariance Σ across dimensions, and an AR(1) correlation
C_lm = ρ^{|l − m|} across tokens. Simulations take them; the theory does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arrays import FloatArray
from .grid import choice, real, unmasked

ENTRIES = ("gaussian", "rademacher", "student")


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
        identity by default.
    token_correlation : float, default 0
        ρ in (−1, 1): neighbouring tokens are correlated as an AR(1) sequence.

    Raises
    ------
    ValueError
        If a value is out of its range, or the matrix is no covariance.

    Examples
    --------
    >>> import needlescope as ns
    >>> ns.Noise("student", df=3.0)
    Noise(entries='student', df=3.0)
    >>> ns.Noise("student", df=1.5)
    Traceback (most recent call last):
        ...
    ValueError: df must be a finite number above 2, got 1.5
    """

    entries: str = "gaussian"
    df: float | None = None
    covariance: Any = None
    token_correlation: float = 0.0
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
        return f"Noise({', '.join(parts)})"

    @property
    def gaussian(self) -> bool:
        """Whether every projection of the noise is Gaussian."""
        return self.entries == "gaussian"

    @property
    def standard(self) -> bool:
        """Whether this is the theory's noise: independent N(0, 1) entries."""
        return self.gaussian and self.covariance is None and self.token_correlation == 0.0

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
        return float(u @ v if self.root is None else (u @ self.root) @ (v @ self.root))


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
