"""Linear separability: is there (w, b) with yᵢ(⟨w, Fᵢ⟩ + b) > 0 for all i, with proof.

By Gordan's theorem either there is, or there are weights α ≥ 0, Σ αᵢ = 1, with Σ αᵢ yᵢ (Fᵢ, 1) = 0;
never both. One function decides: φ(x) = ½ Σ (1 − aᵢ·x)₊² with aᵢ = yᵢ (Fᵢ, 1) always attains its
minimum. It is zero if the samples are separable; if not, ∇φ = 0 says that αᵢ ∝ (1 − aᵢ·x)₊ are
Gordan's weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack, lstsq, qr

from ...arrays import FloatArray
from ...errors import NotConverged
from ..algebra.coordinates import FEATURE_BLOCK, scored
from ..algebra.problem import Features
from .finite_newton import EPS, FiniteNewton

MOST_ROUNDS = 500
ROUNDING_UNITS = 64.0  # a sum this many times its unit roundoff away from zero may be zero


class SeparabilityCertificate(NamedTuple):
    """The answer and its certificate; the certificate of the other answer is zero."""

    separable: bool
    w: FloatArray  # (w, b) has unit norm, or is zero if not separable
    b: float
    margin: float  # the least yᵢ(⟨w, Fᵢ⟩ + b) less its rounding error; zero if not separable
    weights: FloatArray  # Gordan's weights α, or zeros if separable
    residual: float  # bound on ‖Σ αᵢ yᵢ (F̃ᵢ, 1)‖, F̃ standardised: no unit (w̃, b̃) has more margin
    proven: bool  # whether the certificate leaves no room for rounding errors

    def check(self, F: Any, y: Any) -> bool:
        """Verify the certificate, with the residual it states, from nothing but the samples.

        Examples
        --------
        >>> F, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0])
        >>> result = separability(F, y)
        >>> result.check(F, y), result.check(F, -y)
        (True, False)
        """
        F, y = _samples(F, y)
        if self.separable:
            return self.w.shape == F.shape[1:] and _margin(F, y, self.w, self.b) > 0.0
        if self.weights.shape != y.shape or not (self.weights >= 0.0).all():
            return False
        if not abs(self.weights.sum() - 1.0) <= EPS * len(y):
            return False
        residual, proven = _gordan(F, y, self.weights)
        return residual <= 2.0 * self.residual and proven >= self.proven


def separability(F: Any, y: Any) -> SeparabilityCertificate:
    """Decide whether a hyperplane with a bias separates the labels, and prove it.

    Parameters
    ----------
    F : array of shape (n, p)
        Features, float32 or float64.
    y : array of shape (n,)
        Labels, −1 or +1.

    Returns
    -------
    SeparabilityCertificate
        If separable, (w, b) of unit norm whose margins all exceed their rounding errors. If not,
        Gordan's weights. They are ``proven`` if a matrix factorisation shows that a change of
        the weights that keeps them positive makes their residual zero exactly; if too few samples
        carry weight for that (as when the samples that cannot be told apart lie in a plane), the
        residual is zero to rounding, and no margin above it is possible.

    Raises
    ------
    NotConverged
        If neither certificate can be had in double precision: the margin, or the lack of it, is
        smaller than the rounding errors.

    Examples
    --------
    >>> F = np.array([[0.0], [1.0], [3.0]])
    >>> result = separability(F, np.array([-1.0, -1.0, 1.0]))
    >>> result.separable, round(result.margin, 3)
    (True, 0.447)
    >>> result = separability(F, np.array([-1.0, 1.0, -1.0]))
    >>> result.separable, result.weights.round(3).tolist()
    (False, [0.333, 0.5, 0.167])
    """
    F, y = _samples(F, y)
    n, p = F.shape
    if np.ptp(y) == 0.0:  # one class: the bias alone
        return SeparabilityCertificate(True, np.zeros(p), float(y[0]), 1.0, np.zeros(n), 0.0, True)
    mean, unit = _units(F)
    A = _augmented(F, y, mean, unit)
    Q = None
    if n <= p:  # everything happens in the span of the samples
        Q, R = qr(A.T, mode="economic", overwrite_a=True, check_finite=False)
        A = np.ascontiguousarray(R.T)
    search = FiniteNewton(A)
    for _ in range(MOST_ROUNDS):
        x = search.x if Q is None else Q @ search.x
        result = _answer(F, y, x[:p] / unit, search)
        if result is not None:
            return result
        if not search.advance():
            break
    clash = _clash(F, y)
    if clash is not None:
        return clash
    raise NotConverged(
        f"neither a separating hyperplane nor a proof that there is none was found after "
        f"{search.iterations} Newton steps: the {n} samples are separable or not by less than "
        "rounding errors; perturb the features, or change their number"
    )


def _samples(F: Any, y: Any) -> tuple[Features, FloatArray]:
    F, y = np.asarray(F), np.asarray(y, float)
    if F.dtype not in (np.float32, np.float64):
        F = F.astype(float)
    if F.ndim != 2 or y.shape != (len(F),) or not len(F) or not np.isin(y, (-1.0, 1.0)).all():
        raise ValueError(
            f"separability needs n × p features and n labels −1 or +1, got shapes {F.shape} and "
            f"{y.shape}"
        )
    if not np.isfinite(F.sum(dtype=float)) and not np.isfinite(F).all():
        raise ValueError("features must be finite")
    return F, y


def _units(F: Features) -> tuple[FloatArray, FloatArray]:
    """Return the mean of every feature and its spread, rounded to a power of two to stay exact."""
    mean = F.mean(axis=0, dtype=float)
    square = np.zeros(F.shape[1])
    for start in range(0, len(F), FEATURE_BLOCK):
        part = F[start : start + FEATURE_BLOCK] - mean
        square += np.einsum("ij,ij->j", part, part)
    spread = np.sqrt(np.maximum(square / len(F), (EPS * mean) ** 2))
    spread[spread == 0.0] = 1.0
    return mean, np.exp2(np.round(np.log2(spread)))


def _answer(
    F: Features, y: FloatArray, w: FloatArray, search: FiniteNewton
) -> SeparabilityCertificate | None:
    """Return the answer if this point of the search proves one."""
    n, p = F.shape
    if search.m.min() > 0.0:
        w, b = _centred(F, y, w)
        margin = _margin(F, y, w, b)
        if margin > 0.0:
            return SeparabilityCertificate(True, w, b, margin, np.zeros(n), 0.0, True)
    short = search.short
    pull = float(np.abs(short @ search.A).max())
    # Newton's last steps bring this down to rounding; take less only if they no longer do.
    if not pull < (1e-9 if search.idle else 4.0 * EPS) * short.sum() * search.largest:
        return None
    weights = short / short.sum()
    residual, proven = _gordan(F, y, weights)
    if not proven:
        clash = _clash(F, y)
        if clash is not None:
            return clash
    if not np.isfinite(residual):
        weights = _refined(search.A, weights)
        residual, proven = _gordan(F, y, weights)
    if not np.isfinite(residual):
        return None
    return SeparabilityCertificate(False, np.zeros(p), 0.0, 0.0, weights, residual, proven)


def _centred(F: Features, y: FloatArray, w: FloatArray) -> tuple[FloatArray, float]:
    """Return the direction w with the bias half-way between the classes, at unit norm."""
    z = scored(F, w)
    b = -0.5 * float(z[y > 0.0].min() + z[y < 0.0].max())
    size = float(np.sqrt(w @ w + b * b))
    return w / size, b / size


def _margin(F: Features, y: FloatArray, w: FloatArray, b: float) -> float:
    """Return the least margin less a bound on its rounding error."""
    size = np.full(len(F), abs(b))
    for start in range(0, F.shape[1], FEATURE_BLOCK):
        part = np.abs(F[:, start : start + FEATURE_BLOCK], dtype=np.float64)
        size += part @ np.abs(w[start : start + FEATURE_BLOCK])
    error = (F.shape[1] + 8) * EPS * size
    return float(np.min(y * (scored(F, w) + b) - error))


def _refined(A: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weights with what is left of their residual taken out, relative to each."""
    held = np.flatnonzero(weights)
    B = A[held] * weights[held, None]
    change = lstsq(B.T, B.sum(axis=0), lapack_driver="gelsy", check_finite=False)[0]
    better = weights.copy()
    better[held] *= np.maximum(1.0 - change, 0.0)
    shares: FloatArray = better / better.sum()
    return shares


