"""Torch as a training needs it: one thread and the same numbers each time; then as it was.

Trainings may go on in several threads of Python, and torch has some of its state in common for all
of them: the last that ends leaves it as the first found it, and random numbers are drawn by one at
a time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_STATE, _DRAWING, _THREAD = threading.Lock(), threading.RLock(), threading.local()
_torch_state: dict[str, int] = {"users": 0}  # how many there are, and how the first found torch


@contextmanager
def deterministic() -> Iterator[None]:
    """Run with one thread of torch's own, and algorithms that repeat themselves.

    Examples
    --------
    >>> before = torch.get_num_threads()
    >>> with deterministic():
    ...     torch.get_num_threads()
    1
    >>> torch.get_num_threads() == before
    True
    """
    if getattr(_THREAD, "calm", False):
        yield
        return
    with _STATE:
        if _torch_state["users"] == 0:
            _torch_state["threads"] = torch.get_num_threads()
            _torch_state["strict"] = torch.are_deterministic_algorithms_enabled()
            torch.use_deterministic_algorithms(True)
        _torch_state["users"] += 1
        torch.set_num_threads(1)  # of those that this thread of Python starts
    _THREAD.deterministic = True
    try:
        yield
    finally:
        _THREAD.deterministic = False
        with _STATE:
            _torch_state["users"] -= 1
            torch.set_num_threads(_torch_state["threads"])
            if _torch_state["users"] == 0:
                torch.use_deterministic_algorithms(bool(_torch_state["strict"]))


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Run calmly, with random numbers of a seed; other threads wait for theirs.

    Examples
    --------
    >>> with seeded(1):
    ...     one = torch.rand(2)
    >>> with seeded(1):
    ...     print(bool((torch.rand(2) == one).all()))
    True
    """
    with deterministic(), _DRAWING, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
