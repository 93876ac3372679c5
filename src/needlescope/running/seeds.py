"""Seeds: one independent random stream for every trial of every point.

A stream depends on its index in the grid alone, so a trial draws the same numbers whatever the
number of processes and of trials, and whatever their order.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.random import BitGenerator, Generator, SeedSequence


def streams(seed: Any, *counts: int) -> list[SeedSequence]:
    """List one independent stream for each index of a grid, in C order.

    Parameters
    ----------
    seed : int, sequence of int, None, SeedSequence, BitGenerator or Generator
        What `numpy.random.default_rng` takes. A ``Generator`` or ``BitGenerator`` gives new
        streams at every call; anything else but None gives the same ones again, and is left
        as it was.
    *counts : int
        The lengths of the grid: commonly the number of points, then of trials.

    Returns
    -------
    list of SeedSequence
        The stream at ``(point, trial)`` does not depend on the counts.

    Examples
    --------
    >>> few, many = streams(7, 2, 4), streams(7, 2, 8)
    >>> [stream.spawn_key for stream in few]
    [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)]
    >>> all(few[4 + k].generate_state(1) == many[8 + k].generate_state(1) for k in range(4))
    True
    """
    root = _root(seed)
    return [
        SeedSequence(root.entropy, spawn_key=(*root.spawn_key, *index), pool_size=root.pool_size)
        for index in product(*map(range, counts))
    ]


def check_seed(seed: Any) -> None:
    """Refuse what is no seed, before any work; a generator is left as it was."""
    if not isinstance(seed, Generator | BitGenerator):
        _root(seed)


def _root(seed: Any) -> SeedSequence:
    """The sequence that all streams of ``seed`` branch off, or a refusal."""
    if isinstance(seed, SeedSequence):
        return seed
    if isinstance(seed, Generator):
        seed = seed.bit_generator
    if isinstance(seed, BitGenerator):
        return _branch(seed)
    return SeedSequence(None if seed is None else _entropy(seed))


def _branch(generator: BitGenerator) -> SeedSequence:
    """A branch of the generator's own sequence, a new one at every call."""
    spawn = getattr(generator.seed_seq, "spawn", None)
    try:
        branch = spawn(1)[0] if spawn is not None else None
    except TypeError:  # NumPy's sequence of a generator that never had a seed: it has no branches
        branch = None
    if not isinstance(branch, SeedSequence):
        raise ValueError(
            f"seed must be a generator that can spawn, got {generator!r}, which was not made from "
            "a numpy SeedSequence; make it with np.random.default_rng"
        )
    return branch


def _entropy(seed: Any) -> int | list[int]:
    """The integers that ``seed`` is made of, or a refusal."""
    value = seed[()] if isinstance(seed, np.ndarray) else seed  # a number, if it has no axes
    single = not isinstance(value, list | tuple | range | np.ndarray)
    items = [value] if single else list(value)
    if not items or not all(map(_is_natural, items)):
        raise ValueError(
            "seed must be an integer of at least 0, a sequence of them, None, or a numpy "
            f"SeedSequence, BitGenerator or Generator, got {seed!r}"
        )
    numbers = [int(item) for item in items]
    return numbers[0] if single else numbers


def _is_natural(item: Any) -> bool:
    return isinstance(item, int | np.integer) and not isinstance(item, bool) and int(item) >= 0


def child(seed: SeedSequence, key: int) -> SeedSequence:
    """Return the ``key``-th child of a sequence, without changing it."""
    index = (*seed.spawn_key, key)
    return SeedSequence(seed.entropy, spawn_key=index, pool_size=seed.pool_size)


def generator(seed: SeedSequence) -> Generator:
    """Return a generator on a stream: SFC64, the fastest that NumPy has."""
    return Generator(np.random.SFC64(seed))
