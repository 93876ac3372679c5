"""All experiments by name, loaded when asked for."""

from __future__ import annotations

from importlib import import_module

from .experiment import Experiment
from .units.guess import one_of

NAMES = (
    *("errors", "alignment", "capacity", "separation", "win_or_lose", "rates"),
    *("length", "reuse", "robustness", "attention_map"),
    *("limit", "phases", "keep_up"),
)


def experiment(name: str) -> Experiment:
    """Return the experiment of that name.

    Examples
    --------
    >>> experiment("errors").title
    'Errors against the amount of training data'
    """
    one_of("experiment", name, NAMES)
    found: Experiment = import_module(f".published.{name}", __package__).EXPERIMENT
    return found
