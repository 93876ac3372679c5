"""Convex losses ℓ(z; y) of a score z and a label y = ±1.

| name | ℓ(z; y), with u = y z |
| --- | --- |
| square | ½ (1 − u)² = ½ (z − y)² |
| logistic | log(1 + e^{−u}) |
| hinge | (1 − u)₊ |
| squared_hinge | ½ (1 − u)₊² |

The square and the squared hinge carry a ½, and the ridge is measured against it: training minimises
(1/n) Σ ℓ + (λ/2)‖w‖². Whoever writes (1 − u)² without the ½ has the same minimiser at twice the
ridge, and the same gradient steps at half their size:

>>> import needlescope as ns
>>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
>>> plain = ns.PiecewiseQuadratic([], [(2.0, -2.0, 1.0)], name="without the half")
>>> half = ns.predict(task, ns.Training(alpha1=1.0, loss="square", ridge=0.01), "pooled")
>>> full = ns.predict(task, ns.Training(alpha1=1.0, loss=plain, ridge=0.02), "pooled")
>>> bool(abs(full.test_error - half.test_error) < 1e-9), round(full.train_loss / half.train_loss, 6)
(True, 2.0)

A loss of one's own is a subclass of `Loss` with `value`, `derivative` and `second` (all in the
score z); it gets a safeguarded proximal operator and works everywhere the built-in ones do. One
that is piecewise quadratic is an instance of `PiecewiseQuadratic`, whose Gaussian integrals are
exact.
"""

from __future__ import annotations

from weakref import WeakValueDictionary

import numpy as np

from .base import Loss
from .logistic import Logistic
from .piecewise import KINK, SQUARE_PIECE, PiecewiseQuadratic, Segment

__all__ = [
    "HINGE",
    "KINK",
    "LOGISTIC",
    "LOSSES",
    "SQUARE",
    "SQUARED_HINGE",
    "Logistic",
    "Loss",
    "PiecewiseQuadratic",
    "Segment",
    "check_loss",
    "get_loss",
]

SQUARE = PiecewiseQuadratic([], [SQUARE_PIECE], name="square")
LOGISTIC = Logistic()
HINGE = PiecewiseQuadratic([1.0], [(0.0, -1.0, 1.0), (0.0, 0.0, 0.0)], name="hinge")
SQUARED_HINGE = PiecewiseQuadratic([1.0], [(1.0, -1.0, 0.5), (0.0, 0.0, 0.0)], name="squared_hinge")
LOSSES: dict[str, Loss] = {loss.name: loss for loss in (SQUARE, LOGISTIC, HINGE, SQUARED_HINGE)}


def get_loss(loss: str | Loss) -> Loss:
    """Return the loss of that name, or the loss itself.

    Examples
    --------
    >>> get_loss("hinge")
    <hinge loss>
    """
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str) and loss in LOSSES:  # type: ignore[redundant-expr]
        return LOSSES[loss]
    known = ", ".join(repr(name) for name in LOSSES)
    raise ValueError(f"loss must be one of {known} or a needlescope.Loss, got {loss!r}")


_CHECKED: WeakValueDictionary[int, Loss] = WeakValueDictionary()  # by id: not all are hashable
JUMPS = 2  # places out of 13 where a second derivative may be in the middle of a jump


def check_loss(loss: Loss) -> None:
    """Refuse a loss of one's own whose value and derivative, or labels, contradict each other.

    Examples
    --------
    >>> class Wrong(Logistic):
    ...     def value(self, z, y):
    ...         return 3.0 * super().value(z, y)
    >>> check_loss(Wrong())
    Traceback (most recent call last):
        ...
    ValueError: the derivative of the logistic loss is not that of its value: at score -3.1 ...
    """
    if type(loss) in (Logistic, PiecewiseQuadratic) or _CHECKED.get(id(loss)) is loss:
        return
    z, step = np.linspace(-3.1, 3.1, 13), 1e-5
    for y in (1, -1):
        stated = np.asarray(loss.derivative(z, y), float)
        seen = np.asarray(loss.value(z + step, y) - loss.value(z - step, y)) / (2.0 * step)
        off = np.abs(stated - seen) - 1e-3 * (1.0 + np.abs(seen))
        if not (off <= 0.0).all():
            k = int(np.argmax(off))
            raise ValueError(
                f"the derivative of the {loss.name} loss is not that of its value: at score "
                f"{z[k]:g} and label {y} it is {stated[k]:g}, by differences {seen[k]:g}"
            )
        bend = np.asarray(loss.second(z, y), float)
        seen = np.asarray(loss.derivative(z + step, y) - loss.derivative(z - step, y)) / (2 * step)
        off = np.abs(bend - seen) - 1e-3 * (1.0 + np.abs(seen))
        if not np.count_nonzero(~(off <= 0.0)) <= JUMPS:
            k = int(np.argmax(np.nan_to_num(off, nan=np.inf)))
            raise ValueError(
                f"the second derivative of the {loss.name} loss is not that of its derivative: at "
                f"score {z[k]:g} and label {y} it is {bend[k]:g}, by differences {seen[k]:g}"
            )
        if not (seen >= -1e-3).all():
            k = int(np.argmin(seen))
            raise ValueError(
                f"the {loss.name} loss must be convex, but its slope falls at score {z[k]:g} and "
                f"label {y}"
            )
    if loss.of_margin and not np.allclose(loss.value(z, 1), loss.value(-z, -1), atol=1e-9):
        raise ValueError(
            f"the {loss.name} loss says of_margin = True, but its values at (z, +1) and (-z, -1) "
            "differ"
        )
    _CHECKED[id(loss)] = loss
