"""Two noises: that of the background's tokens, and that of tokens that carry the signal.

Both have a covariance, Σ₀ and Σ₁, or both have eigenvalues on the same levels, in one eigenbasis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from .noise import Noise
from .spectrum import Levels, Spectrum


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
    if not signal_noise.gaussian or signal_noise.token_correlation:
        raise ValueError(
            "signal_noise must be Gaussian and independent from token to token, with a covariance "
            f"or a spectrum, got {signal_noise!r}"
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
