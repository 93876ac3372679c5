"""The number of signal tokens as oracles take it: a number, or its distribution."""

from __future__ import annotations

from typing import TypeAlias

from ...task import Task

Count: TypeAlias = "int | tuple[tuple[int, float], ...]"
"""R, or the numbers that occur with their probabilities where it is random."""


def count_of(task: Task) -> Count:
    """Return the number of signal tokens of a (scalar) task.

    >>> import needlescope as ns
    >>> count_of(ns.Task(9, 2, 3.0, 0.5)), count_of(ns.Task(9, ns.SignalCount([1, 2]), 3.0, 0.5))
    (2, ((1, 0.5), (2, 0.5)))
    """
    return task.counts[0][0] if len(task.counts) == 1 else task.counts


def pairs(R: Count) -> tuple[tuple[int, float], ...]:
    """Return numbers of signal tokens with their probabilities.

    >>> pairs(3)
    ((3, 1.0),)
    """
    return ((R, 1.0),) if isinstance(R, int) else R


def most(R: Count) -> int:
    """Return the largest number of signal tokens that occurs."""
    return max(count for count, _ in pairs(R))
