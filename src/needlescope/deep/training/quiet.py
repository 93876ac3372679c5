"""Torch as a trial needs it: one thread and the same numbers each time; then as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def repeatable(seed: int) -> Iterator[None]:
    """Run with one thread, algorithms that repeat themselves, and random numbers of a seed.

    Examples
    --------
    >>> with repeatable(1):
    ...     one = torch.rand(2)
    >>> with repeatable(1):
    ...     print(bool((torch.rand(2) == one).all()))
    True
    """
    threads, strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.use_deterministic_algorithms(strict)
        torch.set_num_threads(threads)