def _clash(F: Features, y: FloatArray) -> SeparabilityCertificate | None:
    """Return the answer if two equal samples have opposite labels, which needs no arithmetic."""
    seen: dict[tuple[bytes, float], int] = {}
    for i, row in enumerate(F):
        key = (row + 0.0).tobytes()  # −0 and 0 are equal
        other = seen.get((key, -y[i]), -1)
        if other >= 0:
            weights = np.zeros(len(y))
            weights[[i, other]] = 0.5
            return SeparabilityCertificate(
                False, np.zeros(F.shape[1]), 0.0, 0.0, weights, 0.0, True
            )
        seen[key, y[i]] = i
    return None


def _gordan(F: Features, y: FloatArray, weights: FloatArray) -> tuple[float, bool]:
    """Return a bound on ‖r‖, r = Σ αᵢ aᵢ, and whether r = 0 for weights close by.

    The bound is infinite unless r is zero to rounding. If C = Σ αᵢ² aᵢaᵢᵀ then the weights
    αᵢ − αᵢ² aᵢ·C⁻¹r have no residual, and they are positive if r·C⁻¹r < 1; so it is enough that
    the least eigenvalue of C exceeds ‖r‖². The columns are shifted and scaled, which changes
    nothing about separability and is exact up to the relative rounding of every entry.
    """
    mean, unit = _units(F)
    held = np.flatnonzero(weights)
    if len(held) == 2 and np.ptp(weights[held]) == 0.0 and np.array_equal(*F[held]):
        return (0.0, True) if y[held].sum() == 0.0 else (np.inf, False)
    A = _augmented(F[held], y[held], mean, unit)
    alpha = weights[held]
    n, q = A.shape
    r = float(np.linalg.norm(alpha @ A))
    size = float(np.linalg.norm(alpha @ np.abs(A)))
    bound = r + (n + 4) * EPS * size
    if n >= q:
        A *= (alpha / alpha.max())[:, None]
        C = A.T @ A
        shift = (2.0 * bound / alpha.max()) ** 2 + 4.0 * (n + q) * EPS * float(np.trace(C))
        C.flat[:: q + 1] -= shift
        if lapack.dpotrf(C, lower=1, overwrite_a=1, clean=0)[1] == 0:
            return bound, True
    return (bound if r <= ROUNDING_UNITS * EPS * size else np.inf), False


def _augmented(F: Features, y: FloatArray, mean: FloatArray, unit: FloatArray) -> FloatArray:
    """Return the rows aᵢ = yᵢ ((Fᵢ − mean)/unit, 1)."""
    A = np.empty((len(F), F.shape[1] + 1))
    np.subtract(F, mean, out=A[:, :-1])
    A[:, :-1] /= unit
    A[:, -1] = 1.0
    A *= y[:, None]
    return A
