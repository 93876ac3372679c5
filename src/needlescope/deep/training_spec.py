"""The validated arguments of a training, and its result: plain data, without torch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..grid import real, whole
from .catalogue import get_architecture

MOST_RATES = 20
MAX_EPOCHS = 10**5


def check_numbers(name: str, given: Any, *, above_zero: bool) -> tuple[float, ...]:
    """Return learning rates, or decays, as plain numbers; or refuse them."""
    if not isinstance(given, list | tuple | np.ndarray) or np.ma.isMaskedArray(given):
        raise ValueError(f"{name} must be a list of numbers, got {given!r:.80}")
    if not 1 <= len(given) <= MOST_RATES:
        raise ValueError(f"{name} must be 1 to {MOST_RATES} numbers, got {len(given)}")
    for item in given:
        if np.ndim(item):
            raise ValueError(f"{name} must be a list of numbers, got {given!r:.80}")
        real(name, item, 0.0, np.inf, open_low=above_zero, sense=(1e-12 * above_zero, 1e6))
    return tuple(float(item) for item in given)


class TrainingSpec(NamedTuple):
    """What is trained, and how: an architecture and its sizes, rates, decays, the most epochs."""

    architecture: str
    width: int
    heads: int | None
    rates: tuple[float, ...]
    decays: tuple[float, ...]
    epochs: int

    @classmethod
    def validated(
        cls, architecture: Any, width: Any, heads: Any, rates: Any, decays: Any, epochs: Any
    ) -> TrainingSpec:
        """Return the specification that a user gives, or refuse it.

        Examples
        --------
        >>> tuple(TrainingSpec.validated("gated", 8, None, [0.01], [3.0], 50))
        ('gated', 8, None, (0.01,), (3.0,), 50)
        >>> TrainingSpec.validated("gated", 8, None, 0.01, [3.0], 50)
        Traceback (most recent call last):
        ValueError: rates must be a list of numbers, got 0.01
        """
        get_architecture(architecture, width, heads)
        whole("epochs", epochs, 1, MAX_EPOCHS)
        steps = check_numbers("rates", rates, above_zero=True)
        falls = check_numbers("decays", decays, above_zero=False)
        several = None if heads is None else int(heads)
        return cls(architecture, int(width), several, steps, falls, epochs)


class TrainedNetwork(NamedTuple):
    """A trained architecture: its name and sizes, its weights, and how its training ended.

    Examples
    --------
    >>> weights = {"query": np.zeros(2), "bias": np.zeros(())}
    >>> TrainedNetwork("solvable", 2, 8, None, weights, 0.01, 3.0, 7).parameters
    3
    """

    architecture: str
    d: int
    width: int
    heads: int | None
    weights: dict[str, Any]
    rate: float  # of learning, the one that was kept
    decay: float
    epochs: int  # after which the loss of bags held out was least

    @property
    def parameters(self) -> int:
        """How many numbers were trained."""
        return sum(weight.size for weight in self.weights.values())
