"""Which of two labels is the positive class: the one whose bags have a signal in them.

It is the label that was given. Without one it is 1, if the labels are 0 and 1, −1 and 1, or False
and True, as elsewhere in scikit-learn. Other labels do not say: signals are then sought in either.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

CONVENTIONAL = ((0, 1), (-1, 1))


class PositiveClass(NamedTuple):
    """The place of the positive class among two, and whether it is known to be that."""

    place: int
    known: bool

    @property
    def sign(self) -> float:
        """+1 if the second label is the positive class, −1 if the first is."""
        return 1.0 if self.place else -1.0


SECOND = PositiveClass(1, True)


def positive_class(pos_label: Any, classes: Any) -> PositiveClass:
    """Return which class is positive, or refuse a label that there is not.

    Examples
    --------
    >>> positive_class(None, np.array([0, 1])), positive_class("a", np.array(["a", "b"]))
    (Positive(place=1, known=True), Positive(place=0, known=True))
    >>> positive_class(None, np.array(["cancer", "healthy"]))
    Positive(place=1, known=False)
    >>> positive_class("tumour", np.array(["cancer", "healthy"]))
    Traceback (most recent call last):
    ValueError: pos_label must be one of the labels in y, 'cancer' or 'healthy', got 'tumour'
    """
    labels = np.asarray(classes).tolist()
    if pos_label is None:
        return PositiveClass(1, tuple(labels) in CONVENTIONAL)
    if len(labels) > 2:
        raise ValueError(
            f"pos_label={pos_label!r} is for two classes, got {len(labels)}: each is told from all "
            "others; leave it out"
        )
    alike = [np.ndim(pos_label) == 0 and bool(label == pos_label) for label in labels]
    if not any(alike):
        listed = " or ".join(repr(label) for label in labels)
        raise ValueError(f"pos_label must be one of the labels in y, {listed}, got {pos_label!r}")
    return PositiveClass(alike.index(True), True)


def warn_of_label_order(classes: Any, setting: Any) -> None:
    """Warn that a class was taken for the positive one because its label sorts last."""
    labels = np.asarray(classes).tolist()
    warnings.warn(
        f"{setting.words} takes the two classes differently, and there were no bags to compare by: "
        f"{labels[1]!r} is taken for the positive class, as it sorts last; pass "
        f"pos_label={labels[1]!r} or pos_label={labels[0]!r}",
        UserWarning,
        stacklevel=4,
    )
