"""Quasi-Monte Carlo points: randomly shifted Korobov lattices.

The points of one replicate are ``frac(i·(1, a, a², …)/N + shift)``, folded by the tent map
``u → 1 − |2u − 1|`` so that smooth integrands gain an order. Independent shifts make
independent replicates, whose spread is the error estimate. One multiplier ``a`` serves every
power-of-two N in use; ``tools/lattice_search.py`` found it. The shifts come from a fixed seed:
the same call gives the same points, bit for bit.
"""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray

REPLICATES = 8
MULTIPLIER = 88_237
SEED = 20_250_925


def replicate(points: int, dims: int, index: int, first: int = 0, step: int = 1) -> FloatArray:
    """Return replicate ``index`` of the lattice: ``points`` × ``dims`` uniforms inside (0, 1).

    Or every ``step``-th of its points, from ``first`` on.
    """
    return shifted(points, np.random.default_rng([SEED, index]).random(dims), first, step)


def shifted(points: int, shift: FloatArray, first: int = 0, step: int = 1) -> FloatArray:
    """Return every ``step``-th point of the lattice from ``first`` on, moved by ``shift``.

    The points of a lattice of half the size are the even ones, so a sum over N points grows to 2N
    by the odd ones alone.

    Examples
    --------
    >>> shift = np.array([0.1, 0.7])
    >>> bool((shifted(8, shift) == shifted(16, shift, step=2)).all())
    True
    """
    powers = [1]
    for _ in range(len(shift) - 1):
        powers.append(powers[-1] * MULTIPLIER % points)
    generator = np.array(powers, dtype=np.int64)
    steps = np.arange(first, points, step, dtype=np.int64)[:, None] * generator
    steps &= points - 1  # modulo a power of two
    u = steps / points + shift
    u -= np.floor(u)
    u = 1.0 - np.abs(2.0 * u - 1.0)
    tiny = 2.0**-52
    return np.clip(u, tiny, 1.0 - tiny)
