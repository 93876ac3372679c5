"""Refusals of what the theory of noise with a spectrum does not have."""

from __future__ import annotations

from ...task import Task
from ...training import Training


def check_spectrum(task: Task, training: Training) -> None:
    """Refuse a schedule in noise with a spectrum.

    Its steps need the joint law of w and q on every level, not a few overlaps.
    """
    if training.schedule is not None:
        task.need_white("the theory of a schedule of steps")
