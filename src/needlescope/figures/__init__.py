"""Stored table to series, and series to matplotlib figure; never recomputes."""

from .attended import attended
from .bag import bag
from .catalogue import series
from .lines import lines
from .overview import overview
from .planned import plan, tuning
from .published.alignment import alignment
from .published.attention_map import attention_map
from .published.beyond.kinds import kinds
from .published.beyond.rare import rare
from .published.beyond.signals import signals
from .published.capacity import capacity
from .published.deep.deep_errors import deep_errors
from .published.deep.deep_generalise import deep_generalise
from .published.deep.deep_heads import deep_heads
from .published.deep.deep_lengths import deep_lengths
from .published.deep.deep_rare import deep_rare
from .published.deep.deep_training import deep_training
from .published.errors import errors
from .published.length import length
from .published.possible.keep_up import keep_up
from .published.possible.limit import limit
from .published.possible.phases import phases
from .published.possible.steps import steps
from .published.rates import rates
from .published.reuse import reuse
from .published.robustness import robustness
from .published.separation import separation
from .published.win_or_lose import win_or_lose

__all__ = [
    "alignment",
    "attended",
    "attention_map",
    "bag",
    "capacity",
    "deep_errors",
    "deep_generalise",
    "deep_heads",
    "deep_lengths",
    "deep_rare",
    "deep_training",
    "errors",
    "keep_up",
    "kinds",
    "length",
    "limit",
    "lines",
    "overview",
    "phases",
    "plan",
    "rare",
    "rates",
    "reuse",
    "robustness",
    "separation",
    "series",
    "signals",
    "steps",
    "tuning",
    "win_or_lose",
]


def __dir__() -> list[str]:
    return sorted(__all__)
