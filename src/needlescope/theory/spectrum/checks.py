"""Refusals of what the theory of noise with a spectrum does not have."""

from __future__ import annotations

from ...grid import choice
from ...task import Task
from ...training import Training


def check_spectrum(task: Task, training: Training) -> None:
    """Refuse a schedule in noise with a spectrum.

    Its steps need the joint law of w and q on every level, not a few overlaps.
    """
    if training.schedule is not None:
        task.need_white("the theory of a schedule of steps")


def check_whitening(whitening: str) -> None:
    """Refuse whitening by an estimate: it depends on the very instances that train."""
    choice("whitening", whitening, ("known", "estimated", "negatives"))
    if whitening != "known":
        raise ValueError(
            f"the theory has no whitening={whitening!r}: the covariance depends on the instances "
            "that train the classifier; use needlescope.simulate, or whitening='known', the limit "
            "of many negatives"
        )
