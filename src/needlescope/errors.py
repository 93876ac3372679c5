"""The two ways a well-posed question can end without a number."""

from __future__ import annotations


class NotConverged(RuntimeError):
    """A number did not reach the accuracy that was asked, so it is not returned."""


class NoMinimiser(ValueError):
    """The training problem has no (unique, finite) minimiser, so nothing can be predicted."""
