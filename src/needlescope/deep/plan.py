"""What a training of the classifier is told, and what is kept of it: plain data, without torch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..grid import real, whole
from .catalogue import check_steps, get_architecture

MOST_RATES = 20
MOST_EPOCHS = 10**5


def read_steps(rates: Any, decay: Any) -> tuple[tuple[float, ...], float | None]:
    """Return learning rates and the decay of weights, if there is one, or refuse them."""
    if not isinstance(rates, list | tuple | np.ndarray) or np.ma.isMaskedArray(rates):
        raise ValueError(f"rates must be a list of numbers, got {rates!r:.80}")
    if not 1 <= len(rates) <= MOST_RATES:
        raise ValueError(f"rates must be 1 to {MOST_RATES} learning rates, got {len(rates)}")
    for one in rates:
        if np.ndim(one):
            raise ValueError(f"rates must be a list of numbers, got {rates!r:.80}")
        real("rates", one, 0.0, np.inf, open_low=True, sense=(1e-12, 1e6))
    steps = tuple(float(one) for one in rates)
    if decay is None:
        return steps, None
    if np.ndim(decay):
        raise ValueError(f"decay must be one number or None, got {decay!r:.80}")
    fall = float(real("decay", decay, 0.0, np.inf, sense=(0.0, 1e6)))
    check_steps(steps, fall)
    return steps, fall


class Plan(NamedTuple):
    """What is trained, and how: an architecture and its sizes, learning rates, the most epochs."""

    architecture: str
    width: int
    heads: int | None
    rates: tuple[float, ...]
    decay: float | None
    epochs: int

    @classmethod
    def read(
        cls, architecture: Any, width: Any, heads: Any, rates: Any, decay: Any, epochs: Any
    ) -> Plan:
        """Make a plan of what a user gives, or refuse it.

        Examples
        --------
        >>> Plan.read("gated", 8, None, [0.01], 3.0, 50)
        Plan(architecture='gated', width=8, heads=None, rates=(0.01,), decay=3.0, epochs=50)
        >>> Plan.read("gated", 8, None, 0.01, None, 50)
        Traceback (most recent call last):
        ValueError: rates must be a list of numbers, got 0.01
        """
        get_architecture(architecture, width, heads)
        whole("epochs", epochs, 1, MOST_EPOCHS)
        steps, fall = read_steps(rates, decay)
        several = None if heads is None else int(heads)
        return cls(architecture, int(width), several, steps, fall, epochs)


class Trained(NamedTuple):
    """A trained architecture: its name and sizes, its weights, and how its training ended.

    Examples
    --------
    >>> one = Trained("solvable", 2, 8, None, {"query": np.zeros(2), "bias": np.zeros(())}, 0.01, 7)
    >>> one.parameters
    3
    """

    architecture: str
    d: int
    width: int
    heads: int | None
    weights: dict[str, Any]
    rate: float  # of learning, the one that was kept
    epochs: int  # after which the loss of bags held out was least

    @property
    def parameters(self) -> int:
        """How many numbers were trained."""
        return sum(one.size for one in self.weights.values())
