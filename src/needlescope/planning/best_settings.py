"""What a search for the best settings returns, for every model alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .learners import Evaluation

FIRST_LOSS = "logistic"  # taken unless another is clearly better
CLEAR_GAIN = 0.01  # of the error, relative, by which another loss than the first must be better
WRONG_FACTORS = (0.25, 0.5, 2.0, 4.0)  # by which a setting is wrong


class BestSettings(NamedTuple):
    """The best settings to full precision, and what is said about others."""

    loss: str
    reached: Evaluation
    untuned: float  # the error of the default training
    losses: Mapping[str, float]  # the error with each loss, roughly
    costs: Mapping[str, Mapping[float, float]]  # of one setting that is wrong by a factor
    split: float = 0.0
    notes: tuple[str, ...] = ()


def best_loss(tried: Mapping[str, Any]) -> str:
    """Return the loss whose settings have the least error: the first unless one is clearly better.

    Examples
    --------
    >>> best_loss({"logistic": Evaluation(0.1, 0.0), "square": Evaluation(0.0995, 0.0)})
    'logistic'
    >>> best_loss({"logistic": Evaluation(0.1, 0.0), "square": Evaluation(0.05, 0.0)})
    'square'
    """
    chosen = min(tried, key=lambda name: float(tried[name].error))
    lead = next(iter(tried))
    return lead if tried[lead].error <= (1.0 + CLEAR_GAIN) * tried[chosen].error else chosen
