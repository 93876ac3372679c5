"""The groups of samples that a gradient tells apart: label, signal tokens, and which signal.

Within a group the scores of samples have one law, so an average over the data is a sum over groups
of their shares times an average within each.
"""

from __future__ import annotations

from typing import NamedTuple

from ..task import Task


class Group(NamedTuple):
    """Samples that are alike: a share of all data."""

    share: float
    label: int  # that the loss is given
    tokens: int  # how many of the L tokens carry the signal
    kind: int  # which of the signals they carry


def groups(task: Task) -> tuple[Group, ...]:
    """Return the groups of a (scalar) task: positives of each signal, then negatives.

    Examples
    --------
    >>> for group in groups(Task(L=10, R=2, theta=5.0, pi=0.25, signals=(0.5, 0.5))):
    ...     print(group)
    Group(share=0.125, label=1, tokens=2, kind=0)
    Group(share=0.125, label=1, tokens=2, kind=1)
    Group(share=0.75, label=-1, tokens=0, kind=0)
    """
    weights = (1.0,) if task.signals is None else task.signals
    positives = (Group(task.pi * weight, 1, task.R, k) for k, weight in enumerate(weights))
    return (*positives, Group(1.0 - task.pi, -1, 0, 0))
