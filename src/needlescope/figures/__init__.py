"""Stored table to matplotlib figure; never recomputes."""

from .alignment import alignment
from .attended import attended
from .attention_map import attention_map
from .capacity import capacity
from .errors import errors
from .length import length
from .overview import overview
from .rates import rates
from .reuse import reuse
from .robustness import robustness
from .separation import separation
from .win_or_lose import win_or_lose

__all__ = [
    "alignment",
    "attended",
    "attention_map",
    "capacity",
    "errors",
    "length",
    "overview",
    "rates",
    "reuse",
    "robustness",
    "separation",
    "win_or_lose",
]
