"""Noise drawn: arrays of tokens filled with Z = C^{1/2} E Σ^{1/2}."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...noise import Noise
from .normal import Single, fill_normal


def fill_noise(noise: Noise, out: Single, generator: np.random.Generator) -> Single:
    """Fill an array (n, L, d) with noise of a given law; return it."""
    if noise.entries == "gaussian":
        fill_normal(out, generator)
    elif noise.entries == "rademacher":
        _fill_signs(out, generator)
    else:
        assert noise.df is not None
        out[...] = generator.standard_t(noise.df, out.shape)
        out *= np.float32(np.sqrt((noise.df - 2.0) / noise.df))
    correlate(noise, out)
    if noise.root is not None and noise.root.ndim == 1:
        out *= noise.root.astype(np.float32)
    elif noise.root is not None:
        rows = out.reshape(-1, out.shape[-1])
        rows[...] = rows @ noise.root.T.astype(np.float32)
    return out


def correlate(noise: Noise, tokens: Any) -> Any:
    """Turn independent tokens (second axis) into an AR(1) sequence, in place; return it."""
    rho = noise.token_correlation
    if rho:
        fresh = float(np.sqrt(1.0 - rho * rho))
        for token in range(1, tokens.shape[1]):
            tokens[:, token] *= fresh
            tokens[:, token] += rho * tokens[:, token - 1]
    return tokens


def _fill_signs(out: Single, generator: np.random.Generator) -> None:
    flat = out.reshape(-1)
    bits = np.unpackbits(np.frombuffer(generator.bytes((flat.size + 7) // 8), np.uint8))
    flat[:] = bits[: flat.size]
    flat *= np.float32(2.0)
    flat -= np.float32(1.0)
