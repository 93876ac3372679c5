"""Groups of samples with the same label, number of signal tokens and signal.

The scores within a group have one law: an average over the data is the sum over groups of the
share of each times the average within it.
"""

from __future__ import annotations

from typing import NamedTuple

from ...task import Task


class SampleGroup(NamedTuple):
    """Samples of one label, number of signal tokens and signal, and their share of the data."""

    share: float
    label: int  # as observed, with label noise
    tokens: int  # how many of the L tokens carry the signal
    signal: int  # index of the signal they carry


def sample_groups(task: Task) -> tuple[SampleGroup, ...]:
    """Return the groups of a (scalar) task: positives of each signal and R, then negatives.

    With label noise each of them has a group with the other label, at the end.

    >>> for group in sample_groups(Task(L=10, R=2, theta=5.0, pi=0.25, signals=(0.5, 0.5))):
    ...     print(group)
    SampleGroup(share=0.125, label=1, tokens=2, signal=0)
    SampleGroup(share=0.125, label=1, tokens=2, signal=1)
    SampleGroup(share=0.75, label=-1, tokens=0, signal=0)
    >>> for group in sample_groups(Task(L=10, R=2, theta=5.0, pi=0.5, label_noise=(0.25, 0.0))):
    ...     print(group)
    SampleGroup(share=0.375, label=1, tokens=2, signal=0)
    SampleGroup(share=0.5, label=-1, tokens=0, signal=0)
    SampleGroup(share=0.125, label=-1, tokens=2, signal=0)
    """
    weights = (1.0,) if task.signals is None else task.signals
    true = [
        SampleGroup(task.pi * weight * chance, 1, tokens, k)
        for k, weight in enumerate(weights)
        for tokens, chance in task.counts
    ]
    true.append(SampleGroup(1.0 - task.pi, -1, 0, 0))
    if task.label_noise is None:
        return tuple(true)
    flips = {1: task.flips[0], -1: task.flips[1]}
    kept = [item._replace(share=item.share * (1.0 - flips[item.label])) for item in true]
    turned = [
        item._replace(share=item.share * flips[item.label], label=-item.label)
        for item in true
        if flips[item.label] > 0.0
    ]
    return (*kept, *turned)
