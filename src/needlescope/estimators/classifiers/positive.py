"""Which of two labels is the positive class: the one whose bags have a signal in them.

It is ``pos_label``. By default it is 1 for labels 0 and 1, −1 and 1, or False and True, as is usual
in scikit-learn. With other labels, a signal is sought in the bags of either class.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

CONVENTIONAL = ((0, 1), (-1, 1))


class PositiveClass(NamedTuple):
    """The position of the positive class among two, and whether it is given or conventional."""

    position: int
    known: bool

    @property
    def sign(self) -> float:
        """+1 if the second label is the positive class, −1 if the first is."""
        return 1.0 if self.position else -1.0


def positive_class(pos_label: Any, classes: Any) -> PositiveClass:
    """Return which class is positive, or refuse a label that is not in y.

    Examples
    --------
    >>> positive_class(None, np.array([0, 1])), positive_class("a", np.array(["a", "b"]))
    (PositiveClass(position=1, known=True), PositiveClass(position=0, known=True))
    >>> positive_class(None, np.array(["cancer", "healthy"]))
    PositiveClass(position=1, known=False)
    """
    labels = np.asarray(classes).tolist()
    if pos_label is None:
        return PositiveClass(1, tuple(labels) in CONVENTIONAL)
    if len(labels) > 2:
        raise ValueError(
            f"pos_label={pos_label!r} is for two classes, got {len(labels)}, each of which is "
            "compared with all others; leave it out"
        )
    alike = [np.ndim(pos_label) == 0 and bool(label == pos_label) for label in labels]
    if not any(alike):
        listed = " or ".join(repr(label) for label in labels)
        raise ValueError(f"pos_label must be one of the labels in y, {listed}, got {pos_label!r}")
    return PositiveClass(alike.index(True), True)


def warn_of_label_order(classes: Any, candidate: Any) -> None:
    """Warn that a class is taken for the positive one because its label sorts last."""
    labels = np.asarray(classes).tolist()
    warnings.warn(
        f"{candidate.words} treats the two classes differently, and no bags were held out: "
        f"{labels[1]!r} is taken for the positive class, as it sorts last; pass "
        f"pos_label={labels[1]!r} or pos_label={labels[0]!r}",
        UserWarning,
        stacklevel=4,
    )
